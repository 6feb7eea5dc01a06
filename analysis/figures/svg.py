"""Write a figure as SVG: in the colours of the page, legible, and as small as it can be."""

from __future__ import annotations

import base64
import hashlib
import io
import re
from collections.abc import Sequence

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from PIL import Image

from analysis.figures.style import INK, MUTED, SMALLEST, in_two_lines, lay_out
from analysis.fonts import families

BEYOND = 0.01  # inches that what is drawn may leave the canvas by: antialiasing


LARGE = 50_000  # bytes of a raster from which a palette is worth its loss


# The empty canvas and panels, which are drawn without a colour.
_INVISIBLE = re.compile(r'<g>\n<path [^>]*style="fill: none"/>\n</g>\n')
# A letter, in units of which a hundred are no more than a tenth of the size of a letter.
_MOVED = re.compile(r' transform="translate\((?P<x>-?[\d.]+)(?: (?P<y>-?[\d.]+))?\)"/>')
# Points of a cloud, each in the same style; how opaque they are matplotlib says of fill and stroke.
_ALIKE = re.compile(r'<use [^>]*(?P<style> style="[^"]*")/>\n(?:<use [^>]*(?P=style)/>\n)+')
_ON_PAGE = {INK: "currentColor", MUTED: "var(--figure-muted, #8b93a0)"}
_ON_PAPER = {INK: "#1d232b", MUTED: "#8b93a0"}


def svg(figure: Figure, name: str) -> tuple[str, str]:
    """Write a figure as SVG, the same bytes each time.

    Parameters
    ----------
    figure
        Drawn inside :func:`analysis.figures.style.figure_style`.
    name
        Unique on its page; seeds the ids inside the SVG, so that two figures do not share any.

    Returns
    -------
    on_page, on_paper : str
        Colours that follow the page, and plain colours for a file of its own.
    """
    _legible(figure)
    buffer = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": name, "figure.constrained_layout.use": False}):
        figure.set_layout_engine(None)  # it has been laid out; drawing would do so twice again
        metadata = {"Date": None, "Creator": None}
        figure.savefig(buffer, format="svg", metadata=metadata, bbox_inches=_whole(figure))
    raw = buffer.getvalue()
    body = raw[raw.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    # Named groups such as figure_1 and axes_1 recur in every figure; nothing refers to them.
    body = re.sub(
        r' id="(figure|axes|patch|text|line2d|matplotlib|xtick|ytick|legend|'
        r"PathCollection|QuadMesh|LineCollection|PolyCollection|FillBetweenPolyCollection)"
        r'[._]?(axis)?_?\d*"',
        "",
        body,
    )
    body = _short_ids(body, name)
    # What nobody sees, a third of a page of many maps: indentation, spaces beside the letters of a
    # path, decimals of a point beyond the second, and what follows from what stands around it.
    body = re.sub(r"\n +", "\n", body)
    body = _INVISIBLE.sub("", body)
    body = re.sub(r'(?<= [xy]=")(-?\d+\.\d\d)\d+', r"\1", body)
    body = re.sub(r'(?<= d=")[^"]*', _shorter, body)
    body = _MOVED.sub(_at, body)
    body = _ALIKE.sub(_in_one_style, body)
    body = re.sub(r'(?<="data:image/png;base64,)[^"]*', _fewer_colours, body)
    return _coloured(body, _ON_PAGE), _coloured(body, _ON_PAPER)


def _short_ids(body: str, name: str) -> str:
    """Give every id of a figure a short one that no other figure of its page has.

    Glyphs are defined once a figure under the name of their font, which two figures may share, and
    they are referred to by every letter.
    """
    of_figure = f"f{hashlib.sha256(name.encode()).hexdigest()[:5]}"
    ids = dict.fromkeys(re.findall(r' id="([^"]+)"', body))
    short = {long: f"{of_figure}-{number:x}" for number, long in enumerate(ids)}
    return re.sub(
        r'(?P<before> id="|xlink:href="#|url\(#)(?P<id>[^")]+)',
        lambda reference: reference["before"] + short[reference["id"]],
        body,
    )


def _at(move: re.Match[str]) -> str:
    """Write a letter's place, to a tenth of its units, as coordinates."""
    x, y = float(move["x"]), float(move["y"] or 0)
    return f' x="{x:.1f}"' + (f' y="{y:.1f}"' if y else "") + "/>"


def _in_one_style(points: re.Match[str]) -> str:
    """Say the style of points once, in a group around them."""
    return f"<g{points['style']}>\n{points[0].replace(points['style'], '')}</g>\n"


def _fewer_colours(image: re.Match[str]) -> str:
    """Write a large raster, of dots in few colours, with a palette: a quarter of the bytes."""
    png, small = base64.b64decode(image[0]), io.BytesIO()
    if len(png) < LARGE:
        return image[0]
    palette = Image.open(io.BytesIO(png)).quantize(256, method=Image.Quantize.FASTOCTREE)
    palette.save(small, "png", optimize=True)
    return base64.b64encode(small.getvalue()).decode()


def _whole(figure: Figure) -> Bbox | None:
    """Canvas and whatever reaches beyond it, so that no word is cut; None for the canvas alone."""
    canvas = Bbox.from_bounds(0, 0, *figure.get_size_inches())
    whole = Bbox.union([canvas, figure.get_tightbbox()])
    return None if np.allclose(whole, canvas, atol=BEYOND) else whole


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
    for legend in figure.legends:
        _narrow(legend, figure)
    if covering := _covering(figure):
        for title in covering:
            title.set_text(in_two_lines(title.get_text()))
        lay_out(figure)
    maps = [axis for axis in figure.axes if axis.images]
    thinned = [
        _thin(names, direction)
        for axis in maps
        for names, direction in (
            (axis.get_xticklabels(), "intervalx"),
            (axis.get_yticklabels(), "intervaly"),
        )
    ]
    if any(thinned):
        lay_out(figure)


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


def _narrow(legend: Legend, figure: Figure) -> None:
    """Give a legend below the panels fewer columns until it is no wider than they are."""
    columns = len(legend.get_texts())
    while legend.get_window_extent().width > figure.bbox.width and columns > 1:
        columns -= 1
        legend.set_ncols(columns)
        lay_out(figure)


def _thin(names: Sequence[Text], direction: str) -> bool:
    """Keep as many names beside a map, evenly spread, as do not cover each other; True if fewer."""
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
    return step > 1


def _shorter(path: re.Match[str]) -> str:
    rounded = re.sub(r"(\.\d\d)\d+", r"\1", path[0])
    return re.sub(r"\s*([A-Za-z])\s*", r"\1", rounded).strip()


def _coloured(body: str, colours: dict[str, str]) -> str:
    for stand_in, colour in colours.items():
        body = body.replace(stand_in, colour)
    return body
