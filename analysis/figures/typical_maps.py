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
from analysis.figures.heads import FAMILY_COLOURS, shaded
from analysis.figures.style import WIDTH, drawable, figure_style, frame
from analysis.figures.words import Words
from analysis.methods.head_families import FAMILIES

# More tokens than this leave no room for their names beside a map.
LABELLED = 25


def typical_maps(data: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the most typical maps of each cluster, left, and of each family, right.

    The most typical one is large, with the tokens of its text where there is room.
    """
    groups = {kind: _groups(data, kind) for kind in ("cluster", "family")}
    rows = max(map(len, groups.values()))
    with figure_style():
        figure = plt.figure(figsize=(WIDTH, 1.6 * rows + 0.1))
        grid = figure.add_gridspec(2 * rows, 4, width_ratios=(2.3, 0.9, 2.3, 0.9))
        for half, (kind, found) in enumerate(groups.items()):
            for row, name in enumerate(found):
                maps = data[(data["kind"] == kind) & (data["name"] == name)].sort_values("rank")
                places = (
                    grid[2 * row : 2 * row + 2, 2 * half],
                    grid[2 * row, 2 * half + 1],
                    grid[2 * row + 1, 2 * half + 1],
                )
                title, colour = group_name(kind, name, w), _colour(kind, name)
                for place, one in zip(places, maps.itertuples(), strict=False):
                    _typical(figure.add_subplot(place), one, title, colour)
    return figure, _long(data)


def _groups(data: pd.DataFrame, kind: str) -> list[str]:
    names = data.loc[data["kind"] == kind, "name"].unique().tolist()
    return sorted(names, key=int if kind == "cluster" else FAMILIES.index)


def group_name(kind: str, name: str, w: Words) -> str:
    """Name a cluster or a family."""
    return cluster_name(int(name), w) if kind == "cluster" else w[name]


def _colour(kind: str, name: str) -> str:
    return cluster_colour(int(name)) if kind == "cluster" else FAMILY_COLOURS[name]


def _typical(axis: Axes, one: Any, title: str, colour: str) -> None:
    """Draw one map; the first of its group with name and tokens."""
    tokens = [drawable(token) for token in one.tokens]
    weights = np.reshape(one.attention, (len(tokens), len(tokens))).astype(np.float64)
    axis.imshow(shaded(weights), interpolation="none")
    axis.set_anchor("NW")
    frame(axis)
    where = f"{one.layer}.{one.head}"
    if one.rank > 1:
        axis.set_title(where, fontsize=6.5)
        return
    axis.set_title(f"{title} · {where}", fontsize=8)
    axis.spines[:].set(color=colour, linewidth=1.5)
    if len(tokens) <= LABELLED:
        size = min(6.0, 95 / len(tokens))
        axis.set_xticks(range(len(tokens)), tokens, fontsize=size, rotation=90)
        axis.set_yticks(range(len(tokens)), tokens, fontsize=size)
        axis.tick_params(length=0, pad=1)


def _long(data: pd.DataFrame) -> pd.DataFrame:
    """One row a map, its tokens and weights as text."""
    return data.drop(columns=["tokens", "attention"]).assign(
        tokens=[" ".join(tokens) for tokens in data["tokens"]],
        attention=[" ".join(f"{weight:.3g}" for weight in one) for one in data["attention"]],
    )


def typical_texts(data: pd.DataFrame, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """List what the typical maps are maps of: group, state, layer and head, text."""
    groups = [
        data[(data["kind"] == kind) & (data["name"] == name)].sort_values("rank", kind="stable")
        for kind in ("cluster", "family")
        for name in _groups(data, kind)
    ]
    data = pd.concat(groups)
    cells = [
        {
            w["group"]: group_name(row.kind, row.name_, w),
            w["variant"]: w[row.variant],
            w["head"]: f"{row.layer}.{row.head}",
            w["read"]: readable(row.tokens),
        }
        for row in data.rename(columns={"name": "name_"}).itertuples()
    ]
    texts = [readable(tokens) for tokens in data["tokens"]]
    return pd.DataFrame(cells), data.drop(columns=["tokens", "attention"]).assign(text=texts)


def readable(tokens: Sequence[str]) -> str:
    """Join tokens, the pieces of a word into one."""
    # Byte-level BPE and SentencePiece mark where a word begins, WordPiece where it goes on.
    marks = [mark for mark in ("\u0120", "\u2581") if any(mark in token for token in tokens)]
    if marks:
        return "".join(tokens).replace(marks[0], " ").strip()
    return " ".join(tokens).replace(" ##", "")
