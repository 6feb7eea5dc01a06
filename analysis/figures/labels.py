"""Names beside points, placed so that they cover neither each other nor points and lines."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from numpy.typing import ArrayLike, NDArray

from analysis.figures.style import SMALLEST, lay_out

# Where a name may stand, the side that is tried first in front, and how far away in points.
SIDES = ((1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1), (0, 1), (0, -1))
DISTANCES = (4, 9, 15, 22)
POINT = 2.5  # half the side of what a point covers, in points
STEPS = 20  # points that a line is taken for


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
        place
        for lines in axis.collections
        if isinstance(lines, LineCollection)
        for start, end in map(axis.transData.transform, lines.get_segments())
        for place in np.linspace(start, end, STEPS)
    ]
    reach = POINT * pixel * np.array([-1, -1, 1, 1])
    taken = [np.tile(centre, 2) + reach for centre in [*centres, *along]]
    inside = np.array(axis.get_window_extent().extents)
    for name, centre, place, colour in zip(
        names, centres, np.asarray(places), colours, strict=True
    ):
        if not name:
            continue
        note = axis.annotate(
            name,
            place,
            (0, 0),
            textcoords="offset points",
            va="bottom",
            fontsize=SMALLEST,
            color=colour,
        )
        drawn = note.get_window_extent()
        extent = np.array([drawn.width, drawn.height])
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
