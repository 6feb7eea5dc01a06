"""Chapter *heads*: what every attention head attends to, and families of heads by rule."""

from __future__ import annotations

from collections.abc import Mapping
from math import isqrt

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from numpy.typing import NDArray

from analysis.figures.curves import by_measure, curve_grid
from analysis.figures.maps import wrapped
from analysis.figures.planes import dot_keys, legend_below
from analysis.figures.runs import RunsColumn
from analysis.figures.style import (
    CATEGORY_COLOURS,
    EMPHASIS,
    INK,
    SEQUENTIAL,
    SMALLEST,
    WIDTH,
    figure_style,
)
from analysis.results.summary import HEAD, experiment_shown, of_task, scored_names
from analysis.runs.parameters import RunParameters
from attention_mixing.messages import Words
from attention_mixing.methods.head_families import FAMILIES, ROLES

# Grey is the last one, that of no pattern.
FAMILY_COLOURS: dict[str, str] = dict(
    zip(FAMILIES, (*CATEGORY_COLOURS[:4], "#8b93a0"), strict=True)
)
TO_TOKENS = ("cls", "sep", "special", "punctuation")
TO_POSITIONS = ("previous", "self", "next")
ATTENDED_COLOURS = {
    "cls": "#D55E00",
    "sep": "#E69F00",
    "special": "#CC79A7",
    "punctuation": "#0072B2",
    "sep_to_sep": "#A0614A",
    "previous": "#009E73",
    "self": "#999933",
    "next": "#56B4E9",
    "relative_entropy": INK,
    "cls_entropy": "#AA4499",
}
OF_RUNS = (
    RunsColumn("first", "sinks", {"quantity": "sink", "facet": "first"}),
    RunsColumn("any", "sinks", {"quantity": "sink", "facet": "any"}),
    RunsColumn("sep", "heads", {"quantity": "sep"}),
    RunsColumn("entropy", "heads", {"quantity": "relative_entropy"}, "last"),
    RunsColumn("without", "heads", {"quantity": "without_pattern", "subject": "0.5"}),
)
EXTREME_COLOURS = {"before_norm": EMPHASIS, "layer_output": INK}
# Pixels of the frame and of the gap around a thumbnail.
FRAME, GAP = 2, 1
# Shades of a thumbnail: as many as an eye tells apart, so that the image stays small.
SHADES = 24


def shown(params: RunParameters, experiment: str | None) -> str:
    """Name the experiment that is shown in large: questions, or else one that is scored."""
    preferred = [*of_task(params, "question_answering"), *scored_names(params)]
    return experiment_shown(params, experiment, preferred)


# --- the atlas ------------------------------------------------------------------------------------


def atlas(
    heads: pd.DataFrame, thumbnails: Mapping[str, NDArray], w: Words
) -> tuple[Figure, pd.DataFrame]:
    """Draw the mean map of every head as a thumbnail, framed in the colour of its family.

    ``heads`` are those of one experiment, as :func:`analysis.results.summary.described_heads` gives
    them; ``thumbnails`` are the mean maps of each model state, ``[layer, head, pixel]``.
    """
    states = list(thumbnails)
    layers, columns = thumbnails[states[0]].shape[:2]
    # Wide tables of heads stand one below the other.
    stacked = len(states) == 1 or 2 * layers <= columns
    panels = (len(states), 1) if stacked else (1, len(states))
    height = panels[0] * (WIDTH / panels[1] / columns * layers + 0.45) + 0.35
    with figure_style():
        figure, axes = plt.subplots(*panels, figsize=(WIDTH, height), squeeze=False)
        for axis, variant in zip(axes.flat, states, strict=True):
            # One image a panel: a thousand small ones would outweigh the page.
            axis.imshow(
                _sheet(heads[heads["variant"] == variant], thumbnails[variant]),
                interpolation="none",
                extent=(0.5, columns + 0.5, layers + 0.5, 0.5),
                aspect="equal",
            )
            axis.set_title(w[variant])
            axis.set_xticks(range(1, columns + 1))
            axis.set_yticks(range(1, layers + 1))
            axis.tick_params(length=0)
            axis.set_frame_on(False)
            axis.set_xlabel(w["head"])
            axis.set_ylabel(w["layer"])
        keys = dot_keys(family_legend(heads["family"], w), "s")
        legend_below(figure, keys)
    pixels = [
        " ".join(f"{value:.2f}" for value in thumbnails[row.variant][row.layer - 1, row.head - 1])
        for row in heads.itertuples()
    ]
    return figure, heads[[*HEAD, "family"]].assign(thumbnail=pixels)


def family_legend(families: pd.Series, w: Words) -> dict[str, str]:
    """Name -> colour of the families that occur."""
    occurring = set(families)
    return {w[family]: colour for family, colour in FAMILY_COLOURS.items() if family in occurring}


