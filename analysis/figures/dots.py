"""Dot ranges: means as dots and their intervals as bars, one row a method."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from analysis.figures.curves import SEED, of_seeds, seed_key
from analysis.figures.style import (
    EXPERIMENT_MARKERS,
    INK,
    METHOD_COLOURS,
    MUTED,
    SMALLEST,
    WIDTH,
    figure_style,
    legend_key,
)
from attention_mixing.words import Words


def dot_ranges(
    panels: Mapping[str, tuple[pd.DataFrame, float]],
    rows: Mapping[str, str],
    *,
    row: float,
    size: float,
    headings: Collection[str] = (),
    marked: Sequence[str] = (),
    w: Words,
) -> Figure:
    """Draw means and their intervals, one row a method and one column a panel.

    Parameters
    ----------
    panels
        Title -> ``experiment``, ``of``, ``mean``, ``low``, ``high``, of several seeds ``by_seed``;
        and the value of a method that knows nothing, where a line stands.
    rows
        Method or heading -> its name, from above.
    row
        Height of a row, in inches.
    size
        Of the dots, in points.
    headings
        Of the rows, those that begin a family and have no dots.
    marked
        Experiments that share the panels, each with a marker of its own.
    w
        Words of the page's language.
    """
    places = {name: place for place, name in enumerate(rows)}
    shifts = (np.arange(len(marked)) - (len(marked) - 1) / 2) * 0.34 / max(len(marked) - 1, 1)
    looks = zip(EXPERIMENT_MARKERS * len(marked), shifts, strict=False)
    marks = dict(zip(marked, looks, strict=False))
    with figure_style():
        figure, axes = plt.subplots(
            1, len(panels), figsize=(WIDTH, 0.8 + row * len(rows)), sharey=True, squeeze=False
        )
        for axis, (title, (data, nothing)) in zip(axes[0], panels.items(), strict=True):
            axis.axvline(nothing, color=MUTED, lw=1, zorder=0)
            for experiment, part in data.groupby("experiment"):
                marker, shift = marks.get(experiment, ("o", 0))
                y, colours = part["of"].map(places) + shift, part["of"].map(method_colour)
                # A bar under its dot: they differ so much in width that neither hides the other.
                axis.hlines(y, part["low"], part["high"], colors=colours, lw=1.1)
                axis.scatter(part["mean"], y, size**2, colours, marker=marker, lw=0)
                place, means = of_seeds(part, y)
                axis.plot(means, place, color=INK, **SEED)
            for heading in headings:
                axis.axhline(places[heading] - 0.5, color=MUTED, lw=0.8, alpha=0.6)
            axis.set_title(title, fontsize=SMALLEST)
            axis.grid(axis="x")
            axis.tick_params(axis="y", length=0)
        axes[0, 0].set_yticks(range(len(rows)), rows.values())
        axes[0, 0].set_ylim(len(rows) - 0.4, -0.6)
        for heading in headings:
            axes[0, 0].get_yticklabels()[places[heading]].set_weight("bold")
        keys = [
            legend_key(experiment, color=INK, marker=marker, lw=0, ms=size)
            for experiment, (marker, _) in marks.items()
        ]
        keys += seed_key(pd.concat(data for data, _ in panels.values()), w)
        figure.legend(handles=keys, loc="outside lower center", ncols=max(1, len(keys)))
    return figure


def method_colour(method: str) -> str:
    """Colour of a method; rolling out a kind of contribution keeps that of the kind."""
    kind = method if method in METHOD_COLOURS else method.removesuffix("_rollout")
    return METHOD_COLOURS[kind]
