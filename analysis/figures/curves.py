"""Curves along the model, in a grid of experiments and panels; and dots with their intervals.

Where there are many experiments, the grid goes on below itself.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import cycle, product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike, NDArray

from analysis.figures.style import (
    CATEGORY_COLOURS,
    EXPERIMENT_MARKERS,
    INK,
    MUTED,
    SMALLEST,
    VARIANT_LINES,
    WIDTH,
    family_colour,
    figure_style,
    in_two_lines,
    legend_key,
    say_points,
)
from analysis.prose.phrases import counted_span, written
from attention_mixing.messages import Words

SEED: dict[str, Any] = {"marker": ".", "ls": "none", "ms": 2.5, "mew": 0, "alpha": 0.6}
ACROSS = 6  # columns at most; with more, titles run into each other
HIDDEN = 0.025  # of the height of a panel, up to which the lower edge hides a line
NAMES_APART = 0.17  # inches between the names beside the ends of lines
LETTER = 0.062  # inches: mean width of a Latin letter of a label
# A space or comma; in Japanese also a particle.
PHRASE_ENDS = r"[ \u3001\uff0c\u30fb]|(?<=[\u306e\u3092\u306b\u3068])"
PLACE = "place"  # number of a point in the forward pass
NO_MODEL = "uniform"  # asks no model, and is dotted in every state of one


def curve_grid(
    rows: Mapping[str, pd.DataFrame],
    w: Mapping[str, str],
    *,
    colours: Mapping[str, str],
    by: str,
    limits: tuple[float, float] | None = (0, 1.02),
    height: float = 1.75,
    legend_columns: int = 3,
    symbols: Mapping[str, str] | None = None,
    names: bool = True,
) -> tuple[Figure, pd.DataFrame]:
    """Draw means and their intervals over the layers, or at every point of the forward pass.

    Of one experiment, every line has its name at its end. Of several, the names are in a legend;
    where the rows show different things, each has its own beside it.

    Parameters
    ----------
    rows
        Label of the vertical axis -> ``experiment``, ``variant``, ``by``, ``layer``, ``mean``,
        ``low``, ``high``; in the forward pass also ``point`` and its number, ``place``; with
        several seeds their means, ``by_seed``, are drawn as points.
    colours
        Value of ``by`` -> colour; decides the order of the legend and what is drawn. An empty value
        tells nothing apart, and has no name in the legend.
    by
        Column that tells the lines of a panel apart.
    limits
        Of the vertical axes; None fits them to the data.
    height
        Of a row, in inches.
    legend_columns
        Of the legend.
    symbols
        Feature point -> symbol of its values.
    names
        Whether the lines of one experiment are named; else they are explained as of several.
    """
    everything = pd.concat(rows.values(), ignore_index=True)
    experiments = list(everything["experiment"].unique())
    bands = -(-len(experiments) // ACROSS)
    across = -(-len(experiments) // bands)
    forward = PLACE in everything
    # What each row shows, in the order of the legend.
    named = [[value for value in colours if value and value in set(t[by])] for t in rows.values()]
    at_ends = names and len(experiments) == 1
    beside = not at_ends and any(one != named[0] for one in named)
    below = [] if beside or at_ends else named[0]
    below_axes = w["forward" if forward else "layer"]
    room = 0.86 * WIDTH / across  # for what stands above or below a panel, in inches
    total = (height * len(rows) + 0.35) * bands + (0.4 if forward else 0)
    if not forward:
        total += 0.17 * (len(below) // legend_columns)
    with figure_style():
        figure, axes = plt.subplots(
            bands * len(rows),
            across,
            figsize=(WIDTH, total),
            sharey="row",
            squeeze=False,
        )
        # [row, band, column]
        axes = axes.reshape(bands, len(rows), across).swapaxes(0, 1)
        for first, *others in axes.reshape(len(rows), -1).T:  # one experiment below the other
            for axis in others:
                axis.sharex(first)
        for first, *others in axes[:, :, 0]:
            for axis in others:
                axis.sharey(first)
        for row, (label, curves) in enumerate(rows.items()):
            for number, experiment in enumerate(experiments):
                band, column = divmod(number, across)
                axis = axes[row, band, column]
                group = curves[curves["experiment"] == experiment]
                lines = group.groupby([by, "variant"], sort=False).indices
                # Once for the panel: tables take several times as long as arrays.
                numbers = group[[PLACE if forward else "layer", "mean", "low", "high"]]
                numbers = numbers.to_numpy(float)
                # What the legend names last is drawn last, and so never hidden.
                for name, variant in product(colours, VARIANT_LINES):
                    if (name, variant) in lines:
                        places, colour = lines[name, variant], colours[name]
                        style = "dotted" if name == NO_MODEL else VARIANT_LINES[variant]
                        _line(axis, numbers[places], colour, style, 1.2 if forward else 1.6)
                        if symbols or _has_seeds(group):
                            _marks(axis, group.iloc[places], colour, symbols or {})
                if limits:
                    axis.set_ylim(*limits)
                axis.grid(axis="y")
                if forward:
                    _layer_ticks(axis, group)
                else:
                    layers = sorted(group["layer"].unique())
                    axis.set_xticks(layers[:: 1 + len(layers) // 8])
                axis.autoscale_view()
                if row == 0:
                    long = breadth(experiment) > room
                    axis.set_title(in_two_lines(experiment) if long else experiment)
                if column == 0:
                    axis.set_ylabel(label)
                if row == len(rows) - 1:
                    # One that is too long for a panel stands once, below the middle one.
                    if breadth(below_axes) <= room or column == (across - 1) // 2:
                        axis.set_xlabel(below_axes)
                else:
                    axis.tick_params(labelbottom=False)
        for axis in axes[:, -1, len(experiments) - (bands - 1) * across :].flat:
            axis.remove()
        for place, axis in enumerate(axes.reshape(len(rows), -1).flat):
            row, experiment = divmod(place, bands * across)
            if experiment < len(experiments):
                curves = [*rows.values()][row]
                shown = curves[curves["experiment"] == experiments[experiment]]
                _say_what_no_line_shows(axis, shown["mean"].dropna(), w)
                if at_ends:
                    _name_ends(axis, shown, by, {name: colours[name] for name in named[row]}, w)
        for label in (axis.yaxis.label for axis in axes[:, :, 0].flat):
            label.set_text(_in_lines(label.get_text(), height))
        for of_row, lines in zip(axes, named if beside else [], strict=False):
            handles = _coloured(lines, colours, w)
            for axis in of_row[:, -1]:
                axis.legend(handles=handles, loc="center left", bbox_to_anchor=(1, 0.5), fontsize=8)
        handles = _coloured(below, colours, w) + _styles(everything, any(named), symbols or {}, w)
        figure.legend(
            handles=handles,
            loc="outside lower center",
            ncols=legend_columns,
            fontsize=8 if forward else None,
        )
    return figure, everything


def by_measure(
    rows: pd.DataFrame, measures: Iterable[str], w: Mapping[str, str]
) -> dict[str, pd.DataFrame]:
    """Split rows for :func:`curve_grid`: name of each measure -> its rows."""
    return {w[measure]: rows[rows["quantity"] == measure] for measure in measures}


def _say_what_no_line_shows(axis: Axes, values: pd.Series, w: Mapping[str, str]) -> None:
    """Write it into a panel that has no value, or whose lines all lie on its lower edge."""
    low, high = axis.get_ylim()
    if len(values) and values.max() > low + HIDDEN * (high - low):
        return
    if values.empty:
        text = w["no_value"]
        # An empty frame would look like a panel whose lines are missing.
        axis.spines[:].set_visible(False)
        axis.tick_params(bottom=False, left=False)
        axis.grid(visible=False)
    elif values.max() <= 0:
        text = w["nothing_above_zero"]
    else:
        text = w["at_most"].format(value=_rounded_up(values.max()))
    axis.text(
        *(0.5, 0.5, text),
        transform=axis.transAxes,
        ha="center",
        va="center",
        color=MUTED,
        fontsize=SMALLEST,
    )


def _name_ends(
    axis: Axes, rows: pd.DataFrame, by: str, colours: Mapping[str, str], w: Mapping[str, str]
) -> None:
    """Name every line of a panel at the right of its end: that of the last model state."""
    known = rows.dropna(subset="mean")
    along = PLACE if PLACE in rows else "layer"
    ends = known.groupby(by, sort=False)[[along, "mean"]].last().reindex(list(colours)).dropna()
    short = ends[along] < ends[along].max()
    for name, *end in ends[short].itertuples():
        # A leader would look as if the line went on.
        axis.annotate(w[name], tuple(end), (5, 3), textcoords="offset points", fontsize=SMALLEST)
    ends = ends[~short]
    low, high = axis.get_ylim()
    heights = (ends["mean"].to_numpy(float) - low) / (high - low)
    figure = axis.get_figure(root=True)
    assert figure is not None
    apart = NAMES_APART / (axis.get_position().height * figure.get_figheight())
    for (name, x, y), height in zip(ends.itertuples(), spread_out(heights, apart), strict=True):
        axis.annotate(
            w[name],
            (x, y),
            (1.04, height),
            textcoords="axes fraction",
            va="center",
            fontsize=SMALLEST,
            arrowprops={
                "arrowstyle": "-",
                "color": colours[name],
                "linestyle": "dotted" if name == NO_MODEL else "solid",
                "linewidth": 0.9,
                "relpos": (0, 0.5),  # leads to the left of the name, not to its middle
                "shrinkA": 1,
                "shrinkB": 0,
            },
        )


def spread_out(heights: NDArray[np.float64], apart: float) -> NDArray[np.float64]:
    """Move heights in [0, 1] so that all are apart, in their order, and none leaves [0, 1].

    Where there is no room for that, the highest ones go beyond 1.
    """
    order = np.argsort(heights, kind="stable")
    steps = apart * np.arange(len(heights))
    wanted = heights[order] - steps
    # What is in order already stays; what is not meets in the middle.
    upwards = np.maximum.accumulate(wanted)
    downwards = np.minimum.accumulate(wanted[::-1])[::-1]
    room = max(0.0, 1 - steps[-1]) if len(steps) else 0.0
    moved = np.empty_like(wanted)
    moved[order] = ((upwards + downwards) / 2).clip(0, room) + steps
    return moved


def _rounded_up(value: float) -> str:
    """Write a number that is not below a value, which is positive, with two digits."""
    step = 10 ** (np.floor(np.log10(value)) - 1)
    return f"{np.ceil(value / step - 1e-9) * step:.2g}"


def breadth(text: str) -> float:
    """Estimate the breadth of a line of a label, in inches: a Japanese letter is two Latin ones."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return LETTER * (len(text) + wide)


