"""The summary of a run and of reference runs, as rules read it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.paths import GROUP_OF
from analysis.rules.selection import VARIANTS, Rows, Texts, curve_rows, matches
from analysis.rules.verdicts import Reading
from analysis.runs.kept import kept_experiment, run_of
from attention_mixing.artifacts import MANIFEST, read_artifact, schema_of
from attention_mixing.errors import ANEW, require
from attention_mixing.schemas import SUMMARY, UNNAMED

CHOSEN_BY = ["variant", "measure", "subject", "facet", "clusters"]
INTERVAL = ["mean", "low", "high", "texts"]
POINT = ["layer", "head", *INTERVAL]
NAMES = ["experiment", "variant", *CHOSEN_BY[1:4], "quantity", "minus", "reading"]


class Points:
    """Points of curves as arrays by column; of few rows, pandas takes ten times as long.

    The columns are :data:`CHOSEN_BY` and :data:`POINT`, one entry a point.
    """

    def __init__(self, columns: Mapping[str, NDArray[Any]]) -> None:
        self._columns = columns

    @classmethod
    def of(cls, table: pd.DataFrame) -> Points:
        """Read them from a table."""
        names = {column: table[column].to_numpy(object) for column in CHOSEN_BY[:-1]}
        numbers = {column: table[column].to_numpy() for column in (CHOSEN_BY[-1], *POINT)}
        return cls(names | numbers)

    def __len__(self) -> int:
        """Count them."""
        return len(self["mean"])

    def __getitem__(self, column: str) -> NDArray[Any]:
        """Give a column."""
        return self._columns[column]

    def where(self, chosen: NDArray[np.bool_]) -> Points:
        """Choose some of them."""
        return Points({column: values[chosen] for column, values in self._columns.items()})

    def replaced(self, **columns: NDArray[Any]) -> Points:
        """Put other values into some columns."""
        return Points({**self._columns, **columns})


class Summary:
    """The summary of all experiments, of this run and of reference runs, each file read once.

    So is each quantity: claims are judged of this run and of reference runs, these also alone.

    Parameters
    ----------
    directory
        Where the results of this run lie.
    confidence
        Confidence level of the intervals, between 0 and 1.
    kept
        Directories of reference runs (:mod:`analysis.reference.keeping`).
    stale
        By reference run, the measures that would give other numbers today
        (:func:`analysis.runs.kept.stale`).
    """

    def __init__(
        self,
        directory: Path,
        confidence: float,
        kept: Sequence[Path] = (),
        stale: Mapping[str, Collection[str]] = MappingProxyType({}),
    ) -> None:
        self.confidence = confidence
        self._directory = directory
        self._groups: dict[str, _Group] = {}
        self._quantities: dict[tuple[str, str | None], dict[Any, Points]] = {}
        self._stale = stale
        self._rows: dict[tuple[str | None, str | None, str], Points] = {}
        self._read: dict[tuple[str | None, str | None, str], list[Reading]] = {}
        self._facts = self._json("summary", "model", "facts.json")
        tables = [pd.DataFrame(columns=["group"])]
        for run in kept:
            of_run = read_artifact(run / "facts.json")
            self._facts |= {
                kept_experiment(run.name, name): facts for name, facts in of_run.items()
            }
            table = read_artifact(run / "summary.parquet")
            names = [kept_experiment(run.name, name) for name in table["experiment"]]
            tables.append(table.assign(experiment=names))
        self._kept = pd.concat(tables)

    def _json(self, *parts: str) -> Any:
        return read_artifact(self._directory.joinpath(*parts))

    @cached_property
    def _group_of(self) -> dict[str, str]:
        found: dict[str, str] = self._json("summary", GROUP_OF)
        return found

    def group_of(self, measure: str) -> str:
        """Name the group of a measure."""
        require(measure, "measures", self._group_of)
        return self._group_of[measure]

    def curves(self, measure: str, experiment: str | None) -> pd.DataFrame:
        """Rows of the group of a measure, of an experiment and of no contrast or reading."""
        of_group = self._group(measure)
        return of_group.points.get(experiment, of_group.none)

    def points(self, experiment: str | None, rows: Rows, variant: str | None) -> Points:
        """Points that a rule asks for, of a model state, or of whatever state."""
        question = experiment, variant, rows.model_dump_json(include={*Rows.model_fields})
        if question not in self._rows:
            self._rows[question] = self._choose(experiment, rows, variant)
        return self._rows[question]

    def _choose(self, experiment: str | None, rows: Rows, variant: str | None) -> Points:
        key = self.group_of(rows.measure), experiment
        if key not in self._quantities:
            table = self.curves(rows.measure, experiment)
            by_quantity = table.groupby(["measure", "quantity"], sort=False)
            self._quantities[key] = {name: Points.of(points) for name, points in by_quantity}
        points = self._quantities[key].get((rows.measure, rows.quantity))
        if points is None:
            return Points.of(self._group(rows.measure).none)
        where: dict[Any, str | int | list[str]] = {} if variant is None else {"variant": variant}
        return points.where(matches(points, where | rows.where))

    def _group(self, measure: str) -> _Group:
        """Read the summary of the group of a measure: thousands of questions are asked of each."""
        group = self.group_of(measure)
        if group not in self._groups:
            directory = self._directory / "summary" / group
            require_summary(directory)
            table = read_artifact(directory / "curves.parquet")
            of_runs = self._kept[self._kept["group"] == group].drop(columns="group")
            table = pd.concat([table, of_runs], ignore_index=True) if len(of_runs) else table
            table = table.astype(dict.fromkeys(NAMES, str))
            points = table[curve_rows(table)]
            self._groups[group] = _Group(
                points=dict(list(points.groupby("experiment", sort=False))),
                none=points.iloc[:0],
                readings={
                    (row.experiment, row.reading, row.variant): reading_of(row)
                    for row in table[table["reading"] != ""].itertuples()
                },
            )
        return self._groups[group]

    def stale(self, experiment: str, measure: str) -> bool:
        """Tell whether a measure would give other numbers today than in a reference run."""
        return measure in self._stale.get(run_of(experiment) or "", ())

    def facts(self, of: str, experiment: str | None) -> Any:
        """Return the facts of an experiment (``of`` is ``model``), or those that belong to none."""
        return self._facts[experiment] if of == "model" else self._json(of, f"{of}.json")

    def reading(self, experiment: str, texts: Texts, variant: str | None) -> Reading | None:
        """Return the reading of a quantity that was asked of texts.

        Without a ``variant``, that of the one state in which it was measured; None where there is
        no such state, or more than one.
        """
        readings = self._group(texts.measure).readings
        states = VARIANTS if variant is None else (variant,)
        every = [readings.get((experiment, texts.name, state)) for state in states]
        measured = [reading for reading in every if reading is not None]
        return measured[0] if len(measured) == 1 else None

    def once(
        self, question: tuple[str | None, str | None, str], read: Callable[[], list[Reading]]
    ) -> list[Reading]:
        """Give what was read for a question before, or read it now.

        A question is an experiment, a model state, and the quantity in writing.
        """
        if question not in self._read:
            self._read[question] = read()
        return self._read[question]


class _Group(NamedTuple):
    """The summary of a group of measures.

    Attributes
    ----------
    points
        Experiment -> rows of curves; ``none`` has their columns and no row.
    readings
        Experiment, name of what was asked of texts and model state -> its reading.
    """

    points: dict[str | None, pd.DataFrame]
    none: pd.DataFrame
    readings: dict[tuple[str, str, str], Reading]


def reading_of(row: Any, layer: int | None = None) -> Reading:
    """Read a row of the summary, without an interval where it is of all texts together."""
    if not row.texts:
        return Reading(row.mean, layer=layer)
    texts = int(row.texts)
    return Reading(row.mean, row.low, row.high, texts, layer=layer, texts=texts)


def require_summary(directory: Path) -> None:
    """Refuse a summary of another version: ``results/summary/GROUP``.

    The message has what has changed and what to do.
    """
    path = directory / MANIFEST
    if path.is_file() or (directory / "curves.parquet").is_file():
        # The first that had one is that of schema 1.
        SUMMARY.require(schema_of(path) if path.is_file() else UNNAMED, directory, ANEW)
