"""Chapter *features*: what is found at every feature point, along the forward pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis.figures.curves import by_measure, curve_grid
from analysis.figures.runs import RunsColumn
from analysis.figures.style import CATEGORY_COLOURS, EMPHASIS, MUTED
from analysis.figures.tables import by_method
from analysis.results.summary import compared, experiment_shown
from analysis.runs.parameters import RunParameters
from attention_mixing.messages import Words
from attention_mixing.methods.projection import INPUT_POINTS

# Silhouettes below this are hardly those of groups (Kaufman and Rousseeuw 1990).
STRUCTURE = 0.25
METHODS = ("umap", "tsne", "pca")
# One colour each, whichever is the one that maps are drawn by.
METRICS = ("euclidean", "manhattan", "cosine")
_LABELS = {"quantity": "silhouette", "subject": "ffn_output"}
_CHANGE = {"quantity": "cosine_distance", "subject": "ffn_output", "facet": "all"}
_UMAP = {"quantity": "trustworthiness", "subject": "umap", "facet": "ffn_output"}
OF_RUNS = (
    RunsColumn("trust", "projection", _UMAP, "last"),
    RunsColumn("first", "separation", {**_LABELS, "facet": "first"}, "last"),
    RunsColumn("mean", "separation", {**_LABELS, "facet": "mean"}, "last"),
    RunsColumn("change", "change", _CHANGE, "last"),
)
TRUST = ("trustworthiness", "continuity", "overlap", "spread")
MAP_COLOURS = dict(zip(METHODS, CATEGORY_COLOURS, strict=False))
# The whole text is dark, its first token light, as in the chapter *geometry*.
TOKEN_COLOURS = {"first": "#56B4E9", "mean": "#0072B2", "all": "#0072B2"}
POINT_SYMBOLS = {
    "word": "D",
    "embedding": "X",
    "context": "o",
    "attention_output": "s",
    "attention_block": "P",
    "ffn_output": "^",
    "layer_output": "v",
}
POINT_COLOURS = dict(zip(POINT_SYMBOLS, CATEGORY_COLOURS, strict=True))


def forward_curves(
    rows: Mapping[str, pd.DataFrame], w: Mapping[str, str], **style: Any
) -> tuple[Figure, pd.DataFrame]:
    """Draw curves along the forward pass, as :func:`curve_grid`, with a symbol a feature point."""
    return curve_grid(rows, w, legend_columns=4, symbols=POINT_SYMBOLS, **style)


def along(rows: pd.DataFrame, point: str, points: Sequence[str]) -> pd.DataFrame:
    """Rows at the mapped points of each experiment in the order of the forward pass.

    Parameters
    ----------
    rows
        Of the measures ``projection``, ``separation`` or ``change``.
    point
        Column that names the point: ``subject`` or ``facet``.
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


def shown(params: RunParameters, experiment: str | None) -> str:
    """Name the experiment of the large map: one that has classes and two states, if there is."""
    return experiment_shown(params, experiment, compared(params))


def after_layers(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows at the last point of every layer, and of the input, by the layer.

    Joined in the order of the forward pass, the points of a layer make a line that goes up and down
    within every layer, so that of several lines none can be followed.
    """
    last = rows.groupby(["experiment", "layer"], sort=False)["place"].transform("max")
    return rows[rows["place"] == last].drop(columns="place")


def moved_curves(moved: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the share of neighbours that a token loses on each step, a line a kind of step."""
    rows = {w["moved"]: moved.drop(columns="place")}
    figure, _ = curve_grid(rows, w, colours=POINT_COLOURS, by="point", height=2.2)
    return figure, moved


def metric_curves(same: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the share of neighbours that stay the same by another metric, layer by layer."""
    rows = {w["same_neighbours"]: after_layers(same)}
    colours = dict(zip(METRICS, CATEGORY_COLOURS, strict=False))
    figure, _ = curve_grid(rows, w, colours=colours, by="subject", height=2.2)
    return figure, same


def trust_curves(trust: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the trust figures of the maps of every layer."""
    data = trust[trust["quantity"].isin(TRUST)]
    seeded = after_layers(data[~_without_seed(data)])
    grid = by_measure(seeded, TRUST, w)
    figure, _ = curve_grid(
        grid, w, colours=MAP_COLOURS, by="subject", limits=None, height=1.35, legend_columns=4
    )
    return figure, data


def _without_seed(trust: pd.DataFrame) -> pd.Series:
    """Spreads of PCA, in which nothing is drawn by lot."""
    return (trust["quantity"] == "spread") & (trust["subject"] == "pca")


def separation_curves(silhouettes: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the silhouette by label at every point, of the first token and of the mean."""
    grid, named = {w["silhouette"]: silhouettes}, w | {"mean": w["mean_vector"]}
    figure, data = forward_curves(
        grid, named, colours=TOKEN_COLOURS, by="facet", limits=None, height=2.6
    )
    for axis in figure.axes:
        axis.axhline(STRUCTURE, color=MUTED, lw=0.8, ls=":", zorder=0)
    return figure, data


def change_curves(distances: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the cosine distance between features before and after fine-tuning."""
    rows = {w["cosine_distance"]: distances}
    return forward_curves(rows, w, colours=TOKEN_COLOURS, by="facet", limits=None, height=2.2)


def shift_curves(trust: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw how far fine-tuning shifts maps, beside how far maps of different seeds differ."""
    data = shifts(trust)
    spread = data.assign(quantity="spread", mean=data["spread_larger"])
    rows = after_layers(pd.concat([data, spread[~_without_seed(spread)]]))
    figure, _ = curve_grid(
        {w["disparity"].format(method=w[of]): rows[rows["subject"] == of] for of in METHODS},
        w | {"spread": w["spread_larger"]},
        colours={"shift": EMPHASIS, "spread": MUTED},
        by="quantity",
        height=1.5,
    )
    return figure, data


def shifts(trust: pd.DataFrame) -> pd.DataFrame:
    """Shift of every map by fine-tuning, and the larger spread of its two states."""
    keys = ["experiment", "subject", "place"]
    spreads = trust[trust["quantity"] == "spread"].groupby(keys)["mean"].max()
    return trust[trust["quantity"] == "shift"].join(spreads.rename("spread_larger"), on=keys)


def trust_table(trust: pd.DataFrame, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw up trust figures: mean and worst, one row an experiment, model state and method."""
    keys = ["experiment", "subject", "variant"]
    figures = trust[trust["quantity"].isin(TRUST)].groupby([*keys, "quantity"], sort=False)["mean"]
    data = figures.agg(["mean", "min", "max"]).reset_index()
    data["worst"] = data["min"].where(data["quantity"] != "spread", data["max"])
    cell = pd.Series([f"{m:.2f}\u00a0({x:.2f})" for m, x in data[["mean", "worst"]].to_numpy()])
    cells = data.assign(cell=cell.mask(_without_seed(data), w["no_seed"]), method=data["subject"])
    order = ("experiment", "method", "variant")
    return by_method(cells, TRUST, w, order), data.drop(columns=["min", "max"])
