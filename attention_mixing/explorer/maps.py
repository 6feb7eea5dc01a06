"""Maps that the explorer shows: queries and keys of each head, of one text and as thumbnails."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from attention_mixing.explorer.content import Array, File, ShownText
from attention_mixing.explorer.packed import LONG, pack_numbers
from attention_mixing.markup import visible
from attention_mixing.measures import planes
from attention_mixing.methods.projection import pca_map
from attention_mixing.methods.trust import neighbour_ranks, procrustes

SMALL = "pca"  # method of the maps that are thumbnails
IN_THUMBNAIL = 100  # queries at most, and as many keys


def described_token(row: Any) -> dict[str, Any]:
    """Describe a token as maps show it."""
    told = {"text": int(row.example_id), "position": int(row.position), "token": visible(row.token)}
    for mark in ("special", "evidence"):
        marked = getattr(row, f"is_{mark}", False)
        if not pd.isna(marked) and marked:
            told[mark] = True
    if hasattr(row, "frequency"):
        told["frequency"] = int(row.frequency)
    return told


def thumbnails(name: str, drawn: Mapping[str, Mapping[tuple[int, int], Array]]) -> Iterator[File]:
    """Write small maps of all heads, a file a state: some of the queries, and the keys of the same.

    Parameters
    ----------
    name
        With which names of files begin.
    drawn
        State -> layer and head -> places of queries and then keys. Those of a head fill the same
        square in all states.
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

    Parameters
    ----------
    name
        With which names of files begin.
    place
        Id of the text.
    shown
        The text. Maps of the second state are turned onto those of the first.
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
        for state, one in shown.states.items():
            both = (one.text[kind][layer, head].astype(np.float64) for kind in ("query", "key"))
            vectors = np.concatenate([*both])
            drawn = pca_map(vectors)
            figures = planes.trust(neighbour_ranks(vectors, "euclidean"), drawn) if trusted else {}
            first = drawn if first is None else first
            turned = drawn @ procrustes(drawn, first).rotation
            told = {figure: float(f"{value:.3g}") for figure, value in figures.items()}
            maps[state] = {"places": pack_numbers(turned), "trust": told}
            small[state][layer, head] = turned
            norms[state] = pack_numbers(np.linalg.norm(vectors, axis=-1))
        content = {"methods": {"pca_raw": maps}, "norms": norms}
        yield f"{name}/map-{layer + 1}-{head + 1}", content
    yield from thumbnails(name, small)
