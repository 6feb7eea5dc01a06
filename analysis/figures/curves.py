"""Curves over the layers, in a grid: one column an experiment, one row a panel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures.style import INK, VARIANT_LINES, WIDTH, figure_style


def curve_grid(
    rows: Mapping[str, pd.DataFrame],
    *,
    colours: Mapping[str, str],
    w: Mapping[str, str],
    by: str = "method",
    dotted: Sequence[str] = (),
    limits: tuple[float, float] | None = (0, 1.02),
    share_rows: bool = True,
    height: float = 1.75,
    legend_columns: int = 3,
) -> Figure:
    """Draw means and their intervals over the layers.

    Parameters
    ----------
    rows
        Label of the vertical axis -> ``experiment``, ``variant``, ``by``, ``layer``, ``mean``,
        ``low``, ``high``.
    colours
        Value of ``by`` -> colour; decides the order of the legend and what is drawn.
    w
        Words of the page's language.
    by
        Column that tells the lines of a panel apart.
    dotted
        Values of ``by`` that no model decides: dotted for every variant.
    limits
        Of the vertical axes; None fits them to the data.
    share_rows
        Whether the panels of a row share their vertical axis.
    height
        Of a row, in inches.
    legend_columns
        Of the legend.
    """
    everything = pd.concat(rows.values())
    experiments = list(everything["experiment"].unique())
    with figure_style():
        figure, axes = plt.subplots(
            len(rows),
            len(experiments),
            figsize=(WIDTH, height * len(rows) + 0.35 + 0.17 * (len(colours) // legend_columns)),
            sharex="col",
            sharey="row" if share_rows else "none",
            squeeze=False,
        )
        for row, (label, curves) in enumerate(rows.items()):
            for column, experiment in enumerate(experiments):
                axis = axes[row, column]
                part = curves[curves["experiment"] == experiment]
                _lines(axis, part, by, colours, dotted)
                if limits:
                    axis.set_ylim(*limits)
                axis.grid(axis="y")
                axis.set_xticks(sorted(part["layer"].unique()))
                if row == 0:
                    axis.set_title(experiment)
                if column == 0:
                    axis.set_ylabel(label)
                if row == len(rows) - 1:
                    axis.set_xlabel(w["layer"])
        drawn = [name for name in colours if name in set(everything[by])]
        variants = everything["variant"].unique()
        several = len(variants) > 1  # else there is nothing to tell apart
        figure.legend(
            handles=[
                *(
                    _handle(w[name], colours[name], "dotted" if name in dotted else "solid")
                    for name in drawn
                ),
                *(_handle(w[one], INK, VARIANT_LINES[one]) for one in variants if several),
            ],
            loc="outside lower center",
            ncols=legend_columns,
        )
    return figure


def _lines(
    axis: Axes, curves: pd.DataFrame, by: str, colours: Mapping[str, str], dotted: Sequence[str]
) -> None:
    for (variant, name), line in curves.groupby(["variant", by], sort=False):
        if name not in colours:
            continue
        style = "dotted" if name in dotted else VARIANT_LINES[variant]
        axis.plot(line["layer"], line["mean"], color=colours[name], linestyle=style)
        axis.fill_between(
            line["layer"], line["low"], line["high"], color=colours[name], alpha=0.15, lw=0
        )


def _handle(label: str, colour: str, style: Any) -> plt.Line2D:
    return plt.Line2D([], [], color=colour, linestyle=style, label=label)
