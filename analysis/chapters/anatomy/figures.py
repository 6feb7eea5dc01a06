"""Chapter *anatomy*: every step of one head, and three architectures with what a token sees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from analysis.chapters.anatomy.results import SMALL_MAPS, AnatomyResults, Floats
from analysis.figures.maps import (
    cells,
    draw_map,
    map_grid,
    masked,
    name_tokens,
    pairs,
    square,
    write_cells,
)
from analysis.figures.style import (
    CATEGORY_COLOURS,
    DIVERGING,
    EMPHASIS,
    INK,
    MUTED,
    WIDTH,
    figure_style,
    rounded_box,
)
from analysis.figures.tables import Form, written_table
from analysis.prose.phrases import written
from attention_mixing.messages import Words

# Attention of the small models in which the three architectures differ.
SIGHTS = ("encoder/attention", "decoder/attention", "encoder_decoder/cross")
SIZED = ("input", "output")  # vectors whose lengths are compared
NUMBERED = 12  # with more tokens than this there is no room for numbers in the cells

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


def overview(anatomy: AnatomyResults, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw one head rebuilt, how far each step is off, and what a token of three models sees."""
    text = anatomy.tokens
    panels = {"rebuilt": (anatomy.of_head("attention"), text, text)}
    for name in SIGHTS:
        panels[name] = (anatomy.arrays[name][-1].mean(axis=0), *anatomy.axes(name))
    with figure_style():
        figure = plt.figure(figsize=(WIDTH, 6.2))
        (above,), (below,) = figure.subfigures(2, 1, squeeze=False)
        left, right = above.subplots(1, 2)
        _deviations(right, anatomy.record["steps"], w)
        places = [left, *below.subplots(1, 3)]
        for axis, (name, (values, queries, keys)) in zip(places, panels.items(), strict=True):
            draw_map(axis, masked(values, queries, keys), vmin=0, vmax=1)
            axis.set_title(w[f"short_{name}"] if "/" in name else w[name])
    frames = [pairs(name, *panel) for name, panel in panels.items()]
    return figure, pd.concat(frames, ignore_index=True)


def _deviations(axis: Axes, steps: Sequence[Mapping[str, Any]], w: Words) -> None:
    """Draw each step's deviation as a share of its largest value, on a logarithmic scale."""
    shares = [step["deviation"] / step["largest"] for step in steps]
    axis.semilogx(shares, range(len(steps)), "o", ms=4, color=CATEGORY_COLOURS[0])
    axis.set_yticks(range(len(steps)), [step_name(s["step"], w) for s in steps])
    axis.set_xlim(1e-9, 1)
    axis.set_xticks([1e-9, 1e-6, 1e-3, 1], ["10⁻⁹", "10⁻⁶", "10⁻³", "1"])
    axis.minorticks_off()
    axis.set_ylim(len(steps) - 0.5, -0.5)
    axis.set_title(w["off"])
    axis.grid(axis="x")
    axis.set_box_aspect(1)


def scientific(value: float) -> str:
    """Write a small number with two digits."""
    return written(value, ".1e")


def projections(anatomy: AnatomyResults, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the vectors that enter the layer, and the queries, keys and values of the head."""
    layer, _ = anatomy.place
    panels = {
        "input": anatomy.arrays["input"][layer],
        **{f"{name}_vectors": anatomy.of_head(name) for name in ("query", "key", "value")},
    }
    with figure_style():
        height = _height(anatomy.tokens, 0.19) + 0.75
        widths = [2.2, 1, 1, 1]
        figure, axes = plt.subplots(1, 4, figsize=(WIDTH, height), sharey=True, width_ratios=widths)
        for axis, (name, values) in zip(axes, panels.items(), strict=True):
            _strips(axis, values, w[name])
            axis.set_xlabel(w["dimension"])
        name_tokens(axes[0].yaxis, anatomy.tokens)
    return figure, _long(panels, anatomy.tokens)


def weights(anatomy: AnatomyResults, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the scores of the head, their softmax, and the softmax without the scale."""
    scores = anatomy.of_head("scores")
    panels = {
        "scores": scores,
        "weights": anatomy.softmax_of_scores(scaled=True),
        "unscaled": anatomy.softmax_of_scores(scaled=False),
    }
    tables = {w[name]: square(values, anatomy.tokens) for name, values in panels.items()}
    with figure_style():
        figure = map_grid(tables, w, vmin=0, vmax=1)
        limit = float(np.nanmax(np.abs(scores))) or 1.0
        figure.axes[0].images[0].set(cmap=DIVERGING, clim=(-limit, limit))
        for axis, values in zip(figure.axes, panels.values(), strict=False):
            _numbers(axis, values)
    return figure, _long(panels, anatomy.tokens)


def weighted_sum(anatomy: AnatomyResults, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw what one token reads: weights, values, their products, and the sum."""
    query, tokens = anatomy.query, anatomy.tokens
    row, value = anatomy.of_head("attention")[query], anatomy.of_head("value")
    products = row[:, None] * value
    panels = {"value_vectors": value, "weighted": products}
    name = tokens[query]
    height = _height(tokens, 0.19)
    with figure_style():
        figure, axes = plt.subplot_mosaic(
            [["weights", *panels], [".", ".", "sum"]],
            figsize=(WIDTH, height + 1.15),
            width_ratios=[1, 1.8, 1.8],
            height_ratios=[height, 0.22],
        )
        weight_bars(axes["weights"], row, tokens)
        axes["weights"].set_title(w["weight_of"].format(token=name))
        for panel, values in panels.items():
            limit = _strips(axes[panel], values, w[panel])
        whole = products.sum(axis=0)[None]
        _strips(axes["sum"], whole, w["context_of"].format(token=name), limit)
        axes["sum"].set_xlabel(w["dimension"])
        for panel in (*panels, "sum"):
            axes[panel].set_yticks([])
    data = _long(panels, tokens)
    data["weight"] = np.take(row, data["position"])
    return figure, data


def block(anatomy: AnatomyResults, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw what all heads read, its projection, and how long it is beside the residual."""
    layer, _ = anatomy.place
    tokens = anatomy.tokens
    panels = {name: anatomy.arrays[name][layer] for name in ("context", "output", "input")}
    with figure_style():
        height = _height(tokens, 0.22) + 0.75
        figure, axes = plt.subplots(1, 3, figsize=(WIDTH, height), width_ratios=[1.6, 1.6, 1])
        for axis, (name, vectors) in zip(axes[:2], panels.items(), strict=False):
            _strips(axis, vectors, w[name])
            axis.set(xlabel=w["dimension"], yticks=[])
        width = anatomy.record["head_dimension"]
        for edge in range(width, panels["context"].shape[1], width):
            axes[0].axvline(edge - 0.5, color=MUTED, lw=0.6)
        name_tokens(axes[0].yaxis, tokens)
        norms = {w[f"norm_{vector}"]: np.linalg.norm(panels[vector], axis=1) for vector in SIZED}
        axes[2].grouped_bar(
            norms, orientation="horizontal", colors=CATEGORY_COLOURS[:2], group_spacing=0.6
        )
        axes[2].set(ylim=(len(tokens) - 0.5, -0.5), yticks=[])
        axes[2].set_title(w["norms"])
        axes[2].legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), handlelength=1.2)
    return figure, _long(panels, tokens)


