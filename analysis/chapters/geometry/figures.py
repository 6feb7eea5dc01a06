"""Chapter *geometry*: whether distance shows attention, and how fine-tuning changes both."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from analysis.figures.curves import curve_grid
from analysis.figures.maps import by_state, draw_map, map_grid
from analysis.figures.runs import RunsColumn
from analysis.figures.style import DOTS, INK, WIDTH, figure_style
from analysis.prose.phrases import nth_layer, spread, written
from analysis.results.summary import arrays, compared, curves, of_heads, overall, table
from analysis.runs.parameters import RunParameters
from attention_mixing.messages import Words

# How vectors are taken; the same colours in every figure of the chapter.
WAY_COLOURS = {
    "before": "#D55E00",
    "translated": "#E69F00",
    "after": "#0072B2",
    "joint": "#56B4E9",
}
RANKS = ("cosine", "euclidean", "plane")
CHOICES = ("centroid", "norm-ratio", "weighted", "closed-form")
OF_RUNS = tuple(
    RunsColumn(quantity, "geometry", {"quantity": quantity})
    for quantity in (
        *("correlation_before", "correlation_after", "plane_before", "plane_after"),
        "norm_difference",
    )
)
# What has a c of its own.
SCOPES = {"head": of_heads, "layer": curves, "model": overall}


COLOURS = {
    "attention": "#D55E00",
    "attention_alone": "#E69F00",
    "layer_output": "#0072B2",
    "layer_output_first": "#56B4E9",
    "query": "#009E73",
    "key": "#CC79A7",
    "value": "#999933",
}
# Line -> panel, and what of the measure ``change`` it shows.
LINES = {
    "attention": ("attention", "attention", "all", "distance"),
    "attention_alone": ("attention", "attention", "all", "distance_alone"),
    "layer_output": ("features", "layer_output", "all", "relative_change"),
    "layer_output_first": ("features", "layer_output", "first", "relative_change"),
}


def ways(rows: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Rows of one measure, with the column ``way``."""
    selected = rows[rows["quantity"].str.startswith(f"{measure}_")]
    return selected.assign(way=selected["quantity"].str.removeprefix(f"{measure}_"))


