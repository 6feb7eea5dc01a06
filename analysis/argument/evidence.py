"""Where the paper reads its numbers: kept runs, and this run in the place of its experiments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.parameters import load
from analysis.parameters.derived import cases
from analysis.paths import (
    CIRCUITS,
    GROUP_OF,
    KEPT_CIRCUITS,
    KEPT_CIRCUITS_NOTE,
    QUICK,
    REFERENCE,
    REPORT,
    RULES,
    SINKS,
    SUMMARY,
    result,
)
from analysis.results.sinks import SinkResult, sink_results
from analysis.results.summary import NAMES
from analysis.rules.rule import read as read_rules
from analysis.runs.parameters import RunParameters
from attention_mixing.artifacts import read_artifact
from attention_mixing.circuits.estimands import by_estimand
from attention_mixing.circuits.labels import BASELINES

MEANS = "means.parquet"  # of the results on circuits
# Parameters by which numbers are measured; one that differs changes those of all experiments.
MEASURED_BY = ("propagation", "dependence", "faithfulness", "geometry", "bootstrap")


class Evidence:
    """All kept runs.

    Attributes
    ----------
    own
        The experiments, as RUN/EXPERIMENT, that are read of this run instead; none of what is kept.
    """

    own: frozenset[str] = frozenset()
    claims_file = f"{REFERENCE / QUICK}/verdicts.json"

    def row(self, case: str, *, layer: int | str, **named: str) -> tuple[pd.Series, str]:
        """Choose the row of a curve of RUN/EXPERIMENT, and name the file that it is of.

        Raises
        ------
        KeyError
            If the run has no such row.
        """
        table, file = self._summary_of(case, named["measure"])
        rows = _named(table, layer, named)
        experiment = case.partition("/")[2]
        if experiment not in rows.index:
            raise KeyError(f"row of {case}, layer {layer}, {named}")
        return rows.loc[experiment], file

    def fact(self, case: str, path: str) -> tuple[Any, str]:
        """Read what is known of an experiment, by the keys of a path, such as evaluate.accuracy.

        Of what has keys itself, such as seeds, it is how many there are.
        """
        facts, file = self._facts_of(case)
        found = facts[case.partition("/")[2]]
        for key in path.split("."):
            found = found[key]
        return (len(found) if isinstance(found, Mapping) else found), file

    def of_arm(self, run: str, corpus: str, reading: str) -> tuple[pd.Series, str]:
        """Read the effects of an arm (:meth:`analysis.results.sinks.SinkResult.of_readings`)."""
        one = self._sinks(run, corpus)
        row = one.of_readings().loc[reading]
        return pd.concat([row, pd.Series({"seeds": one.seeds})]), _sinks_file(run)

    def of_level(self, *, run: str, corpus: str, reading: str, quantity: str) -> tuple[float, str]:
        """Read what a quantity is in an arm (:meth:`analysis.results.sinks.SinkResult.level`)."""
        return self._sinks(run, corpus).level(reading, quantity), _sinks_file(run, "levels")

    def of_dose(self, run: str, corpus: str, bias: float) -> tuple[pd.Series, str]:
        """Read the effect of a bias on the scores of special tokens, of pretrained weights."""
        rows = self._sinks(run, corpus).effects
        asked = {"weights": "pretrained", "what": "biased", "keys": "special", "bias": bias}
        for column, value in asked.items():
            rows = rows[rows[column] == value]
        if len(rows) != 1:
            raise KeyError(f"one dose, but {len(rows)} of {corpus} and {bias}")
        return rows.iloc[0], _sinks_file(run)

    def of_keys(self, *, run: str, corpus: str, keys: str) -> tuple[float, str]:
        """Read how far free fine-tuning moves the share of keys that are held.

        Mean over seeds, texts, heads and rows, in size.
        """
        file = _sinks_file(run, "keys")
        rows = read_artifact(Path(file))
        moves = rows[(rows["corpus"] == corpus) & (rows["keys"] == keys)]["move"]
        if moves.empty:
            raise KeyError(f"keys {keys} of the run {run}")
        return float(moves.mean()), file

    def of_circuits(
        self, *, through: str, estimand: str, measure: str, column: str
    ) -> tuple[float, str]:
        """Read a number of a measure on the circuits."""
        path = self._circuits
        means = read_artifact(path)
        rows = by_estimand(means[means["through"] == through], [measure])
        return float(rows.set_index("estimand").loc[estimand, column]), path.as_posix()

    def at_stake(self) -> dict[str, str]:
        """Read what became of the claims with something at stake, by id."""
        claims = [(rule.id, rule.claim) for rule in read_rules(REPORT / "rules.yaml") if rule.claim]
        at_stake = {name for name, claim in claims if claim.kind == "measured" and claim.stake}
        return {name: one for name, one in self._verdicts.items() if name in at_stake}

    def outcomes(self) -> dict[str, str]:
        """Read what became of every claim, and of the question about sinks in every corpus."""
        return self._verdicts | {one.corpus: one.record["outcome"] for one in self._arms}

    def _summary_of(self, case: str, measure: str) -> tuple[pd.DataFrame, str]:
        path = REFERENCE / case.partition("/")[0] / "summary.parquet"
        return _curves(path), path.as_posix()

    def _facts_of(self, case: str) -> tuple[Mapping[str, Any], str]:
        path = REFERENCE / case.partition("/")[0] / "facts.json"
        return read_artifact(path), path.as_posix()

    def _sinks(self, run: str, corpus: str) -> SinkResult:
        found = [one for one in self._arms if (one.run, one.corpus) == (run, corpus)]
        if not found:
            raise KeyError(f"corpus {corpus} of the run {run}")
        return found[0]

    @cached_property
    def _arms(self) -> list[SinkResult]:
        return [one for one in sink_results() if one.run is not None]

    @property
    def _verdicts(self) -> dict[str, str]:
        return read_artifact(Path(self.claims_file))

    @property
    def _circuits(self) -> Path:
        return KEPT_CIRCUITS / MEANS


class OwnEvidence(Evidence):
    """Kept runs, and of the run of the committed parameters what this run has made itself."""

    def __init__(self, params: RunParameters) -> None:
        kept = load(REFERENCE / QUICK / "params.yaml")
        alike = all(getattr(params, one) == getattr(kept, one) for one in MEASURED_BY)
        own, theirs = params.experiments, cases(kept.experiments)
        same = {name for name, experiment in own.items() if theirs.get(name) == experiment}
        self.own = frozenset(f"{QUICK}/{name}" for name in same) if alike else frozenset()
        self.whole = alike and own == theirs
        if self.whole:
            self.claims_file = f"{RULES}/claims.json"

    def _summary_of(self, case: str, measure: str) -> tuple[pd.DataFrame, str]:
        if case not in self.own:
            return super()._summary_of(case, measure)
        return _curves_here(measure), SUMMARY.as_posix()

    def _facts_of(self, case: str) -> tuple[Mapping[str, Any], str]:
        if case not in self.own:
            return super()._facts_of(case)
        path = SUMMARY / "model" / "facts.json"
        return read_artifact(path), path.as_posix()

    @property
    def _verdicts(self) -> dict[str, str]:
        # With other experiments, claims are of other models.
        if not self.whole:
            return super()._verdicts
        record = read_artifact(result(RULES.name, "claims.json"), list[dict[str, Any]])
        return {claim["id"]: claim["outcome"] for claim in record}

    @property
    def _circuits(self) -> Path:
        return _circuits_here()


def rows_here(*, layer: int | str, **named: str) -> dict[str, pd.Series]:
    """Choose the rows of a curve of all experiments of this run that have it, by name."""
    rows = _named(_curves_here(named["measure"]), layer, named)
    return {str(experiment): row for experiment, row in rows.iterrows()}


def _named(table: pd.DataFrame, layer: int | str, named: Mapping[str, str]) -> pd.DataFrame:
    """Choose the rows of a curve at a layer, one an experiment, by its name."""
    rows = table[(table[[*named]] == pd.Series(named)).all(axis="columns")]
    of_last = rows.groupby("experiment")["layer"].transform("max")
    rows = rows[rows["layer"] == (of_last if layer == "last" else layer)]
    if rows["experiment"].duplicated().any():
        raise KeyError(f"one row an experiment, but several, of {dict(named)}")
    return rows.set_index("experiment")


def circuit_scores(measures: Sequence[str]) -> pd.DataFrame:
    """Count what measures of the model, and then the baselines, find on circuits.

    Of this run, where it has scored them; as
    :func:`attention_mixing.circuits.estimands.by_estimand` has it.
    """
    means = read_artifact(_circuits_here())
    return by_estimand(means[means["through"] == "model"], [*measures, *BASELINES])


def _circuits_here() -> Path:
    own = CIRCUITS.is_dir() and not (CIRCUITS / KEPT_CIRCUITS_NOTE).is_file()
    return (CIRCUITS if own else KEPT_CIRCUITS) / MEANS


@cache
def _curves(path: Path) -> pd.DataFrame:
    """Read the rows of a table that are of no rule and of all heads together."""
    rows = read_artifact(path).astype(dict.fromkeys(NAMES, str))
    return rows[(rows["reading"] == "") & (rows["head"] == 0)]


def _curves_here(measure: str) -> pd.DataFrame:
    group = read_artifact(result(SUMMARY.name, GROUP_OF), dict[str, str])[measure]
    return _curves(result(SUMMARY.name, group, "curves.parquet"))


def _sinks_file(run: str, table: str = "effects") -> str:
    return (REFERENCE / run / SINKS.name / f"{table}.parquet").as_posix()
