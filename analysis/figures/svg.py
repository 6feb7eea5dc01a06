"""Write a figure as SVG: in the colours of the page, legible, and small."""

from __future__ import annotations

import io
from collections.abc import Sequence
from weakref import WeakKeyDictionary

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox

from analysis.figures.style import INK, MUTED, POINT, SMALLEST, in_two_lines, lay_out
from analysis.figures.svg_minify import minify
from analysis.fonts import families

BEYOND = 0.01  # inches that what is drawn may leave the canvas by: antialiasing
PIXELS = 96  # of a page an inch
NARROWEST, WIDEST = 14, 180  # pixels that names beside panels take: fewer are none
COLOUR_BAR = "<colorbar>"  # as matplotlib labels its axes
# What of a figure was written, in inches; to measure it takes as long as to lay the figure out.
_CANVAS: WeakKeyDictionary[Figure, Bbox] = WeakKeyDictionary()

# What a dark page has instead of the ink of axes and labels, as paper.css has it.
ON_DARK = {INK: "#e3e1db", MUTED: "#8f979f"}


def svg(figure: Figure, name: str) -> str:
    """Write a figure as SVG, the same bytes each time.

    The figure is drawn inside :func:`analysis.figures.style.figure_style`; ``name`` seeds the ids
    inside the SVG. It is written as :func:`analysis.figures.svg_minify.minify` does, for light and
    dark pages.
    """
    _legible(figure)
    buffer = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": name, "figure.constrained_layout.use": False}):
        figure.set_layout_engine(None)  # it has been laid out; drawing would do so twice again
        metadata = {"Date": None, "Creator": None}
        _CANVAS[figure] = whole = _whole(figure)
        canvas = Bbox.from_bounds(0, 0, *figure.get_size_inches())
        beyond = None if np.allclose(whole, canvas, atol=BEYOND) else whole
        figure.savefig(buffer, format="svg", metadata=metadata, bbox_inches=beyond)
    written = buffer.getvalue()
    return minify(written[written.index("<svg") :], ON_DARK)


def names_beside(figure: Figure) -> tuple[int, int] | None:
    """Measure the names at the left of the panels, of a figure that was written.

    Returns
    -------
    tuple or None
        Width and height of the part of the drawing that holds them, from its upper left corner, in
        pixels of a page. None where there are none, or where they would hide half of a phone.
    """
    panels = [axis for axis in figure.axes if axis.get_label() != COLOUR_BAR]
    if not panels:
        return None
    canvas = _CANVAS[figure]
    extents = [axis.get_window_extent() for axis in panels]
    left = min(extent.x0 for extent in extents) / figure.dpi - canvas.x0
    bottom = min(extent.y0 for extent in extents) / figure.dpi
    width, height = round(left * PIXELS) - 1, round((canvas.y1 - bottom) * PIXELS)
    return (width, height) if NARROWEST <= width <= WIDEST else None


def points(figure: Figure) -> list[tuple[float, float, str]]:
    """Find what :func:`analysis.figures.style.say_points` said, in a figure that was written.

    Returns
    -------
    list
        Of every point its distance from the left and from the top, as percentages of the drawing,
        and what it is; from the top, and then from the left.
    """
    canvas = _CANVAS[figure]
    found = []
    for axis in figure.axes:
        for note in axis.texts:
            if isinstance(note, Annotation) and note.get_gid() == POINT:
                x, y = axis.transData.transform(note.xy) / figure.dpi
                left = 100 * (x - canvas.x0) / canvas.width
                top = 100 * (canvas.y1 - y) / canvas.height
                found.append((round(left, 2), round(top, 2), note.get_text()))
    return sorted(found, key=lambda point: (point[1], point[0]))


def _whole(figure: Figure) -> Bbox:
    """Canvas and whatever reaches beyond it, in inches, so that no word is cut."""
    canvas = Bbox.from_bounds(0, 0, *figure.get_size_inches())
    return Bbox.union([canvas, figure.get_tightbbox()])


def _legible(figure: Figure) -> None:
    """Lay a figure out with nothing too small to read, and no single character on its side."""
    for text in figure.findobj(Text):  # ticks that the layout adds are as those that are there
        text.set_fontsize(max(float(text.get_fontsize()), SMALLEST))
        text.set_fontfamily(families())  # one of the machine may have joined since it was written
    for label in (axis.yaxis.label for axis in figure.axes):
        if len(label.get_text()) == 1:
            label.set(
                rotation="horizontal", horizontalalignment="right", verticalalignment="center"
            )
    lay_out(figure)
    narrowed = [_narrow(legend, figure) for legend in [*figure.legends]]
    covering = _covering(figure)
    for title in covering:
        title.set_text(in_two_lines(title.get_text()))
    if any(narrowed) or covering:
        lay_out(figure)
    # What becomes fewer needs no new layout: there is room for all.
    for axis in figure.axes:
        if axis.images:
            _thin(axis.get_xticklabels(), "intervalx")
            _thin(axis.get_yticklabels(), "intervaly")


def _covering(figure: Figure) -> list[Text]:
    """Find titles of panels that reach into the next one."""
    titles = [
        (child, child.get_window_extent().padded(1))
        for axis in figure.axes
        for child in axis.get_children()
        if isinstance(child, Text) and child not in axis.texts and child.get_text().strip()
    ]
    return [
        title
        for title, extent in titles
        if any(extent.overlaps(other) and extent.x0 < other.x0 for _, other in titles)
    ]


def _narrow(legend: Legend, figure: Figure) -> bool:
    """Replace a legend below the panels that is wider than they are by one of fewer columns."""
    narrow, columns = legend, len(legend.get_texts())
    while narrow.get_window_extent().width > figure.bbox.width and columns > 1:
        columns -= 1
        narrow.remove()
        # The columns of one that is there are fixed, and its style is not that of figures here.
        narrow = figure.legend(
            handles=legend.legend_handles,
            labels=[text.get_text() for text in legend.get_texts()],
            loc="outside lower center",
            ncols=columns,
            title=legend.get_title().get_text() or None,
            title_fontproperties=legend.get_title().get_fontproperties(),
            prop=legend.prop,
            labelcolor=legend.get_texts()[0].get_color(),
            handletextpad=legend.handletextpad,
            frameon=legend.get_frame_on(),
        )
    return narrow is not legend


def _thin(names: Sequence[Text], direction: str) -> None:
    """Keep as many names beside a map, evenly spread, as do not cover each other."""
    named = [name for name in names if name.get_text()]
    extents = [getattr(name.get_window_extent(), direction) for name in named]
    spans = np.array(extents).reshape(-1, 2)
    centres, lengths = spans.mean(axis=1), np.ptp(spans, axis=1)
    stacked = direction == "intervaly" or any(name.get_rotation() for name in named)

    def apart(step: int) -> bool:
        # Room above and below the letters belongs to the extent of a text; between words side by
        # side there must be a space.
        needed = (0.8 if stacked else 1.25) * (lengths[::step][1:] + lengths[::step][:-1]) / 2
        return bool((np.abs(np.diff(centres[::step])) >= needed).all())

    step = next((step for step in range(1, len(named)) if apart(step)), max(len(named), 1))
    for index, name in enumerate(named):
        name.set_visible(index % step == 0)
