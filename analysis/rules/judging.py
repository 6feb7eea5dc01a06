"""Rules against the results of every experiment: what the pages say and the ledger shows."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from analysis.params import Experiment
from analysis.rules import conditions
from analysis.rules.quantities import Evidence, Summary, run_of
from analysis.rules.rule import Case, Extreme, Number, Over, Quantity, Rule
from analysis.rules.verdicts import Decision, Range, case_outcome, correct, decide, together
from analysis.selection import VARIANTS

Experiments = Mapping[str, Experiment]
Weights = tuple[str, ...]


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
    reference runs, and ``untested`` says why the experiments of this run do not test a rule
    (:data:`analysis.rules.verdicts.UNTESTED`); None where they do. A finding that is like a claim
    has that outcome, with the numbers of this run, and under ``like`` the claim with its outcome
    over all runs. ``experiments`` names those that a finding was measured in, and ``run``
    counts those of the run and their model states.

    The unit of evidence is the model, weights of one training: ``models`` names them, with what
    becomes of the rule in each of its ``parts`` and altogether. Cases of one model and part, such
    as its layers and texts, are put together first, then the parts of each model, then the models
    (:func:`analysis.rules.verdicts.together`).

    Parameters
    ----------
    rules
        Findings and claims.
    experiments, kept
        Of this run, and of reference runs (:func:`analysis.rules.quantities.kept_experiment`).
    summary
        Of both.

    Returns
    -------
    list of dict
        A rule each, as ``results/rules`` holds them; no words.
    """
    everything = {**experiments, **kept}
    of = {rule.id: everything if rule.claim else experiments for rule in rules}
    asked = {rule.id: list(_ask(rule, of[rule.id], summary)) for rule in rules}
    cases = [case for each in asked.values() for case in each]
    decisions = [Decision(case["holds"], case["p"]) for case in cases]
    for case, decision in zip(cases, correct(decisions, summary.confidence), strict=True):
        case["holds"] = decision.holds
    judged = {}
    for rule in rules:
        numbers = {n: _shown(rule, one, experiments, summary) for n, one in rule.numbers.items()}
        judged[rule.id] = _judged(rule, asked[rule.id], everything) | {
            "numbers": numbers,
            "choices": _choices(rule, experiments, summary),
        }
    states = sum(2 if one.train else 1 for one in experiments.values())
    by_id = {rule.id: rule for rule in rules}
    for rule in rules:
        one = judged[rule.id]
        if rule.claim is not None:
            alone = _of_this_run(rule, asked[rule.id], experiments)
            one["claim"]["this_run"] = alone["outcome"]
        one["untested"] = _untested(by_id.get(rule.like or "", rule), experiments, summary)
        if rule.like is not None:
            other = _of_this_run(by_id[rule.like], asked[rule.like], experiments)
            one |= {key: other[key] for key in ("outcome", "form", "models")}
            one |= {"parts": other["parts"] | one["parts"], "cases": other["cases"] + one["cases"]}
            one["like"] = {"id": rule.like, "outcome": judged[rule.like]["outcome"]}
        if rule.claim is None:
            names = dict.fromkeys(case["experiment"] for case in one["cases"])
            one["experiments"] = [name for name in names if name is not None]
            one["run"] = {"experiments": len(experiments), "states": states}
    return list(judged.values())


def _of_this_run(
    rule: Rule, cases: list[dict[str, Any]], experiments: Experiments
) -> dict[str, Any]:
    """Judge a rule without the reference runs, which may outweigh cases of this run."""
    own = [dict(case) for case in cases if case["experiment"] in {None, *experiments}]
    return _judged(rule, own, experiments)


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
        case.name: together(of[case.name] for of in models.values() if case.name in of)
        for case in rule.cases
    }
    found = together(of_models.values())
    if found == "holds" and "open" in parts.values():
        found = "open"  # what no model decides is not what all of them have
    judged = {
        "id": rule.id,
        "chapter": rule.chapter,
        "outcome": found,
        "parts": {name: one for name, one in parts.items() if name is not None},
        "models": [
            {
                **named[model],
                "outcome": of_models[model],
                "parts": {part or "": one for part, one in of.items()},
            }
            for model, of in models.items()
            if model is not None
        ],
        "cases": cases,
        "form": rule.form,
    }
    if rule.claim is not None:
        differs = None
        if cases and not same:
            asked = list(dict.fromkeys(names))
            encoders = dict.fromkeys(conditions.model_name(experiments[name]) for name in asked)
            differs = {"models": list(encoders), "experiments": asked}
        judged["claim"] = rule.claim.model_dump() | {"files": _files(rule), "differs": differs}
    return judged


def _weights(case: Mapping[str, Any], experiments: Experiments) -> Weights | None:
    """Weights that a case rests on; None for arithmetic."""
    if case["experiment"] is None:
        return None
    return conditions.weights(experiments[case["experiment"]], case["variant"])


def _model(case: Mapping[str, Any], experiments: Experiments) -> dict[str, str | None]:
    """Name them for who reads it: the encoder, and the experiment that trained it further."""
    asked = experiments[case["experiment"]]
    pretrained = len(conditions.weights(asked, case["variant"])) == 1
    name = None if pretrained else case["experiment"].rpartition("/")[2]
    return {"encoder": conditions.model_name(asked), "trained": name}


