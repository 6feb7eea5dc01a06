"""``python -m analysis``: the commands around the pipeline."""

from __future__ import annotations

import subprocess
import sys
from typing import Annotated

from analysis.remedies import REMEDIES
from attention_mixing.methods.extras import extra

with extra("report", "python -m analysis"):
    import typer

from analysis.paths import QUICK
from attention_mixing.errors import InputError, require, told

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)


@app.command()
def check() -> None:
    """Validate params.yaml, and that what it names can be had and used, before anything runs."""
    from analysis.checks import runnable

    runnable.check()


@app.command()
def repro(
    cores: Annotated[
        int | None, typer.Option(min=1, help="How many stages may run at a time; all, without.")
    ] = None,
) -> None:
    """Run what is out of date, stages side by side, and look with DVC that nothing is left."""
    from analysis.pipeline import unchanged

    if unchanged.unchanged():
        typer.echo("Nothing has changed since the last run.")
        return
    from analysis.parameters import load
    from analysis.pipeline.reproduce import reproduce
    from analysis.pipeline.stage import only
    from attention_mixing.models.device import resolve

    with only("repro") as held:
        # In a process of its own: where it tries models, it holds as much memory as a stage.
        checked = subprocess.run([sys.executable, "-m", "analysis", "check"])
        if checked.returncode:
            raise typer.Exit(checked.returncode)
        values = load()
        workers = values.workers if isinstance(values.workers, int) else None
        code = reproduce(held, cores, workers, lambda: resolve(values.device).type != "cpu")
    raise typer.Exit(code)


@app.command()
def profile(
    name: str,
    force: Annotated[
        bool, typer.Option(help="Replace params.yaml even if nothing else has what it holds.")
    ] = False,
) -> None:
    """Make params.yaml the committed one with the differences of profiles/NAME.yaml.

    One that you have edited is kept: commit or copy it first.
    """
    from analysis.parameters import PARAMS_FILE, profiles

    content = profiles.profile(name)
    replaced = profiles.origin(PARAMS_FILE)
    if replaced is None and not force:
        raise InputError(
            f"{PARAMS_FILE} has edits that neither a commit nor a profile has, and profile {name} "
            f"would replace them; commit it or copy it first, or add --force."
        )
    PARAMS_FILE.write_text(content, encoding="utf-8")
    typer.echo(
        f"{PARAMS_FILE} is that of profile {name} now, and was {replaced or 'one with edits'}; "
        f"`cp {profiles.COMMITTED} {PARAMS_FILE}` brings back the committed one."
    )


@app.command()
def measure(name: str, experiment: str) -> None:
    """Take one measure of an experiment anew, and print its means over texts; nothing is kept."""
    import pandas as pd  # takes longer to start than all the rest

    from analysis.parameters import load
    from analysis.stages.measure import alone
    from attention_mixing.measures.engine.summary import summarise

    values = load()
    require(experiment, "experiments", values.experiments)
    measured, by_stream = alone(values, experiment, name)
    tables = [
        summarise([of_stream], [measured], values.bootstrap).assign(stream=stream)
        for stream, of_stream in by_stream.items()
    ]
    rows = pd.concat(tables, ignore_index=True)
    overall = rows[(rows["head"] == 0) & (rows["minus"] == "")]
    columns = ["variant", "subject", "facet", "quantity", "layer", "mean", "low", "high", "texts"]
    if overall["stream"].any():
        columns.insert(0, "stream")
    if overall["clusters"].any():
        columns.insert(4, "clusters")
    typer.echo(overall[columns].to_string(index=False, na_rep="", float_format="{:.4g}".format))


@app.command()
def stale() -> None:
    """Name the stages that are out of date, one a line; a change of code or packages counts."""
    from analysis.pipeline import graph

    for stage in graph.stale():
        typer.echo(stage)


@app.command()
def verify(run: str = QUICK) -> None:
    """Compare a finished run with a reference run and its own hashes; exit 1 on a miss."""
    from analysis.reference import verification

    raise typer.Exit(0 if verification.verify(run) else 1)


@app.command()
def reference(run: str = QUICK) -> None:
    """Keep the present run in reference/RUN."""
    from analysis.reference.keeping import keep

    keep(run)


def main() -> None:
    """Run a command; a bad input ends with one sentence and code 2."""
    with told(REMEDIES):
        app()


if __name__ == "__main__":
    main()
