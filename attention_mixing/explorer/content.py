"""What the explorer shows of a text, of its heads and of maps, in files that a page loads singly.

A file has a name, such as ``questions/text-3/head-4-2-finetuned``, and content of JSON with arrays
as :mod:`attention_mixing.explorer.packed` packs them. Layers and heads are counted from 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attention_mixing.capture.text import Text
from attention_mixing.explorer import BOTH
from attention_mixing.explorer.columns import METHODS
from attention_mixing.explorer.packed import LONG, pack_numbers, pack_shades, pack_shares, pooled
from attention_mixing.explorer.score import ShownScore
from attention_mixing.markup import in_line, visible
from attention_mixing.methods.arrays import defined_mean
from attention_mixing.methods.attention import key_importance, relative_entropy
from attention_mixing.methods.change import jensen_shannon
from attention_mixing.methods.marked_pairs import Pair
from attention_mixing.methods.projection import pca_map
from attention_mixing.methods.trust import map_trust, neighbour_ranks, procrustes
from attention_mixing.settings.derived import STREAMS

SIDE = 32  # pixels of a thumbnail at most
BLOCK = 200_000  # shares in a file of rows, at most: 300 kB

File = tuple[str, Any]
Array = NDArray[np.floating]


SMALL = "pca"  # method of the maps that are thumbnails
IN_THUMBNAIL = 100  # queries at most, and as many keys
# Weight on a neighbour, beside one elsewhere: many heads look there whatever the text says.
OF_NEIGHBOUR = 0.5


@dataclass(frozen=True)
class ShownState:
    """A text in one state of a model, or in one of several models.

    Attributes
    ----------
    text
        With its attention, queries and keys.
    rows
        Method -> ``[layer, query, key]``, as :mod:`attention_mixing.explorer.columns` gives them.
    prediction
        Method -> what the prediction owes to each token, ``[token]``; empty where there is none.
    predicted
        ``label`` and ``probability``; where words are chosen among, these (``among``); of a
        language model, the tokens that come next by itself, ``[token, probability]`` each
        (``next``). None where nothing is predicted.
    """

    text: Text
    rows: Mapping[str, Array]
    prediction: Mapping[str, Array] = field(default_factory=dict)
    predicted: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class ShownText:
    """A text in every state, in one stream of attention.

    Attributes
    ----------
    states
        State -> the text in it.
    stream
        As :class:`attention_mixing.capture.text.State` has it; in ``cross``, queries are tokens of
        the target, and keys of rows those of source and target.
    pairs
        That are marked from the beginning.
    score
        That is taken apart, if one is.
    """

    states: Mapping[str, ShownState]
    stream: str = ""
    pairs: Sequence[Pair] = ()
    score: ShownScore | None = None

    @property
    def first(self) -> Text:
        """The text in the first state; tokens are the same in all."""
        return next(iter(self.states.values())).text

    @property
    def tokens(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Tokens that read, and those that are read, a row each."""
        tokens = self.first.shown_tokens
        if self.stream != "cross":
            return tokens, tokens
        source = self.first.of(STREAMS[0]).shown_tokens
        return tokens, pd.concat([source, tokens], ignore_index=True)

    @property
    def visible(self) -> NDArray[np.bool_] | None:
        """Which tokens of :attr:`tokens` each may see, ``[layer, query, key]``; None for all."""
        if self.stream != "cross":
            return self.first.visible
        parts = (self.first["visible"], self.first.of(STREAMS[1])["visible"])
        return np.concatenate(parts, axis=-1).astype(bool)