def _in_lines(label: str, height: float) -> str:
    """Break a label that is longer than its panel is high, in inches, into two lines."""
    if breadth(label) <= height:
        return label
    # As near to the middle as a phrase ends.
    ends = [match.end() for match in re.finditer(PHRASE_ENDS, label)]
    ends = [end for end in ends if 0 < end < len(label)]
    if not ends:
        return label
    half = min(ends, key=lambda end: abs(breadth(label[:end]) - breadth(label) / 2))
    return f"{label[:half].rstrip()}\n{label[half:].lstrip()}"


def _line(axis: Axes, points: NDArray[np.float64], colour: str, style: Any, width: float) -> None:
    """Draw a line and its band, of points ``[point, (x, mean, low, high)]``."""
    x, mean, low, high = points.T
    marker = "o" if len(x) == 1 else None  # a line of one point would not be seen
    axis.add_line(
        Line2D(x, mean, color=colour, linestyle=style, lw=width, marker=marker, ms=3, mew=0)
    )
    # One polygon for each part of the line that has an interval; maps have none.
    known = np.isfinite(low) & np.isfinite(high)
    parts = np.split(np.arange(len(x)), np.flatnonzero(np.diff(known)) + 1)
    bands = [
        np.column_stack([x[[*part, *part[::-1]]], [*low[part], *high[part[::-1]]]])
        for part in parts
        if len(part) and known[part[0]]
    ]
    if bands:
        band = PolyCollection(bands, color=colour, alpha=0.12, lw=0)
        axis.add_collection(band, autolim=False)
        axis.update_datalim(np.concatenate(bands))


