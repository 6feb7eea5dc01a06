"""Attention of one text in one layer, step by step, and how far each step is from the model's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.special import softmax

from analysis.figures.anatomy_results import Anatomy, Floats, scientific
from analysis.figures.maps import cells, name_tokens
from analysis.figures.style import (
    CATEGORY_COLOURS,
    DIVERGING,
    EMPHASIS,
    MUTED,
    WIDTH,
    figure_style,
)
from analysis.figures.words import Words
from analysis.methods.scaled_dot_product import unscaled_scores

NUMBERED = 12  # with more tokens than this there is no room for numbers in the cells


def projections(anatomy: Anatomy, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the vectors that enter the layer, and the queries, keys and values of the head."""
    layer, _ = anatomy.place
    panels = {
        "input": anatomy.arrays["input"][layer],
        **{f"{name}_vectors": anatomy.of_head(name) for name in ("query", "key", "value")},
    }
    with figure_style():
        figure, axes = plt.subplots(
            1,
            4,
            figsize=(WIDTH, _height(anatomy.tokens, 0.19) + 0.75),
            sharey=True,
            width_ratios=[2.2, 1, 1, 1],
        )
        for axis, (name, values) in zip(axes, panels.items(), strict=True):
            _strips(axis, values, w[name])
            axis.set_xlabel(w["dimension"], fontsize=7)
        name_tokens(axes[0].yaxis, anatomy.tokens)
    return figure, _long(panels, anatomy.tokens)


