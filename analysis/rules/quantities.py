"""Find the quantities of a rule in the summary of one experiment."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.rules.rule import Case, Curve, Extreme, Fact, HeadShare, Quantity
from analysis.rules.runs import changed, kept_experiment, run_of
from analysis.rules.verdicts import Range, Reading, contains, correct, decide
from attention_mixing.artifacts import read_artifact, require_summary
from attention_mixing.errors import InputError
from attention_mixing.methods.power import exact_interval
from attention_mixing.selection import (
    ALL,
    VARIANTS,
    NamedColumns,
    Rows,
    Texts,
    at,
    curve_rows,
    matches,
)

# What of a quantity its reading depends on: the share of heads on the bound too, for the texts that
# would decide it.
READ = {*Quantity.model_fields, "holds"}
CHOSEN_BY = ["variant", "measure", "of", "kind", "clusters"]
# How many times as many texts an open share of heads is tried with.
FACTORS = np.geomspace(1, 100, 21)[1:]
INTERVAL = ["mean", "low", "high", "texts"]
POINT = ["layer", "head", *INTERVAL]
NAMES = ("experiment", "variant", "measure", "of", "kind", "quantity", "minus", "reading", "code")


class Points:
    """Points of curves as arrays by column; of few rows, pandas takes ten times as long.

    Parameters
    ----------
    columns
        :data:`CHOSEN_BY` and :data:`POINT`, one entry a point.
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
        Directories of reference runs (:mod:`analysis.reference`).
    """

    def __init__(self, directory: Path, confidence: float, kept: Sequence[Path] = ()) -> None:
        self.confidence = confidence
        self._directory = directory
        self._groups: dict[str, dict[str, pd.DataFrame]] = {}
        self._empty: dict[str, pd.DataFrame] = {}
        self._quantities: dict[tuple[str, str | None], dict[str, Points]] = {}
        self._readings: dict[tuple[str, str, str], Reading] = {}
        self._changed: dict[tuple[str, str], set[str]] = {}
        self._rows: dict[tuple[str | None, str | None, str], Points] = {}
        self.read: dict[tuple[str | None, str | None, str], list[Reading]] = {}
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

    def curves(self, group: str, experiment: str | None) -> pd.DataFrame:
        """Rows of a group of measures that are of an experiment and of no contrast or reading."""
        by_experiment = self._experiments(group)
        return by_experiment[experiment] if experiment in by_experiment else self._empty[group]

    def points(self, experiment: str | None, rows: Rows, variant: str | None) -> Points:
        """Points that a rule asks for, of a model state, or of whatever state."""
        question = experiment, variant, rows.model_dump_json(include={*Rows.model_fields})
        if question not in self._rows:
            self._rows[question] = self._choose(experiment, rows, variant)
        return self._rows[question]

    def _choose(self, experiment: str | None, rows: Rows, variant: str | None) -> Points:
        key = rows.group, experiment
        if key not in self._quantities:
            by_quantity = self.curves(*key).groupby("quantity", sort=False)
            self._quantities[key] = {str(name): Points.of(table) for name, table in by_quantity}
        points = self._quantities[key].get(rows.quantity)
        if points is None:
            return Points.of(self._empty[rows.group])
        where: dict[Any, str | int | list[str]] = {} if variant is None else {"variant": variant}
        return points.where(matches(points, where | rows.where))

    def _experiments(self, group: str) -> dict[str, pd.DataFrame]:
        """Rows of a group by experiment: thousands of questions are asked of each."""
        if group not in self._groups:
            directory = self._directory / "summary" / group
            require_summary(directory)
            table = read_artifact(directory / "curves.parquet")
            of_runs = self._kept[self._kept["group"] == group].drop(columns="group")
            table = pd.concat([table, of_runs], ignore_index=True) if len(of_runs) else table
            table = table.astype(dict.fromkeys(NAMES, str))
            for row in table[table["reading"] != ""].itertuples():
                self._readings[row.experiment, row.reading, row.variant] = _reading(row)
            points = table[curve_rows(table)]
            self._empty[group] = points.iloc[:0]
            self._groups[group] = dict(list(points.groupby("experiment", sort=False)))
        return self._groups[group]

    def changed(self, experiment: str, rows: Rows) -> bool:
        """Tell whether the code behind what a reference run measured is another one now."""
        then, where = self.curves(rows.group, experiment), (rows.group, experiment)
        if where not in self._changed:
            every = self._experiments(rows.group)
            now = [table for name, table in every.items() if run_of(name) is None]
            # This run may have measured nothing of the group.
            self._changed[where] = set(changed(then, pd.concat([self._empty[rows.group], *now])))
        names = self._changed[where]
        return bool(names and names & set(self.points(experiment, rows, None)["measure"]))

    def facts(self, of: str, experiment: str | None) -> Any:
        """Return the facts of an experiment (``of`` is ``model``), or those that belong to none."""
        return self._facts[experiment] if of == "model" else self._json(of, f"{of}.json")

    def reading(self, experiment: str, texts: Texts, variant: str | None) -> Reading | None:
        """Return the reading of a quantity that was asked of texts.

        Without a ``variant``, that of the one state in which it was measured; None where there is
        no such state, or more than one.
        """
        self._experiments(texts.group)
        name, states = texts.name, VARIANTS if variant is None else (variant,)
        every = [self._readings.get((experiment, name, state)) for state in states]
        measured = [reading for reading in every if reading is not None]
        return measured[0] if len(measured) == 1 else None


class _Point(NamedTuple):
    """A point of a curve: :data:`POINT`."""

    layer: float
    head: float
    mean: float
    low: float
    high: float
    texts: float


def _reading(row: Any, layer: int | None = None) -> Reading:
    """Read a row of the summary, without an interval where it is of all texts together."""
    if not row.texts:
        return Reading(row.mean, layer=layer)
    texts = int(row.texts)
    return Reading(row.mean, row.low, row.high, texts, layer=layer, texts=texts)


@dataclass(frozen=True)
class Evidence:
    """The summary of one experiment and model state.

    Attributes
    ----------
    summary, experiment
        Results of all experiments, and the name of one; None for what belongs to none.
    variant
        ``pretrained`` or ``finetuned``, which rows must have; None for results that do not tell the
        two apart.
    rule
        Name of the one that asks.
    """

    summary: Summary
    experiment: str | None
    variant: str | None
    rule: str

    def of(self, quantity: Quantity) -> list[Reading]:
        """Read a quantity; nothing where nothing was measured.

        Raises
        ------
        InputError
            If there is no fact of the name that is given.
        """
        if isinstance(quantity, Case) and quantity.when is not None:
            allowed = quantity.when.holds.allowed
            if not any(
                contains(allowed, reading.value, reading.value)
                for reading in self.of(quantity.when)
            ):
                return []
        if quantity.arithmetic is not None:
            from analysis.rules import arithmetic  # by way of scipy, a second to import

            compute = getattr(arithmetic, quantity.arithmetic.function)
            return [Reading(float(compute(**quantity.arithmetic.given)))]
        where = self.experiment, self.variant, quantity.model_dump_json(include=READ)
        if where not in self.summary.read:
            self.summary.read[where] = self._read(quantity)
        return self.summary.read[where]

    def _read(self, quantity: Quantity) -> list[Reading]:
        if quantity.fact is not None:
            return self._fact(quantity.fact)
        assert self.experiment is not None  # all else was measured of one
        if quantity.texts is not None:
            reading = self.summary.reading(self.experiment, quantity.texts, self.variant)
            return [] if reading is None else [reading]
        if quantity.curve is not None:
            return self._curve(quantity.curve)
        assert quantity.heads is not None  # the schema has checked that one is given
        holds = quantity.holds if isinstance(quantity, Case) else None
        return self._heads(quantity.heads, None if holds is None else holds.allowed)

    def changed(self, quantity: Quantity) -> bool:
        """Tell whether it was measured in a reference run, by code that has changed since."""
        parts = [
            rows for rows in (quantity.texts, quantity.curve, quantity.heads) if rows is not None
        ]
        if self.experiment is None or run_of(self.experiment) is None:
            return False
        return any(self.summary.changed(self.experiment, rows) for rows in parts)

    @property
    def captured(self) -> int:
        """Number of texts that were captured; 0 of what belongs to no experiment."""
        if self.experiment is None:
            return 0
        return int(self.summary.facts("model", self.experiment)["capture"]["examples"])

    def choice(self, extreme: Extreme) -> str | None:
        """Name the highest, or lowest, of several curves; None where there is none.

        It is ``close`` where another one lies within the margin.
        """
        means = {}
        for name in extreme.among:
            where = (
                extreme.where if extreme.by == "quantity" else {**extreme.where, extreme.by: name}
            )
            quantity = name if extreme.by == "quantity" else extreme.quantity
            curve = Curve(
                group=extreme.group, quantity=quantity, where=where, layers=extreme.layers
            )
            values = [reading.value for reading in self._curve(curve)]
            if values:
                means[name] = float(np.mean(values))
        if not means:
            return None
        pick = max if extreme.take == "largest" else min
        best = pick(means, key=means.__getitem__)
        others = (value for name, value in means.items() if name != best)
        close = any(abs(value - means[best]) < extreme.margin for value in others)
        return "close" if close else best

    def has(self, quantity: Quantity | Extreme) -> bool:
        """Tell whether there is a value of a quantity, or one to choose."""
        if isinstance(quantity, Extreme):
            return self.choice(quantity) is not None
        return bool(self.of(quantity))

    def _fact(self, fact: Fact) -> list[Reading]:
        value = self._known(fact.of, fact.path)
        less = 0 if fact.minus is None else self._known(fact.of, fact.minus)
        return [] if value is None or less is None else [Reading(value - less)]

    def _known(self, of: str, path: str) -> float | None:
        """Read a number by its path; None where nothing was measured."""
        where = f"report/rules.yaml: rule {self.rule}"
        value = self.summary.facts(of, self.experiment)
        for step in path.split("."):
            if value is None:
                return None
            if not isinstance(value, dict) or step not in value:
                if run_of(self.experiment) is not None:
                    return None  # the run was kept before this was known
                held = ", ".join(value) if isinstance(value, dict) else ""
                raise InputError(
                    f"{where} reads {path} of {self.experiment or of}, which has "
                    f"{held or 'no names'} in the place of {step}; correct the path."
                )
            value = value[step]
        if isinstance(value, dict):
            raise InputError(
                f"{where}: {path} is not a number of {self.experiment or of}; name one within it."
            )
        return None if value is None else float(value)

    def _curve(self, curve: Curve) -> list[Reading]:
        points = self._points(curve)
        if curve.over_heads != "mean":
            return self._extreme_head(points, curve.over_heads)
        points = points.where(
            (points["head"] == 0) & ((points["layer"] == ALL) == (curve.layers is None))
        )
        if curve.layers is not None:
            table = self.summary.curves(curve.group, self.experiment)
            points = points.where(at(points["layer"], curve.layers, int(table["layer"].max())))
        references = None
        if curve.references is not None:
            counted = self._points(curve.model_copy(update={"quantity": curve.references}))
            references = int(counted["mean"][0]) if len(counted) else None
        by_layer = map(_Point, *(points[column].astype(float).tolist() for column in POINT))
        return [
            self._reading(point, references) for point in by_layer if not math.isnan(point.mean)
        ]

    def _extreme_head(self, points: Points, extreme: str) -> list[Reading]:
        heads = points.where((points["head"] > 0) & ~np.isnan(points["mean"]))
        if not len(heads):
            return []
        best = (np.argmax if extreme == "largest" else np.argmin)(heads["mean"])
        return [_reading(_Point(*(float(heads[column][best]) for column in POINT)))]

    def _reading(self, row: _Point, references: int | None) -> Reading:
        """Read a point of a curve; a value of p by the reference data sets that were drawn."""
        layer = None if row.layer == ALL else int(row.layer)
        if references:
            # p is (1 + those as extreme) / (1 + those drawn).
            extreme = round(row.mean * (references + 1)) - 1
            ends = exact_interval(extreme, references, confidence=self.summary.confidence)
            low = min(row.mean, ends[0])
            return Reading(row.mean, low, ends[1], references, "reference", layer=layer)
        return _reading(row, layer)

    def _heads(self, share: HeadShare, holds: Range | None) -> list[Reading]:
        if share.minus is not None:
            change = {"minus": None, "where": share.where | share.minus.where}
            sides = [
                self._heads(share.model_copy(update=update), holds)
                for update in ({"minus": None}, change)
            ]
            return [
                Reading(
                    minuend.value - subtrahend.value, texts=min(minuend.texts, subtrahend.texts)
                )
                for minuend, subtrahend in zip(*sides, strict=False)
            ]
        heads = self._points(share)
        heads = heads.where((heads["head"] > 0) & ~np.isnan(heads["mean"]))
        if not len(heads):
            return []
        allowed, confidence = share.within.allowed, self.summary.confidence
        count, possible = _counts(heads, allowed, confidence, tested=share.tested)
        texts = int(heads["texts"].min())
        if share.every:
            reading = Reading(count / len(heads), texts=texts)
            if possible > count:  # they are all there are, but for what these texts leave open
                reading = reading._replace(low=reading.value, high=possible / len(heads))
            return [reading]
        reading = _share(count, possible, len(heads), confidence)._replace(texts=texts)
        if share.resolution is not None and 1 / texts > share.resolution:
            needed = math.ceil(1 / share.resolution)
            return [Reading(reading.value, sample=texts, at_least=needed, texts=texts)]
        if share.tested and holds and decide(reading, holds, confidence).holds is None:
            reading = reading._replace(
                texts_needed=_texts_needed(heads, allowed, holds, confidence)
            )
        return [reading]

    def _points(self, rows: Rows) -> Points:
        return self.summary.points(self.experiment, rows, self.variant)


def _share(count: int, possible: int, heads: int, confidence: float) -> Reading:
    """Share of heads that are shown to be in a range, of at most so many possible ones."""
    low, _ = exact_interval(count, heads, confidence=confidence)
    _, high = exact_interval(possible, heads, confidence=confidence)
    return Reading(count / heads, low, high, heads, "head")


def _counts(
    heads: Points, allowed: Range, confidence: float, *, tested: bool = True
) -> tuple[int, int]:
    """Count heads that are in a range, and those that may be; by their means, or ``tested``."""
    if not tested:
        count = sum(bool(contains(allowed, mean, mean)) for mean in heads["mean"])
        return count, count
    count = int(stand_out(heads, allowed, confidence).sum())
    # A head that is not shown to be there is not thereby shown to be elsewhere.
    return count, len(heads) - int(stand_out(heads, allowed.complement, confidence).sum())


def _texts_needed(heads: Points, allowed: Range, holds: Range, confidence: float) -> int | None:
    """Estimate how many texts would tell whether a share of heads is in ``holds``.

    Every head keeps its mean, and its interval narrows with the root of the number of texts. None
    where a hundred times as many would not do: then the heads are too few.
    """
    mean = heads["mean"]
    for factor in FACTORS:
        ends = {end: mean + (heads[end] - mean) / math.sqrt(factor) for end in ("low", "high")}
        counts = _counts(heads.replaced(**ends), allowed, confidence)
        share = _share(*counts, len(heads), confidence)
        if decide(share, holds, confidence).holds is not None:
            return math.ceil(factor * heads["texts"].min())
    return None


def stand_out(heads: NamedColumns, allowed: Range, confidence: float) -> NDArray[np.bool_]:
    """Tell which heads are in a range, by their intervals corrected for the number of heads.

    Parameters
    ----------
    heads
        A row a head: ``mean``, ``low``, ``high`` and ``texts``.
    allowed
        The range.
    confidence
        Confidence level of the intervals, between 0 and 1.
    """
    columns = (np.asarray(heads[column], dtype=float).tolist() for column in INTERVAL)
    decisions = [
        decide(Reading(mean, low, high, int(texts)), allowed, confidence)
        for mean, low, high, texts in zip(*columns, strict=True)
    ]
    return np.array([decision.holds is True for decision in correct(decisions, confidence)])
