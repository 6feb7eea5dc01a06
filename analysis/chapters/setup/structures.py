"""A drawing of how the models of chapter *setup* are put together, as it was read off them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle

from analysis.figures.style import CATEGORY_COLOURS, INK, MUTED, WIDTH, figure_style, rounded_box
from attention_mixing.messages import Words

Structure = Mapping[str, Any]

ATTENTION, NETWORK, SOURCE = CATEGORY_COLOURS[:3]
ACROSS = 3  # drawings in a row
BOX, STEP = (1.3, 0.38), 0.48  # width and height of a part, two lines, and from part to part
GAP = 0.17  # between a part and where its line bends
BRANCH = 0.95  # from the stream to what a step computes
TOKENS, CELL = 6, 0.085  # of the maps of what may be seen
WINDOW = 2
SIDES, BELOW = (-0.5, 2.45), -0.35
LEAVES = 0.2  # above the start of a step
AROUND = 2.38
RADIUS = 0.09  # of the sign of a sum
LINE: dict[str, Any] = {"color": INK, "lw": 1}
ARROW = {"arrowstyle": "->", "color": INK, "lw": 1, "shrinkA": 0, "shrinkB": 0}


def structures(by_experiment: Mapping[str, Structure], w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw one layer of each structure, with the experiments whose models have it.

    The structure of a model is as the stage capture notes it.
    """
    groups: dict[str, tuple[Structure, list[str]]] = {}
    for name, structure in by_experiment.items():
        groups.setdefault(repr(sorted(structure.items())), (structure, []))[1].append(name)
    distinct = list(groups.values())
    down = -(-len(distinct) // ACROSS)
    left, right = SIDES
    with figure_style():
        figure, axes = plt.subplots(down, ACROSS, squeeze=False)
        for axis in axes.flat:
            axis.axis("off")
        tops = []
        for axis, (structure, names) in zip(axes.flat, distinct, strict=False):
            axis.set_title(_in_lines(names), fontsize=9, loc="left")
            tops.append(_layer(axis, structure, w))
        for axis in axes.flat:
            axis.set_xlim(left, right)
            axis.set_ylim(BELOW, max(tops))
            axis.set_aspect("equal", anchor="SW")
        unit = WIDTH / ACROSS / (right - left)
        figure.set_size_inches(WIDTH, down * (unit * (max(tops) - BELOW) + 0.5))
    rows = [
        {"experiment": name} | _plain(structure) for structure, names in distinct for name in names
    ]
    return figure, pd.DataFrame(rows)


def _layer(axis: Axes, structure: Structure, w: Words) -> float:
    """Draw the stream from below, and what each step adds to it; give where the drawing ends."""
    norms = set(structure["norms"][0].split("+")) if structure["norms"] else set()
    norm = w["drawn_norm_layer" if structure["centring"][0] else "drawn_norm_rms"]
    axis.text(0, -0.12, w["drawn_stream"], ha="center", va="top", fontsize=8, color=MUTED)
    axis.text(
        1.95,
        -0.12,
        w.say("drawn_times", layers=structure["layers"]),
        ha="right",
        va="top",
        fontsize=8,
    )
    steps = [("attention", ATTENTION), ("network", NETWORK)]
    if structure.get("crosses"):  # runs that were kept before know no such models
        steps.insert(1, ("source", SOURCE))
    y = 0.0
    for name, colour in steps:
        parts = [(norm, MUTED)] if "before" in norms else []
        label = w[f"drawn_{structure['networks'][0]}" if name == "network" else f"drawn_{name}"]
        if name != "network":
            label += f"\n{_heads(structure, w)}"
        parts.append((label, colour))
        if "of_output" in norms:
            parts.append((norm, MUTED))
        sight = structure["sight"][0] if name == "attention" else None
        added = _branch(axis, y, parts, sight, around=structure["beside"] and name == "network")
        axis.plot([0, 0], [y, added], **LINE)
        y = added
        if "after" in norms:
            axis.plot([0, 0], [y, y + RADIUS + GAP], **LINE)
            _part(axis, 0, y + RADIUS + GAP + BOX[1] / 2, norm, MUTED)
            y += RADIUS + GAP + BOX[1]
    axis.annotate("", (0, y + 0.3), (0, y), arrowprops=ARROW)
    _tokens(axis, y + 0.36, structure["read"], w)
    return y + 0.5


def _branch(
    axis: Axes, start: float, parts: Sequence[tuple[str, str]], sight: str | None, around: bool
) -> float:
    """Draw what a step computes beside the stream, from where it leaves to where it is added.

    One that reads the stream ``around`` the step before it takes it from where that one does.
    """
    low, half = start + LEAVES, BOX[1] / 2
    places = [low + GAP + half + STEP * number for number in range(len(parts))]
    top = places[-1] + half + GAP
    if around:
        path = [(0, LEAVES), (AROUND, LEAVES), (AROUND, low), (BRANCH, low)]
    else:
        path = [(0, low), (BRANCH, low)]
    axis.plot(*zip(*path, (BRANCH, places[0] - half), strict=True), **LINE)
    for below, above in pairwise(places):
        axis.plot([BRANCH, BRANCH], [below + half, above - half], **LINE)
    axis.plot([BRANCH, BRANCH], [places[-1] + half, top], **LINE)
    axis.annotate("", (RADIUS, top), (BRANCH, top), arrowprops=ARROW)
    for (label, colour), y in zip(parts, places, strict=True):
        _part(axis, BRANCH, y, label, colour)
        if sight is not None and colour == ATTENTION:
            _sight(axis, BRANCH + BOX[0] / 2 + 0.14, y, sight)
    axis.add_patch(Circle((0, top), RADIUS, fill=False, ec=INK, lw=1))
    axis.plot([-RADIUS, RADIUS], [top, top], **LINE)
    return top


def _part(axis: Axes, x: float, y: float, label: str, colour: str) -> None:
    rounded_box(axis, x, y, BOX[0] if x else 0.9, BOX[1], colour)
    axis.text(x, y, label, ha="center", va="center", fontsize=7, linespacing=1.05)


def _sight(axis: Axes, x: float, y: float, kind: str) -> None:
    """Draw which keys, columns, each query, a row, may see."""
    query, key = np.indices((TOKENS, TOKENS))
    visible = np.ones((TOKENS, TOKENS), bool)
    if kind.startswith("earlier"):
        visible &= key <= query
    if kind.endswith("window"):
        visible &= abs(query - key) < WINDOW
    top = y + CELL * TOKENS / 2
    for row, column in np.ndindex(visible.shape):
        corner = (x + CELL * column, top - CELL * (row + 1))
        face = ATTENTION if visible[row, column] else "none"
        axis.add_patch(Rectangle(corner, CELL, CELL, fc=face, ec=MUTED, lw=0.4, alpha=0.6))


def _tokens(axis: Axes, y: float, read: str, w: Words) -> None:
    """Draw the tokens of a text, that which a prediction is read from filled."""
    chosen = 0 if read == "first" else TOKENS - 1
    for index in range(TOKENS):
        corner = (-0.25 + 0.13 * index, y)
        face = INK if index == chosen else "none"
        axis.add_patch(Rectangle(corner, 0.1, 0.1, fc=face, ec=MUTED, lw=0.6))
    axis.text(-0.25 + 0.13 * TOKENS + 0.05, y + 0.04, w["drawn_read"], va="center", fontsize=7)


def _heads(structure: Structure, w: Words) -> str:
    groups = structure["groups"]
    heads = w.say("drawn_heads", heads=structure["heads"])
    if groups == structure["heads"]:
        return heads
    return w.say("drawn_groups", heads=heads, groups=groups)


def _in_lines(names: Sequence[str]) -> str:
    """Write names, two in a line."""
    return "\n".join(", ".join(names[start : start + 2]) for start in range(0, len(names), 2))


def _plain(structure: Structure) -> dict[str, Any]:
    return {
        key: " ".join(map(str, value)) if isinstance(value, list) else value
        for key, value in structure.items()
    }
