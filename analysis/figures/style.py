"""One look for every figure: colours with fixed meanings, fonts, sizes."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyBboxPatch

from analysis.fonts import families
from attention_mixing.attributions.catalogue import labels

# Those of a light page, in paper.css; on a dark one a drawing has others for them.
INK = "#1d2126"
MUTED = "#6d747d"

# Okabe and Ito's palette and Tol's muted one, safe for any colour vision. A method has one colour
# on every page; rolling out a kind of contribution keeps the colour of the kind.
METHOD_COLOURS = {
    "raw": "#D55E00",
    "attn_w": "#D55E00",  # the same weights
    "residual": "#CC79A7",
    "attnres_w": "#CC79A7",
    "attn_n": "#E69F00",
    "attnres_n": "#56B4E9",
    "attnresln_n": INK,
    "attnresln_ff_n": "#AA4499",
    "attnresln_ffres_n": "#8F8530",
    "attnresln_ffresln_n": "#1E9E50",
    "globenc": "#A0614A",
    "alti": "#5D9C3C",
    "value_zeroing": "#4C6FC4",
    "value_zeroing_rollout": "#C2417A",
    "alti_logit": "#00827F",
    "decompx": "#3B7EA1",
    "identity": "#882255",
    "rollout": "#0072B2",
    "rollout_measured": "#9C4BE0",
    "rollout_beside_uniform": "#009E73",
    "rollout_without_first": "#CC79A7",
    "flow": "#009E73",
    "flow_measured": "#999933",
    "gradient_norm": "#44AA99",
    "gradient_x_input": "#A6761D",
    "integrated_gradients": "#7570B3",
    "attn_lrp": "#66A61E",
    "relevance_sum": "#E7298A",
    "relevance_rollout": "#B0386F",
    "random": MUTED,
    "uniform": MUTED,  # no model at all
}
# Where methods are told apart by their names, colour says what they look at; and of methods that
# have no colour of their own.
FAMILY_COLOURS: dict[str, str] = {
    "weights": "#D55E00",
    "propagation": "#0072B2",
    "vectors": "#009E73",
    "gradients": "#8C5BA8",
    "removal": INK,
    "baseline": MUTED,
}
# Kinds of tokens, labels and the like, where no method is shown; in this order.
CATEGORY_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#999933", "#AA4499")
# What is pointed out among other things of its kind.
EMPHASIS = "#D55E00"
VARIANT_LINES: dict[str, Any] = {"pretrained": (0, (3, 1.5)), "finetuned": "solid"}
EXPERIMENT_MARKERS = "oDsv^P"  # in the order of the parameters
# Perceptually uniform, and readable with any kind of colour vision.
SEQUENTIAL = "cividis"
DIVERGING = "berlin"
# The same for dots, without the ends that vanish on a dark or on a white page.
DOTS = LinearSegmentedColormap.from_list("dots", mpl.colormaps[SEQUENTIAL](np.linspace(0.25, 0.93)))

POINT = "point"  # what says what a point is

WIDTH = 6.3  # inches, the width of the printed text, so that a point is a point on paper
SMALLEST = 8.3  # points; on a screen 11 px


@contextmanager
def figure_style() -> Iterator[None]:
    """Draw inside this block. A glyph that no font has is an error, not an empty box."""
    settings: dict[Any, Any] = {
        "font.family": families(),
        "font.size": 8.8,
        "axes.titlesize": 9.2,
        "axes.titlelocation": "left",
        # Nothing stands above panels; to look for it, matplotlib would measure all names once more.
        "axes.titley": 1.0,
        "axes.labelsize": 8.8,
        "legend.fontsize": 8.8,
        "xtick.labelsize": SMALLEST,
        "ytick.labelsize": SMALLEST,
        "text.color": INK,
        "axes.labelcolor": INK,
        "axes.titlecolor": INK,
        "xtick.labelcolor": INK,
        "ytick.labelcolor": INK,
        "axes.edgecolor": MUTED,
        "xtick.color": MUTED,
        "ytick.color": MUTED,
        "grid.color": MUTED,
        "grid.alpha": 0.25,
        "grid.linewidth": 0.6,
        "hatch.linewidth": 0.5,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "figure.facecolor": "none",
        "axes.facecolor": "none",
        "savefig.facecolor": "none",
        "legend.frameon": False,
        "image.cmap": SEQUENTIAL,
        "image.interpolation": "nearest",
        "lines.linewidth": 1.6,
        "svg.fonttype": "path",
        "text.parse_math": False,
        "figure.constrained_layout.use": True,
    }
    with mpl.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("error", message="Glyph .* missing from")
        yield


def frame(axis: Axes, *, margin: float = 0.0) -> None:
    """Frame a map, whose axes have no numbers: they would mean nothing.

    ``margin`` is the room around what is drawn, a share of its extent.
    """
    axis.set_xticks([])
    axis.set_yticks([])
    for spine in axis.spines.values():
        spine.set_visible(True)
        spine.set_color(MUTED)
        spine.set_linewidth(0.5)
    axis.margins(margin)


def method_colour(label: str) -> str:
    """Return the colour of a method of the catalogue, or of what is drawn like one.

    A method that is rolled out, or read without its sign, keeps its own; one without a colour has
    that of its family.
    """
    if label in METHOD_COLOURS:
        return METHOD_COLOURS[label]
    method = labels()[label].method
    return METHOD_COLOURS.get(method.name, FAMILY_COLOURS[method.family])


def method_colours(methods: Iterable[str]) -> dict[str, str]:
    """Return the colours of methods, in their order."""
    return {method: method_colour(method) for method in methods}


def family_colour(label: str) -> str:
    """Return the colour of the family of a method of the catalogue."""
    return FAMILY_COLOURS[labels()[label].family]


def legend_key(label: str, **style: Any) -> Line2D:
    """Entry of a legend for what is drawn in a style."""
    return Line2D([], [], label=label, **style)


def say_points(axis: Axes, x: Iterable[float], y: Iterable[float], texts: Iterable[str]) -> None:
    """Say what points are; a page tells a reader who points at them, or goes there by keyboard.

    Nothing is drawn: :func:`analysis.figures.svg.points` finds the texts and their places.
    """
    for along, above, text in zip(x, y, texts, strict=True):
        axis.annotate(text, (along, above), gid=POINT, visible=False)


def lay_out(figure: Figure) -> None:
    """Give panels, labels and legends their places, without drawing them."""
    engine = figure.get_layout_engine()
    if engine is not None and figure.axes:  # it warns of a figure that is text alone
        engine.execute(figure)
    for axis in figure.axes:
        axis.apply_aspect()


def in_two_lines(text: str) -> str:
    """Break a text behind the blank or hyphen that is nearest to its middle, or in the middle."""
    breaks = [index + 1 for index, letter in enumerate(text[:-1]) if letter in " -"]
    middle = min(breaks, key=lambda index: abs(index - len(text) / 2), default=len(text) // 2)
    return f"{text[:middle].rstrip()}\n{text[middle:]}"


def rounded_box(axis: Axes, x: float, y: float, width: float, height: float, colour: str) -> None:
    """Draw a pale box with round corners around a point, to write into."""
    corner = (x - width / 2, y - height / 2)
    style = "round,pad=0,rounding_size=0.05"
    axis.add_patch(FancyBboxPatch(corner, width, height, style, fc=colour, ec="none", alpha=0.25))
