"""The three small models: what their heads attend to, and what a token of each can see."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis.figures.anatomy_results import SMALL_MAPS, AnatomyResults, Floats, scientific
from analysis.figures.maps import map_grid, pairs
from analysis.figures.tables import Form, written_table
from attention_mixing.words import Words

ARCHITECTURES = ("encoder", "decoder", "encoder_decoder")
SIGHT = ("leak", "future")


def small_maps(anatomy: AnatomyResults, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the weights of every layer and head of the small models for the row that is shown."""
    layers, heads = anatomy.arrays["encoder/attention"].shape[:2]
    drawn = [
        (name, (layer + 1, head + 1), anatomy.arrays[name][layer, head])
        for name in SMALL_MAPS
        for layer, head in np.ndindex(layers, heads)
    ]
    panels, frames = {}, []
    for name, (layer, head), values in drawn:
        frames.append(pairs(f"{name} {layer}.{head}", values, *anatomy.axes(name)))
    # A row of panels is a head, a column a model.
    for name, (layer, head), values in sorted(drawn, key=lambda one: one[1]):
        title = f"{w[name.removesuffix('/attention')]}\n{layer}.{head}"
        panels[title] = masked(values, *anatomy.axes(name))
    figure = map_grid(panels, w, across=len(SMALL_MAPS), bar=w["weights"], vmin=0, vmax=1)
    return figure, pd.concat(frames, ignore_index=True)


def small_table(anatomy: AnatomyResults, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw up size, success and sight of the small models; one with both sides has two rows."""
    rows = []
    for name in ARCHITECTURES:
        small = anatomy.found["small"][name]
        common = {key: small[key] for key in ("parameters", "accuracy", "mirror")}
        rows.append({"architecture": name} | common | {key: small[key] for key in SIGHT})
        if "encoder_leak" in small:
            sight = {key: small[f"encoder_{key}"] for key in SIGHT}
            rows.append({"architecture": "side_encoder"} | sight)
    data = pd.DataFrame(rows)
    names: dict[str, Form] = {"architecture": w.__getitem__, "parameters": ",.0f"}
    forms = names | dict.fromkeys(("accuracy", "mirror"), ".1%") | dict.fromkeys(SIGHT, _few)
    return written_table(data, forms, w), data


def _few(value: float) -> str:
    return f"{value:.2f}" if value >= 0.005 else scientific(value)


def masked(values: Floats, left: Sequence[str], right: Sequence[str]) -> pd.DataFrame:
    """Name queries and keys of attention, without value where a mask leaves no weight at all."""
    return pd.DataFrame(values, left, right).where(values != 0)
