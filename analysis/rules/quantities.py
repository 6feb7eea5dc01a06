"""Find the quantities of a rule in the summary of one experiment."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from analysis.rules.rule import Case, Curve, Extreme, Fact, HeadShare, Quantity
from analysis.rules.selection import Rows, at
from analysis.rules.shares import count_within, share_of, texts_needed
from analysis.rules.summary import POINT, Points, Summary, reading_of
from analysis.rules.verdicts import Range, Reading, contains, decide
from analysis.runs.kept import run_of
from attention_mixing.addresses import ALL
from attention_mixing.errors import InputError
from attention_mixing.methods.power import exact_interval

# What of a quantity its reading depends on: the share of heads on the bound too, for the texts that
# would decide it.
READ = {*Quantity.model_fields, "holds"}


class _Point(NamedTuple):
    """A point of a curve: :data:`POINT`."""

    layer: float
    head: float
    mean: float
    low: float
    high: float
    texts: float


@dataclass(frozen=True)
class QuantityReader:
    """Read quantities off the summary of one experiment and model state.

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
        return self.summary.once(where, lambda: self._read(quantity))

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

    def stale(self, quantity: Quantity) -> list[str]:
        """Name the measures that it was read of in a reference run and that are others today."""
        parts = [
            rows for rows in (quantity.texts, quantity.curve, quantity.heads) if rows is not None
        ]
        if self.experiment is None or run_of(self.experiment) is None:
            return []
        read = dict.fromkeys(rows.measure for rows in parts)
        return [measure for measure in read if self.summary.stale(self.experiment, measure)]

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
                measure=extreme.measure, quantity=quantity, where=where, layers=extreme.layers
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
            table = self.summary.curves(curve.measure, self.experiment)
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
        return [reading_of(_Point(*(float(heads[column][best]) for column in POINT)))]

    def _reading(self, row: _Point, references: int | None) -> Reading:
        """Read a point of a curve; a value of p by the reference data sets that were drawn."""
        layer = None if row.layer == ALL else int(row.layer)
        if references:
            # p is (1 + those as extreme) / (1 + those drawn).
            extreme = round(row.mean * (references + 1)) - 1
            ends = exact_interval(extreme, references, confidence=self.summary.confidence)
            low = min(row.mean, ends[0])
            return Reading(row.mean, low, ends[1], references, "reference", layer=layer)
        return reading_of(row, layer)

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
        count, possible = count_within(heads, allowed, confidence, tested=share.tested)
        texts = int(heads["texts"].min())
        if share.every:
            reading = Reading(count / len(heads), texts=texts)
            if possible > count:  # they are all there are, but for what these texts leave open
                reading = reading._replace(low=reading.value, high=possible / len(heads))
            return [reading]
        reading = share_of(count, possible, len(heads), confidence)._replace(texts=texts)
        if share.resolution is not None and 1 / texts > share.resolution:
            needed = math.ceil(1 / share.resolution)
            return [Reading(reading.value, sample=texts, at_least=needed, texts=texts)]
        if share.tested and holds and decide(reading, holds, confidence).holds is None:
            reading = reading._replace(texts_needed=texts_needed(heads, allowed, holds, confidence))
        return [reading]

    def _points(self, rows: Rows) -> Points:
        return self.summary.points(self.experiment, rows, self.variant)