def _marks(axis: Axes, line: pd.DataFrame, colour: str, symbols: Mapping[str, str]) -> None:
    """Draw the points of single seeds, and the symbols of feature points."""
    places, means = of_seeds(line, line[PLACE if PLACE in line else "layer"])
    if len(means):
        axis.plot(places, means, color=colour, **SEED)
    for point, group in line.groupby("point", sort=False) if symbols else ():
        axis.plot(group[PLACE], group["mean"], symbols[str(point)], ms=3.4, color=colour, mew=0)


def _layer_ticks(axis: Axes, rows: pd.DataFrame) -> None:
    """Name layers in the middle of their points, and draw where they meet."""
    ends = rows.groupby("layer")["place"].max()
    starts = ends.shift(fill_value=-1) + 1
    axis.set_xticks((starts + ends) / 2, ends.index)
    axis.tick_params(axis="x", length=0)
    for end in ends[:-1]:
        axis.axvline(end + 0.5, color=MUTED, lw=0.5, alpha=0.35, zorder=0)


def _coloured(
    names: Sequence[str], colours: Mapping[str, str], w: Mapping[str, str]
) -> list[plt.Line2D]:
    styles = {NO_MODEL: "dotted"}
    return [
        legend_key(w[name], color=colours[name], ls=styles.get(name, "solid")) for name in names
    ]


