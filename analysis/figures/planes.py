"""Points in planes: a panel a plane, with names beside points where there is room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike, NDArray
from pandas.api.types import is_numeric_dtype

from analysis.figures.maps import TALL, fit_height, tall_figure, wrapped
from analysis.figures.style import (
    DOTS,
    EMPHASIS,
    MUTED,
    SMALLEST,
    WIDTH,
    figure_style,
    frame,
    lay_out,
    legend_key,
)
from attention_mixing.messages import Words

# Of the raster inside the vector figure, for thousands of dots.
DOTS_PER_INCH = 120
MOST_PATHS = 5000
BELOW_NAMES = 1.2  # names beside an axis, which follow the page, are no part of a raster
GREY = "#8b93a0"  # of a raster, which cannot follow the page


# Where a name may stand, the side that is tried first in front, and how far away in points.
SIDES = ((1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1), (0, 1), (0, -1))
DISTANCES = (4, 9, 15, 22)
POINT = 2.5  # half the side of what a point covers, in points
# Nothing reaches beyond the frame; clipping each dot costs space, and measuring it time.
INSIDE: dict[str, Any] = {"clip_on": False, "in_layout": False}
STEPS = 20  # points that a line is taken for


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
        their thickness, and whether they are ``emphasised``; in this order.
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
    style = {"rasterized": too_many(sum(len(plane.points) for plane in panels.values()))} | style
    with figure_style():
        figure = tall_figure(dpi=DOTS_PER_INCH)
        axes = wrapped(figure, len(panels), across, sharex=together, sharey=together)
        for axis, (name, plane) in zip(axes, panels.items(), strict=True):
            dots = draw_plane(axis, plane, size, **style)
            axis.set_title(name, fontsize=SMALLEST)
            axis.set_adjustable("box" if together else "datalim")
            if plane.legend:
                keys = dot_keys(plane.legend)
                axis.legend(handles=keys, loc="upper center", bbox_to_anchor=(0.5, 0), ncols=2)
            elif is_numeric_dtype(plane.colours):
                figure.colorbar(dots, ax=axis, location="bottom", shrink=0.8, aspect=25)
        if legend:
            legend_below(figure, legend, title)
        fit_height(figure)
    return figure


def too_many(dots: int) -> bool:
    """Tell whether dots, as paths, would outweigh the page of their figure; then draw a raster."""
    return dots > MOST_PATHS


def legend_below(figure: Figure, keys: Sequence[Line2D], title: str | None = None) -> None:
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

    ``size`` of a point is in square points, and ``style`` of the points is as of ``scatter``.
    Returns the points, for a bar of colours.
    """
    frame(axis, margin=0.08)
    axis.set_xlabel(plane.note, fontsize=SMALLEST, labelpad=1.5, linespacing=1.1)
    axis.set_aspect("equal", "datalim")
    axis.set_box_aspect(1)
    return _draw(axis, plane, size, **style)


def draw_cells(axis: Axes, cells: Mapping[tuple[int, int], Plane], size: float, w: Words) -> None:
    """Draw the planes of every layer and head in a table, its lines between the cells.

    Of the planes, by layer and head counted from 1, points, colours and lines are drawn; ``size``
    of a point is in square points.
    """
    points, lines, before = [], [], 0
    for (layer, head), plane in cells.items():
        points.append(_in_cell(plane.points[["x", "y"]]) + np.array([head, -layer]))
        if plane.lines is not None:
            numbers = plane.lines["start"] + before, plane.lines["end"] + before
            lines.append(plane.lines.assign(start=numbers[0], end=numbers[1]))
        before += len(plane.points)
    colours = pd.concat([plane.colours for plane in cells.values()], ignore_index=True)
    whole = Plane(pd.concat(points), colours, pd.concat(lines) if lines else None)
    # One raster for all cells: thousands of dots, as paths, would outweigh the page.
    axis.set_rasterization_zorder(BELOW_NAMES)
    _draw(axis, whole, size)
    layers, heads = max(layer for layer, _ in cells), max(head for _, head in cells)
    axis.set(xlim=(0.5, heads + 0.5), ylim=(-layers - 0.5, -0.5), aspect="equal")
    axis.set_xticks(range(1, heads + 1))
    axis.set_yticks(range(-layers, 0), [str(layer) for layer in range(layers, 0, -1)])
    axis.xaxis.tick_top()
    axis.tick_params(length=0)
    between: dict[str, Any] = {"color": MUTED, "lw": 0.5, "zorder": 3}
    axis.vlines(np.arange(heads + 1) + 0.5, -layers - 0.5, -0.5, **between)
    axis.hlines(-np.arange(layers + 1) - 0.5, 0.5, heads + 0.5, **between)
    axis.set_frame_on(False)
    axis.xaxis.set_label_position("top")
    axis.set_xlabel(w["head"])
    axis.set_ylabel(w["layer"])


