"""Find the quantity of a case in the summary of one experiment."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from analysis.claims.arithmetic import FUNCTIONS
from analysis.claims.contrasts import ALL, at, chosen_rows, key
from analysis.claims.ledger import (
    Arithmetic,
    Case,
    Claim,
    Column,
    Curve,
    Fact,
    Heads,
    Rule,
    number,
)
from analysis.claims.verdicts import Range, Reading, holds
from analysis.errors import InputError

NAMES = ("experiment", "variant", "by", "of", "kind", "measure", "minus")


class Found(NamedTuple):
    """What was read, and of which layer where a case has several."""

    reading: Reading
    layer: int | None = None


class Summary:
    """The summary of all experiments, each file read once."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._groups: dict[str, pd.DataFrame] = {}
        self._facts = self._json("model", "facts.json")
        self._readings = self._json("claims", "readings.json")

    def _json(self, *parts: str) -> Any:
        return json.loads(self._directory.joinpath(*parts).read_text(encoding="utf-8"))

    def curves(self, group: str, experiment: str) -> pd.DataFrame:
        """Rows of a group of measures that are of an experiment and no contrasts."""
        if group not in self._groups:
            table = pd.read_parquet(self._directory / group / "curves.parquet")
            self._groups[group] = table.astype(dict.fromkeys(NAMES, str))
        return chosen_rows(self._groups[group], {"experiment": experiment, "minus": ""})

    def fact(self, experiment: str) -> Any:
        """Return what is known of an experiment."""
        return self._facts[experiment]

    def reading(self, experiment: str, asked: str, variant: str | None) -> Reading | None:
        """Return what became of a quantity that was asked of texts."""
        found = self._readings[experiment].get(asked, {}).get(variant or "both")
        return Reading(*found) if found else None


class Evidence:
    """The summary of one experiment and variant.

    Parameters
    ----------
    summary, name
        Of all, and the experiment.
    variant
        ``pretrained`` or ``finetuned``, which rows must have; None for results that do not tell the
        two apart.
    claim
        Who asks: its published values, and its name in messages.
    """

    def __init__(self, summary: Summary, name: str, variant: str | None, claim: Claim) -> None:
        self._summary, self._name = summary, name
        self._variant, self._claim = variant, claim

    def of(self, case: Case) -> list[Found]:
        """Read what a case asks for; nothing where nothing was measured.

        Raises
        ------
        InputError
            If there is no fact of the name that the case gives.
        """
        if case.when is not None:
            asked = self._curve(case.when.curve)
            if not asked or not _contains(
                asked[0].reading.value, allowed(case.when.rule, self._claim)
            ):
                return []
        if case.texts is not None:
            found = self._summary.reading(self._name, key(case.texts), self._variant)
            return [] if found is None else [Found(found)]
        if case.fact is not None:
            return self._fact(case.fact)
        if case.curve is not None:
            return self._curve(case.curve)
        assert case.heads is not None  # the ledger has checked that one is given
        return self._heads(case.heads)

    def _fact(self, asked: Fact) -> list[Found]:
        value = self._summary.fact(self._name)
        for step in asked.path.split("."):
            if value is None:
                break
            if not isinstance(value, dict) or step not in value:
                held = ", ".join(value) if isinstance(value, dict) else ""
                raise InputError(
                    f"report/claims.yaml: claim {self._claim.id} reads {asked.path} of "
                    f"{self._name}, which has {held or 'no names'} in the place of {step}; correct "
                    "the path."
                )
            value = value[step]
        if value is None:  # nothing was measured
            return []
        if not isinstance(value, int | float):
            raise InputError(
                f"report/claims.yaml: claim {self._claim.id}: {asked.path} is not a number of "
                f"{self._name}; name one within it."
            )
        return [Found(Reading(float(value)))]

    def _curve(self, asked: Curve) -> list[Found]:
        rows = self._rows(asked.group, asked.measure, asked.where)
        rows = rows[rows["head"] == 0]
        if asked.layers is None:
            rows = rows[rows["layer"] == ALL]
        else:
            table = self._summary.curves(asked.group, self._name)
            rows = at(rows[rows["layer"] != ALL], asked.layers, int(table["layer"].max()))
        return [
            Found(
                _reading(row.mean, row.low, row.high, row.texts),
                None if asked.layers is None else int(row.layer),
            )
            for row in rows.itertuples()
            if not math.isnan(row.mean)
        ]

    def _heads(self, asked: Heads) -> list[Found]:
        rows = self._rows(asked.group, asked.measure, asked.where)
        values = rows.loc[rows["head"] > 0, asked.column].dropna()
        if values.empty:
            return []
        ranges = allowed(asked.within, self._claim)
        return [Found(Reading(float(np.mean([_contains(v, ranges) for v in values]))))]

    def _rows(self, group: str, measure: str, where: dict[Column, str]) -> pd.DataFrame:
        table = self._summary.curves(group, self._name)
        if len(table) and measure not in set(table["measure"]):
            return table[:0]  # not of this experiment
        own = {"variant": self._variant} if self._variant is not None else {}
        return chosen_rows(table, {"measure": measure} | own | where)


def _reading(mean: float, low: float, high: float, texts: int) -> Reading:
    """Without an interval where the value is of all texts together."""
    return Reading(mean, low, high, int(texts)) if texts else Reading(mean)


def computed(asked: Arithmetic, claim: Claim) -> Found:
    """Compute what a claim of arithmetic asks for."""
    given = {
        name: [number(one, claim) for one in value]
        if isinstance(value, list)
        else number(value, claim)
        for name, value in asked.given.items()
    }
    return Found(Reading(float(FUNCTIONS[asked.function](**given))))


def allowed(rule: Rule, claim: Claim) -> Range:
    """Put numbers in the place of what a rule names."""
    if rule.near is not None and rule.within is not None:
        middle, around = number(rule.near, claim), number(rule.within, claim)
        return Range(middle - around, middle + around)
    if rule.differs_from is not None:
        other = number(rule.differs_from, claim)
        return Range(other, other, inside=False)
    low = -math.inf if rule.above is None else number(rule.above, claim)
    high = math.inf if rule.below is None else number(rule.below, claim)
    return Range(low, high)


def files(claim: Claim) -> list[str]:
    """List the groups of the summary that a claim reads."""
    found = []
    for case in claim.test.cases if claim.test else ():
        groups = [part.group for part in (case.texts, case.curve, case.heads) if part is not None]
        found += [f"results/summary/{group}" for group in groups]
        found += ["results/summary/model"] if case.fact else []
    return list(dict.fromkeys(found))


def _contains(value: Any, ranges: Range) -> bool:
    return bool(holds(Reading(value), ranges))
