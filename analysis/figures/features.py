"""Chapter *features*: what is found at every feature point, along the forward pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures.findings import features as findings
from analysis.figures.results import trained
from analysis.figures.style import (
    CATEGORY_COLOURS,
    EMPHASIS,
    INK,
    MUTED,
    VARIANT_LINES,
    WIDTH,
    figure_style,
)
from analysis.figures.words import Words
from analysis.methods.projection import INPUT_POINTS
from analysis.params import Params

METHODS = ("umap", "tsne", "pca")
TRUST = ("trustworthiness", "continuity", "overlap", "spread")
METHOD_COLOURS = dict(zip(METHODS, CATEGORY_COLOURS, strict=False))
# The whole text is dark, its first token light, as in the chapter *geometry*.
TOKEN_COLOURS = {"first": "#56B4E9", "mean": "#0072B2", "all": "#0072B2"}
POINT_MARKERS = {
    "word": "D",
    "embedding": "X",
    "context": "o",
    "attention_output": "s",
    "attention_block": "P",
    "ffn_output": "^",
    "layer_output": "v",
}


def along(rows: pd.DataFrame, point: str, points: Sequence[str]) -> pd.DataFrame:
    """Rows at the mapped points of each experiment in the order of the forward pass.

    Parameters
    ----------
    rows
        Of the measures ``projection``, ``separation`` or ``change``.
    point
        Column that names the point: ``of`` or ``kind``.
    points
        Of each layer that are mapped.

    Returns
    -------
    DataFrame
        That column is called ``point``; ``place`` is its number in the forward pass from 0.
    """
    order = {name: number for number, name in enumerate((*INPUT_POINTS, *points))}
    rows = rows[rows[point].isin(order)]
    place = rows[point].map(order).astype(int) + (rows["layer"] - 1).clip(lower=0) * len(points)
    experiment, _ = pd.factorize(rows["experiment"])
    rows = rows.rename(columns={point: "point"}).assign(place=place)
    return rows.iloc[np.lexsort((place, experiment))].reset_index(drop=True)


def shown(params: Params) -> str:
    """Name the experiment of the large map: one that has classes and two states, if there is."""
    return next(iter(trained(params)), params.report.focus.experiment)


# --- along the forward pass -----------------------------------------------------------------------


def forward_grid(
    rows: Mapping[str, pd.DataFrame],
    w: Words,
    *,
    by: str,
    colours: Mapping[str, str],
    names: Mapping[str, str],
    limits: tuple[float, float] | None = (0, 1.02),
    height: float = 1.75,
    markers: bool = True,
) -> Figure:
    """Draw values at every feature point in the order of the forward pass.

    Parameters
    ----------
    rows
        Label of the vertical axis -> what :func:`along` gives.
    w
        Words of the page's language.
    by
        Column that tells the lines of a panel apart.
    colours, names
        Value of ``by`` -> colour, and name in the legend; none with a single one.
    limits
        Of the vertical axes; None fits them to the data.
    height
        Of a row, in inches.
    markers
        Whether every point has the symbol of its kind.
    """
    everything = pd.concat(rows.values())
    experiments = list(everything["experiment"].unique())
    variants = list(everything["variant"].unique())
    with figure_style():
        figure, axes = plt.subplots(
            len(rows),
            len(experiments),
            figsize=(WIDTH, height * len(rows) + 0.75),
            sharex="col",
            sharey="row",
            squeeze=False,
        )
        for column, experiment in enumerate(experiments):
            for row, (label, table) in enumerate(rows.items()):
                axis = axes[row, column]
                part = table[table["experiment"] == experiment]
                for (variant, name), line in part.groupby(["variant", by], sort=False):
                    _forward_line(axis, line, colours[name], VARIANT_LINES[variant], markers)
                if limits:
                    axis.set_ylim(*limits)
                _layer_ticks(axis, part)
                axis.grid(axis="y")
                if row == 0:
                    axis.set_title(experiment)
                if column == 0:
                    axis.set_ylabel(label)
                if row == len(rows) - 1:
                    axis.set_xlabel(w["forward"])
        points = [p for p in POINT_MARKERS if markers and p in set(everything["point"])]
        several = len(names) > 1
        handles = [
            *(_line(names[name], colours[name], "solid") for name in names if several),
            *(
                _line(w[variant], INK, VARIANT_LINES[variant])
                for variant in variants
                if len(variants) > 1 or not several
            ),
            *(
                plt.Line2D(
                    [], [], ls="none", marker=POINT_MARKERS[p], ms=4, color=INK, mew=0, label=w[p]
                )
                for p in points
            ),
        ]
        figure.legend(handles=handles, loc="outside lower center", ncols=4, fontsize=8)
    return figure


def _line(label: str, colour: str, style: Any) -> plt.Line2D:
    return plt.Line2D([], [], color=colour, linestyle=style, label=label)


def _forward_line(axis: Axes, line: pd.DataFrame, colour: str, style: Any, markers: bool) -> None:
    axis.plot(line["place"], line["mean"], color=colour, linestyle=style, lw=1.2)
    if line["low"].notna().any():
        axis.fill_between(line["place"], line["low"], line["high"], color=colour, alpha=0.15, lw=0)
    for point, own in line.groupby("point", sort=False) if markers else ():
        symbol = POINT_MARKERS[str(point)]
        axis.plot(own["place"], own["mean"], symbol, ms=3.4, color=colour, mew=0)


def _layer_ticks(axis: Axes, rows: pd.DataFrame) -> None:
    """Name layers in their middle, and draw where they meet."""
    ends = rows.groupby("layer")["place"].max()
    starts = ends.shift(fill_value=-1) + 1
    axis.set_xticks((starts + ends) / 2, ends.index)
    axis.tick_params(axis="x", length=0)
    for end in ends[:-1]:
        axis.axvline(end + 0.5, color=MUTED, lw=0.5, alpha=0.35, zorder=0)


def moved_curves(trust: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the share of neighbours that each step of the forward pass takes from a token."""
    data = trust[trust["measure"] == "moved"]
    figure = forward_grid(
        {w["moved"]: data}, w, by="of", colours={"": INK}, names={"": ""}, height=2.2
    )
    return figure, data


