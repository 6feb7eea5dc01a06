"""``python -m analysis``: the commands around the pipeline."""

from __future__ import annotations

import sys

import typer

from analysis import params
from analysis.errors import InputError
from analysis.models import source
from analysis.models.device import resolve
from analysis.params.sections import HubModel, HubSplits
from analysis.stage import require_experiment, require_one_process
from analysis.stages.input import existing

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)


@app.command()
def check() -> None:
    """Validate params.yaml, and that what it names can be had, before anything runs."""
    require_one_process()
    values = params.load()
    if values.device not in ("auto", "cpu"):  # asking costs the start of torch
        resolve(values.device)
    for name in values.files:
        existing(values, name)
    experiments = values.experiments.values()
    for model in (*(one.model for one in experiments), values.heads.images):
        if isinstance(model, HubModel):
            source.require(model)
    for data in (one.data for one in experiments):
        if isinstance(data, HubSplits):
            from analysis.corpora import hub  # pandas takes longer to start than all the rest

            hub.require(data)


@app.command()
def measure(name: str, experiment: str) -> None:
    """Take one measure of an experiment anew, and print its means over texts; nothing is kept."""
    from analysis.stages.measure import alone  # pandas takes longer to start than all the rest

    values = params.load()
    require_experiment(values, experiment)
    rows = alone(values, experiment, name)
    shown = rows[(rows["head"] == 0) & (rows["minus"] == "")]
    columns = ["variant", "of", "kind", "measure", "layer", "mean", "low", "high", "texts"]
    typer.echo(shown[columns].to_string(index=False, na_rep="", float_format="{:.4g}".format))


@app.command()
def verify() -> None:
    """Compare a finished run with reference/ and with its own hashes; exit 1 on a miss."""
    from analysis import verification

    raise typer.Exit(0 if verification.verify() else 1)


@app.command()
def reference() -> None:
    """Make the metrics and parameters of the present run the reference."""
    from analysis import verification

    verification.keep_reference()


def main() -> None:
    """Run a command; a bad input ends with one sentence and code 2."""
    try:
        app()
    except InputError as error:
        sys.stderr.write(f"error: {error}\n")
        sys.exit(2)


if __name__ == "__main__":
    main()