def text_files(name: str, shown: ShownText) -> Iterator[File]:
    """Write the files of a text: tokens, thumbnails, every head, and rows of every layer.

    Names of files begin with ``name``.
    """
    queries, keys = shown.tokens
    size = _block(len(queries), len(keys))
    attention = {state: measured.text["attention"] for state, measured in shown.states.items()}
    visible = shown.visible
    heads: dict[str, dict[str, Any]] = {}
    for state, measured in shown.states.items():
        for number, values in head_numbers(measured.text).items():
            heads.setdefault(number, {})[state] = as_list(values)
    if len(attention) > 1:
        moved = np.sqrt(jensen_shannon(*attention.values())).mean(axis=-1)
        heads["distance"] = {BOTH: as_list(moved)}
    yield (
        name,
        {
            "text": in_line(str(shown.first.example["text"])),
            "queries": _listed(queries),
            "keys": _listed(keys),
            "sources": next(iter(attention.values())).shape[-1],
            # Queries that do not see the key of a marked pair are no chance of it.
            **({} if visible is None else {"visible": pack_shades(visible.astype(float))}),
            # Of a decoder the first token sees itself alone: this one has seen the text.
            "read": [*shown.states.values()][-1].text.read % len(queries),
            "block": size,
            "sides": sides(shown.first),
            "telling": telling(shown),
            "heads": heads,
            "states": {
                state: {
                    "predicted": measured.predicted,
                    "prediction": {
                        method: pack_numbers(values)
                        for method, values in measured.prediction.items()
                    },
                }
                for state, measured in shown.states.items()
            },
            **({"pairs": marks_of(shown.pairs)} if shown.pairs else {}),
            **({"score": shown.score.place} if shown.score else {}),
        },
    )
    if shown.score:
        yield f"{name}/score", shown.score.content()
    for state, measured in shown.states.items():
        maps = attention[state]
        yield f"{name}/all-{state}", {"attention": pack_shades(pooled(maps, SIDE))}
        query, key = measured.text["query"], measured.text["key"]
        for layer, head in np.ndindex(maps.shape[:2]):
            yield (
                f"{name}/head-{layer + 1}-{head + 1}-{state}",
                {
                    "attention": pack_shares(maps[layer, head]),
                    "query": pack_numbers(query[layer, head]),
                    "key": pack_numbers(key[layer, head]),
                },
            )
        for layer in range(len(maps)):
            for block, start in enumerate(range(0, len(queries), size)):
                taken = slice(start, start + size)
                packed = {
                    method: pack_shares(rows[layer, taken])
                    for method, rows in measured.rows.items()
                }
                yield f"{name}/rows-{layer + 1}-{block}-{state}", packed


def marks_of(pairs: Sequence[Pair]) -> str:
    """Write marked pairs as an address has them (``pairs.js``), such as ``7-3.8_9-4``."""
    ends = (["_".join(map(str, end)) for end in pair] for pair in pairs)
    return ".".join("-".join(pair) for pair in ends)


def sides(text: Text) -> list[list[int]]:
    """Give first and last token of the two sentences of a pair, or nothing of another text.

    A pair is two runs of tokens with special ones around and between them.
    """
    if text.stream == "cross":
        return []
    plain = np.flatnonzero(~text.special)
    runs = np.split(plain, np.flatnonzero(np.diff(plain) > 1) + 1)
    return [[int(run[0]), int(run[-1])] for run in runs] if len(runs) == 2 else []


def telling(shown: ShownText) -> dict[str, dict[str, Any]]:
    """Choose what a text opens with where an address names no token, or no head.

    Of a head, the query and key with the largest weight, and of two states together the one that
    changed most; of all heads, the one of which that is largest. Queries are words, or the last
    token where it is what a prediction is read from; keys are other words. Where it is known what
    removing a token does to the prediction, the key is the one without which the prediction falls
    most. A weight on a neighbour counts half.

    Returns
    -------
    dict
        State (and :data:`attention_mixing.explorer.BOTH`) -> ``layer``, from 1; ``heads``, the most
        telling one of each layer; and ``of_heads``: ``[layer][head]``, query and key. Empty where
        no two tokens are left.
    """
    attention = {
        state: measured.text["attention"].astype(np.float64)
        for state, measured in shown.states.items()
    }
    scored = dict(attention)
    if len(attention) > 1:
        before, after = attention.values()
        scored[BOTH] = np.abs(after - before)
    counted = _telling_pairs(shown)
    if not counted.any():
        return {}
    found = {}
    for state, weights in scored.items():
        layers, heads, queries, keys = weights.shape
        best = np.where(counted > 0, weights * counted, -1).reshape(layers, heads, -1)
        of_heads = np.stack(np.unravel_index(best.argmax(axis=-1), (queries, keys)), axis=-1)
        largest = best.max(axis=-1)
        found[state] = {
            "layer": int(largest.max(axis=-1).argmax()) + 1,
            "heads": (largest.argmax(axis=-1) + 1).tolist(),
            "of_heads": of_heads.tolist(),
        }
    return found