def head_maps(anatomy: AnatomyResults, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the weights of every head of the layer that is shown, on one scale."""
    layer, head = anatomy.place
    maps = anatomy.arrays["attention"][layer]
    panels = {f"{w['head']} {index + 1}": values for index, values in enumerate(maps)}
    tables = {title: square(values, anatomy.tokens) for title, values in panels.items()}
    figure = map_grid(tables, w, across=6, bar=w["weights"], vmin=0, vmax=1)
    figure.axes[head].spines[:].set(visible=True, color=EMPHASIS, linewidth=2)
    return figure, _long(panels, anatomy.tokens)


def deviation_table(anatomy: AnatomyResults, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw up how far each step, rebuilt, is from the model's own."""
    data = pd.DataFrame(anatomy.record["steps"])
    cells = data.assign(compared=[f"of_{step}" for step in data["step"]])
    forms: dict[str, Form] = {
        "step": lambda step: step_name(step, w),
        "shape": lambda shape: "\u00a0×\u00a0".join(map(str, shape)),
        "compared": w.__getitem__,
        "largest": ".3g",
        "deviation": scientific,
    }
    shape = [" ".join(map(str, shape)) for shape in data["shape"]]
    return written_table(cells, forms, w), data.assign(shape=shape)


def step_name(step: str, w: Words) -> str:
    """Name a step in the language of the page."""
    return w.get(f"step_{step}") or w[step]


def weight_bars(axis: Axes, weights: Floats, tokens: Sequence[str]) -> None:
    """Draw what one token reads of each as a bar beside the name of that token."""
    axis.barh(range(len(tokens)), weights, height=0.7, color=CATEGORY_COLOURS[0])
    axis.set(xlim=(0, 1), ylim=(len(tokens) - 0.5, -0.5))
    name_tokens(axis.yaxis, tokens)


def _height(tokens: Sequence[str], row: float) -> float:
    return max(1.0, row * min(len(tokens), 40))


def _strips(axis: Axes, values: Floats, title: str, limit: float | None = None) -> float:
    """Draw vectors as rows of colours around zero; return where the colours end.

    A few dimensions are far larger than all others: colours end at the largest hundredth. Those of
    a given limit are explained elsewhere.
    """
    end = limit or float(np.quantile(np.abs(values), 0.99)) or 1.0
    image = axis.imshow(values, cmap=DIVERGING, vmin=-end, vmax=end, aspect="auto")
    axis.set_title(title)
    if limit is None:
        axis.figure.colorbar(image, ax=axis, aspect=12, pad=0.02, extend="both", extendfrac=0.06)
    return end


def _numbers(axis: Axes, values: Floats) -> None:
    """Write the values into the cells of a map, if there is room."""
    if len(values) > NUMBERED:
        return
    form = "z.1f" if np.nanmin(values) < 0 else ".2f"
    write_cells(axis, lambda value: written(value, form), fontsize=6)


def _long(panels: Mapping[str, Floats], tokens: Sequence[str]) -> pd.DataFrame:
    """One row a cell: panel, token and its position, column (dimension or key), value."""
    rows = [
        cells(("position", "column"), value=values).assign(panel=name)
        for name, values in panels.items()
    ]
    data = pd.concat(rows, ignore_index=True)
    data["token"] = np.take(tokens, data["position"])
    return data[["panel", "position", "token", "column", "value"]]


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
