"""The three small models: what their heads attend to, and what a token of each can see."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures.anatomy_results import SMALL_MAPS, Anatomy, Floats, scientific
from analysis.figures.maps import pairs
from analysis.figures.style import WIDTH, figure_style
from analysis.figures.words import Words, beside, nth_layer

ARCHITECTURES = ("encoder", "decoder", "encoder_decoder")


def small_maps(anatomy: Anatomy, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the weights of every layer and head of the small models for the row that is shown."""
    layers, heads = anatomy.arrays["encoder/attention"].shape[:2]
    rows = layers * heads
    with figure_style():
        figure, axes = plt.subplots(
            rows,
            len(SMALL_MAPS),
            figsize=(WIDTH, rows * (WIDTH / len(SMALL_MAPS) + 0.35) + 0.2),
            squeeze=False,
        )
        frames = []
        for name, column in zip(SMALL_MAPS, axes.T, strict=True):
            left, right = anatomy.axes(name)
            for place, axis in enumerate(column):
                layer, head = divmod(place, heads)
                values = anatomy.arrays[name][layer, head]
                draw_map(axis, values, left, right, 6 if len(left) <= 8 else 4.8)
                frames.append(pairs(f"{name} {layer + 1}.{head + 1}", values, left, right))
                if name == next(iter(SMALL_MAPS)):
                    axis.set_ylabel(
                        beside(nth_layer(layer + 1, w), f"{w['head']} {head + 1}", w),
                        fontsize=7,
                    )
            column[0].set_title(w[name.removesuffix("/attention")], fontsize=7.5)
    return figure, pd.concat(frames, ignore_index=True)


def small_table(anatomy: Anatomy, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw up size, success and sight of the small models; one with both sides has two rows."""
    rows = []
    for name in ARCHITECTURES:
        small = anatomy.found["small"][name]
        common = {key: small[key] for key in ("parameters", "accuracy", "mirror")}
        rows.append({"architecture": name} | common | {k: small[k] for k in ("leak", "future")})
        if "encoder_leak" in small:
            sight = {key: small[f"encoder_{key}"] for key in ("leak", "future")}
            rows.append({"architecture": "side_encoder"} | sight)
    data = pd.DataFrame(rows)
    forms = {
        "architecture": lambda value: w[value],
        "parameters": lambda value: format(int(value), ","),
        "accuracy": lambda value: format(value, ".1%"),
        "mirror": lambda value: format(value, ".1%"),
        "leak": _few,
        "future": _few,
    }
    cells = pd.DataFrame(
        {
            w[column]: ["" if pd.isna(value) else form(value) for value in data[column]]
            for column, form in forms.items()
        }
    )
    return cells, data


def _few(value: float) -> str:
    return f"{value:.2f}" if value >= 0.005 else scientific(value)


def draw_map(
    axis: Axes, values: Floats, left: Sequence[str], right: Sequence[str], size: float
) -> None:
    """Draw attention, empty where a mask leaves no weight at all; tokens in a size of font."""
    axis.imshow(np.ma.masked_equal(values, 0), vmin=0, vmax=1)
    axis.set_xticks(range(len(right)), right, fontsize=size, rotation=90)
    axis.set_yticks(range(len(left)), left, fontsize=size)
    axis.tick_params(length=0, pad=2)
