"""Chapter *geometry*: AttentionViz rebuilt on the one text that the report shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from numpy.typing import NDArray

from analysis.figures.labels import name_points
from analysis.figures.maps import cells
from analysis.figures.planes import Plane, dot_keys, plane_grid
from analysis.figures.style import CATEGORY_COLOURS, INK, WIDTH, figure_style
from analysis.figures.words import Words

KIND_COLOURS = dict(zip(("query", "key"), (CATEGORY_COLOURS[2], CATEGORY_COLOURS[3]), strict=True))
GREY = "#8b93a0"  # of a raster, which cannot follow the page
WAYS = ("before", "seed", "after")
DISTANCES = [f"distance_{way}" for way in WAYS]
DOT = {"ms": 2, "mew": 0, "alpha": 0.7, "rasterized": True}

Arrays = Mapping[str, NDArray[np.float32]]
"""What :func:`analysis.measures.sentence.sentence` shows, ``[layer, head, ...]``."""


def asked(pairs: pd.DataFrame) -> pd.DataFrame:
    """Pairs that were asked for, in every head, the largest weight first."""
    return pairs[pairs["asked"]].sort_values("attention", ascending=False)


def largest(pairs: pd.DataFrame) -> tuple[int, int]:
    """Layer and head, 1-based, where a pair that was asked for has its largest weight.

    Of those whose key is the strongest of its query; the first head where there is none.
    """
    red = asked(pairs).query("strongest")
    return (1, 1) if red.empty else (int(red["layer"].iloc[0]), int(red["head"].iloc[0]))


def scatter(arrays: Arrays, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Dot product against cosine distance in the first layer, three ways."""
    own = np.eye(arrays["attention"].shape[-1], dtype=bool)
    kinds = ((~own, GREY, w["all_pairs"]), (own, CATEGORY_COLOURS[0], w["own_pairs"]))
    frames = []
    with figure_style():
        figure, axes = plt.subplots(1, len(WAYS), figsize=(WIDTH, 2.7), sharex=True)
        for axis, way in zip(axes, WAYS, strict=True):
            dot, cosine = (arrays[f"{kind}_{way}"][0] for kind in ("dot", "cosine"))
            for chosen, colour, label in kinds:
                x, y = cosine[:, chosen].ravel(), dot[:, chosen].ravel()
                axis.plot(x, y, "o", color=colour, label=label, **DOT)
            axis.set_title(w[way], fontsize=8)
            axis.set_xlabel(w["cosine_distance"])
            axis_names = ("head", "query", "key")
            frames.append(cells(axis_names, dot=dot, cosine_distance=cosine).assign(way=way))
        axes[0].set_ylabel(w["dot"])
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2, markerscale=2)
    data = pd.concat(frames, ignore_index=True)
    data["head"] += 1
    return figure, data[["way", "head", "query", "key", "dot", "cosine_distance"]]


def plane(
    arrays: Arrays, pairs: pd.DataFrame, tokens: Sequence[str], w: Words
) -> tuple[Figure, pd.DataFrame]:
    """Draw one head in the plane, three ways, with a line to the strongest key of each query."""
    place = largest(pairs)
    planes = {way: _head(arrays, pairs, place, way) for way in WAYS}
    titled = {w[way]: one for way, one in planes.items()}
    figure = plane_grid(titled, across=2, size=13, legend=dot_keys(kinds(w)))
    named = {way: one.points.assign(way=way, token=[*tokens] * 2) for way, one in planes.items()}
    with figure_style():
        for axis, points in zip(figure.axes, named.values(), strict=True):
            name_points(axis, points["token"], points[["x", "y"]], [INK] * len(points))
    return figure, pd.concat(named.values(), ignore_index=True)[["x", "y", "way", "kind", "token"]]


def plane_heads(arrays: Arrays, pairs: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Every layer and head in its own plane, translated and scaled."""
    layers, heads = arrays["attention"].shape[:2]
    panels = {
        f"{layer}.{head}": _head(arrays, pairs, (layer, head), "after")
        for layer, head in product(range(1, layers + 1), range(1, heads + 1))
    }
    keys = dot_keys(kinds(w))
    return plane_grid(panels, across=heads, size=2, legend=keys, rasterized=True), pairs


def _head(arrays: Arrays, pairs: pd.DataFrame, place: tuple[int, int], way: str) -> Plane:
    """Place queries and keys of one head, with a line to the strongest key of each query."""
    layer, head = place
    points = pd.concat(
        pd.DataFrame(arrays[f"{kind}_{way}"][layer - 1, head - 1], columns=["x", "y"]).assign(
            kind=kind
        )
        for kind in KIND_COLOURS
    )
    lines = pairs[pairs["strongest"] & (pairs["layer"] == layer) & (pairs["head"] == head)]
    names = {"query": "start", "attention": "weight", "asked": "emphasised"}
    lines = lines.sort_values("asked").rename(columns=names)
    lines = lines.assign(end=lines["key"] + len(points) // 2)
    return Plane(points, points["kind"].map(KIND_COLOURS), lines)


def kinds(w: Words) -> dict[str, str]:
    """Names of queries and keys -> their colours."""
    return {w[kind]: colour for kind, colour in KIND_COLOURS.items()}


def pairs_table(pairs: pd.DataFrame, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw up, for each pair that was asked for, in how many heads it comes closer.

    The rows below are heads in which its key is the strongest of the query.
    """
    chosen = asked(pairs)
    closer = chosen[DISTANCES[1:]].lt(chosen["distance_before"], axis=0)
    numbers = chosen[["attention", *DISTANCES]]
    names = chosen["query_token"] + " → " + chosen["key_token"]
    rows = []
    for pair, heads in chosen.groupby(names, sort=False):
        shares = [f"{count} / {len(heads)}" for count in closer.loc[heads.index].sum()]
        means = numbers.loc[heads.index].mean().map("{:.2f}".format)
        rows.append([pair, w["every_head"], *means, *shares])
    for found in chosen[chosen["strongest"]].itertuples():
        place = f"{found.layer}.{found.head}"
        answers = [w["yes" if one else "no"] for one in closer.loc[found.Index]]
        own = numbers.loc[found.Index].map("{:.2f}".format)
        rows.append([names[found.Index], place, *own, *answers])
    columns = ["pair", "place", "weight", *DISTANCES, "closer_seed", "closer_after"]
    return pd.DataFrame(rows, columns=[w[column] for column in columns]), chosen
