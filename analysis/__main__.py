"""``python -m analysis``: the commands around the pipeline."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Annotated

from analysis.methods.extras import extra

with extra("models", "python -m analysis"):
    import typer

from analysis import params
from analysis.errors import InputError, about, told
from analysis.methods.flow import predicted_seconds
from analysis.models import source
from analysis.models.architecture import layers_and_heads, positions, require_positions
from analysis.models.device import resolve
from analysis.params import PARAMS_FILE, located, profiles
from analysis.params.reading import read_mapping
from analysis.params.sections import (
    EmbeddedModel,
    Experiment,
    HubModel,
    HubSplits,
    LocalModel,
    Propagation,
    TextsData,
)
from analysis.paths import QUICK
from analysis.stage import require, require_one_process
from analysis.stages.anatomy import require_shown
from analysis.stages.input import existing

LOCK = Path(".dvc/tmp/rwlock")
# What DVC reads, and after which command it can go on; without a lock, it still finds what it has
# kept.
PIPELINE = {Path("dvc.yaml"): "git checkout HEAD dvc.yaml", Path("dvc.lock"): "rm dvc.lock"}
HOUR = 3600  # seconds; a flow that may take longer is announced

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)


@app.command()
def check() -> None:
    """Validate params.yaml, and that what it names can be had, before anything runs."""
    require_one_process()
    try:
        json.loads(LOCK.read_text(encoding="utf-8") if LOCK.is_file() else "{}")
    except ValueError:
        raise InputError(
            f"{LOCK}, where DVC notes what its processes read and write, was cut off by a kill or "
            f"a full disk, and DVC stops at it; see that no other `dvc` runs here, `rm {LOCK}`, "
            "and run again."
        ) from None
    for path, restored in PIPELINE.items():
        if path.is_file():
            read_mapping(path, restored)
    values = params.load()
    require_merged()
    if values.device not in ("auto", "cpu"):  # asking costs the start of torch
        resolve(values.device)
    for name in values.files:
        existing(values, name)
    for name, experiment in values.experiments.items():
        config = source.configuration(located(values, name).model)
        require_positions(experiment.length, positions(config), f"experiments.{name}.")
        if experiment.task == "classification" and config.get("pad_token_id", 0) is None:
            raise InputError(
                f"experiments.{name}.model has pad_token_id null in its config.json, and what "
                "explains a prediction starts from padding tokens; state it there, or choose "
                "another model."
            )
        announce_flow(name, experiment, layers_and_heads(config)[0], values.propagation)
    try_out(values)
    require_shown(values.anatomy, located(values, values.report.focus.experiment).model)
    if isinstance(values.heads.images, HubModel):
        source.configuration(values.heads.images, images=True)
    for data in (one.data for one in values.experiments.values()):
        if isinstance(data, HubSplits):
            from analysis.corpora import hub  # pandas takes longer to start than all the rest

            hub.require(data)


def try_out(values: params.Params) -> None:
    """Load the models that are here, but for the embedded one, and tokenise texts of one's own.

    What a stage would find at its work, after others have worked for hours, is found before.
    """
    for name in values.experiments:
        experiment = located(values, name)
        texts = experiment.data.texts if isinstance(experiment.data, TextsData) else ()
        embedded = isinstance(experiment.model, EmbeddedModel)
        directory = source.present(experiment.model)
        if directory is None or (embedded and not texts):
            continue
        from analysis.models.load import load_encoder  # torch takes seconds to start
        from analysis.models.tokenizer import load_tokenizer

        tokenizer = load_tokenizer(directory)
        if not embedded:
            source.locate(experiment.model)
            load_encoder(directory)
        if texts:
            from analysis.models.encode import encode

            with about(f"experiments.{name}"):
                encoded = encode(texts, tokenizer, experiment.length)
            require_enough(values, name, [len(text.tokens) for text in encoded])
    if isinstance(values.heads.images, LocalModel):
        from analysis.measures.heads import image_features

        image_features(values, resolve("cpu"))


def require_enough(values: params.Params, name: str, tokens: list[int]) -> None:
    """Refuse texts of one's own that have too few tokens, or maps, for what is made of them."""
    from analysis.measures.clusters import require_enough_maps
    from analysis.measures.projection import require_enough_tokens

    mapped = sum(tokens[text] for text in values.projection.examples)
    require_enough_tokens(values.projection, name, mapped)
    layers, heads = layers_and_heads(source.configuration(located(values, name).model))
    described = min(len(tokens), values.heads.examples or len(tokens))
    require_enough_maps(values.clusters, name, described * layers * heads)


def require_merged() -> None:
    """Refuse files in which git has left conflict markers: pages would show them as text.

    Raises
    ------
    InputError
        With these files.
    """
    if not Path(".git").exists():
        return
    command = ["git", "grep", "-I", "--files-with-matches", "--extended-regexp", "^(<{7}|>{7}) "]
    try:
        names = subprocess.run(command, capture_output=True, encoding="utf-8").stdout.split("\n")
    except FileNotFoundError:  # no git, which is needed for conflicts
        return
    if named := ", ".join(filter(None, names)):
        raise InputError(
            f"git has left conflict markers in {named}; keep one of the versions at each of them, "
            "and run again."
        )