def cell_grid(
    tables: Mapping[str, Mapping[tuple[int, int], Plane]],
    size: float,
    w: Words,
    *,
    legend: Sequence[Line2D],
) -> Figure:
    """Draw tables of planes one below the other, each as :func:`draw_cells`.

    Titles are beside the tables where there are several; ``legend`` is below all tables.
    """
    with figure_style():
        figure, axes = plt.subplots(
            len(tables), 1, figsize=(WIDTH, TALL), dpi=DOTS_PER_INCH, squeeze=False
        )
        for axis, (title, cells) in zip(axes[:, 0], tables.items(), strict=True):
            draw_cells(axis, cells, size, w)
            if len(tables) > 1:
                axis.set_ylabel(f"{title}, {w['layer']}")
        legend_below(figure, legend)
        for _ in range(min(len(tables), 2)):  # tables take their places in what the first leaves
            fit_height(figure)
    return figure


def _in_cell(points: pd.DataFrame) -> pd.DataFrame:
    """Move and scale points into the middle of a cell of side 1, their shape unchanged."""
    low, high = points.min(), points.max()
    return (points - (low + high) / 2) / ((high - low).max() or 1.0) * 0.86


def _draw(axis: Axes, plane: Plane, size: float, **style: Any) -> PathCollection:
    places = plane.points[["x", "y"]].to_numpy(float)
    if plane.lines is not None:
        axis.add_collection(
            LineCollection(
                list(places[plane.lines[["start", "end"]]]),
                linewidths=0.3 + 0.28 * size * plane.lines["weight"],
                colors=np.where(plane.lines["emphasised"], EMPHASIS, GREY),
                alpha=np.where(plane.lines["emphasised"], 0.9, 0.45),
                zorder=0.9,
                in_layout=False,
            )
        )
    if plane.rings is not None:
        ringed = plane.rings.notna().to_numpy()
        ring = {"s": 3 * size, "fc": "none", "lw": 0.2 * size**0.5} | INSIDE
        axis.scatter(*places[ringed].T, ec=plane.rings[ringed], **ring)
    symbols = np.asarray("o" if plane.symbols is None else plane.symbols)
    style = {"s": size, "lw": 0} | INSIDE | style
    if is_numeric_dtype(plane.colours):
        style["cmap"] = DOTS
    for symbol in np.unique(symbols):
        has_symbol = np.broadcast_to(symbols == symbol, len(places))
        x, y = places[has_symbol].T
        dots = axis.scatter(x, y, c=plane.colours[has_symbol], marker=symbol, **style)
    return dots


def dot_keys(colours: Mapping[str, str], marker: str = "o") -> list[Line2D]:
    """Entries of a legend: name -> colour."""
    return [
        legend_key(name, marker=marker, ls="", ms=5, mew=0, color=colour)
        for name, colour in colours.items()
    ]


# --- names beside points --------------------------------------------------------------------------


def name_points(
    axis: Axes, names: Sequence[str], places: ArrayLike, colours: Sequence[str]
) -> None:
    """Write names beside points; the layout of the figure must be complete.

    Parameters
    ----------
    axis
        Whose limits and place no longer change.
    names
        ``[point]``; an empty one is not written, but the point is not covered either.
    places
        ``[point, 2]``, in the units of the axes.
    colours
        ``[point]``, of the names.
    """
    figure = axis.get_figure(root=True)
    assert figure is not None
    lay_out(figure)
    figure.set_layout_engine("none")  # names must not move what they were placed beside
    pixel = figure.dpi / 72
    centres = axis.transData.transform(np.asarray(places, float))
    along = [
        point
        for lines in axis.collections
        if isinstance(lines, LineCollection)
        for start, end in map(axis.transData.transform, lines.get_segments())
        for point in np.linspace(start, end, STEPS)
    ]
    reach = POINT * pixel * np.array([-1, -1, 1, 1])
    taken = [np.tile(centre, 2) + reach for centre in [*centres, *along]]
    inside = np.array(axis.get_window_extent().extents)
    for name, centre, point, colour in zip(
        names, centres, np.asarray(places), colours, strict=True
    ):
        if not name:
            continue
        note = axis.annotate(
            name,
            point,
            (0, 0),
            textcoords="offset points",
            va="bottom",
            fontsize=SMALLEST,
            color=colour,
        )
        window = note.get_window_extent()
        extent = np.array([window.width, window.height])
        tried = [
            _box(centre, extent, np.array(side), distance * pixel)
            for distance, side in product(DISTANCES, SIDES)
        ]
        others = np.array(taken)
        costs = [_covered(box, others) + 9 * _beyond(box, inside) for box in tried]
        box = tried[int(np.argmin(costs))]
        note.set_position(tuple((box[:2] - centre) / pixel))
        taken.append(box)


def _box(centre: NDArray, extent: NDArray, side: NDArray, away: float) -> NDArray[np.float64]:
    """Place a name of some extent on one side of a point: left, bottom, right, top."""
    middle = centre + side * (away + extent / 2)
    return np.concatenate([middle - extent / 2, middle + extent / 2])


def _covered(box: NDArray, others: NDArray) -> float:
    """Area of a box that each of some others covers, in all."""
    overlap = np.minimum(box[2:], others[:, 2:]) - np.maximum(box[:2], others[:, :2])
    return float(overlap.clip(min=0).prod(axis=1).sum())


def _beyond(box: NDArray, inside: NDArray) -> float:
    """Area of a box outside another."""
    return float(np.prod(box[2:] - box[:2])) - _covered(box, inside[None])