def _styles(
    rows: pd.DataFrame, coloured: bool, symbols: Mapping[str, str], w: Mapping[str, str]
) -> list[plt.Line2D]:
    """Explain line styles where several model states or nothing else differ, and symbols."""
    variants = rows["variant"].unique()
    differing = variants if len(variants) > 1 or not coloured else []
    points = set(rows["point"]) if symbols else set()
    symbol = {"ls": "none", "ms": 4, "color": INK, "mew": 0}
    return [
        *(legend_key(w[variant], color=INK, ls=VARIANT_LINES[variant]) for variant in differing),
        *(legend_key(w[p], marker=mark, **symbol) for p, mark in symbols.items() if p in points),
        *seed_key(rows, w),
    ]


def seed_key(rows: pd.DataFrame, w: Mapping[str, str]) -> list[plt.Line2D]:
    """Explain the points of single seeds, where there are several."""
    several = len(of_seeds(rows, rows.index)[1])
    return [legend_key(w["one_seed"], color=INK, **SEED)] if several else []


def _has_seeds(rows: pd.DataFrame) -> bool:
    return "by_seed" in rows and bool(rows["by_seed"].fillna("").ne("").any())


def of_seeds(rows: pd.DataFrame, places: ArrayLike) -> tuple[pd.Series, pd.Series]:
    """Means of single seeds where there are several, and the places of their rows."""
    if not _has_seeds(rows):
        return pd.Series(dtype=float), pd.Series(dtype=float)
    listed = rows["by_seed"].str.split()
    single = pd.DataFrame({"place": places, "mean": listed}).explode("mean").dropna()
    return single["place"], single["mean"].astype(float)


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
        Title -> ``experiment``, ``subject``, ``mean``, ``low``, ``high``, of several seeds
        ``by_seed``, where several experiments share it ``texts``; and the value of a method that
        knows nothing, where a line stands.
    rows
        Method or heading -> its name, from above.
    row
        Height of a row, in inches.
    size
        Of the dots, in points.
    headings
        Of the rows, those that begin a family and have no dots.
    marked
        Experiments that share the panels, each with a marker and a colour of its own, and its
        number of texts in the legend; without any, colours are those of the families of methods.
    """
    places = {name: index for index, name in enumerate(rows)}
    shifts = (np.arange(len(marked)) - (len(marked) - 1) / 2) * 0.34 / max(len(marked) - 1, 1)
    looks = zip(marked, cycle(EXPERIMENT_MARKERS), cycle(CATEGORY_COLOURS), shifts, strict=False)
    marks = {experiment: look for experiment, *look in looks}
    with figure_style():
        figure, axes = plt.subplots(
            1, len(panels), figsize=(WIDTH, 0.8 + row * len(rows)), sharey=True, squeeze=False
        )
        for axis, (title, (data, nothing)) in zip(axes[0], panels.items(), strict=True):
            axis.axvline(nothing, color=MUTED, lw=1, zorder=0)
            for experiment, group in data.groupby("experiment"):
                methods = group["subject"].map(family_colour)
                marker, colour, shift = marks.get(experiment, ("o", methods, 0))
                y = group["subject"].map(places) + shift
                # A bar under its dot: they differ so much in width that neither hides the other.
                axis.hlines(y, group["low"], group["high"], colors=colour, lw=1.1)
                axis.scatter(group["mean"], y, size**2, colour, marker=marker, lw=0)
                of_experiment = f"{w['comma']}{experiment}{w['colon']}"
                named = [
                    f"{rows[row.subject]}{of_experiment}{written(row.mean, 'z.2f')}"
                    for row in group.itertuples()
                ]
                say_points(axis, group["mean"], y, named)
                seed_heights, means = of_seeds(group, y)
                axis.plot(means, seed_heights, color=INK, **SEED)
            for heading in headings:
                axis.axhline(places[heading] - 0.5, color=MUTED, lw=0.8, alpha=0.6)
            axis.set_title(title, fontsize=SMALLEST)
            axis.grid(axis="x")
            axis.tick_params(axis="y", length=0)
        axes[0, 0].set_yticks(range(len(rows)), rows.values())
        axes[0, 0].set_ylim(len(rows) - 0.4, -0.6)
        for heading in headings:
            axes[0, 0].get_yticklabels()[places[heading]].set_weight("bold")
        drawn = pd.concat(data for data, _ in panels.values())
        keys = [
            legend_key(
                _with_texts(experiment, drawn, w), color=colour, marker=marker, lw=0, ms=size
            )
            for experiment, (marker, colour, _) in marks.items()
        ]
        keys += seed_key(drawn, w)
        figure.legend(handles=keys, loc="outside lower center", ncols=max(1, len(keys)))
    return figure


def _with_texts(experiment: str, drawn: pd.DataFrame, w: Words) -> str:
    texts = drawn.loc[drawn["experiment"] == experiment, "texts"].astype(int)
    return f"{experiment} ({counted_span([*texts], 'text', w)})"
