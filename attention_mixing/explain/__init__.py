"""The explorer of any text and model, without the pipeline: one page, and its numbers.

The page (``page.html``) holds all that it shows and requests nothing, so it opens from a disk.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from attention_mixing.methods.extras import extra

with extra("models", __name__):
    from tqdm import tqdm

    from attention_mixing.explain.page import Explained, Framed

from attention_mixing import explorer
from attention_mixing.errors import InputError, quoted
from attention_mixing.explain.marked import MarkedText, ranked, require_marked
from attention_mixing.explain.reading import names_of_models, read_by_all, readable_texts
from attention_mixing.models.source import EMBEDDED_NAME
from attention_mixing.models.user_models import load_named, part_read

__all__ = ["Explained", "Framed", "MarkedText", "explain", "show"]

MARKED = 3  # texts with pairs that a page shows, where no others are given


def show(
    text: str,
    second: str | None = None,
    *,
    model: str = EMBEDDED_NAME,
    compare: str | None = None,
    words: Sequence[str] = (),
) -> Framed:
    """Show one text in a notebook; arguments are those of :func:`explain`."""
    return Framed(explain([(text, second)], model, compare=compare, words=words).page())


def explain(
    texts: Sequence[tuple[str, str | None]],
    model: str,
    leave_out: Callable[[int, InputError], None] | None = None,
    words: Sequence[str] = (),
    compare: str | None = None,
    marked: Sequence[MarkedText] = (),
) -> Explained:
    """Read texts, and take the measures that the explorer shows.

    Parameters
    ----------
    texts
        Each alone, or with a second one that the model reads together with it; an encoder-decoder
        needs one, its target.
    model
        As :func:`attention_mixing.capture.one_text.capture_text` takes it, but by name.
    leave_out
        Called with the place of every text that the model cannot read, and with why; the page holds
        the others. None refuses the first.
    words
        As ``capture_text`` takes them: among which a language model is to choose.
    compare
        A second model of the same layers and heads, with a tokenizer that makes the same tokens.
    marked
        Texts with pairs, on which all heads are ranked (:attr:`Explained.ranked`). The page shows
        the first three of them where ``texts`` are empty, and marks the pairs of those that it
        shows.

    Returns
    -------
    Explained
        Every text that could be read, in all its streams, by every model.

    Raises
    ------
    InputError
        As ``capture_text`` does, if no text is left, or if the two models cannot be compared.
    """
    for entry in texts:
        if not isinstance(entry, tuple) or len(entry) != 2:
            raise InputError(
                f"texts holds {quoted(entry)}; allowed: pairs of a text and a second one, or None "
                "for no second one; give [(text, None)]."
            )
    require_marked(marked)
    texts = texts or [*dict.fromkeys((one.text, one.second) for one in marked)][:MARKED]
    models = [model] if compare is None else [model, compare]
    directories = [Path(name).resolve() for name in models if isinstance(name, str | Path)]
    if len({*directories}) < len(directories):
        raise InputError(f"{model} is compared with itself; name another model to compare with.")
    names = names_of_models(models)
    if len(models) > 1 and explorer.BOTH in names:
        raise InputError(
            f"one of {model} and {compare} is named {explorer.BOTH}, as the page names the two "
            "together; rename its directory."
        )
    loaded = {
        name: load_named(directory, words) for name, directory in zip(names, models, strict=True)
    }
    first = next(iter(loaded.values()))
    if first[0].config.is_encoder_decoder and any(second is None for _, second in texts):
        raise InputError(
            f"{model} is an encoder-decoder, which reads a text and its target, and a text is "
            "given without one; give (text, target), or --pair TARGET on the command line."
        )
    readable = list(readable_texts(texts, *first, leave_out))
    if not readable:
        raise InputError(f"none of the {len(texts)} texts can be read by {model}; correct them.")
    table = ranked(marked, loaded) if marked else None
    # One that is not a terminal is told nothing.
    progress = tqdm(readable, "read", disable=None, unit="text")
    explained = [read_by_all(*texts[index], loaded, marked, table) for index in progress]
    places = [index + 1 for index in readable]
    left_out = {name: part_read(network)[1] for name, (network, _) in loaded.items()}
    heads = {name: head for name, head in left_out.items() if head is not None}
    given = dict(zip(names, map(str, models), strict=True))
    return Explained(next(iter(loaded)), tuple(loaded), explained, places, heads, given, table)
