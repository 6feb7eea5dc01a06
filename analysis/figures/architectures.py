"""Chapter *anatomy*: the three architectures, what feeds what, and what a token of each sees."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from analysis.figures.anatomy import scientific
from analysis.figures.maps import map_grid, masked, pairs
from analysis.figures.style import CATEGORY_COLOURS, INK, MUTED, WIDTH, figure_style, rounded_box
from analysis.figures.tables import Form, written_table
from analysis.results.anatomy import SMALL_MAPS, AnatomyResults
from attention_mixing.messages import Words

# Stacks from below: what enters, the parts of a layer, what leaves.
ENCODER = ("source", "attention", "feed_forward", "vectors")
DECODER = ("before", "masked", "feed_forward", "next")
WRITER = ("before", "masked", "cross", "feed_forward", "next")
STACKS = (("encoder", ENCODER), ("decoder", DECODER), ("both", ENCODER[:-1]), ("both", WRITER))
CENTRES = (0.5, 1.7, 2.9, 4.2)
COLOURS = dict(zip(("attention", "masked", "cross"), CATEGORY_COLOURS, strict=False))
ARROW = {"arrowstyle": "->", "color": INK}
BOX, STEP = (0.94, 0.3), 0.5  # width and height of a part, and from one part to the next


ARCHITECTURES = ("encoder", "decoder", "encoder_decoder")
SIGHT = ("leak", "future")


def architectures(w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw encoder, decoder, and both with the attention that joins them."""
    rows = []
    with figure_style():
        figure, axis = plt.subplots(figsize=(WIDTH, 3.5))
        for (model, parts), x in zip(STACKS, CENTRES, strict=True):
            _stack(axis, x, parts, w)
            rows += [
                {"model": model, "part": part, "reads": below} for part, below in _reads(parts)
            ]
        encoder, decoder = CENTRES[2:]
        # Keys and values of every cross-attention come from the encoder's last layer.
        level = WRITER.index("cross") * STEP
        start, end = (encoder + BOX[0] / 2, level), (decoder - BOX[0] / 2, level)
        axis.annotate("", end, start, arrowprops=ARROW)
        rows.append({"model": "both", "part": "cross", "reads": "encoder"})
        middle = (encoder + decoder) / 2
        for x, model in ((CENTRES[0], "encoder"), (CENTRES[1], "decoder"), (middle, "both")):
            name = w["encoder_decoder" if model == "both" else model]
            axis.text(x, len(WRITER) * STEP - 0.12, name, ha="center", fontsize=10)
        axis.set_xlim(CENTRES[0] - 0.56, CENTRES[-1] + 0.56)
        axis.set_ylim(-STEP / 2, (len(WRITER) + 0.1) * STEP)
        axis.axis("off")
    return figure, pd.DataFrame(rows)


def _reads(parts: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(part, below) for below, part in pairwise(parts)]


def _stack(axis: Axes, x: float, parts: tuple[str, ...], w: Words) -> None:
    """Draw parts from below, joined by arrows; those of a layer in a frame."""
    layer = [index for index, part in enumerate(parts) if part in (*COLOURS, "feed_forward")]
    low, high = layer[0] * STEP - 0.22, layer[-1] * STEP + 0.22
    axis.add_patch(
        Rectangle((x - 0.53, low), 1.06, high - low, fill=False, ec=MUTED, lw=0.8, ls=(0, (3, 2)))
    )
    axis.text(x + 0.51, low - 0.02, w["layers_times"], ha="right", va="top", fontsize=8)
    for index, part in enumerate(parts):
        y = index * STEP
        if index in layer:
            colour = COLOURS.get(part, MUTED)
            rounded_box(axis, x, y, *BOX, colour)
        axis.text(x, y, w[f"part_{part}"], ha="center", va="center", fontsize=8)
        if index:
            gap = BOX[1] / 2
            axis.annotate("", (x, y - gap), (x, y - STEP + gap), arrowprops=ARROW)


# --- what a token of each sees --------------------------------------------------------------------


def small_maps(anatomy: AnatomyResults, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the weights of every layer and head of the small models for the row that is shown."""
    layers, heads = anatomy.arrays["encoder/attention"].shape[:2]
    maps = [
        (name, (layer + 1, head + 1), anatomy.arrays[name][layer, head])
        for name in SMALL_MAPS
        for layer, head in np.ndindex(layers, heads)
    ]
    panels, frames = {}, []
    for name, (layer, head), values in maps:
        frames.append(pairs(f"{name} {layer}.{head}", values, *anatomy.axes(name)))
    # A row of panels is a head, a column a model.
    for name, (layer, head), values in sorted(maps, key=lambda entry: entry[1]):
        title = f"{w[name.removesuffix('/attention')]}\n{layer}.{head}"
        panels[title] = masked(values, *anatomy.axes(name))
    figure = map_grid(panels, w, across=len(SMALL_MAPS), bar=w["weights"], vmin=0, vmax=1)
    return figure, pd.concat(frames, ignore_index=True)


def small_table(anatomy: AnatomyResults, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw up size, success and sight of the small models; one with both sides has two rows."""
    rows = []
    for name in ARCHITECTURES:
        small = anatomy.record["small"][name]
        common = {key: small[key] for key in ("parameters", "accuracy", "mirror")}
        rows.append({"architecture": name} | common | {key: small[key] for key in SIGHT})
        if "encoder_leak" in small:
            sight = {key: small[f"encoder_{key}"] for key in SIGHT}
            rows.append({"architecture": "side_encoder"} | sight)
    data = pd.DataFrame(rows)
    names: dict[str, Form] = {"architecture": w.__getitem__, "parameters": ",.0f"}
    forms = names | dict.fromkeys(("accuracy", "mirror"), ".1%") | dict.fromkeys(SIGHT, _proportion)
    return written_table(data, forms, w), data


def _proportion(value: float) -> str:
    return f"{value:.2f}" if value >= 0.005 else scientific(value)
