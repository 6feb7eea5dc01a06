"""Which head links tokens that somebody has marked: heads ranked over texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attention_mixing.capture.text import Text
from attention_mixing.errors import InputError, quoted
from attention_mixing.methods.bootstrap import mean_interval
from attention_mixing.methods.marked_pairs import Pair, pair_weights
from attention_mixing.settings.derived import JOINT, STREAMS

__all__ = ["DIRECTIONS", "Span", "pairs_of_spans", "rank_heads"]

Span = tuple[int, int]
"""Characters of a text, from the first to the one behind the last."""
# Which end of a pair reads the other. In cross-attention, where a source reads nothing, it may be
# the row before the query, which tells the token that the query is given
# (:mod:`attention_mixing.methods.alignment`).
DIRECTIONS = ("query_to_key", "key_to_query", "before_to_key")


def pairs_of_spans(text: Text, spans: Sequence[tuple[Span, Span]]) -> list[Pair]:
    """Find the tokens of marked characters.

    Parameters
    ----------
    text
        Captured, of an encoder-decoder in one of its streams.
    spans
        Characters of each query and of its key; of ``cross``, in the target and in the source.

    Returns
    -------
    list
        Of every pair, the tokens that share a character with each span, special ones left out.

    Raises
    ------
    InputError
        If a span holds no character of any token.
    """
    texts = [text, text.of(STREAMS[0]) if text.stream == "cross" else text]
    found: list[Pair] = []
    for pair in spans:
        places = []
        for span, of, what in zip(pair, texts, ("query", "key"), strict=True):
            start, end = span
            tokens = of.tokens
            shares = (tokens["start"] < end) & (tokens["end"] > start) & ~tokens["is_special"]
            places.append(np.flatnonzero(shares).tolist())
            if not places[-1]:
                raise InputError(
                    f"the {what} {list(span)} of the text {quoted(str(of.example['text']))} "
                    "holds no character that a token of the model stands for; allowed: "
                    "[START, END] in characters from 0; mark some of a token."
                )
        found.append((places[0], places[1]))
    return found


def rank_heads(
    marked: Iterable[tuple[Text, Sequence[Pair]]],
    *,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> pd.DataFrame:
    """Rank heads by their weight on marked pairs beyond chance, in both directions.

    Chance is what the other queries give to the same key
    (:mod:`attention_mixing.methods.marked_pairs`).

    Parameters
    ----------
    marked
        Texts of one model, of an encoder-decoder all in the same stream, each with its pairs
        (:func:`pairs_of_spans` finds them): places of the tokens that should read, and of those
        that they should read. They are read one after the other.
    resamples, confidence, seed
        Of the bootstrap over texts (:func:`attention_mixing.methods.bootstrap.mean_interval`).

    Returns
    -------
    DataFrame
        A row a head and direction, those with the most beyond chance first: ``direction``, one of
        :data:`DIRECTIONS`; ``layer`` and ``head``, counted from 1; ``weight`` and ``chance``;
        ``advantage``, their difference, with its interval ``low`` and ``high``, not a number
        unless there are two texts; and ``texts``, over which these are means. What is hidden in
        every text, as the other direction in a decoder, has no rows.

    Raises
    ------
    InputError
        If there is no text, texts are of several shapes or streams, or of source and target
        together; if a pair is none of tokens that there are, or its query may see its key in no
        layer; and if no other query sees the keys.
    """
    of_texts: list[dict[str, NDArray[np.float64]]] = []
    shapes = set()
    for text, pairs in marked:
        if text.stream == JOINT:
            raise InputError(
                "a text is of an encoder-decoder; allowed: its streams encoder, decoder, cross; "
                "give text.of(STREAM)."
            )
        attention = text["attention"]
        shapes.add((text.stream, *attention.shape[:2]))
        _require_there(text, pairs)
        of_texts.append(
            {
                way: np.stack(pair_weights(attention, turned, text.visible))
                for way, turned in _ways(pairs, text.stream).items()
            }
        )
    if len(shapes) != 1:
        raise InputError(
            f"heads are ranked of {len(shapes)} streams or shapes of models; allowed: texts of one "
            "model in one stream, at least one; give these."
        )
    tables = []
    ((_, *shape),) = shapes
    nothing = np.full((2, *shape), np.nan)
    for way in DIRECTIONS:
        values = np.stack([of_text.get(way, nothing) for of_text in of_texts])
        weight, chance, advantage = (
            mean_interval(one[None], resamples=resamples, confidence=confidence, seed=seed)
            for one in (values[:, 0], values[:, 1], values[:, 0] - values[:, 1])
        )
        layer, head = np.indices(shape)
        columns: dict[str, NDArray] = {
            "layer": layer + 1,
            "head": head + 1,
            "weight": weight.mean,
            "chance": chance.mean,
            "advantage": advantage.mean,
            "low": advantage.low,
            "high": advantage.high,
            "texts": advantage.texts,
        }
        table = pd.DataFrame({name: np.ravel(array) for name, array in columns.items()})
        # One text has no interval: every resample is the same.
        table.loc[table["texts"] < 2, ["low", "high"]] = np.nan
        table.insert(0, "direction", way)
        tables.append(table.dropna(subset="advantage"))
    ranked = pd.concat(tables, ignore_index=True)
    if ranked.empty:
        raise InputError(
            "no query but those of the pairs sees their keys, so that nothing is left to hold them "
            "against; allowed: pairs whose key another token sees; mark others, or give a longer "
            "text."
        )
    return ranked.sort_values("advantage", ascending=False, kind="stable", ignore_index=True)


def _ways(pairs: Sequence[Pair], stream: str) -> dict[str, list[Pair]]:
    """Give pairs in each direction in which a stream can have weight on them."""
    forward, backward, before = DIRECTIONS
    ways: dict[str, list[Pair]] = {forward: [*pairs]}
    if stream != "cross":
        return ways | {backward: [(keys, queries) for queries, keys in pairs]}
    told: list[Pair] = [
        ([query - 1 for query in queries if query], keys) for queries, keys in pairs
    ]
    told = [pair for pair in told if pair[0]]  # nobody tells the first
    return ways | ({before: told} if told else {})


def _require_there(text: Text, pairs: Sequence[Pair]) -> None:
    """Refuse pairs of tokens that are not there, or that are hidden from each other."""
    attention = text["attention"]
    visible = text.visible
    if not pairs:
        raise InputError(
            f"no pair is marked in the text {quoted(str(text.example['text']))}; allowed: one or "
            "more; mark one, or leave the text out."
        )
    for queries, keys in pairs:
        ends = (("query", queries, attention.shape[2]), ("key", keys, attention.shape[3]))
        for what, places, count in ends:
            if not len(places) or min(places) < 0 or max(places) >= count:
                raise InputError(
                    f"the {what} of a pair is {list(places)}; allowed: one or more places of "
                    f"tokens, 0 to {count - 1}; choose some of them."
                )
        if visible is not None and not visible[:, list(queries)][..., list(keys)].any():
            raise InputError(
                f"the query {list(queries)} of a pair may see its key {list(keys)} in no layer; "
                "allowed: keys that it sees; mark the two the other way round."
            )