def close_curves(measured: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw where the strongest key of a query stands among its neighbours, by three distances."""
    rows = {w[rank]: ways(measured, rank) for rank in RANKS}
    figure, data = curve_grid(
        rows, w, colours=WAY_COLOURS, by="way", limits=(0, 1), legend_columns=2, height=1.5
    )
    for axis in figure.axes:
        axis.axhline(0.5, color=INK, lw=0.6, ls="dotted")
    return figure, data


def distance_table(w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw up how far apart strongest and all pairs are, and where the strongest key ranks.

    A row a distance and model state: medians over experiments, before and after the normalization.
    """
    data = overall("geometry")
    states = data["variant"].unique()
    rows = []
    for rank, state in product(RANKS, states):
        means = dict(list(data[data["variant"] == state].groupby("quantity")["mean"]))
        row = {w["distance_taken"]: w[rank]}
        if len(states) > 1:
            row[w["state"]] = w[state]
        for column in ("apart", "all", "rank"):
            prefix = "" if column == "rank" else f"{column}_"
            for way in ("before", "after"):
                values = means[f"{prefix}{rank}_{way}"].dropna()
                row[w[f"{column}_{way}"]] = (
                    written(values.median(), ".2f") if len(values) else w["not_defined"]
                )
        rows.append(row)
    chosen = data["quantity"].str.fullmatch(rf"(apart_|all_)?({'|'.join(RANKS)})_(before|after)")
    return pd.DataFrame(rows), data[chosen]


def correlation_curves(measured: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Correlation of dot product and cosine distance, and what makes the two differ."""
    rows = {w[measure]: ways(measured, measure) for measure in ("correlation", "offset")}
    colours = {way: WAY_COLOURS[way] for way in ("before", "after")}
    named = w | {"after": w["translated"]}
    return curve_grid(rows, named, colours=colours, by="way", limits=None, height=1.5)


def head_maps(table: pd.DataFrame, label: str, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw one heat map of layers and heads a model state, all with the same colours.

    ``table`` has ``experiment``, ``variant``, ``layer``, ``head`` and ``mean``; ``label`` is that
    of the colours.
    """
    panels = by_state(table, "head", w)
    limits = {"vmin": table["mean"].min(), "vmax": table["mean"].max()}
    return map_grid(panels, w, across=4, bar=label, origin="lower", **limits), table


def correlation_maps(table: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the correlation of dot product and cosine distance in every head."""
    return head_maps(table, w["correlation"], w)


def scale_table(w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """One row a choice, scope and model state, over the heads of all experiments."""
    where: dict[str, Any] = {"subject": CHOICES, "quantity": ("c", "correlation", "at_edge")}
    measures = ("pairs", "scale_choices")
    data = pd.concat([read(measures, **where).assign(scope=s) for s, read in SCOPES.items()])
    states, rows = data["variant"].unique(), []
    for choice, scope, state in product(CHOICES, SCOPES, states):
        chosen = (data["subject"] == choice) & (data["scope"] == scope) & (data["variant"] == state)
        selected = data[chosen]
        if selected.empty:
            continue
        numbers = dict(list(selected.groupby("quantity")["mean"]))
        searched = "at_edge" in numbers
        row = {"choice": w[choice], "scope": w[f"{scope}_scope"]}
        if len(states) > 1:
            row["state"] = w[state]
        row["c"] = _range(numbers["c"], w)
        row["pearson"] = _range([numbers["correlation"].mean()], w)
        row["edge"] = f"{numbers['at_edge'].mean():.0%}" if searched else w["no_grid"]
        rows.append(row)
    return pd.DataFrame(rows).rename(columns=w), data


def _range(numbers: Sequence[float] | pd.Series, w: Words) -> str:
    values = pd.Series(numbers).dropna()
    if values.empty:
        return w["not_defined"]
    if values.nunique() == 1:
        return written(values.iloc[0], ".2f")
    ends = spread(values.min(), values.max(), ".2f", w)
    return w["beside_range"].format(value=written(values.median(), ".2f"), range=ends)


def grid_figure(experiment: str, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the seed's grid of the first layer, and the correlation of every head over c."""
    grid = table("sentence", "grid", experiment, "pretrained").query("layer == 1")
    cells = grid.pivot(index="a", columns="c", values="correlation").abs()
    name = partial(written, form=".2g")
    cells = cells.rename(index=name, columns=name)
    over = arrays("pairs", experiment, "pretrained")
    lines = over["over_scales"]
    best = of_heads("pairs", experiment=experiment, variant="pretrained")
    best = best.pivot(index=["layer", "head"], columns="quantity", values="mean")
    shades = [DOTS(i / max(len(lines) - 1, 1)) for i in range(len(lines))]
    with figure_style():
        figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, 3.8), width_ratios=(1, 1.25))
        image = draw_map(left, cells, origin="lower", aspect="auto")
        left.set_xlabel(w["c"])
        left.set_ylabel(w["a"])
        left.set_title(nth_layer(1, w))
        figure.colorbar(image, ax=left, location="bottom", shrink=0.9, label=w["size"])
        for heads, shade in zip(lines, shades, strict=True):
            right.plot(over["c"], heads.T, color=shade, lw=0.6, alpha=0.7)
        for layer, heads in best.groupby("layer"):
            right.plot(heads["c"], heads["correlation"], "o", ms=2.5, color=shades[layer - 1])
        right.set_xscale("log", base=2)
        right.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        right.set_xlabel(w["c"])
        right.set_ylabel(w["pearson"])
        right.axvline(1, color=INK, lw=0.6, ls="dotted")
        bar = plt.cm.ScalarMappable(Normalize(1, len(lines)), DOTS)
        figure.colorbar(bar, ax=right, location="bottom", shrink=0.7, label=w["layer"])
    layer, head, at = np.indices(lines.shape).reshape(3, -1)
    columns = {"layer": layer + 1, "head": head + 1, "c": over["c"][at]}
    points = pd.DataFrame(columns | {"correlation": lines.ravel(), "variant": "pretrained"})
    return figure, pd.concat([grid.assign(kind="seed grid"), points.assign(kind="curve")])


# --- before and after fine-tuning -----------------------------------------------------------------


def changes(tuned: Sequence[str]) -> pd.DataFrame:
    """Read the change of attention, features and weights, a ``part`` each, over the layers."""
    lines = []
    for line, (panel, of, kind, quantity) in LINES.items():
        rows = curves("change", experiment=tuned, subject=of, facet=kind, quantity=quantity)
        lines.append(rows.assign(part=panel, what=line))
    return pd.concat([*lines, _weights(tuned)], ignore_index=True)


def change_curves(data: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the rows of :func:`changes`."""
    rows = {
        w[f"change_{panel}"]: data[data["part"] == panel]
        for panel in ("attention", "features", "weights")
    }
    return curve_grid(
        rows, w, colours=COLOURS, by="what", limits=None, height=1.5, legend_columns=2
    )


def _weights(experiments: Sequence[str]) -> pd.DataFrame:
    """Mean over heads, smallest and largest, of the change of the matrices of attention."""
    of = [f"weights/{matrix}" for matrix in ("query", "key", "value")]
    heads = of_heads(
        "weight_change", experiment=experiments, subject=of, quantity="relative_change"
    )
    by_layer = heads.groupby(["experiment", "variant", "subject", "layer"], sort=False)["mean"]
    rows = by_layer.agg(mean="mean", low="min", high="max").reset_index()
    return rows.assign(part="weights", what=rows["subject"].str.removeprefix("weights/"))


def changed_heads(params: RunParameters) -> pd.DataFrame:
    """Mean distance of attention over texts, a row an experiment and head."""
    what = {"subject": "attention", "facet": "all", "quantity": "distance"}
    return of_heads("change", experiment=compared(params), **what)


def change_heads(moved: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw which heads attend otherwise than before, of the rows of :func:`changed_heads`."""
    return head_maps(moved, w["distance"], w)


def most_changed(params: RunParameters) -> tuple[int, int]:
    """Layer and head, 1-based, whose attention changed most in the first fine-tuned experiment."""
    heads = changed_heads(params)
    first = heads[heads["experiment"] == heads["experiment"].iloc[0]]
    row = first.loc[first["mean"].idxmax()]
    return int(row["layer"]), int(row["head"])
