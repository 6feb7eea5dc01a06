"""Chapter *geometry*: AttentionViz rebuilt on the one text that the report shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from analysis.figures.labels import name_points
from analysis.figures.maps import cells
from analysis.figures.style import (
    CATEGORY_COLOURS,
    EMPHASIS,
    INK,
    MUTED,
    WIDTH,
    figure_style,
    frame,
    legend_key,
)
from analysis.figures.words import Words

KIND_COLOURS = dict(zip(("query", "key"), (CATEGORY_COLOURS[2], CATEGORY_COLOURS[3]), strict=True))
GREY = "#8b93a0"  # of a raster, which cannot follow the page
WAYS = ("before", "seed", "after")


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
    frames = []
    with figure_style():
        figure, axes = plt.subplots(1, len(WAYS), figsize=(WIDTH, 2.7), sharex=True)
        for axis, way in zip(axes, WAYS, strict=True):
            dot, cosine = (arrays[f"{kind}_{way}"][0] for kind in ("dot", "cosine"))
            for chosen, colour, label in (
                (~own, GREY, w["all_pairs"]),
                (own, CATEGORY_COLOURS[0], w["own_pairs"]),
            ):
                axis.plot(
                    cosine[:, chosen].ravel(),
                    dot[:, chosen].ravel(),
                    "o",
                    ms=2,
                    mew=0,
                    alpha=0.7,
                    color=colour,
                    label=label,
                    rasterized=True,
                )
            axis.set_title(w[way], fontsize=8)
            axis.set_xlabel(w["cosine_distance"])
            frames.append(
                cells(("head", "query", "key"), dot=dot, cosine_distance=cosine).assign(way=way)
            )
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
    frames = []
    with figure_style():
        figure, axes = plt.subplot_mosaic([[*"aabb"], [*".cc."]], figsize=(WIDTH, 6.8))
        for axis, way in zip(axes.values(), WAYS, strict=True):
            points = _draw_head(axis, arrays, pairs, place, way, size=13)
            for kind, places in points.items():
                at = pd.DataFrame(places, columns=["x", "y"])
                frames.append(at.assign(way=way, kind=kind, token=tokens))
            axis.set_title(w[way])
        kind_legend(figure, w)
        drawn = pd.concat(frames, ignore_index=True)
        for axis, (_, named) in zip(axes.values(), drawn.groupby("way", sort=False), strict=True):
            name_points(axis, named["token"], named[["x", "y"]], [INK] * len(named))
    return figure, drawn


def plane_heads(arrays: Arrays, pairs: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Every layer and head in its own plane, translated and scaled."""
    layers, heads = arrays["attention"].shape[:2]
    with figure_style():
        side = WIDTH / heads
        figure, axes = plt.subplots(
            layers, heads, figsize=(WIDTH, side * layers + 0.5), squeeze=False
        )
        axis: Axes
        for (layer, head), axis in np.ndenumerate(axes):
            place = layer + 1, head + 1
            _draw_head(axis, arrays, pairs, place, "after", size=2, thickest=1.5)
            axis.set_rasterization_zorder(2.1)  # a dot a token and head is a megabyte as vectors
            if layer == 0:
                axis.set_title(str(head + 1), fontsize=6.5, loc="center")
            if head == 0:
                axis.set_ylabel(str(layer + 1), fontsize=6.5, rotation=0, va="center", labelpad=8)
        figure.suptitle(w["head"], fontsize=7.5)
        figure.supylabel(w["layer"], fontsize=7.5)
        kind_legend(figure, w)
    return figure, pairs


def _draw_head(
    axis: Axes,
    arrays: Arrays,
    pairs: pd.DataFrame,
    place: tuple[int, int],
    way: str,
    *,
    size: float,
    thickest: float = 4,
) -> dict[str, NDArray[np.float32]]:
    layer, head = place
    points = {kind: arrays[f"{kind}_{way}"][layer - 1, head - 1] for kind in ("query", "key")}
    lines = pairs[pairs["strongest"] & (pairs["layer"] == layer) & (pairs["head"] == head)]
    for pair in lines.sort_values("asked").itertuples():
        ends = np.stack([points["query"][pair.query], points["key"][pair.key]])
        axis.plot(
            *ends.T,
            color=EMPHASIS if pair.asked else MUTED,
            lw=max(0.3, thickest * pair.attention),
            alpha=0.9 if pair.asked else 0.45,
            zorder=1,
        )
    for kind, places in points.items():
        axis.scatter(places[:, 0], places[:, 1], s=size, color=KIND_COLOURS[kind], lw=0, zorder=2)
    frame(axis, margin=0.1)
    return points


def kind_legend(figure: Figure, w: Words) -> None:
    """Tell queries from keys, below the panels."""
    figure.legend(
        handles=[
            legend_key(w[kind], marker="o", ls="", ms=4, color=colour)
            for kind, colour in KIND_COLOURS.items()
        ],
        loc="outside lower center",
        ncols=2,
    )


def pairs_table(pairs: pd.DataFrame, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw up, for each pair that was asked for, in how many heads it comes closer.

    The rows below are heads in which its key is the strongest of the query.
    """
    rows = []
    chosen = asked(pairs)
    for (query, key), heads in chosen.groupby(["query_token", "key_token"], sort=False):
        pair = f"{query} → {key}"
        closer = [
            f"{(heads[f'distance_{way}'] < heads['distance_before']).sum()} / {len(heads)}"
            for way in ("seed", "after")
        ]
        means = [f"{heads[f'distance_{way}'].mean():.2f}" for way in WAYS]
        weight = f"{heads['attention'].mean():.2f}"
        rows.append([pair, w["every_head"], weight, *means, *closer])
    for found in chosen[chosen["strongest"]].itertuples():
        distances = [found.distance_before, found.distance_seed, found.distance_after]
        closer = [w["yes"] if d < distances[0] else w["no"] for d in distances[1:]]
        rows.append(
            [
                f"{found.query_token} → {found.key_token}",
                f"{found.layer}.{found.head}",
                f"{found.attention:.2f}",
                *(f"{d:.2f}" for d in distances),
                *closer,
            ]
        )
    columns = [
        *("pair", "place", "weight"),
        *(f"distance_{way}" for way in WAYS),
        *("closer_seed", "closer_after"),
    ]
    return pd.DataFrame(rows, columns=[w[column] for column in columns]), chosen
