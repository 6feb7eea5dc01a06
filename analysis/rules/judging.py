"""Rules against the results of every experiment: what the pages say and the ledger shows."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from analysis.params import Experiment
from analysis.rules import conditions
from analysis.rules.quantities import Evidence, Found, Summary, files, range_of
from analysis.rules.rule import Case, Number, Over, Quantity, Rule
from analysis.rules.verdicts import (
    CONSISTENT,
    REPRODUCED,
    Decision,
    Range,
    correct,
    decide,
    outcome,
)

Experiments = Mapping[str, Experiment]


class _Asked(NamedTuple):
    """One case of one experiment and variant, both None for arithmetic, and what it decides."""

    case: Case
    experiment: str | None
    variant: str | None
    found: Found
    allowed: Range | None
    decision: Decision


def judge(
    rules: Sequence[Rule], experiments: Experiments, summary: Summary
) -> list[dict[str, Any]]:
    """Compute the cases of all rules and what becomes of them.

    All cases that rest on an interval are one family of tests
    (:func:`analysis.rules.verdicts.correct`). Where experiments have the conditions of a
    publication, they alone decide its claim; the others are shown beside.

    Returns
    -------
    list of dict
        A rule each, as ``results/rules`` holds them; no words.
    """
    asked = {rule.id: list(_ask(rule, experiments, summary)) for rule in rules}
    flat = [one for each in asked.values() for one in each]
    corrected = iter(correct([one.decision for one in flat], summary.confidence))
    asked = {
        name: [one._replace(decision=next(corrected)) for one in each]
        for name, each in asked.items()
    }
    judged = {rule.id: _judged(rule, asked[rule.id], experiments, summary) for rule in rules}
    for rule in rules:
        if rule.like is not None:
            one, other = judged[rule.id], judged[rule.like]
            one |= {"outcome": other["outcome"], "form": other["form"]}
            one |= {"parts": other["parts"] | one["parts"], "cases": other["cases"] + one["cases"]}
    return list(judged.values())


def _judged(
    rule: Rule, asked: Sequence[_Asked], experiments: Experiments, summary: Summary
) -> dict[str, Any]:
    fit = [
        one.experiment is None or conditions.same(rule, experiments[one.experiment])
        for one in asked
    ]
    same = any(fit)
    cases = [_row(one, fits=fits or not same) for one, fits in zip(asked, fit, strict=True)]
    parts: dict[str | None, list[bool | None]] = {case.name: [] for case in rule.cases}
    for row in cases:
        if row["decides"]:
            parts[row["case"]].append(row["holds"])
    found = outcome(parts.values())
    judged = {
        "id": rule.id,
        "chapter": rule.chapter,
        "outcome": found,
        "parts": {name: outcome([holds]) for name, holds in parts.items() if name is not None},
        "cases": cases,
        "form": rule.form,
        "numbers": {
            name: _shown(rule, one, experiments, summary) for name, one in rule.numbers.items()
        },
        "choices": _choices(rule, experiments, summary),
    }
    if rule.claim is not None:
        other = () if same else [one.experiment for one in asked if one.experiment is not None]
        judged["claim"] = rule.claim.model_dump() | {
            "files": files(rule),
            "verdict": (REPRODUCED if same else CONSISTENT).get(found, found),
            "differs": conditions.differs(rule, other, experiments),
        }
    return judged


def _ask(rule: Rule, experiments: Experiments, summary: Summary) -> Iterator[_Asked]:
    for case in rule.cases:
        allowed = None if case.holds is None else range_of(case.holds, rule)
        for evidence in _states(rule, case, case.over or rule.over, experiments, summary):
            for found in evidence.of(case):
                decision = Decision(None)
                if allowed is not None:
                    decision = decide(found.reading, allowed, summary.confidence)
                yield _Asked(case, evidence.experiment, evidence.variant, found, allowed, decision)


def _states(
    rule: Rule,
    asked: Quantity | None,
    over: Over,
    experiments: Experiments,
    summary: Summary,
    variants: Sequence[str] | None = None,
) -> Iterator[Evidence]:
    """Experiments and model states that a quantity is asked of; none and None for arithmetic."""
    if asked is not None and (asked.arithmetic or (asked.fact and asked.fact.of != "model")):
        yield Evidence(summary, None, None, rule)
        return
    for name, one in experiments.items():
        if not conditions.covers(over, one):
            continue
        for variant in variants or rule.variants:
            if variant == "finetuned" and one.train is None:
                continue
            yield Evidence(summary, name, None if variant == "both" else variant, rule)


def _row(asked: _Asked, *, fits: bool) -> dict[str, Any]:
    allowed, decision = asked.allowed, asked.decision
    return {
        "experiment": asked.experiment,
        "variant": asked.variant,
        "case": asked.case.name,
        "layer": asked.found.layer,
        **asked.found.reading._asdict(),
        "decides": allowed is not None and fits,  # the others are shown beside
        "allowed": None if allowed is None else _finite(allowed),
        **decision._asdict(),
    }


def _finite(allowed: Range) -> dict[str, Any]:
    """As JSON takes it: an infinite end is none."""
    ends = {"low": allowed.low, "high": allowed.high}
    return {
        **{name: None if abs(end) == float("inf") else end for name, end in ends.items()},
        "inside": allowed.inside,
        "effect": allowed.effect,
    }


def _shown(
    rule: Rule, asked: Number, experiments: Experiments, summary: Summary
) -> dict[str, Any] | None:
    """Find a typical value over experiments and model states, and the ends of its range."""
    over = asked.over or rule.over
    values = [
        found.reading.value
        for evidence in _states(rule, asked, over, experiments, summary, asked.variants)
        for found in evidence.of(asked)
        if found.reading.value is not None
    ]
    if not values:
        return None
    ends = {"low": min(values), "high": max(values), "count": len(values)}
    return {"typical": statistics.median(values), **ends, "form": asked.form}


def _choices(rule: Rule, experiments: Experiments, summary: Summary) -> dict[str, str]:
    """Name what is highest or lowest everywhere; ``depends`` where that differs."""
    chosen = {}
    for name, asked in rule.choices.items():
        states = _states(rule, None, rule.over, experiments, summary, asked.variants)
        best = {choice for evidence in states if (choice := evidence.choice(asked)) is not None}
        chosen[name] = best.pop() if len(best) == 1 else "depends" if best else "none"
    return chosen