def _sheet(heads: pd.DataFrame, thumbnails: NDArray) -> NDArray[np.uint8]:
    """Lay thumbnails out as one image, ``[row, column, rgba]``; what is between them is clear."""
    layers, columns, pixels = thumbnails.shape
    side = isqrt(pixels)
    cell = side + 2 * FRAME + GAP
    sheet = np.zeros((layers * cell, columns * cell, 4))
    for row in heads.itertuples():
        top, left = (row.layer - 1) * cell, (row.head - 1) * cell
        framed = slice(top, top + cell - GAP), slice(left, left + cell - GAP)
        sheet[framed] = to_rgba(FAMILY_COLOURS[row.family])
        inner = slice(top + FRAME, top + FRAME + side), slice(left + FRAME, left + FRAME + side)
        sheet[inner] = shaded(thumbnails[row.layer - 1, row.head - 1].reshape(side, side))
    return np.round(255 * sheet).astype(np.uint8)


def shaded(attention: NDArray) -> NDArray[np.float64]:
    """Colour a map, ``[row, column, rgba]``, each in its own shades, from 0 to its largest weight.

    A pattern is to be seen, not how strong it is.
    """
    shades = np.round(attention / attention.max() * (SHADES - 1)) / (SHADES - 1)
    return np.asarray(plt.get_cmap(SEQUENTIAL)(shades))


# --- over layers ----------------------------------------------------------------------------------


def family_bars(data: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the share of each layer's maps in every family, a panel an experiment and state."""
    states = list(data.groupby(["experiment", "variant"], sort=False))
    across = min(len(states), 4)
    rows = -(-len(states) // across)
    with figure_style():
        figure = plt.figure(figsize=(WIDTH, 1.6 * rows + 0.7))
        axes = wrapped(figure, len(states), across, sharey=True)
        for axis, ((experiment, variant), group) in zip(axes, states, strict=True):
            wide = group.pivot(index="layer", columns="subject", values="mean")[
                list(FAMILY_COLOURS)
            ]
            bottoms = wide.cumsum(axis=1) - wide
            for family, colour in FAMILY_COLOURS.items():
                axis.bar(wide.index, wide[family], 0.86, bottoms[family], color=colour, lw=0)
            axis.set(ylim=(0, 1), xlabel=w["layer"], xticks=wide.index[:: 1 + len(wide) // 13])
            axis.set_title(f"{experiment}\n{w[variant]}", fontsize=SMALLEST)
        for axis in axes[::across]:
            axis.set_ylabel(w["share_of_maps"])
        keys = dot_keys(family_legend(data.loc[data["mean"] > 0, "subject"], w), "s")
        legend_below(figure, keys)
    return figure, data


def sink_curves(rows: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the mean weight on the first token, and on the key with the largest."""
    colours = {"any": INK, "first": EMPHASIS}
    return curve_grid({w["sink"]: rows}, w, colours=colours, by="facet")


def attended_curves(data: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw where attention goes over the layers: to which tokens, how far, how evenly."""
    rows = {
        "to_tokens": TO_TOKENS,
        "from_sep": ("sep_to_sep",),
        "to_positions": TO_POSITIONS,
        "entropy": ("relative_entropy", "cls_entropy"),
    }
    measured = data.dropna(subset="mean")
    panels = {
        w[label]: measured[measured["quantity"].isin(measures)] for label, measures in rows.items()
    }
    panels = {label: table for label, table in panels.items() if len(table)}
    return curve_grid(
        panels,
        w,
        colours=ATTENDED_COLOURS,
        by="quantity",
        limits=None,
        height=1.45,
        legend_columns=4,
    )


# --- tables ---------------------------------------------------------------------------------------


def massive_curves(rows: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Largest magnitudes, beside the median of their layer, and how often they are of [CLS]."""
    panels = by_measure(rows, ("largest", "largest_over_median", "largest_at"), w)
    return curve_grid(
        panels, w, colours=EXTREME_COLOURS, by="subject", limits=None, legend_columns=2
    )


def roles_table(heads: pd.DataFrame, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Count heads with each role and in each family, one row an experiment and state."""
    counted = heads.assign(heads=1, **{name: heads["family"] == name for name in FAMILIES})
    columns = ["heads", *ROLES, *FAMILIES]
    table = counted.groupby(["experiment", "variant"], sort=False)[columns].sum().reset_index()
    return table.assign(variant=table["variant"].map(w)).rename(columns=w), table


def moves_table(moved: pd.DataFrame, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Count heads by their family before and after fine-tuning, an experiment."""
    # In the order of experiments and of families.
    order = {name: pd.CategoricalDtype(FAMILIES) for name in ("before", "after")}
    order["experiment"] = pd.CategoricalDtype(moved["experiment"].unique())
    grouped = moved.astype(order).groupby(["experiment", "before", "after"], observed=True)
    table = grouped.size().rename("heads").reset_index().astype(dict.fromkeys(order, str))
    cells = table.assign(**{state: table[state].map(w) for state in ("before", "after")})
    return cells.rename(columns=w), table


def moves(heads: pd.DataFrame) -> pd.DataFrame:
    """Family of every head ``before`` and ``after`` fine-tuning; empty without such."""
    keys = ["experiment", "layer", "head"]
    before, after = (
        heads[heads["variant"] == variant][[*keys, "family"]].rename(columns={"family": name})
        for variant, name in (("pretrained", "before"), ("finetuned", "after"))
    )
    return before.merge(after, on=keys)
