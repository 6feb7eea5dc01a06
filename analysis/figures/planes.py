"""Points in planes: a panel a plane, with what is told of its points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from pandas.api.types import is_numeric_dtype

from analysis.figures.maps import TALL, fit_height
from analysis.figures.style import (
    DOTS,
    EMPHASIS,
    MUTED,
    SMALLEST,
    WIDTH,
    figure_style,
    frame,
    legend_key,
)

# Of the raster inside the vector figure, for thousands of dots.
DOTS_PER_INCH = 120


@dataclass(frozen=True)
class Plane:
    """Points and what is told of them.

    Attributes
    ----------
    points
        ``x`` and ``y``, a row a point.
    colours
        Of the points; numbers become shades.
    lines
        Below the points: ``start`` and ``end`` (numbers of points), ``weight`` in [0, 1], which is
        their thickness, and whether they are ``emphasised``.
    symbols
        Markers of the points.
    rings
        Colours of rings around the points; NaN where there is none.
    legend
        Name -> colour, below the panel.
    note
        Written below the panel.
    """

    points: pd.DataFrame
    colours: pd.Series
    lines: pd.DataFrame | None = None
    symbols: pd.Series | None = None
    rings: pd.Series | None = None
    legend: Mapping[str, str] = field(default_factory=dict)
    note: str = ""


def plane_grid(
    panels: Mapping[str, Plane],
    *,
    across: int,
    size: float,
    together: bool = False,
    legend: Sequence[Line2D] = (),
    title: str | None = None,
    **style: Any,
) -> Figure:
    """Draw planes side by side; the figure has their axes first, in the order of the panels.

    Parameters
    ----------
    panels
        By their titles. Below one whose colours are numbers stands their bar.
    across
        Panels in a row.
    size
        Of a point, in square points.
    together
        Whether all are one plane, with the same limits.
    legend, title
        Below all panels.
    style
        As of :func:`draw_plane`.
    """
    rows = -(-len(panels) // across)
    with figure_style():
        figure, axes = plt.subplots(
            rows,
            across,
            figsize=(WIDTH, TALL),
            dpi=DOTS_PER_INCH,
            layout="compressed",
            sharex=together,
            sharey=together,
            squeeze=False,
        )
        for axis in axes.flat[len(panels) :]:
            axis.remove()
        for axis, (name, plane) in zip(axes.flat, panels.items(), strict=False):
            dots = draw_plane(axis, plane, size, **style)
            axis.set_title(name, fontsize=SMALLEST)
            axis.set_adjustable("box" if together else "datalim")
            if plane.legend:
                keys = dot_keys(plane.legend)
                axis.legend(handles=keys, loc="upper center", bbox_to_anchor=(0.5, 0), ncols=2)
            elif is_numeric_dtype(plane.colours):
                figure.colorbar(dots, ax=axis, location="bottom", shrink=0.8, aspect=25)
        if legend:
            explain(figure, legend, title)
        fit_height(figure)
    return figure


def explain(figure: Figure, keys: Sequence[Line2D], title: str | None = None) -> None:
    """Put a legend below all panels."""
    figure.legend(
        handles=keys,
        title=title,
        title_fontsize=SMALLEST,
        fontsize=SMALLEST,
        handletextpad=0.2,
        loc="outside lower center",
        ncols=min(len(keys), 5),
    )


def draw_plane(axis: Axes, plane: Plane, size: float, **style: Any) -> PathCollection:
    """Draw points with their lines and rings in a square; both directions have one scale.

    Parameters
    ----------
    axis
        Where it is drawn.
    plane
        What is drawn.
    size
        Of a point, in square points.
    style
        Of the points, as of ``scatter``.

    Returns
    -------
    PathCollection
        The points, for a bar of colours.
    """
    frame(axis, margin=0.08)
    axis.set_xlabel(plane.note, fontsize=SMALLEST, labelpad=1.5, linespacing=1.1)
    axis.set_aspect("equal", "datalim")
    axis.set_box_aspect(1)
    places = plane.points[["x", "y"]].to_numpy(float)
    if plane.lines is not None:
        axis.add_collection(
            LineCollection(
                list(places[plane.lines[["start", "end"]]]),
                linewidths=0.3 + 1.5 * plane.lines["weight"],
                colors=np.where(plane.lines["emphasised"], EMPHASIS, MUTED),
                alpha=np.where(plane.lines["emphasised"], 0.9, 0.45),
                zorder=0.9,
            )
        )
    if plane.rings is not None:
        ringed = plane.rings.notna().to_numpy()
        ring = {"s": 3 * size, "fc": "none", "lw": 0.2 * size**0.5, "clip_on": False}
        axis.scatter(*places[ringed].T, ec=plane.rings[ringed], **ring)
    symbols = np.asarray("o" if plane.symbols is None else plane.symbols)
    # Nothing reaches beyond the frame, and clipping each dot costs space.
    style = {"s": size, "lw": 0, "clip_on": False} | style
    if is_numeric_dtype(plane.colours):
        style["cmap"] = DOTS
    for symbol in np.unique(symbols):
        own = np.broadcast_to(symbols == symbol, len(places))
        x, y = places[own].T
        dots = axis.scatter(x, y, c=plane.colours[own], marker=symbol, **style)
    return dots


def dot_keys(colours: Mapping[str, str], marker: str = "o") -> list[Line2D]:
    """Entries of a legend: name -> colour."""
    return [
        legend_key(name, marker=marker, ls="", ms=5, mew=0, color=colour)
        for name, colour in colours.items()
    ]