def telling_place(shown: ShownText) -> tuple[int, int, int, int] | None:
    """Give layer, head, query and key of :func:`telling`, from 0, of all states; None without."""
    found = telling(shown)
    if not found:
        return None
    view = found.get(BOTH) or found[next(iter(shown.states))]
    layer = view["layer"] - 1
    head = view["heads"][layer] - 1
    query, key = view["of_heads"][layer][head]
    return layer, head, query, key


def _telling_pairs(shown: ShownText) -> Array:
    """By how much a weight counts for :func:`telling`, ``[query, key]``."""
    text = shown.first
    queries, keys = (_words(tokens) for tokens in shown.tokens)
    keys = keys[: text["attention"].shape[-1]]
    last = [*shown.states.values()][-1]
    read = last.text.read % len(queries)
    if read > 0 and queries[read]:
        queries = np.arange(len(queries)) == read
    counted = np.outer(queries, keys).astype(float)
    if text.stream == "cross":
        return counted
    distance = np.abs(np.subtract.outer(np.arange(len(queries)), np.arange(len(keys))))
    counted[distance == 0] = 0
    counted[distance == 1] *= OF_NEIGHBOUR
    for name, removed in last.prediction.items():
        possible = np.where(counted.any(axis=0), removed, np.nan)
        if name.startswith("left_out_") and np.nanmax(possible, initial=0) > 0:
            counted[:, np.arange(len(keys)) != np.nanargmax(possible)] = 0
    return counted


def _words(tokens: pd.DataFrame) -> NDArray[np.bool_]:
    """Tell which tokens are neither special nor signs; where none is left, all are."""
    written = tokens["token"].map(lambda token: any(map(str.isalnum, token)))
    chosen = written.to_numpy(bool) & ~tokens["is_special"].to_numpy(bool)
    return chosen if chosen.any() else np.ones(len(tokens), bool)


