"""Rules against the results of every experiment: what the pages say and the ledger shows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from analysis.parameters.derived import is_joint
from analysis.rules import conditions
from analysis.rules.asking import AskedCase, Experiments, ask, choices, shown, untested
from analysis.rules.rule import Rule
from analysis.rules.summary import Summary
from analysis.rules.verdicts import Decision, Range, case_outcome, correct, decide, together
from analysis.runs.kept import run_of
from attention_mixing.settings.derived import model_states

Weights = tuple[str, ...]
# In which other ways claims are judged: margins of half and of double the size.
STRICTNESS = {"lax": 0.5, "strict": 2.0}


def judge(
    rules: Sequence[Rule],
    experiments: Experiments,
    summary: Summary,
    kept: Experiments = MappingProxyType({}),
) -> list[dict[str, Any]]:
    """Compute the cases of all rules and what becomes of them.

    All cases that rest on an interval are one family of tests
    (:func:`analysis.rules.verdicts.correct`). Where experiments have the conditions of a
    publication, they alone decide its claim; the others are shown beside. Claims are asked of this
    run and of reference runs; where both have the same model and data, the one with more texts
    decides, and at equal numbers this run. ``this_run`` is the outcome of a claim without the
    reference runs, ``otherwise`` what it is by other margins, units and tokens, and ``untested``
    says why the experiments of this run do not test a rule
    (:data:`analysis.rules.verdicts.UNTESTED`); None where they do. A finding that is like a claim
    has that outcome, with the numbers of this run, and under ``like`` the claim with its outcome
    over all runs; one of ``all_runs`` is asked as claims are, with the numbers of the run that has
    most texts. ``experiments`` names those that a finding was measured in, and ``run``
    counts those of the run and their model states. ``measured`` are the rows that its cases read
    (:attr:`analysis.rules.rule.Rule.measured`), and ``methods`` those that a rule reads
    (:attr:`analysis.rules.rule.Rule.methods`), and of a finding also those of the claim it is like,
    each with the ``group`` of its measure.

    The unit of evidence is the model, weights of one training: ``models`` names them, with what
    becomes of the rule in each of its ``parts`` and altogether. Cases of one model and part, such
    as its layers and texts, are put together first, then the parts of each model, then the models
    (:func:`analysis.rules.verdicts.together`). ``tally`` counts the cases that decide, and those
    that hold, of each part and of all as ``outcome``.

    ``kept`` are experiments of reference runs (:func:`analysis.runs.kept.kept_experiment`),
    and ``summary`` has the results of these and of this run. Gives a rule each, as
    ``results/rules`` holds them; no words.
    """
    everything = {**experiments, **kept}
    by_id = {rule.id: rule for rule in rules}
    of = {rule.id: everything if rule.claim or rule.all_runs else experiments for rule in rules}
    asked_cases = {rule.id: list(ask(rule, of[rule.id], summary)) for rule in rules}
    decided = _decided(asked_cases, summary.confidence)
    judged = {}
    for rule in rules:
        told_of = _heaviest(everything, summary) if rule.all_runs else experiments
        judged[rule.id] = _judged(rule, decided[rule.id], everything) | {
            "numbers": {
                n: shown(rule, number, told_of, summary) for n, number in rule.numbers.items()
            },
            "choices": choices(rule, told_of, summary),
            "measured": [
                {"group": summary.group_of(rows.measure), **rows.model_dump()}
                for rows in rule.measured
            ],
            "methods": _methods(rule, by_id, summary),
        }
    otherwise = _otherwise(rules, asked_cases, judged, everything, summary)
    measured = [one for name, one in experiments.items() if not is_joint(name, experiments)]
    states = sum(map(len, map(model_states, measured)))
    for rule in rules:
        verdict = judged[rule.id]
        if rule.claim is not None:
            alone = _of_this_run(rule, decided[rule.id], experiments)
            verdict["claim"]["files"] = _files(rule, summary)
            verdict["claim"]["this_run"] = alone["outcome"]
            verdict["claim"]["otherwise"] = otherwise.get(rule.id)
        verdict["untested"] = untested(by_id.get(rule.like or "", rule), experiments, summary)
        if rule.like is not None:
            other = _of_this_run(by_id[rule.like], decided[rule.like], experiments)
            verdict |= {key: other[key] for key in ("outcome", "form", "models", "tally")}
            verdict |= {
                "parts": other["parts"] | verdict["parts"],
                "cases": other["cases"] + verdict["cases"],
            }
            verdict["like"] = {"id": rule.like, "outcome": judged[rule.like]["outcome"]}
        if rule.claim is None:
            names = dict.fromkeys(case["experiment"] for case in verdict["cases"])
            verdict["experiments"] = [name for name in names if name is not None]
            verdict["run"] = {"experiments": len(measured), "states": states}
    return list(judged.values())


def _decided(
    asked_cases: Mapping[str, Sequence[AskedCase]], confidence: float, strictness: float = 1
) -> dict[str, list[dict[str, Any]]]:
    """Decide all cases as one family of tests, by rule; ``strictness`` as of a predicate."""
    decided: dict[str, list[dict[str, Any]]] = {name: [] for name in asked_cases}
    for name, of_rule in asked_cases.items():
        for case, reading, about in of_rule:
            allowed = None if case.holds is None else case.holds.at(strictness)
            decision = Decision(None)
            if allowed is not None:
                decision = decide(reading, allowed, confidence)
            bounds = {"decides": False, "allowed": None if allowed is None else _finite(allowed)}
            decided[name].append(about | bounds | decision._asdict())
    family = [row for rows in decided.values() for row in rows]
    decisions = [Decision(row["holds"], row["p"]) for row in family]
    for row, decision in zip(family, correct(decisions, confidence), strict=True):
        row["holds"] = decision.holds
    return decided


def _otherwise(
    rules: Sequence[Rule],
    asked_cases: Mapping[str, Sequence[AskedCase]],
    judged: Mapping[str, Mapping[str, Any]],
    experiments: Experiments,
    summary: Summary,
) -> dict[str, dict[str, str | None]]:
    """Judge the claims about models again in other ways: claim -> way -> outcome.

    ``lax`` and ``strict`` are by half and double strictness
    (:meth:`analysis.rules.rule.Predicate.at`); in ``cases`` each case has a vote, whatever model it
    is of; ``tokens`` is of the other tokens, None unless they were measured in the same models.
    """
    claims = [rule for rule in rules if rule.claim and rule.claim.kind == "measured"]
    ways = {
        way: _decided(asked_cases, summary.confidence, strictness)
        for way, strictness in STRICTNESS.items()
    }
    others = {rule.id: other for rule in claims if (other := rule.of_other_tokens)}
    of_others = {
        name: list(ask(counterpart, experiments, summary)) for name, counterpart in others.items()
    }
    replaced = _decided({**asked_cases, **of_others}, summary.confidence)
    by_rule: dict[str, dict[str, str | None]] = {}
    for rule in claims:
        name = rule.id
        outcomes: dict[str, str | None] = {
            way: _judged(rule, decided[name], experiments)["outcome"]
            for way, decided in ways.items()
        }
        verdict = judged[name]
        votes = (
            case_outcome(case["holds"], smaller=case["smaller"])
            for case in verdict["cases"]
            if case["decides"]
        )
        outcomes["cases"] = together(votes)
        if outcomes["cases"] == "partly" and verdict["outcome"] == "divided":
            outcomes["cases"] = "divided"  # cases are of no model, between which they could be
        outcomes["tokens"] = None
        if name in others:
            without = _judged(others[name], replaced[name], experiments)
            if _named(without) == _named(verdict):  # else it would be of other evidence too
                outcomes["tokens"] = without["outcome"]
        by_rule[name] = outcomes
    return by_rule


def _named(judged: Mapping[str, Any]) -> list[tuple[str, str | None]]:
    """Name the models that decide a rule."""
    return [(model["encoder"], model["trained"]) for model in judged["models"]]


def _of_this_run(
    rule: Rule, cases: list[dict[str, Any]], experiments: Experiments
) -> dict[str, Any]:
    """Judge a rule without the reference runs, which may outweigh cases of this run."""
    of_run = [dict(case) for case in cases if case["experiment"] in {None, *experiments}]
    return _judged(rule, of_run, experiments)


def _judged(rule: Rule, cases: list[dict[str, Any]], experiments: Experiments) -> dict[str, Any]:
    names = [case["experiment"] for case in cases]
    fit = [name is None or conditions.same(rule, experiments[name]) for name in names]
    same = any(fit)
    cells: dict[Weights | None, dict[str | None, list[str]]] = {}
    named: dict[Weights | None, dict[str, str | None]] = {}
    outweighed = _outweighed(cases, experiments)
    for case, fits, lighter in zip(cases, fit, outweighed, strict=True):
        # Else it is shown beside.
        case["decides"] = case["allowed"] is not None and (fits or not same) and not lighter
        model = _weights(case, experiments)
        if model is not None:
            case["model"] = named.setdefault(model, _model(case, experiments))
        if case["decides"]:
            # Of what was published: a finding of our own has no other sign to come with.
            smaller = rule.claim is not None and case["smaller"]
            outcomes = cells.setdefault(model, {})
            outcomes.setdefault(case["case"], []).append(
                case_outcome(case["holds"], smaller=smaller)
            )
    models = {
        model: {part: together(of) for part, of in parts.items()} for model, parts in cells.items()
    }
    of_models = {model: together(parts.values()) for model, parts in models.items()}
    parts = {
        case.name: together(
            (of[case.name] for of in models.values() if case.name in of), models=True
        )
        for case in rule.cases
    }
    overall = together(of_models.values(), models=True)
    if overall == "holds" and "open" in parts.values():
        overall = "open"  # what no model decides is not what all of them have
    judged = {
        "id": rule.id,
        "chapter": rule.chapter,
        "outcome": overall,
        "parts": {name: outcome for name, outcome in parts.items() if name is not None},
        "models": [
            {
                **named[model],
                "outcome": of_models[model],
                "parts": {part or "": outcome for part, outcome in of.items()},
            }
            for model, of in models.items()
            if model is not None
        ],
        "tally": _tally(cases),
        "cases": cases,
        "form": rule.form,
    }
    if rule.claim is not None:
        differs = None
        if cases and not same:
            distinct = list(dict.fromkeys(names))
            encoders = dict.fromkeys(conditions.model_name(experiments[name]) for name in distinct)
            differs = {"models": list(encoders), "experiments": distinct}
        judged["claim"] = rule.claim.model_dump() | {"differs": differs}
    return judged


def _tally(cases: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """Count the cases that decide each part and all parts, and those of them that hold."""
    of: dict[str, list[bool]] = {"outcome": []}
    for case in cases:
        if case["decides"]:
            for name in {"outcome", case["case"] or "outcome"}:
                of.setdefault(name, []).append(case["holds"] is True)
    return {name: {"held": sum(held), "cases": len(held)} for name, held in of.items()}


def _weights(case: Mapping[str, Any], experiments: Experiments) -> Weights | None:
    """Weights that a case rests on; None for arithmetic."""
    if case["experiment"] is None:
        return None
    return conditions.weights(experiments[case["experiment"]], case["variant"])


def _model(case: Mapping[str, Any], experiments: Experiments) -> dict[str, str | None]:
    """Name them for who reads it: the encoder, and the experiment that trained it further."""
    experiment = experiments[case["experiment"]]
    pretrained = len(conditions.weights(experiment, case["variant"])) == 1
    name = None if pretrained else case["experiment"].rpartition("/")[2]
    return {"encoder": conditions.model_name(experiment), "trained": name}


def _heaviest(experiments: Experiments, summary: Summary) -> Experiments:
    """Leave out experiments of which another run has the like with more texts."""
    texts = (
        (
            conditions.alike(experiment),
            run_of(name),
            int(summary.facts("model", name)["capture"]["examples"]),
        )
        for name, experiment in experiments.items()
    )
    runs = conditions.heaviest(texts)
    return {
        name: experiment
        for name, experiment in experiments.items()
        if runs[conditions.alike(experiment)] == run_of(name)
    }


def _outweighed(cases: list[dict[str, Any]], experiments: Experiments) -> list[bool]:
    """Tell for which cases another run has more texts of the same conditions.

    Of runs with equally many this one decides, or the first reference run, lest a run that repeats
    another counts twice.
    """
    kinds = []
    for case in cases:
        experiment = experiments.get(case["experiment"])
        about = (
            case["case"],
            case["variant"],
            case["layer"],
            experiment and conditions.alike(experiment),
        )
        kinds.append((about, run_of(case["experiment"]), case["texts"]))
    runs = conditions.heaviest(kinds)
    return [runs[about] != run for about, run, _ in kinds]


def _methods(rule: Rule, by_id: Mapping[str, Rule], summary: Summary) -> list[dict[str, str]]:
    """List the methods that a rule reads, and those of the rule that it is like."""
    read = [*(by_id[rule.like].methods if rule.like else ()), *rule.methods]
    return [
        {"group": summary.group_of(method.measure), **method._asdict()}
        for method in dict.fromkeys(read)
    ]


def _files(rule: Rule, summary: Summary) -> list[str]:
    """List the groups of the summary that a rule reads."""
    groups = []
    for case in rule.cases:
        groups += [summary.group_of(case.measure)] if case.measure else []
        groups += ["model"] if case.fact else []
    return [f"results/summary/{group}" for group in dict.fromkeys(groups)]


def _finite(allowed: Range) -> dict[str, Any]:
    """Give the ends of a range for JSON; None for an infinite one."""
    ends = allowed._asdict()
    return {name: None if end in (-math.inf, math.inf) else end for name, end in ends.items()}
