"""Interactive maps: what the script of the page needs to draw points that the reader can choose.

``report/assets/interactive.html`` reads what :func:`map_scripts` writes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.colors import to_hex

from analysis.figures.style import CATEGORY_COLOURS, DOTS, EMPHASIS

Chosen = tuple[str, ...]
"""One option of each of some choices."""

# The script of a map hands its data to the page that loaded it and leaves nothing behind. A script
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
        Column of the maps that has the options.
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
    column
        Of the points, or of the maps where there is ``by``: numbers, of which four digits are kept,
        or categories. None and NaN where a point has none.
    by
        Names of the choices that the values depend on.
    categories
        All of them and their labels, in the order of their colours; empty for numbers.
    palette
        Colours of the categories.
    """

    label: str
    column: str
    by: tuple[str, ...] = ()
    categories: Mapping[Any, str] = field(default_factory=dict)
    palette: tuple[str, ...] = CATEGORY_COLOURS


@dataclass(frozen=True)
class MapData:
    """Maps of the same points, one for every combination of options.

    Attributes
    ----------
    choices
        The page opens with the first option of each. Each option of the first, such as the layer,
        is a script of its own, which the page loads when the reader chooses it: so none grows with
        the number of layers.
    points
        A row a point: ``hover``, a text that may have several lines, and columns for colourings.
    maps
        A row a point of each map, in the order of ``points``: the choices, ``x``, ``y`` and columns
        for colourings. Combinations of options may be missing.
    colours
        The page opens with the first.
    groups
        Colouring whose categories differ by their symbol as well, such as queries and keys.
    lines
        Drawn below the points: the choices that they depend on, ``start``, ``end`` (numbers of
        points), ``weight``, their thickness in [0, 1], and whether they are ``emphasised``.
    aligned
        Names of the choices along which the maps have common axes, as after a Procrustes
        alignment. Maps that differ in another choice each fill the plot.
    notes
        What is to be said of a map, such as how far it can be trusted, by one option of each
        choice.
    """

    choices: Sequence[Choice]
    points: pd.DataFrame
    maps: pd.DataFrame
    colours: Sequence[Colouring]
    groups: Colouring | None = None
    lines: pd.DataFrame | None = None
    aligned: tuple[str, ...] = ()
    notes: Mapping[Chosen, str] = field(default_factory=dict)


def map_scripts(data: MapData) -> list[str]:
    """Write the data of maps as scripts, the same text each time.

    Parameters
    ----------
    data
        Its texts may hold anything; the page shows them as they are.

    Returns
    -------
    list of str
        One for each option of the first choice.
    """
    first, *others = data.choices
    return [_script(_part(data, first.name, option, others), first) for option in first.options]


def _part(data: MapData, name: str, option: str, others: Sequence[Choice]) -> MapData:
    """Leave the maps of one option, and the choices that it leaves."""
    maps, lines = data.maps, data.lines
    return replace(
        data,
        choices=others,
        maps=maps[maps[name] == option],
        colours=[replace(one, by=tuple(by for by in one.by if by != name)) for one in data.colours],
        lines=None if lines is None else lines[lines[name] == option],
        notes={chosen[1:]: note for chosen, note in data.notes.items() if chosen[0] == option},
    )


def _script(data: MapData, parts: Choice) -> str:
    """Write one of several scripts, with the choice between them."""
    names = [choice.name for choice in data.choices]
    content = {
        "parts": _listed(parts),
        "choices": [_listed(choice) for choice in data.choices],
        "side": SIDE,
        "maps": _table(_framed(data, names), names, data.choices),
        "notes": _table(data.notes, names, data.choices) if data.notes else None,
        "hover": data.points["hover"].tolist(),
        "groups": list(data.groups.categories.values()) if data.groups else [""],
        "group": _written(data.groups, data.points) if data.groups else [0] * len(data.points),
        "colours": [_colouring(one, data) for one in data.colours],
        "lines": None if data.lines is None else _lines(data.lines, data.choices),
        "symbols": SYMBOLS,
        "scale": [to_hex(colour) for colour in DOTS(np.linspace(0, 1, 11))],
        "emphasis": EMPHASIS,
    }
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    # ASCII alone, so no character depends on how the file is served; and without "<" nobody who
    # puts the script into a page ends it early.
    return PREFIX + text.replace("<", "\\u003c") + ";\n"


def _listed(choice: Choice) -> dict[str, Any]:
    return {"label": choice.label, "options": list(choice.options.values())}


def _framed(data: MapData, names: list[str]) -> dict[Chosen, list[int]]:
    """Move and scale maps into a square of ``SIDE``; maps that are aligned by the same amount.

    Returns all x, then all y, in whole units.
    """
    places = data.maps[["x", "y"]]
    apart = [name for name in names if name not in data.aligned]
    together = places.groupby([data.maps[name] for name in apart] or np.zeros(len(places)))
    low, high = together.transform("min"), together.transform("max")
    side = (high - low).max(axis=1).replace(0, 1)
    units = np.rint(((places - (low + high) / 2).div(side, axis=0) + 0.5) * SIDE).astype(int)
    maps = units.groupby([data.maps[name] for name in names], sort=False)
    return {chosen: own.to_numpy().T.ravel().tolist() for chosen, own in maps}


def _colouring(colouring: Colouring, data: MapData) -> dict[str, Any]:
    if colouring.by:
        # The same for all options of the other choices: of these, one is written.
        number = data.maps.groupby([choice.name for choice in data.choices]).cumcount()
        by = list(colouring.by)
        first = data.maps[~data.maps[by].assign(point=number).duplicated()]
        written = {chosen: _written(colouring, rows) for chosen, rows in first.groupby(by)}
    else:
        written = {(): _written(colouring, data.points)}
    return {
        "label": colouring.label,
        "categories": list(colouring.categories.values()) or None,
        "palette": colouring.palette[: len(colouring.categories)],
        **_chosen_by(written, colouring.by, data.choices),
    }


def _written(colouring: Colouring, points: pd.DataFrame) -> list[float | None]:
    """Numbers of points, or of their categories; None for a point that has none."""
    values = points[colouring.column]
    if not colouring.categories:
        return [None if pd.isna(value) else float(f"{value:.4g}") for value in values]
    numbers = {category: number for number, category in enumerate(colouring.categories)}
    return [None if pd.isna(value) else numbers[value] for value in values]


def _lines(lines: pd.DataFrame, choices: Sequence[Choice]) -> dict[str, Any]:
    by = [choice.name for choice in choices if choice.name in lines]
    written = {
        chosen: [
            [line.start, line.end, round(float(line.weight), 4), int(line.emphasised)]
            for line in rows.itertuples()
        ]
        # The emphasised ones come last, and so lie on top.
        for chosen, rows in lines.sort_values("emphasised", kind="stable").groupby(by)
    }
    return _chosen_by(written, by, choices)


def _chosen_by(
    values: Mapping[Chosen, Any], by: Sequence[str], choices: Sequence[Choice]
) -> dict[str, Any]:
    """Values of every combination of some choices, and which choices these are."""
    names = [choice.name for choice in choices]
    return {"by": [names.index(name) for name in by], "values": _table(values, by, choices)}


def _table(values: Mapping[Chosen, Any], by: Iterable[str], choices: Sequence[Choice]) -> list[Any]:
    """Values in the order of a counter whose last choice turns fastest; None where there is none.

    By number and not by name, because in JavaScript some names (``__proto__``) are not free.
    """
    options = {choice.name: choice.options for choice in choices}
    return [values.get(chosen) for chosen in product(*(options[name] for name in by))]
