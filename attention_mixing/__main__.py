"""``attention-mixing``, or ``python -m attention_mixing``: what needs no pipeline."""

from __future__ import annotations

import gc
import os
import stat
from pathlib import Path
from typing import Annotated

from attention_mixing.methods.extras import extra

with extra("models", "attention-mixing"):
    import typer

    from attention_mixing.errors import InputError, end_when_interrupted, shortened, told
    from attention_mixing.lines import read_lines
    from attention_mixing.models import source

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)


@app.callback()
def commands() -> None:
    """See how strongly self-attention mixes the features of tokens."""


@app.command()
def explain(
    texts: Annotated[list[str] | None, typer.Argument(help="one text or several")] = None,
    pair: Annotated[
        str | None,
        typer.Option(help="read with the only text; of an encoder-decoder, its target"),
    ] = None,
    file: Annotated[Path | None, typer.Option(help="a text a line, in UTF-8")] = None,
    model: Annotated[str, typer.Option(help="a directory or a hub id")] = source.EMBEDDED_NAME,
    word: Annotated[
        list[str] | None, typer.Option(help="may come next, of a language model; give several")
    ] = None,
    compare: Annotated[
        str | None, typer.Option(help="a second model, of the same shape and tokenizer")
    ] = None,
    pairs: Annotated[
        Path | None,
        typer.Option(help="marked pairs, a line of JSON a text: which head links them?"),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="with --pairs, print all heads as JSON, not the first")
    ] = False,
    output: Annotated[Path, typer.Option(help="the page")] = Path("explained.html"),
    csv: Annotated[Path | None, typer.Option(help="the numbers, a row a pair of tokens")] = None,
) -> None:
    """Write one page on what every head reads in a text, and where its vectors come from."""
    # By how warnings name them.
    named_texts = {f"text {number}": text for number, text in enumerate(texts or [], start=1)}
    if file:
        lines = read_lines(file, "--file", "a text file in UTF-8, a text a line")
        named_texts |= {f"--file {file}, line {number}": text for number, text in lines.items()}
    if json and not pairs:
        raise InputError("--json is given without --pairs, whose ranking it prints; give both.")
    if (not named_texts and not pairs) or (pair is not None and len(named_texts) != 1):
        raise InputError(
            f"{len(named_texts)} texts are given{' with a pair' if pair is not None else ''}; "
            "allowed: one or more, exactly one with --pair, or none with --pairs; give some, such "
            'as `explain "time flies"`.'
        )
    for name, text in {**named_texts, "--pair": pair or ""}.items():
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise InputError(f"{name} holds bytes that are not UTF-8; write it in UTF-8.")
    written = {"--output": output} | ({"--csv": csv} if csv else {})
    read = {"--file": file, "--pairs": pairs}
    require_files(written, {option: path for option, path in read.items() if path})
    texts_given = f"{len(named_texts)} text{'s' if len(named_texts) != 1 else ''}"
    counted = [*([texts_given] if named_texts else []), *(["texts with pairs"] if pairs else [])]
    models = f"{model} and {compare}" if compare else model
    typer.echo(f"Reading {' and '.join(counted)} with {models} ...", err=True)
    from attention_mixing.explain import explain, marked  # torch takes seconds to start
    from attention_mixing.markup import inert

    names = list(named_texts)

    def leave_out(index: int, why: InputError) -> None:
        typer.echo(f"warning: {names[index]} is left out: {why}", err=True)

    several = leave_out if len(named_texts) > 1 else None
    given = [(text, pair) for text in named_texts.values()]
    with_pairs = marked.read_marked(pairs) if pairs else ()
    explained = explain(given, model, several, word or (), compare, with_pairs)
    if explained.ranked is not None:
        typer.echo(marked.written(explained.ranked, whole=json))
    contents = {"--output": explained.page}
    if csv:
        contents["--csv"] = lambda: inert(explained.numbers()).to_csv(
            index=False, float_format="%.6g", lineterminator="\r\n"
        )
    for option, content in contents.items():
        path = written[option]
        try:
            path.write_bytes(content().encode())
        except OSError as error:
            raise InputError(
                f"{option} is {shortened(path)}, which cannot be written ({error.strerror}); name "
                "another file."
            ) from None
    typer.echo(f"The page: {output.absolute()}", err=json)


@app.command()
def score(
    measure: Annotated[str, typer.Argument(help="MODULE:FUNCTION or FILE.py:FUNCTION")],
    layer: Annotated[
        bool, typer.Option("--layer", help="of each layer, [layer, query, token], not of the model")
    ] = False,
    quick: Annotated[bool, typer.Option("--quick", help="an eighth of the texts")] = False,
    drawn: Annotated[
        int | None, typer.Option(min=0, help="a seed: 20 circuits that are drawn with it")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="print JSON, not a table")] = False,
) -> None:
    """Score a measure of your own on circuits, of which is known what depends on what."""
    from attention_mixing.circuits import comparison  # torch takes seconds to start

    own, on = comparison.load(measure), comparison.sample(quick=quick, drawn=drawn)
    name = measure.rpartition(":")[2]
    typer.echo(f"Scoring {name} and the measures of the library on {on.total} texts ...", err=True)
    table = comparison.beside_others(name, own, on, "layer" if layer else "model")
    typer.echo(table.to_json(orient="records") if json else comparison.written(table))


def require_files(written: dict[str, Path], read: dict[str, Path]) -> None:
    """Refuse files that cannot be written, or that would be written over another one of them.

    Both are by the option that names them.
    """
    named = {path.resolve(): option for option, path in read.items()}
    for option, path in written.items():
        if fault := _fault(path):
            raise InputError(f"{option} is {shortened(path)}, {fault}; name another file.")
        if other := named.get(path.resolve()):
            raise InputError(
                f"{option} is {shortened(path)}, which {other} is as well; name another file."
            )
        named[path.resolve()] = option


def _fault(path: Path) -> str:
    """Say why no file can be written at a path, if none can."""
    try:
        if stat.S_ISDIR(path.stat().st_mode):
            return "which is a directory"
        written = path
    except FileNotFoundError:
        written = path.absolute().parent
        if not written.is_dir():
            return "whose directory does not exist"
    except OSError as error:
        return f"which cannot be written ({error.strerror})"
    return "" if os.access(written, os.W_OK) else "which you may not write"


def main() -> None:
    """Run a command; a bad input ends with one sentence and code 2."""
    end_when_interrupted()
    gc.set_threshold(100_000)  # libraries make a great many objects, and next to no garbage
    with told():
        app()


if __name__ == "__main__":
    main()
