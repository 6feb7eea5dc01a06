"""Texts in which somebody has marked which token should read which: ``explain --pairs FILE``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from attention_mixing.capture.one_text import RecordedText, read_text
from attention_mixing.capture.text import Text
from attention_mixing.errors import InputError, about, quoted, require
from attention_mixing.lines import read_lines
from attention_mixing.measures.marked_pairs import (
    DIRECTIONS,
    Span,
    pairs_of_spans,
    rank_heads,
)
from attention_mixing.methods.marked_pairs import Pair
from attention_mixing.models.user_models import Loaded
from attention_mixing.settings.derived import STREAMS

PRINTED = 10  # heads
EXAMPLE = '{"text": "a cat and its tail", "pairs": [[[10, 13], [2, 5]]]}'
"""A line of a file of pairs."""


class MarkedText(NamedTuple):
    """A text with marked pairs.

    Attributes
    ----------
    text, second
        As :func:`attention_mixing.explain.explain` takes them.
    spans
        Characters of every query, ``(start, end)`` from 0, and of its key. Those of a second text
        of an encoder are counted on from the first, behind a blank.
    stream
        Of an encoder-decoder; empty for ``cross``, whose queries are in the second text.
    name
        By which messages call it.
    """

    text: str
    second: str | None
    spans: Sequence[tuple[Span, Span]]
    stream: str = ""
    name: str = "a marked text"


def read_marked(path: Path) -> list[MarkedText]:
    """Read a file of pairs: JSON, a line a text, such as :data:`EXAMPLE`.

    ``pairs`` are spans of characters, of the query and of the key. A line may have a ``second``
    text, and a ``stream`` of an encoder-decoder. A file that is otherwise is refused.
    """
    lines = read_lines(path, "--pairs", "a file in UTF-8, a line of JSON a text")
    marked = [_marked(line, f"--pairs {path}, line {number}") for number, line in lines.items()]
    if not marked:
        raise InputError(f"--pairs {path} is empty; allowed: lines such as {EXAMPLE}; add one.")
    return marked


def _marked(line: str, name: str) -> MarkedText:
    try:
        given = json.loads(line)
    except (ValueError, RecursionError):
        given = None
    fault = "is no object of JSON" if not isinstance(given, dict) else _fault(given)
    if fault:
        raise InputError(f"{name} {fault}; allowed: lines such as {EXAMPLE}; correct it.")
    spans = [((q[0], q[1]), (k[0], k[1])) for q, k in given["pairs"]]
    return MarkedText(given["text"], given.get("second"), spans, given.get("stream", ""), name)


def _fault(given: Mapping[str, Any]) -> str:
    """Say what is wrong with a line, if anything is."""
    if others := given.keys() - {"text", "second", "pairs", "stream"}:
        return f"has {quoted(min(others))}, which is none of text, second, pairs and stream"
    for key in ("text", "second", "stream"):
        if not isinstance(given.get(key, "" if key != "text" else None), str):
            return f"has no {key} that is a string"
    if given.get("stream", STREAMS[0]) not in STREAMS:
        return f"has the stream {quoted(given['stream'])}, which is none of {', '.join(STREAMS)}"
    pairs = given.get("pairs")
    if not isinstance(pairs, list) or not pairs:
        return "has no pairs"
    for pair in pairs:
        if not _is_pair(pair, lambda span: _is_pair(span, lambda place: type(place) is int)):
            return f"has the pair {quoted(pair)}, which is not two spans [START, END]"
        for start, end in pair:
            if not 0 <= start < end:
                return f"has the span {[start, end]}, which does not end behind its start"
    return ""


def _is_pair(given: object, is_part: Any) -> bool:
    return isinstance(given, list) and len(given) == 2 and all(map(is_part, given))


def ranked(marked: Sequence[MarkedText], models: Mapping[str, Loaded]) -> pd.DataFrame:
    """Rank the heads of every model by their weight on the pairs, stream by stream.

    Returns
    -------
    DataFrame
        As :func:`attention_mixing.measures.marked_pairs.rank_heads` gives it, with ``model`` and
        ``stream``.

    Raises
    ------
    InputError
        As ``rank_heads`` and :func:`attention_mixing.capture.capture_text` do, the text being
        named.
    """
    tables = []
    for name, loaded in models.items():
        streams = dict.fromkeys(stream_of(one, loaded) for one in marked)
        for stream in streams:
            of_stream = [one for one in marked if stream_of(one, loaded) == stream]
            table = rank_heads(_read(of_stream, stream, loaded))
            table.insert(0, "stream", stream)
            table.insert(0, "model", name)
            tables.append(table)
    table = pd.concat(tables, ignore_index=True)
    return table.sort_values("advantage", ascending=False, kind="stable", ignore_index=True)


def written(table: pd.DataFrame, *, whole: bool) -> str:
    """Write the first heads of a ranking as a table; the whole of it is JSON, a list of rows."""
    if whole:
        return table.to_json(orient="records")
    first = table.head(PRINTED).drop(
        columns=[name for name in ("model", "stream") if table[name].nunique() == 1]
    )
    counted = first.set_axis(range(1, len(first) + 1)).rename_axis("rank").reset_index()
    return counted.to_string(index=False, float_format="{:.3f}".format, na_rep="–")


def stream_of(marked: MarkedText, loaded: Loaded) -> str:
    """Tell in which stream of a model a text is marked; one that it does not have is refused."""
    if loaded[0].config.is_encoder_decoder:
        return marked.stream or STREAMS[2]
    if marked.stream:
        raise InputError(
            f"{marked.name} names the stream {marked.stream}, but {type(loaded[0]).__name__} is no "
            "encoder-decoder; leave the stream out."
        )
    return ""


def _read(
    marked: Sequence[MarkedText], stream: str, loaded: Loaded
) -> Iterator[tuple[Text, list[Pair]]]:
    for one in marked:
        with about(one.name):
            text = read_with(one.text, one.second, loaded)
            text = text.of(stream) if stream else text
            yield text, pairs_of_spans(text, one.spans)


def read_with(text: str, second: str | None, loaded: Loaded) -> RecordedText:
    """Read a text together with a second one, of an encoder-decoder with it as the target."""
    network, tokenizer = loaded
    pair, target = (None, second) if network.config.is_encoder_decoder else (second, None)
    return read_text(text, pair, network, tokenizer, target)


def pairs_in(
    text: Text, first: str, second: str | None, marked: Sequence[MarkedText], loaded: Loaded
) -> list[Pair]:
    """Find the pairs that are marked in a text, ``first`` with ``second``, in its stream."""
    same = (one for one in marked if (one.text, one.second) == (first, second))
    return [
        pair
        for one in same
        if stream_of(one, loaded) == text.stream
        for pair in pairs_of_spans(text, one.spans)
    ]


def strongest_pair(
    pairs: Sequence[Pair], stream: str, ranked: pd.DataFrame
) -> tuple[int, int, int, int]:
    """Give layer and head of a stream that come first, and the first pair, as they link it."""
    row = ranked[ranked["stream"] == stream].iloc[0]
    (query, *_), (key, *_) = pairs[0]
    if row["direction"] == DIRECTIONS[1]:
        query, key = key, query
    elif row["direction"] == DIRECTIONS[2]:
        query -= 1
    return int(row["layer"]) - 1, int(row["head"]) - 1, query, key


def require_marked(marked: Sequence[MarkedText]) -> None:
    """Refuse what is no list of marked texts, of one who calls from Python."""
    for one in marked:
        if not isinstance(one, MarkedText):
            raise InputError(
                f"marked holds {quoted(one)}; allowed: instances of MarkedText; give "
                "[MarkedText(text, None, [((0, 3), (4, 7))])]."
            )
        if one.stream:
            require(one.stream, "streams", STREAMS)
