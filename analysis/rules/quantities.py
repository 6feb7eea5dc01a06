"""Find the quantities of a rule in the summary of one experiment."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import spearmanr

from analysis.errors import InputError
from analysis.methods.power import exact_interval
from analysis.rules.arithmetic import FUNCTIONS
from analysis.rules.contrasts import ALL, at, chosen_rows, key
from analysis.rules.rule import (
    Arithmetic,
    Bound,
    Case,
    Choice,
    Curve,
    Effect,
    Fact,
    Heads,
    Predicate,
    Quantity,
    Rule,
    Where,
    number,
    published,
)
from analysis.rules.verdicts import Range, Reading, contains, correct, decide

NAMES = ("experiment", "variant", "by", "of", "kind", "measure", "minus")
# Of an effect that was published, what is to be there at least, where a rule gives no other share:
# another model on other data need not show all of it, but less would be another finding.
SHARE = 0.25


class Found(NamedTuple):
    """What was read, and of which layer where a case has several."""

    reading: Reading
    layer: int | None = None


class Summary:
    """The summary of all experiments, each file read once."""

    def __init__(self, directory: Path, confidence: float) -> None:
        self.confidence = confidence
        self._directory = directory
        self._groups: dict[str, pd.DataFrame] = {}
        self._facts = self._json("summary", "model", "facts.json")
        self._readings = self._json("summary", "rules", "readings.json")

    def _json(self, *parts: str) -> Any:
        return json.loads(self._directory.joinpath(*parts).read_text(encoding="utf-8"))

    def curves(self, group: str, experiment: str) -> pd.DataFrame:
        """Rows of a group of measures that are of an experiment and no contrasts."""
        if group not in self._groups:
            table = pd.read_parquet(self._directory / "summary" / group / "curves.parquet")
            self._groups[group] = table.astype(dict.fromkeys(NAMES, str))
        return chosen_rows(self._groups[group], {"experiment": experiment, "minus": ""})

    def facts(self, of: str, experiment: str | None) -> Any:
        """Return what is known of an experiment, or what belongs to none."""
        return self._facts[experiment] if of == "model" else self._json(of, f"{of}.json")

    def reading(self, experiment: str, asked: str, variant: str | None) -> Reading | None:
        """Return what became of a quantity that was asked of texts."""
        numbers = self._readings[experiment].get(asked, {}).get(variant or "both")
        return Reading(*numbers) if numbers else None


class Evidence:
    """The summary of one experiment and model state.

    Parameters
    ----------
    summary, experiment
        Of all, and the experiment; None for what belongs to none.
    variant
        ``pretrained`` or ``finetuned``, which rows must have; None for results that do not tell the
        two apart.
    rule
        That asks: its published values, and its name in messages.
    """

    def __init__(
        self, summary: Summary, experiment: str | None, variant: str | None, rule: Rule
    ) -> None:
        self._summary, self._rule = summary, rule
        self.experiment, self.variant = experiment, variant

    def of(self, asked: Quantity) -> list[Found]:
        """Read a quantity; nothing where nothing was measured.

        Raises
        ------
        InputError
            If there is no fact of the name that is given.
        """
        if isinstance(asked, Case) and asked.when is not None:
            condition = self.of(asked.when)
            value = condition[0].reading.value if condition else None
            allowed = range_of(asked.when.holds, self._rule)
            if value is None or not contains(allowed, value, value):
                return []
        if asked.arithmetic is not None:
            return [Found(Reading(computed(asked.arithmetic, self._rule)))]
        if asked.fact is not None:
            return self._fact(asked.fact)
        assert self.experiment is not None  # all else was measured of one
        if asked.texts is not None:
            reading = self._summary.reading(self.experiment, key(asked.texts), self.variant)
            return [] if reading is None else [Found(reading)]
        if asked.curve is not None:
            return self._curve(asked.curve)
        assert asked.heads is not None  # the schema has checked that one is given
        return self._heads(asked.heads)

    def choice(self, asked: Choice) -> str | None:
        """Name the highest, or lowest, of several curves; None where there is none."""
        found = {}
        for name in asked.among:
            where: Where = asked.where if asked.by == "measure" else {**asked.where, asked.by: name}
            measure = name if asked.by == "measure" else asked.measure
            curve = Curve(group=asked.group, measure=measure, where=where, layers=asked.layers)
            values = [one.reading.value for one in self._curve(curve)]
            if values:
                found[name] = float(np.mean(np.array(values, float)))
        extreme = max if asked.take == "largest" else min
        return extreme(found, key=found.__getitem__) if found else None

    def _fact(self, asked: Fact) -> list[Found]:
        paths = [asked.path] if asked.minus is None else [asked.path, asked.minus]
        values = [self._known(asked.of, path) for path in paths]
        known = [value for value in values if value is not None]
        if len(known) < len(paths):
            return []
        return [Found(Reading(known[0] - sum(known[1:])))]

    def _known(self, of: str, path: str) -> float | None:
        """Read a number by its path; None where nothing was measured."""
        where = f"report/rules.yaml: rule {self._rule.id}"
        value = self._summary.facts(of, self.experiment)
        for step in path.split("."):
            if value is None:
                break
            if not isinstance(value, dict) or step not in value:
                held = ", ".join(value) if isinstance(value, dict) else ""
                raise InputError(
                    f"{where} reads {path} of {self.experiment or of}, which has "
                    f"{held or 'no names'} in the place of {step}; correct the path."
                )
            value = value[step]
        if value is not None and not isinstance(value, int | float):
            raise InputError(
                f"{where}: {path} is not a number of {self.experiment or of}; name one within it."
            )
        return None if value is None else float(value)

    def _curve(self, asked: Curve) -> list[Found]:
        rows = self._rows(asked.group, asked.measure, asked.where)
        rows = rows[rows["head"] == 0]
        if asked.layers is None:
            rows = rows[rows["layer"] == ALL]
        else:
            table = self._summary.curves(asked.group, self.experiment or "")
            rows = at(rows[rows["layer"] != ALL], asked.layers, int(table["layer"].max()))
        drawn = None
        if asked.references is not None:
            counted = self._rows(asked.group, asked.references, asked.where)
            drawn = int(counted["mean"].iloc[0]) if len(counted) else None
        return [
            Found(
                self._reading(row, drawn),
                None if asked.layers is None else int(row.layer),
            )
            for row in rows.itertuples()
            if not math.isnan(row.mean)
        ]

    def _reading(self, row: Any, drawn: int | None) -> Reading:
        """Without an interval where the value is of all texts together."""
        if drawn:
            # p is (1 + those as extreme) / (1 + those drawn).
            extreme = round(row.mean * (drawn + 1)) - 1
            ends = exact_interval(extreme, drawn, confidence=self._summary.confidence)
            return Reading(row.mean, min(row.mean, ends[0]), ends[1], drawn, "reference")
        if not row.texts:
            return Reading(row.mean)
        return Reading(row.mean, row.low, row.high, int(row.texts))

    def _heads(self, asked: Heads) -> list[Found]:
        rows = self._rows(asked.group, asked.measure, asked.where)
        rows = rows[rows["head"] > 0].dropna(subset="mean")
        if rows.empty:
            return []
        allowed, confidence = range_of(asked.within, self._rule), self._summary.confidence
        heads = len(rows)
        if asked.tested:
            count = int(stand_out(rows, allowed, confidence).sum())
            # A head that is not shown to be there is not thereby shown to be elsewhere.
            possible = heads - int(stand_out(rows, allowed.complement, confidence).sum())
        else:
            count = sum(bool(contains(allowed, mean, mean)) for mean in rows["mean"])
            possible = count
        share = float(count / heads)
        if asked.every:
            return [Found(Reading(share))]
        if asked.resolution is not None:
            texts, finest = int(rows["texts"].min()), number(asked.resolution, self._rule)
            if 1 / texts > finest:
                return [Found(Reading(share, sample=texts, at_least=math.ceil(1 / finest)))]
        low, _ = exact_interval(count, heads, confidence=confidence)
        _, high = exact_interval(possible, heads, confidence=confidence)
        return [Found(Reading(share, low, high, heads, "head"))]

    def _rows(self, group: str, measure: str, where: Where) -> pd.DataFrame:
        table = self._summary.curves(group, self.experiment or "")
        if len(table) and measure not in set(table["measure"]):
            return table[:0]  # not of this experiment
        of_variant = {} if self.variant is None else {"variant": self.variant}
        selection: dict[Any, str | list[str]] = {"measure": measure, **of_variant, **where}
        return chosen_rows(table, selection)


def stand_out(heads: pd.DataFrame, allowed: Range, confidence: float) -> NDArray[np.bool_]:
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
    own = [
        decide(Reading(row.mean, row.low, row.high, int(row.texts)), allowed, confidence)
        for row in heads.itertuples(index=False)
    ]
    return np.array([one.holds is True for one in correct(own, confidence)])


def computed(asked: Arithmetic, rule: Rule) -> float:
    """Compute what a rule of arithmetic asks for."""
    given = {
        name: [number(one, rule) for one in value]
        if isinstance(value, list)
        else number(value, rule)
        for name, value in asked.given.items()
    }
    return float(FUNCTIONS[asked.function](**given))


def range_of(predicate: Predicate, rule: Rule) -> Range:
    """Put numbers in the place of what a predicate names."""
    effect = None if predicate.effect is None else effect_size(predicate.effect, rule)
    if predicate.near is not None and predicate.within is not None:
        middle, around = number(predicate.near, rule), number(predicate.within, rule)
        return Range(middle - around, middle + around, effect=middle)
    share = SHARE if predicate.share is None else predicate.share
    if predicate.differs_from is not None:
        assert effect is not None  # the schema has checked that it is given
        other = number(predicate.differs_from, rule)
        around = share * abs(effect)
        return Range(other - around, other + around, inside=False, effect=other + effect)
    low = -math.inf if predicate.above is None else number(predicate.above, rule)
    high = math.inf if predicate.below is None else number(predicate.below, rule)
    if predicate.above is predicate.below is None and effect is not None:
        low, high = (share * effect, high) if effect > 0 else (low, share * effect)
    if math.isfinite(low) and math.isfinite(high):
        effect = (low + high) / 2
    return Range(low, high, effect=effect)


def effect_size(effect: Bound | Effect, rule: Rule) -> float:
    """Compute an effect from published values."""
    if not isinstance(effect, Effect):
        return number(effect, rule)
    if effect.trend is not None:
        values = published(effect.trend, rule)
        return float(spearmanr(range(len(values)), values).statistic)
    mean, minus = (
        float(np.mean([number(one, rule) for one in names])) if names else 0.0
        for names in (effect.mean, effect.minus)
    )
    return (mean - minus) / (1 if effect.by is None else number(effect.by, rule))


def files(rule: Rule) -> list[str]:
    """List the groups of the summary that a rule reads."""
    read = []
    for case in rule.cases:
        groups = [part.group for part in (case.texts, case.curve, case.heads) if part is not None]
        read += [f"results/summary/{group}" for group in groups]
        read += ["results/summary/model"] if case.fact else []
    return list(dict.fromkeys(read))