def _block(queries: int, keys: int) -> int:
    """Count the queries whose rows are in one file."""
    return max(1, min(queries, BLOCK // (len(METHODS) * keys)))


def _listed(tokens: pd.DataFrame) -> dict[str, Any]:
    """Tokens as they are shown, and places of those that are special, and of evidence."""
    evidence = tokens["is_evidence"].eq(True).fillna(False) if "is_evidence" in tokens else False
    return {
        "tokens": [visible(token) for token in tokens["token"]],
        "special": np.flatnonzero(tokens["is_special"]).tolist(),
        "evidence": np.flatnonzero(evidence).tolist(),
    }


def head_numbers(text: Text) -> dict[str, Array]:
    """Tell in numbers what each head does in this text, ``[layer, head]``; nan where undefined.

    ``previous``, ``self``, ``next``: mean weight on the token before, itself and after, over the
    tokens that have one; ``first`` and ``sink``: on the first token, and on the key with the most,
    over the queries that see it; ``relative_entropy``: 1 where attention is uniform. Of a pair of
    sentences also ``to_second`` and ``to_first``: mean weight of all tokens of one on all of the
    other.
    """
    attention = text["attention"].astype(np.float64)
    numbers: dict[str, Array] = {}
    if text.stream != "cross" and attention.shape[-1] > 1:
        beside = {"previous": -1, "self": 0, "next": 1}
        for name, offset in beside.items():
            numbers[name] = np.diagonal(attention, offset, axis1=-2, axis2=-1).mean(axis=-1)
    if pair := sides(text):
        first, second = (slice(start, end + 1) for start, end in pair)
        numbers["to_second"] = attention[..., first, second].sum(axis=-1).mean(axis=-1)
        numbers["to_first"] = attention[..., second, first].sum(axis=-1).mean(axis=-1)
    importance = key_importance(attention, text.visible)
    numbers |= {"first": importance[..., 0], "sink": importance.max(axis=-1)}
    sights = np.ones(attention.shape, bool) if text.visible is None else text.visible[:, None]
    sights = np.broadcast_to(sights, attention.shape)
    spread = relative_entropy(attention / attention.sum(axis=-1, keepdims=True), sights)
    numbers["relative_entropy"] = defined_mean(spread)
    return numbers


def as_list(values: Array) -> list[Any]:
    """List numbers with six digits, and None for what is not one, nested as the axes are."""
    listed = [None if np.isnan(value) else float(f"{value:.6g}") for value in values.flat]
    return np.reshape(np.array(listed, object), values.shape).tolist()  # type: ignore[no-any-return]


# --- small maps of all heads ----------------------------------------------------------------------


def described_token(row: Any) -> dict[str, Any]:
    """Describe a token as maps show it.

    ``row`` is of a table with ``example_id``, ``position`` and ``token``. The description has
    ``text``, ``position``, ``token``, the marks ``special`` and ``evidence`` where they are true,
    and ``frequency`` where the table has it.
    """
    description = {
        "text": int(row.example_id),
        "position": int(row.position),
        "token": visible(row.token),
    }
    for mark in ("special", "evidence"):
        marked = getattr(row, f"is_{mark}", False)
        if not pd.isna(marked) and marked:
            description[mark] = True
    if hasattr(row, "frequency"):
        description["frequency"] = int(row.frequency)
    return description


def thumbnails(name: str, drawn: Mapping[str, Mapping[tuple[int, int], Array]]) -> Iterator[File]:
    """Write small maps of all heads, a file a state: some of the queries, and the keys of the same.

    By state, and then by layer and head, ``drawn`` has places of queries and then keys; those of a
    head fill the same square in all states. Names of files begin with ``name``.
    """
    heads = list(next(iter(drawn.values())))
    shape = tuple(len({head[axis] for head in heads}) for axis in (0, 1))
    low, high = (
        np.stack([extreme([maps[head] for maps in drawn.values()], axis=(0, 1)) for head in heads])
        for extreme in (np.min, np.max)
    )
    half = np.max(high - low, axis=-1)[:, None, None] / 2
    centre = (high + low)[:, None] / 2
    for state, maps in drawn.items():
        places = (np.stack([maps[head] for head in heads]) - centre) / np.where(half > 0, half, 1)
        count = places.shape[1] // 2
        chosen = np.linspace(0, count, min(count, IN_THUMBNAIL), endpoint=False).astype(int)
        some = places[:, np.concatenate([chosen, count + chosen])]
        yield (
            f"{name}/maps-{state}",
            {"places": pack_numbers(some.reshape(*shape, *some.shape[1:]))},
        )


def joint_files_of_text(name: str, place: int, shown: ShownText) -> Iterator[File]:
    """Write maps of queries and keys of one text, as the model has them, by PCA, a file a head.

    Names of files begin with ``name``; ``place`` is the id of the text. Maps of the second state
    are turned onto those of the first.
    """
    tokens, _ = shown.tokens
    listed = tokens.assign(example_id=place).itertuples()
    yield f"{name}/points", {"tokens": [described_token(row) for row in listed]}
    # Ranks of all points to all take a time that grows with the square of their number.
    trusted = len(tokens) <= LONG
    small: dict[str, dict[tuple[int, int], Array]] = {state: {} for state in shown.states}
    for layer, head in np.ndindex(shown.first["attention"].shape[:2]):
        maps: dict[str, Any] = {}
        norms = {}
        first: Array | None = None
        for state, measured in shown.states.items():
            both = (
                measured.text[kind][layer, head].astype(np.float64) for kind in ("query", "key")
            )
            vectors = np.concatenate([*both])
            projected = pca_map(vectors)
            figures = (
                map_trust(neighbour_ranks(vectors, "euclidean"), projected)._asdict()
                if trusted
                else {}
            )
            first = projected if first is None else first
            turned = projected @ procrustes(projected, first).rotation
            trusts = {figure: float(f"{value:.3g}") for figure, value in figures.items()}
            maps[state] = {"places": pack_numbers(turned), "trust": trusts}
            small[state][layer, head] = turned
            norms[state] = pack_numbers(np.linalg.norm(vectors, axis=-1))
        content = {"methods": {"pca_raw": maps}, "norms": norms}
        yield f"{name}/map-{layer + 1}-{head + 1}", content
    yield from thumbnails(name, small)
