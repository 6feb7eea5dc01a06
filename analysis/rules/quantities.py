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
        Of the results of this run.
    confidence
        Of the intervals.
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
            self._facts |= {kept_experiment(run.name, name): one for name, one in of_run.items()}
            table = read_artifact(run / "summary.parquet")
            names = [kept_experiment(run.name, name) for name in table["experiment"]]
            tables.append(table.assign(experiment=names))
        self._kept = pd.concat(tables)

    def _json(self, *parts: str) -> Any:
        return read_artifact(self._directory.joinpath(*parts))

    def curves(self, group: str, experiment: str | None) -> pd.DataFrame:
        """Rows of a group of measures that are of an experiment and of no contrast or reading."""
        found = self._experiments(group)
        return found[experiment] if experiment in found else self._empty[group]

    def points(self, experiment: str | None, asked: Rows, variant: str | None) -> Points:
        """Points that a rule asks for, of a model state, or of whatever state."""
        question = experiment, variant, asked.model_dump_json(include={*Rows.model_fields})
        if question not in self._rows:
            self._rows[question] = self._choose(experiment, asked, variant)
        return self._rows[question]

    def _choose(self, experiment: str | None, asked: Rows, variant: str | None) -> Points:
        place = asked.group, experiment
        if place not in self._quantities:
            by_quantity = self.curves(*place).groupby("quantity", sort=False)
            self._quantities[place] = {str(name): Points.of(rows) for name, rows in by_quantity}
        found = self._quantities[place].get(asked.quantity)
        if found is None:
            return Points.of(self._empty[asked.group])
        where: dict[Any, str | int | list[str]] = {} if variant is None else {"variant": variant}
        return found.where(matches(found, where | asked.where))

    def _experiments(self, group: str) -> dict[str, pd.DataFrame]:
        """Rows of a group by experiment: thousands of questions are asked of each."""
        if group not in self._groups:
            directory = self._directory / "summary" / group
            require_summary(directory)
            table = read_artifact(directory / "curves.parquet")
            kept = self._kept[self._kept["group"] == group].drop(columns="group")
            table = pd.concat([table, kept], ignore_index=True) if len(kept) else table
            table = table.astype(dict.fromkeys(NAMES, str))
            for row in table[table["reading"] != ""].itertuples():
                self._readings[row.experiment, row.reading, row.variant] = _reading(row)
            points = table[curve_rows(table)]
            self._empty[group] = points.iloc[:0]
            self._groups[group] = dict(list(points.groupby("experiment", sort=False)))
        return self._groups[group]

    def changed(self, experiment: str, asked: Rows) -> bool:
        """Tell whether the code behind what a reference run measured is another one now."""
        then, where = self.curves(asked.group, experiment), (asked.group, experiment)
        if where not in self._changed:
            every = self._experiments(asked.group)
            now = [rows for name, rows in every.items() if run_of(name) is None]
            # This run may have measured nothing of the group.
            self._changed[where] = set(changed(then, pd.concat([self._empty[asked.group], *now])))
        names = self._changed[where]
        return bool(names and names & set(self.points(experiment, asked, None)["measure"]))

    def facts(self, of: str, experiment: str | None) -> Any:
        """Return what is known of an experiment, or what belongs to none."""
        return self._facts[experiment] if of == "model" else self._json(of, f"{of}.json")

    def reading(self, experiment: str, asked: Texts, variant: str | None) -> Reading | None:
        """Return what became of a quantity that was asked of texts.

        Without a ``variant``, of the one state that it was measured in; None where there are more.
        """
        self._experiments(asked.group)
        name, states = asked.name, VARIANTS if variant is None else (variant,)
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
    """Without an interval where the value is of all texts together."""
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
        Of all, and the experiment; None for what belongs to none.
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

    def of(self, asked: Quantity) -> list[Reading]:
        """Read a quantity; nothing where nothing was measured.

        Raises
        ------
        InputError
            If there is no fact of the name that is given.
        """
        if isinstance(asked, Case) and asked.when is not None:
            allowed = asked.when.holds.allowed
            if not any(contains(allowed, one.value, one.value) for one in self.of(asked.when)):
                return []
        if asked.arithmetic is not None:
            from analysis.rules import arithmetic  # by way of scipy, a second to import

            compute = getattr(arithmetic, asked.arithmetic.function)
            return [Reading(float(compute(**asked.arithmetic.given)))]
        where = self.experiment, self.variant, asked.model_dump_json(include=READ)
        if where not in self.summary.read:
            self.summary.read[where] = self._read(asked)
        return self.summary.read[where]

    def _read(self, asked: Quantity) -> list[Reading]:
        if asked.fact is not None:
            return self._fact(asked.fact)
        assert self.experiment is not None  # all else was measured of one
        if asked.texts is not None:
            reading = self.summary.reading(self.experiment, asked.texts, self.variant)
            return [] if reading is None else [reading]
        if asked.curve is not None:
            return self._curve(asked.curve)
        assert asked.heads is not None  # the schema has checked that one is given
        holds = asked.holds if isinstance(asked, Case) else None
        return self._heads(asked.heads, None if holds is None else holds.allowed)

    def changed(self, asked: Quantity) -> bool:
        """Tell whether it was measured in a reference run, by code that has changed since."""
        parts = [one for one in (asked.texts, asked.curve, asked.heads) if one is not None]
        if self.experiment is None or run_of(self.experiment) is None:
            return False
        return any(self.summary.changed(self.experiment, one) for one in parts)

    @property
    def captured(self) -> int:
        """How many texts were captured; 0 of what belongs to no experiment."""
        if self.experiment is None:
            return 0
        return int(self.summary.facts("model", self.experiment)["capture"]["examples"])

    def choice(self, asked: Extreme) -> str | None:
        """Name the highest, or lowest, of several curves; None where there is none.

        It is ``close`` where another one lies within the margin.
        """
        found = {}
        for name in asked.among:
            where = asked.where if asked.by == "quantity" else {**asked.where, asked.by: name}
            quantity = name if asked.by == "quantity" else asked.quantity
            curve = Curve(group=asked.group, quantity=quantity, where=where, layers=asked.layers)
            values = [one.value for one in self._curve(curve)]
            if values:
                found[name] = float(np.mean(values))
        if not found:
            return None
        extreme = max if asked.take == "largest" else min
        best = extreme(found, key=found.__getitem__)
        others = (value for name, value in found.items() if name != best)
        close = any(abs(value - found[best]) < asked.margin for value in others)
        return "close" if close else best

    def has(self, asked: Quantity | Extreme) -> bool:
        """Tell whether there is a value of a quantity, or one to choose."""
        if isinstance(asked, Extreme):
            return self.choice(asked) is not None
        return bool(self.of(asked))

    def _fact(self, asked: Fact) -> list[Reading]:
        value = self._known(asked.of, asked.path)
        less = 0 if asked.minus is None else self._known(asked.of, asked.minus)
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

    def _curve(self, asked: Curve) -> list[Reading]:
        found = self._points(asked)
        if asked.over_heads != "mean":
            return self._extreme_head(found, asked.over_heads)
        found = found.where(
            (found["head"] == 0) & ((found["layer"] == ALL) == (asked.layers is None))
        )
        if asked.layers is not None:
            table = self.summary.curves(asked.group, self.experiment)
            found = found.where(at(found["layer"], asked.layers, int(table["layer"].max())))
        drawn = None
        if asked.references is not None:
            counted = self._points(asked.model_copy(update={"quantity": asked.references}))
            drawn = int(counted["mean"][0]) if len(counted) else None
        points = map(_Point, *(found[column].astype(float).tolist() for column in POINT))
        return [self._reading(point, drawn) for point in points if not math.isnan(point.mean)]

    def _extreme_head(self, found: Points, extreme: str) -> list[Reading]:
        heads = found.where((found["head"] > 0) & ~np.isnan(found["mean"]))
        if not len(heads):
            return []
        best = (np.argmax if extreme == "largest" else np.argmin)(heads["mean"])
        return [_reading(_Point(*(float(heads[column][best]) for column in POINT)))]

    def _reading(self, row: _Point, drawn: int | None) -> Reading:
        """Read a point of a curve; a value of p by the reference data sets that were drawn."""
        layer = None if row.layer == ALL else int(row.layer)
        if drawn:
            # p is (1 + those as extreme) / (1 + those drawn).
            extreme = round(row.mean * (drawn + 1)) - 1
            ends = exact_interval(extreme, drawn, confidence=self.summary.confidence)
            low = min(row.mean, ends[0])
            return Reading(row.mean, low, ends[1], drawn, "reference", layer=layer)
        return _reading(row, layer)

    def _heads(self, asked: HeadShare, holds: Range | None) -> list[Reading]:
        if asked.minus is not None:
            change = {"minus": None, "where": asked.where | asked.minus.where}
            sides = [
                self._heads(asked.model_copy(update=update), holds)
                for update in ({"minus": None}, change)
            ]
            return [
                Reading(one.value - other.value, texts=min(one.texts, other.texts))
                for one, other in zip(*sides, strict=False)
            ]
        heads = self._points(asked)
        heads = heads.where((heads["head"] > 0) & ~np.isnan(heads["mean"]))
        if not len(heads):
            return []
        allowed, confidence = asked.within.allowed, self.summary.confidence
        count, possible = _counts(heads, allowed, confidence, tested=asked.tested)
        texts = int(heads["texts"].min())
        if asked.every:
            found = Reading(count / len(heads), texts=texts)
            if possible > count:  # they are all there are, but for what these texts leave open
                found = found._replace(low=found.value, high=possible / len(heads))
            return [found]
        found = _share(count, possible, len(heads), confidence)._replace(texts=texts)
        if asked.resolution is not None and 1 / texts > asked.resolution:
            needed = math.ceil(1 / asked.resolution)
            return [Reading(found.value, sample=texts, at_least=needed, texts=texts)]
        if asked.tested and holds and decide(found, holds, confidence).holds is None:
            found = found._replace(texts_needed=_texts_needed(heads, allowed, holds, confidence))
        return [found]

    def _points(self, asked: Rows) -> Points:
        return self.summary.points(self.experiment, asked, self.variant)


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
        found = _share(*counts, len(heads), confidence)
        if decide(found, holds, confidence).holds is not None:
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
        Of the intervals.
    """
    columns = (np.asarray(heads[column], dtype=float).tolist() for column in INTERVAL)
    own = [
        decide(Reading(mean, low, high, int(texts)), allowed, confidence)
        for mean, low, high, texts in zip(*columns, strict=True)
    ]
    return np.array([one.holds is True for one in correct(own, confidence)])
