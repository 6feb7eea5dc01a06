"""Chapter *heads*: the maps in the middle of each cluster and of each family."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures.clusters import cluster_colour, cluster_name
from analysis.figures.explorer_views import Linked
from analysis.figures.fonts import drawable
from analysis.figures.heads import FAMILY_COLOURS, shaded
from analysis.figures.maps import name_tokens
from analysis.figures.style import SMALLEST, WIDTH, figure_style, frame
from attention_mixing.methods.head_families import FAMILIES
from attention_mixing.words import Words

# More tokens than this leave no room for their names beside a map.
LABELLED = 25
KINDS = ("cluster", "family")


def typical_maps(data: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the most typical maps of each cluster, left, and of each family, right.

    The most typical one is large, with the tokens of its text where there is room.
    """
    halves = [_groups(data, kind, w) for kind in KINDS]
    rows = max(map(len, halves))
    with figure_style():
        figure = plt.figure(figsize=(WIDTH, 1.85 * rows + 0.1))
        grid = figure.add_gridspec(2 * rows, 4, width_ratios=(1.9, 1.1, 1.9, 1.1))
        for half, groups in enumerate(halves):
            for row, (title, colour, maps) in enumerate(groups):
                places = (
                    grid[2 * row : 2 * row + 2, 2 * half],
                    grid[2 * row, 2 * half + 1],
                    grid[2 * row + 1, 2 * half + 1],
                )
                for place, one in zip(places, maps.itertuples(), strict=False):
                    _typical(figure.add_subplot(place), one, title, colour)
    return figure, _long(data)


def _groups(data: pd.DataFrame, kind: str, w: Words) -> list[tuple[str, str, pd.DataFrame]]:
    """Name, colour and maps, the most typical first, of every cluster or family."""
    own = data[data["kind"] == kind].sort_values("rank", kind="stable")
    found = dict(list(own.groupby("name")))
    if kind == "family":
        return [(w[f], FAMILY_COLOURS[f], found[f]) for f in FAMILIES if f in found]
    clusters = sorted(map(int, found))
    return [(cluster_name(k, w), cluster_colour(k), found[str(k)]) for k in clusters]


def _typical(axis: Axes, one: Any, title: str, colour: str) -> None:
    """Draw one map; the first of its group with name and tokens."""
    tokens = [drawable(token) for token in one.tokens]
    weights = np.reshape(one.attention, (len(tokens), len(tokens))).astype(np.float64)
    axis.imshow(shaded(weights), interpolation="none")
    axis.set_anchor("NW")
    frame(axis)
    where = f"{one.layer}.{one.head}"
    if one.rank > 1:
        axis.set_title(where, fontsize=SMALLEST)
        return
    axis.set_title(f"{title} · {where}", fontsize=SMALLEST)
    axis.spines[:].set(color=colour, linewidth=1.5)
    if len(tokens) <= LABELLED:
        name_tokens(axis.xaxis, tokens, rotation=90)
        name_tokens(axis.yaxis, tokens)
        axis.tick_params(pad=1)


def _long(data: pd.DataFrame) -> pd.DataFrame:
    """One row a map, its tokens and weights as text."""
    return data.drop(columns=["tokens", "attention"]).assign(
        tokens=[" ".join(tokens) for tokens in data["tokens"]],
        attention=[" ".join(f"{weight:.3g}" for weight in one) for one in data["attention"]],
    )


def typical_texts(
    data: pd.DataFrame, linked: Linked, w: Words
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """List what the typical maps are maps of: group, state, layer and head, text.

    Parameters
    ----------
    data
        The maps.
    linked
        Links what is told of a head.
    w
        Words of the page's language.
    """
    groups = [group for kind in KINDS for group in _groups(data, kind, w)]
    data = pd.concat([maps for _, _, maps in groups])
    texts = [readable(tokens) for tokens in data["tokens"]]
    cells = {
        "group": [name for name, _, maps in groups for _ in range(len(maps))],
        "variant": data["variant"].map(w),
        "head": [
            linked(one.experiment, one.layer, one.head, f"{one.layer}.{one.head}", s=one.variant)
            for one in data.itertuples()
        ],
        "read": texts,
    }
    shown = data.drop(columns=["tokens", "attention"]).assign(text=texts)
    return pd.DataFrame(cells).rename(columns=w), shown


def readable(tokens: Sequence[str]) -> str:
    """Join tokens, the pieces of a word into one."""
    # Byte-level BPE and SentencePiece mark where a word begins, WordPiece where it goes on.
    marks = [mark for mark in ("\u0120", "\u2581") if any(mark in token for token in tokens)]
    if marks:
        # Byte-level BPE has a letter for the line break as well.
        blank = str.maketrans(dict.fromkeys("\u0120\u010a" if marks[0] == "\u0120" else marks, " "))
        return "".join(tokens).translate(blank).strip()
    return " ".join(tokens).replace(" ##", "")