def announce_flow(name: str, experiment: Experiment, layers: int, settings: Propagation) -> None:
    """Say how long attention flow may take, if that is long: the one measure that can take days."""
    tokens, texts = experiment.length.max_tokens, experiment.capture.examples
    sources = min(settings.flow_sources or tokens, tokens)
    states = 1 if experiment.train is None else 2
    # With the residual of the parameters, and with the measured one.
    seconds = 2 * states * texts * predicted_seconds(layers, tokens, sources)
    if seconds > HOUR:
        typer.echo(
            f"{name}: attention flow from {sources} tokens of each of {texts} texts takes about "
            f"{seconds / HOUR:.1f} hours of one core, if all are {tokens} tokens long; "
            "propagation.flow_sources lowers it."
        )


@app.command()
def profile(name: str) -> None:
    """Make params.yaml the committed one with the differences of profiles/NAME.yaml."""
    PARAMS_FILE.write_text(profiles.profile(name), encoding="utf-8")
    typer.echo(
        f"{PARAMS_FILE} is that of profile {name}; `cp {profiles.COMMITTED} {PARAMS_FILE}` brings "
        "back the committed one."
    )


@app.command()
def measure(name: str, experiment: str) -> None:
    """Take one measure of an experiment anew, and print its means over texts; nothing is kept."""
    from analysis.measures.summary import NAMES, summarise
    from analysis.stages.measure import alone  # pandas takes longer to start than all the rest

    values = params.load()
    require(experiment, "experiments", values.experiments)
    measured, found = alone(values, experiment, name)
    rows = summarise([found.astype(dict.fromkeys(NAMES, str))], [measured], values.bootstrap)
    shown = rows[(rows["head"] == 0) & (rows["minus"] == "")]
    columns = ["variant", "of", "kind", "measure", "layer", "mean", "low", "high", "texts"]
    typer.echo(shown[columns].to_string(index=False, na_rep="", float_format="{:.4g}".format))


@app.command()
def explain(
    texts: Annotated[list[str] | None, typer.Argument(help="one text or several")] = None,
    pair: Annotated[str | None, typer.Option(help="a second text, read with the only one")] = None,
    file: Annotated[Path | None, typer.Option(help="a text a line, in UTF-8")] = None,
    model: Annotated[str, typer.Option(help="a directory or a hub id")] = source.EMBEDDED_NAME,
    output: Annotated[Path, typer.Option(help="the page")] = Path("explained.html"),
) -> None:
    """Write one page on what every head reads in a text, and where its vectors come from."""
    # By how warnings name them.
    given = {f"text {place}": text for place, text in enumerate(texts or [], start=1)}
    if file:
        given |= {f"--file {file}, line {line}": text for line, text in read_lines(file).items()}
    if not given or (pair is not None and len(given) != 1):
        raise InputError(
            f"{len(given)} texts are given{' with a pair' if pair is not None else ''}; allowed: "
            'one or more, or exactly one with --pair; for example `explain "time flies"`.'
        )
    for name, text in {**given, "--pair": pair or ""}.items():
        if any("\ud800" <= one <= "\udfff" for one in text):
            raise InputError(f"{name} holds bytes that are not UTF-8; write it in UTF-8.")
    if not output.absolute().parent.is_dir():
        raise InputError(
            f"--output is {output}, whose directory does not exist; make it or name another."
        )
    from analysis.explain import explain  # torch takes seconds to start

    names = list(given)

    def leave_out(place: int, why: InputError) -> None:
        typer.echo(f"warning: {names[place]} is left out: {why}", err=True)

    several = leave_out if len(given) > 1 else None
    page = explain([(text, pair) for text in given.values()], model, several)
    try:
        output.write_text(page, encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"--output is {output}, which cannot be written ({error.strerror}); name another file."
        ) from None
    typer.echo(f"The page: {output.absolute()}")


@app.command()
def stale() -> None:
    """Name the stages that are out of date, one a line; a change of code or packages counts."""
    from analysis import graph

    for stage in graph.stale():
        typer.echo(stage)


@app.command()
def verify(run: str = QUICK) -> None:
    """Compare a finished run with a reference run and its own hashes; exit 1 on a miss."""
    from analysis import verification

    raise typer.Exit(0 if verification.verify(run) else 1)


@app.command()
def reference(run: str = QUICK) -> None:
    """Keep the present run in reference/RUN."""
    from analysis.reference import keep

    keep(run)


def read_lines(path: Path) -> dict[int, str]:
    """Lines of a file that hold more than white space, by their numbers."""
    try:
        content = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"--file is {path}, which cannot be read ({error}); allowed: a text file in UTF-8, a "
            "text a line; correct the path."
        ) from None
    # Lines as editors count them; str.splitlines also cuts at U+2028 and the like.
    lines = enumerate(re.split("\r\n|\r|\n", content), start=1)
    return {number: line for number, line in lines if line.strip()}


def main() -> None:
    """Run a command; a bad input ends with one sentence and code 2."""
    with told():
        app()


if __name__ == "__main__":
    main()