def _outweighed(cases: list[dict[str, Any]], experiments: Experiments) -> list[bool]:
    """Tell for which cases another run has more texts of the same conditions.

    Of runs with equally many this one decides, or the first reference run, lest a run that repeats
    another counts twice.
    """
    texts: dict[Any, dict[str | None, int]] = {}
    keys = []
    for case in cases:
        one = experiments.get(case["experiment"])
        about = (case["case"], case["variant"], case["layer"], one and conditions.alike(one))
        run = run_of(case["experiment"])
        keys.append((about, run))
        of_runs = texts.setdefault(about, {})
        of_runs[run] = max(case["texts"], of_runs.get(run, 0))
    decides = {about: max(of_runs, key=of_runs.__getitem__) for about, of_runs in texts.items()}
    return [decides[about] != run for about, run in keys]


def _ask(rule: Rule, experiments: Experiments, summary: Summary) -> Iterator[dict[str, Any]]:
    """Cases of a rule, each of one experiment and model state, both None for arithmetic."""
    for case in rule.cases:
        allowed = None if case.holds is None else case.holds.allowed
        for evidence in _states(rule, case, case.over or rule.over, experiments, summary):
            for reading in evidence.of(case):
                decision = Decision(None)
                if allowed is not None:
                    decision = decide(reading, allowed, summary.confidence)
                yield {
                    "experiment": evidence.experiment,
                    "model": None,
                    "changed": evidence.changed(case),
                    "variant": evidence.variant,
                    "case": case.name,
                    "layer": None,
                    **reading._asdict(),
                    "texts": reading.texts or evidence.captured,
                    "decides": False,
                    "allowed": None if allowed is None else _finite(allowed),
                    **decision._asdict(),
                }


def _states(
    rule: Rule,
    asked: Quantity | Extreme,
    over: Over,
    experiments: Experiments,
    summary: Summary,
    variants: Sequence[str] | None = None,
    *,
    learned: bool = True,
) -> Iterator[Evidence]:
    """Experiments and model states that a quantity is asked of; none and None for arithmetic.

    What explains a prediction is asked only of models that have ``learned`` their task.
    """
    if isinstance(asked, Quantity) and (
        asked.arithmetic or (asked.fact and asked.fact.of != "model")
    ):
        yield Evidence(summary, None, None, rule.id)
        return
    for name, one in experiments.items():
        if not conditions.covers(over, one):
            continue
        explains = learned and asked.group == "explain"
        if explains and not conditions.learned(summary.facts("model", name)):
            continue
        for variant in variants or rule.variants:
            if variant == "finetuned" and one.train is None:
                continue
            yield Evidence(summary, name, None if variant == "both" else variant, rule.id)


def _untested(rule: Rule, experiments: Experiments, summary: Summary) -> str | None:
    """Say why experiments do not test a rule; None where there is something to judge.

    A rule without cases is tested where one of its choices or numbers has a value.
    """
    asked: list[Case | Extreme | Number] = [case for case in rule.cases if case.holds is not None]
    asked = asked or [*rule.choices.values(), *rule.numbers.values()]

    def states(quantity: Case | Extreme | Number, learned: bool) -> Iterator[Evidence]:
        over = None if isinstance(quantity, Extreme) else quantity.over
        variants = quantity.variants if isinstance(quantity, Number) else None
        return _states(
            rule, quantity, over or rule.over, experiments, summary, variants, learned=learned
        )

    for reason, learned in ((None, True), ("not_learned", False)):
        if any(state.has(one) for one in asked for state in states(one, learned)):
            return reason
    if any(True for one in asked for _ in states(one, False)):
        return "undefined"
    trains = any(one.train for one in experiments.values())
    return "no_experiment" if trains or "pretrained" in rule.variants else "untrained"


def _finite(allowed: Range) -> dict[str, Any]:
    """As JSON takes it: an infinite end is none."""
    ends = allowed._asdict()
    return {name: None if end in (-math.inf, math.inf) else end for name, end in ends.items()}


def _files(rule: Rule) -> list[str]:
    """List the groups of the summary that a rule reads."""
    groups = []
    for case in rule.cases:
        groups += [one for one in (case.group, "model" if case.fact else None) if one]
    return [f"results/summary/{group}" for group in dict.fromkeys(groups)]


def _shown(
    rule: Rule, asked: Number, experiments: Experiments, summary: Summary
) -> dict[str, Any] | None:
    """Find a typical value over experiments, and the ends of its range, of each model state.

    States are never put together: before fine-tuning and after it are two populations. Where there
    are both, they are of the same experiments. And whether the models have learned their task,
    where that is asked, and whether the code behind one of them has changed.
    """
    over = asked.over or rule.over
    # Where no model has learned its task, its numbers are shown all the same; they decide nothing.
    for learned in (True, False):
        states = list(
            _states(rule, asked, over, experiments, summary, asked.variants, learned=learned)
        )
        read = [(one, value.value) for one in states for value in one.of(asked)]
        if read:
            break
    if not read:
        return None
    tuned = {one.experiment for one, _ in read if one.variant == "finetuned"}
    values: dict[str, list[float]] = {}
    for one, value in read:
        if one.variant != "pretrained" or not tuned or one.experiment in tuned:
            values.setdefault(one.variant or "both", []).append(value)
    return {
        "states": {
            state: {"typical": statistics.median(of), "low": min(of), "high": max(of)}
            for state, of in sorted(values.items(), key=lambda item: VARIANTS.index(item[0]))
        },
        "form": asked.form,
        "learned": learned,
        "changed": any(one.changed(asked) for one, _ in read),
    }


def _choices(rule: Rule, experiments: Experiments, summary: Summary) -> dict[str, str]:
    """Name what is highest or lowest everywhere; ``depends`` where that differs."""
    chosen = {}
    for name, asked in rule.choices.items():
        states = _states(rule, asked, rule.over, experiments, summary)
        best = {choice for evidence in states if (choice := evidence.choice(asked)) is not None}
        chosen[name] = best.pop() if len(best) == 1 else "depends" if best else "none"
    return chosen
