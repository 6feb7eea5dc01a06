"""Which rows of a table are meant: values of texts, or the summary; said and chosen in one way.

Rules say it in ``report/rules.yaml``, figures and the headlines of a run by naming columns. A
:class:`Texts` also says what becomes of the rows that it chooses, text by text: it is what a rule
asks of texts, and the summary holds what was read (:mod:`analysis.pipeline.readings`).
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import Field, model_validator

from attention_mixing.addresses import comes_in
from attention_mixing.errors import InputError
from attention_mixing.settings.values import Section

VARIANTS = ("pretrained", "finetuned", "both")  # both: what does not tell the two apart
Column = Literal["variant", "subject", "facet", "clusters"]
Where = dict[Column, str | int | list[str]]
# Column of a table -> what rows must have there, or one of these.
Wanted = Mapping[Any, str | int | Sequence[str]]


# Names that a measure declares: columns in which each is held against the declarations.
NAMED = ("measure", "quantity", "subject", "facet")
Declared = Mapping[str, Any]  # a quantity that a measure gives, by NAMED: its names
Named = Mapping[str, Sequence[str]]  # column -> names, each of which is asked for


class Depth(Section):
    """Layers by how deep they are: ``{from: 6, to: 10, of: 12}`` are 3 to 5 of 6 layers."""

    start: Annotated[int, Field(ge=0, alias="from")]
    end: Annotated[int, Field(ge=0, alias="to")]
    of: Annotated[int, Field(ge=1)]


Layers = Literal["all", "first", "middle", "last", "last_two", "all_but_last_two"] | Depth


class Rows(Section):
    """Address of what was measured: by which measure, and what rows must have in a column.

    The variant is added by itself.
    """

    measure: str
    quantity: str
    where: Where = {}

    @property
    def columns(self) -> Wanted:
        """What rows must have, measure and quantity included."""
        named: dict[Any, str | int | list[str]] = {
            "measure": self.measure,
            "quantity": self.quantity,
        }
        return named | self.where


class Selection(Section):
    """What differs in the other side of a contrast; all else is as in the first."""

    measure: str | None = None
    quantity: str | None = None
    where: Where = {}
    layers: Layers | None = None


class Texts(Rows):
    """One value a text of a measure, and their mean with an interval.

    Attributes
    ----------
    layers, over_layers
        Which of them, and what becomes of several: their mean, or the rank correlation with depth.
    minus, divided_by
        The contrast with other rows of the same text.
    over_texts
        ``mean``, or the one ``largest`` or ``smallest`` value, which has no interval: of a text in
        a contrast, else of all rows.
    """

    layers: Layers = "all"
    over_layers: Literal["mean", "trend"] = "mean"
    minus: Selection | None = None
    divided_by: Selection | None = None
    over_texts: Literal["mean", "largest", "smallest"] = "mean"

    @model_validator(mode="after")
    def _one_contrast(self) -> Texts:
        if self.minus and self.divided_by:
            raise ValueError("has both minus and divided_by; remove one of them")
        return self

    @property
    def other(self) -> Texts | None:
        """The other side of the contrast."""
        change = self.minus or self.divided_by
        if change is None:
            return None
        changed = {
            "measure": change.measure or self.measure,
            "quantity": change.quantity or self.quantity,
            "where": self.where | change.where,
            "layers": change.layers or self.layers,
        }
        return self.model_copy(update=changed)

    @property
    def name(self) -> str:
        """All that is asked, as JSON; the same whatever the order it was written in."""
        return json.dumps(self.written, sort_keys=True)

    @property
    def written(self) -> dict[str, Any]:
        """What a rule writes to ask it, without what goes without saying."""
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True)


class NamedColumns(Protocol):
    """A table, or arrays by name."""

    def __len__(self) -> int:
        """Count the rows."""

    def __getitem__(self, column: str, /) -> Any:
        """Give a column."""


def matches(table: NamedColumns, where: Wanted) -> NDArray[np.bool_]:
    """Tell which rows have this value, or one of these, in these columns."""
    chosen = np.ones(len(table), dtype=bool)
    for column, value in where.items():
        rows = table[column]
        if isinstance(value, str | int):  # the usual case; `isin` takes much longer
            chosen &= np.asarray(rows == value, dtype=bool)
        else:
            chosen &= np.isin(np.asarray(rows, dtype=object), value)
    return chosen


def choose(table: pd.DataFrame, where: Wanted) -> pd.DataFrame:
    """Choose the rows that have this value, or one of these, in these columns."""
    return table[matches(table, where)]


def curve_rows(table: pd.DataFrame) -> NDArray[np.bool_]:
    """Tell which rows of a summary are points of curves: no contrasts, and no readings of rules."""
    return matches(table, {"minus": "", "reading": ""})


def at(layer: NDArray[np.int64], layers: Layers, depth: int) -> NDArray[np.bool_]:
    """Tell which of the layers of rows are meant, in a model with so many (``depth``)."""
    if isinstance(layers, Depth):
        position = layer * layers.of
        return (position >= layers.start * depth) & (position <= layers.end * depth)
    match layers:
        case "all":
            return np.ones(layer.shape, dtype=bool)
        case "first":
            return layer == layer.min(initial=depth)
        case "middle":
            return layer == (depth + 1) // 2
        case "last":
            return layer == depth
        case "last_two":
            return layer > depth - 2
        case "all_but_last_two":
            return layer <= depth - 2


def require_given(where: str, given: Sequence[Declared], named: Named) -> None:
    """Refuse a name that no measure gives together with the other names.

    Each name of a column has to come with one of those of every other column. The sentence begins
    with ``where``, which names them, and says what is given instead.
    """
    measures, about = " or ".join(named.get("measure", ())), ""
    for column in filter(named.get, NAMED):
        names = named[column]
        for name in names:
            if not any(comes_in(declared, column, name) for declared in given):
                refused = f"{measures} does not give" if measures else "no measure gives"
                refused = "there is not" if column == "measure" else f"{refused}{about}"
                raise InputError(
                    f"{where} names {column} {name!r}, which {refused}; "
                    f"{_instead(given, column, name)}."
                )
        given = [row for row in given if any(comes_in(row, column, name) for name in names)]
        if column != "measure":
            about = f"{about or ' with'} {column} {' or '.join(names)}"


def _instead(declared: Sequence[Declared], column: str, name: str) -> str:
    rows = [row[column] for row in declared]
    entries = [entry for row in rows for entry in ([row] if isinstance(row, str) else row)]
    allowed = list(dict.fromkeys(filter(None, entries)))
    near = difflib.get_close_matches(name, allowed, n=1)
    if near:
        return f"did you mean {near[0]}"
    return f"allowed: {', '.join(allowed)}" if allowed else f"leave {column} out"
