"""Chapter *geometry*: what fine-tuning changes, layer by layer and head by head."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

from analysis.figures.curves import curve_grid
from analysis.figures.geometry import head_maps
from analysis.figures.results import compared, curves, of_heads
from analysis.noted import Noted
from attention_mixing.words import Words

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


def change_curves(params: Noted, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Distance of attention, of features and of weights before and after, over the layers."""
    tuned = compared(params)
    lines = []
    for line, (part, of, kind, quantity) in LINES.items():
        rows = curves(
            "vectors", experiment=tuned, measure="change", of=of, kind=kind, quantity=quantity
        )
        lines.append(rows.assign(part=part, what=line))
    data = pd.concat([*lines, _weights(tuned)], ignore_index=True)
    rows = {
        w[f"change_{part}"]: data[data["part"] == part]
        for part in ("attention", "features", "weights")
    }
    return curve_grid(
        rows, w, colours=COLOURS, by="what", limits=None, height=1.5, legend_columns=2
    )


def _weights(experiments: Sequence[str]) -> pd.DataFrame:
    """Mean over heads, smallest and largest, of the change of the matrices of attention."""
    of = [f"weights/{matrix}" for matrix in ("query", "key", "value")]
    heads = of_heads("vectors", experiment=experiments, of=of, quantity="relative_change")
    by_layer = heads.groupby(["experiment", "variant", "of", "layer"], sort=False)["mean"]
    rows = by_layer.agg(mean="mean", low="min", high="max").reset_index()
    return rows.assign(part="weights", what=rows["of"].str.removeprefix("weights/"))


def changed_heads(params: Noted) -> pd.DataFrame:
    """Mean distance of attention over texts, a row an experiment and head."""
    what = {"of": "attention", "kind": "all", "quantity": "distance"}
    return of_heads("vectors", experiment=compared(params), measure="change", **what)


def change_heads(params: Noted, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw which heads attend otherwise than before."""
    return head_maps(changed_heads(params), w["distance"], w)


def most_changed(params: Noted) -> tuple[int, int]:
    """Layer and head, 1-based, whose attention changed most in the first fine-tuned experiment."""
    heads = changed_heads(params)
    first = heads[heads["experiment"] == heads["experiment"].iloc[0]]
    row = first.loc[first["mean"].idxmax()]
    return int(row["layer"]), int(row["head"])