def trust_curves(trust: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the trust figures of every map."""
    data = trust[trust["measure"].isin(TRUST)]
    drawn = data[~_without_seed(data)]
    figure = forward_grid(
        {w[name]: drawn[drawn["measure"] == name] for name in TRUST},
        w,
        by="of",
        colours=METHOD_COLOURS,
        names={method: w[method] for method in METHODS},
        limits=None,
        height=1.35,
        markers=False,
    )
    return figure, data


def _without_seed(trust: pd.DataFrame) -> pd.Series:
    """Spreads of PCA, in which nothing is drawn by lot."""
    return (trust["measure"] == "spread") & (trust["of"] == "pca")


def separation_curves(silhouettes: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the silhouette by label at every point, of the first token and of the mean."""
    figure = forward_grid(
        {w["silhouette"]: silhouettes},
        w,
        by="kind",
        colours=TOKEN_COLOURS,
        names={"first": w["first"], "mean": w["mean_vector"]},
        limits=None,
        height=2.6,
    )
    for axis in figure.axes:
        axis.axhline(findings.STRUCTURE, color=MUTED, lw=0.8, ls=":", zorder=0)
    return figure, silhouettes


def shift_curves(trust: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw how far fine-tuning shifts maps, beside how far maps of different seeds differ."""
    data = shifts(trust)
    spread = data.assign(measure="spread", mean=data["spread_larger"])
    drawn = pd.concat([data, spread[~_without_seed(spread)]])
    figure = forward_grid(
        {
            w["disparity"].format(method=w[method]): drawn[drawn["of"] == method]
            for method in METHODS
        },
        w,
        by="measure",
        colours={"shift": EMPHASIS, "spread": MUTED},
        names={"shift": w["shift"], "spread": w["spread_larger"]},
        height=1.5,
    )
    return figure, data


def shifts(trust: pd.DataFrame) -> pd.DataFrame:
    """Shift of every map by fine-tuning, and the larger spread of its two states."""
    keys = ["experiment", "of", "place"]
    spreads = trust[trust["measure"] == "spread"].groupby(keys)["mean"].max()
    return trust[trust["measure"] == "shift"].join(spreads.rename("spread_larger"), on=keys)


def change_curves(distances: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the cosine distance between features before and after fine-tuning."""
    figure = forward_grid(
        {w["cosine_distance"]: distances},
        w,
        by="kind",
        colours=TOKEN_COLOURS,
        names={"first": w["first"], "all": w["all"]},
        limits=None,
        height=2.2,
    )
    return figure, distances


def trust_table(trust: pd.DataFrame, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """How far maps can be trusted: mean and worst, one row an experiment, state and method."""
    keys = ["experiment", "of", "variant"]
    figures = trust[trust["measure"].isin(TRUST)].groupby([*keys, "measure"], sort=False)["mean"]
    data = figures.agg(["mean", "min", "max"]).reset_index()
    data["worst"] = data["min"].where(data["measure"] != "spread", data["max"])
    cell = pd.Series([f"{m:.2f}\u00a0({x:.2f})" for m, x in data[["mean", "worst"]].to_numpy()])
    cells = data.assign(cell=cell.mask(_without_seed(data), w["no_seed"]))
    cells = cells.pivot_table("cell", keys, "measure", aggfunc="first", sort=False).reset_index()
    cells = cells.assign(variant=cells["variant"].map(w), method=cells["of"].map(w))
    columns = ["experiment", "variant", "method", *TRUST]
    return cells[columns].rename(columns=w), data.drop(columns=["min", "max"])
