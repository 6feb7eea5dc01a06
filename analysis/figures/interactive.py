"""Interactive maps: what the script of the page needs to draw points that the reader can choose.

``report/assets/interactive.html`` reads what :func:`map_script` writes.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from matplotlib.colors import to_hex
from numpy.typing import NDArray

from analysis.figures.style import CATEGORY_COLOURS, DOTS, EMPHASIS

Chosen = tuple[str, ...]
"""One option of each of some choices."""

# The script of a map hands its data to whoever loaded it, and leaves nothing in the page. A script
# and not JSON, because a page opened from a disk may load scripts but not fetch files.
PREFIX = "document.currentScript.map = "
# A map is this many units wide or high: finer than any screen, and short to write down.
SIDE = 10_000
# Of the groups, in their order; Plotly's names.
SYMBOLS = ("circle", "diamond-open", "square", "cross-open", "triangle-up")


@dataclass(frozen=True)
class Choice:
    """Something that the reader chooses, such as the head.

    Attributes
    ----------
    name
        Refers to the choice from the other parts of a map.
    label
        Shown beside the list of options.
    options
        Value to label, in the order of the list.
    """

    name: str
    label: str
    options: Mapping[str, str]


@dataclass(frozen=True)
class Colouring:
    """What the colours of the points may mean.

    Attributes
    ----------
    label
        Shown in the list of colourings and beside the colours.
    values
        One number (four digits are kept) or one category a point, for combinations of the choices
        in ``by``; None and NaN where a point has none, and all of a missing combination.
    by
        Names of the choices that the values depend on; empty when the values are the same in every
        map, which has the key ``()``.
    categories
        All of them, in the order of their colours; empty for numbers.
    palette
        Colours of the categories.
    """

    label: str
    values: Mapping[Chosen, Sequence[float | str | None]]
    by: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    palette: tuple[str, ...] = CATEGORY_COLOURS


class Line(NamedTuple):
    """Between two points; ``weight`` in [0, 1] is its thickness."""

    start: int
    end: int
    weight: float
    emphasised: bool = False


@dataclass(frozen=True)
class Lines:
    """Lines for every combination of the choices in ``by``; a combination may have none."""

    pairs: Mapping[Chosen, Sequence[Line]]
    by: tuple[str, ...]


@dataclass(frozen=True)
class MapData:
    """Maps of the same points, one for every combination of options.

    Attributes
    ----------
    choices
        The page opens with the first option of each.
    coordinates
        One value of each choice to ``[point, 2]``. Combinations may be missing.
    hover
        Text of each point; several lines may be given.
    colours
        The page opens with the first.
    groups
        Labels of the kinds of points that differ by their symbol, such as queries and keys.
    group
        Index into ``groups`` of each point; None where there is one group.
    lines
        Drawn below the points.
    aligned
        Names of the choices along which the maps have common axes, as after a Procrustes
        alignment. Maps that differ in another choice each fill the plot.
    notes
        What is to be said of a map, such as how far it can be trusted, by the same key as its
        coordinates.
    """

    choices: Sequence[Choice]
    coordinates: Mapping[Chosen, NDArray[np.floating]]
    hover: Sequence[str]
    colours: Sequence[Colouring]
    groups: Sequence[str] = ("",)
    group: Sequence[int] | None = None
    lines: Lines | None = None
    aligned: tuple[str, ...] = ()
    notes: Mapping[Chosen, str] = field(default_factory=dict)


def map_script(data: MapData) -> str:
    """Write the data of a map as a script, the same text each time.

    Parameters
    ----------
    data
        Its texts may hold anything; the page shows them as they are.

    Raises
    ------
    ValueError
        If a part names a choice, an option, a group, a category or a point that there is not, if
        the first option of every choice is not a map, or if a number is not finite.
    """
    points = len(data.hover)
    if not data.colours or not 1 <= len(data.groups) <= len(SYMBOLS):
        raise ValueError(
            f"a map with {len(data.colours)} colourings and {len(data.groups)} groups cannot be "
            f"drawn; give at least one colouring and one to {len(SYMBOLS)} groups."
        )
    group = [0] * points if data.group is None else list(map(int, data.group))
    if len(group) != points or not set(group) <= set(range(len(data.groups))):
        raise ValueError(
            f"group has {len(group)} entries from {sorted(set(group))}; give one for each "
            f"of {points} points, from 0 to {len(data.groups) - 1}."
        )
    names = [choice.name for choice in data.choices]
    maps = _table("coordinates", _framed(data, points), names, data.choices)
    if maps[0] is None:
        raise ValueError(
            "coordinates lacks the map of the first option of every choice, which the page opens "
            "with; order the options so that it is there."
        )
    content = {
        "choices": [
            {"label": choice.label, "options": list(choice.options.values())}
            for choice in data.choices
        ],
        "side": SIDE,
        "maps": maps,
        "notes": _table("notes", data.notes, names, data.choices) if data.notes else None,
        "hover": list(data.hover),
        "groups": list(data.groups),
        "group": group,
        "colours": [_colouring(one, points, data.choices) for one in data.colours],
        "lines": None if data.lines is None else _lines(data.lines, points, data.choices),
        "symbols": SYMBOLS,
        "scale": [to_hex(colour) for colour in DOTS(np.linspace(0, 1, 11))],
        "emphasis": EMPHASIS,
    }
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    # ASCII alone, so no character depends on how the file is served; and without "<" nobody who
    # puts the script into a page ends it early.
    return PREFIX + text.replace("<", "\\u003c") + ";\n"


def _framed(data: MapData, points: int) -> dict[Chosen, list[int]]:
    """Move and scale maps into a square of ``SIDE``; maps that are aligned by the same amount.

    Returns all x, then all y, in whole units.
    """
    apart = [i for i, choice in enumerate(data.choices) if choice.name not in data.aligned]
    frames: dict[Chosen, list[Chosen]] = defaultdict(list)
    for chosen, coordinates in data.coordinates.items():
        shape = np.shape(coordinates)
        if shape != (points, 2) or not np.isfinite(coordinates).all():
            raise ValueError(
                f"coordinates of {chosen} have the shape {shape}; give finite numbers of the "
                f"shape {(points, 2)}, as many points as hover texts."
            )
        frames[tuple(chosen[i] for i in apart)].append(chosen)
    framed = {}
    for members in frames.values():
        together = np.concatenate([data.coordinates[chosen] for chosen in members])
        low, high = together.min(axis=0), together.max(axis=0)
        side = (high - low).max() or 1.0
        for chosen in members:
            centred = (data.coordinates[chosen] - (low + high) / 2) / side
            framed[chosen] = np.rint((centred.T + 0.5) * SIDE).astype(int).ravel().tolist()
    return framed


def _colouring(colouring: Colouring, points: int, choices: Sequence[Choice]) -> dict[str, Any]:
    categories = list(colouring.categories)
    if len(categories) > len(colouring.palette):
        raise ValueError(
            f"the colouring {colouring.label!r} has {len(categories)} categories; at most "
            f"{len(colouring.palette)} colours can be told apart."
        )
    written: dict[Chosen, list[float | None]] = {}
    for chosen, values in colouring.values.items():
        if len(values) != points:
            raise ValueError(
                f"the colouring {colouring.label!r} has {len(values)} values; give one for each "
                f"of {points} points."
            )
        known = [None if _is_missing(value) else value for value in values]
        if categories:
            unknown = set(known) - {None, *categories}
            if unknown:
                raise ValueError(
                    f"the colouring {colouring.label!r} has the value {min(map(str, unknown))!r}; "
                    f"its categories are {', '.join(categories)}."
                )
            written[chosen] = [None if one is None else categories.index(str(one)) for one in known]
        else:
            written[chosen] = [None if one is None else float(f"{one:.4g}") for one in known]
    return {
        "label": colouring.label,
        "categories": categories or None,
        "palette": colouring.palette[: len(categories)],
        **_chosen_by(f"the colouring {colouring.label!r}", written, colouring.by, choices),
    }


def _is_missing(value: float | str | None) -> bool:
    return value is None or (not isinstance(value, str) and math.isnan(value))


def _lines(lines: Lines, points: int, choices: Sequence[Choice]) -> dict[str, Any]:
    written = {}
    for chosen, pairs in lines.pairs.items():
        for line in pairs:
            if not (0 <= line.start < points and 0 <= line.end < points and 0 <= line.weight <= 1):
                raise ValueError(
                    f"lines of {chosen} hold {tuple(line)}; give points from 0 to {points - 1} "
                    "and a weight from 0 to 1."
                )
        written[chosen] = [
            [int(line.start), int(line.end), round(float(line.weight), 4), int(line.emphasised)]
            for line in sorted(pairs, key=lambda line: line.emphasised)  # these on top
        ]
    return _chosen_by("lines", written, lines.by, choices)


def _chosen_by(
    what: str, values: Mapping[Chosen, Any], by: Sequence[str], choices: Sequence[Choice]
) -> dict[str, Any]:
    """Values of every combination of some choices, and which choices these are."""
    names = [choice.name for choice in choices]
    if not set(by) <= set(names):
        raise ValueError(f"{what} depends on {by}; the choices are {', '.join(names)}.")
    return {"by": [names.index(name) for name in by], "values": _table(what, values, by, choices)}


def _table(
    what: str, values: Mapping[Chosen, Any], by: Iterable[str], choices: Sequence[Choice]
) -> list[Any]:
    """Values in the order of a counter whose last choice turns fastest; None where there is none.

    By number and not by name, because in JavaScript some names (``__proto__``) are not free.
    """
    options = {choice.name: tuple(choice.options) for choice in choices}
    combinations = list(product(*(options[name] for name in by)))
    unknown = values.keys() - set(combinations)
    if unknown:
        raise ValueError(
            f"{what} has values for {min(unknown)}; give one option of each of "
            f"{', '.join(by) or 'no choice, ()'}."
        )
    return [values.get(chosen) for chosen in combinations]