def weights(anatomy: Anatomy, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the scores of the head, their softmax, and the softmax without the scale."""
    scores = anatomy.of_head("scores")
    dots = unscaled_scores(scores, anatomy.found["head_dimension"])
    panels = {"scores": scores, "weights": softmax(scores, -1), "unscaled": softmax(dots, -1)}
    with figure_style():
        figure, axes = plt.subplots(1, 3, figsize=(WIDTH, WIDTH / 3 + 0.9), sharey=True)
        for axis, (name, values) in zip(axes, panels.items(), strict=True):
            if name == "scores":
                limit = float(np.abs(values).max()) or 1.0
                image = axis.imshow(values, cmap=DIVERGING, vmin=-limit, vmax=limit)
            else:
                image = axis.imshow(values, vmin=0, vmax=1)
            axis.set_title(w[name])
            axis.set_xlabel(w["key"])
            name_tokens(axis.xaxis, anatomy.tokens, rotation=90)
            figure.colorbar(image, ax=axis, location="bottom", shrink=0.85, aspect=30)
            _numbers(axis, values, image)
        axes[0].set_ylabel(w["query"])
        name_tokens(axes[0].yaxis, anatomy.tokens)
    return figure, _long(panels, anatomy.tokens)


def weighted_sum(anatomy: Anatomy, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw what one token reads: weights, values, their products, and the sum."""
    query, tokens = anatomy.query, anatomy.tokens
    row, value = anatomy.of_head("attention")[query], anatomy.of_head("value")
    products = row[:, None] * value
    panels = {"value_vectors": value, "weighted": products}
    name = tokens[query]
    height = _height(tokens, 0.19)
    with figure_style():
        figure, axes = plt.subplots(
            2,
            3,
            figsize=(WIDTH, height + 1.15),
            width_ratios=[1, 1.8, 1.8],
            height_ratios=[height, 0.22],
        )
        bars = axes[0, 0]
        bars.barh(range(len(tokens)), row, height=0.7, color=CATEGORY_COLOURS[0])
        bars.set(ylim=(len(tokens) - 0.5, -0.5), xlim=(0, 1))
        bars.set_title(w["weight_of"].format(token=name))
        name_tokens(bars.yaxis, tokens)
        for axis, (panel, values) in zip(axes[0, 1:], panels.items(), strict=True):
            limit = _strips(axis, values, w[panel])
            axis.set_yticks([])
        for axis in axes[1, :2]:
            axis.set_axis_off()
        whole = products.sum(axis=0)[None]
        _strips(axes[1, 2], whole, w["context_of"].format(token=name), limit, bar=False)
        axes[1, 2].set_yticks([])
        axes[1, 2].set_xlabel(w["dimension"], fontsize=7)
    data = _long(panels, tokens)
    data["weight"] = np.take(row, data["position"])
    return figure, data


def block(anatomy: Anatomy, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw what all heads read, its projection, and how long it is beside the residual."""
    layer, _ = anatomy.place
    tokens = anatomy.tokens
    before, context, output = (anatomy.arrays[n][layer] for n in ("input", "context", "output"))
    with figure_style():
        figure, axes = plt.subplots(
            1,
            3,
            figsize=(WIDTH, _height(tokens, 0.22) + 0.75),
            width_ratios=[1.6, 1.6, 1],
        )
        _strips(axes[0], context, w["context"])
        width = anatomy.found["head_dimension"]
        for edge in range(width, context.shape[1], width):
            axes[0].axvline(edge - 0.5, color=MUTED, lw=0.6)
        _strips(axes[1], output, w["output"])
        for axis in axes[:2]:
            axis.set_xlabel(w["dimension"], fontsize=7)
        name_tokens(axes[0].yaxis, tokens)
        axes[1].set_yticks([])
        lengths = {"norm_input": before, "norm_output": output}
        for shift, (name, vectors), colour in zip(
            (-0.2, 0.2), lengths.items(), CATEGORY_COLOURS, strict=False
        ):
            norms = np.linalg.norm(vectors, axis=1)
            places = np.arange(len(tokens)) + shift
            axes[2].barh(places, norms, height=0.38, color=colour, label=w[name])
        axes[2].set(ylim=(len(tokens) - 0.5, -0.5), yticks=[])
        axes[2].set_title(w["norms"])
        axes[2].legend(
            loc="upper center", bbox_to_anchor=(0.5, -0.12), fontsize=7, handlelength=1.2
        )
    return figure, _long({"context": context, "output": output, "input": before}, tokens)


def head_maps(anatomy: Anatomy, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the weights of every head of the layer that is shown, on one scale."""
    layer, shown = anatomy.place
    maps = anatomy.arrays["attention"][layer]
    columns = min(6, len(maps))
    rows = -(-len(maps) // columns)
    with figure_style():
        side = WIDTH / columns
        figure, axes = plt.subplots(
            rows,
            columns,
            figsize=(WIDTH, rows * side * 0.95 + 0.45),
            sharex=True,
            sharey=True,
            squeeze=False,
        )
        for index, axis in enumerate(axes.flat):
            if index >= len(maps):
                axis.set_axis_off()
                continue
            image = axis.imshow(maps[index], vmin=0, vmax=1)
            axis.set_title(f"{w['head']} {index + 1}", fontsize=8)
            if index == shown:
                axis.spines[:].set(visible=True, color=EMPHASIS, linewidth=2)
            name_tokens(axis.xaxis, anatomy.tokens, rotation=90)
            name_tokens(axis.yaxis, anatomy.tokens)
        figure.colorbar(image, ax=axes, shrink=0.7, aspect=40)
    panels = {f"{w['head']} {index + 1}": one for index, one in enumerate(maps)}
    return figure, _long(panels, anatomy.tokens)


def deviation_table(anatomy: Anatomy, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw up how far each step, rebuilt, is from the model's own."""
    steps = anatomy.found["steps"]
    rows = pd.DataFrame(
        {
            w["step"]: [step_name(step["step"], w) for step in steps],
            w["shape"]: ["\u00a0×\u00a0".join(map(str, step["shape"])) for step in steps],
            w["compared"]: [w[f"of_{step['step']}"] for step in steps],
            w["largest"]: [format(step["largest"], ".3g") for step in steps],
            w["deviation"]: [scientific(step["deviation"]) for step in steps],
        }
    )
    data = pd.DataFrame(steps).assign(shape=[" ".join(map(str, s["shape"])) for s in steps])
    return rows, data


def step_name(step: str, w: Words) -> str:
    """Name a step in the language of the page."""
    return w.get(f"step_{step}") or w[step]


def _height(tokens: Sequence[str], row: float) -> float:
    return max(1.0, row * min(len(tokens), 40))


def _strips(
    axis: Axes, values: Floats, title: str, limit: float | None = None, *, bar: bool = True
) -> float:
    """Draw vectors as rows of colours around zero; return where the colours end.

    A few dimensions are far larger than all others: colours end at the largest hundredth.
    """
    limit = limit or float(np.quantile(np.abs(values), 0.99)) or 1.0
    image = axis.imshow(values, cmap=DIVERGING, vmin=-limit, vmax=limit, aspect="auto")
    axis.set_title(title)
    axis.tick_params(labelsize=7)
    if bar:
        colours = axis.figure.colorbar(
            image, ax=axis, location="right", aspect=12, pad=0.02, extend="both", extendfrac=0.06
        )
        colours.ax.tick_params(labelsize=6)
    return limit


def _numbers(axis: Axes, values: Floats, image: Any) -> None:
    """Write the values into the cells, if there is room."""
    if len(values) > NUMBERED:
        return
    for (row, column), value in np.ndenumerate(values):
        red, green, blue, _ = image.cmap(image.norm(value))
        light = 0.299 * red + 0.587 * green + 0.114 * blue > 0.5
        # Without the sum, what rounds to zero from below would keep its sign.
        text = f"{round(value, 1) + 0:.1f}" if values.min() < 0 else f"{value:.2f}"
        axis.text(
            column,
            row,
            text.replace("-", "\u2212"),
            ha="center",
            va="center",
            fontsize=6,
            color="black" if light else "white",
        )


def _long(panels: Mapping[str, Floats], tokens: Sequence[str]) -> pd.DataFrame:
    """One row a cell: panel, token and its position, column (dimension or key), value."""
    rows = [cells(("position", "column"), value=one).assign(panel=n) for n, one in panels.items()]
    data = pd.concat(rows, ignore_index=True)
    data["token"] = np.take(tokens, data["position"])
    return data[["panel", "position", "token", "column", "value"]]
