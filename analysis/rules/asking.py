"""Put the questions of rules to every experiment and model state: readings, no verdicts."""

from __future__ import annotations

import statistics
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from analysis.parameters.derived import is_joint
from analysis.rules import conditions
from analysis.rules.quantities import QuantityReader
from analysis.rules.rule import Case, Extreme, Number, Over, Quantity, Rule
from analysis.rules.selection import VARIANTS
from analysis.rules.summary import Summary
from analysis.rules.verdicts import Reading
from attention_mixing.settings.derived import model_states
from attention_mixing.settings.experiment import Experiment

Experiments = Mapping[str, Experiment]


class AskedCase(NamedTuple):
    """A case of a rule, what was read, and what is known of where; both as JSON takes them."""

    case: Case
    reading: Reading
    about: dict[str, Any]


def ask(rule: Rule, experiments: Experiments, summary: Summary) -> Iterator[AskedCase]:
    """Read every case of a rule, in each experiment and model state; both None for arithmetic.

    ``experiments`` are those that may be asked, by name, and ``summary`` has their results.
    """
    for case in rule.cases:
        # A quantity may name its state where the rule leaves it open.
        where = case.texts.where.get("variant") if case.texts else None
        named_state = where if isinstance(where, str) else None
        for evidence in _states(rule, case, case.over or rule.over, experiments, summary):
            for reading in evidence.of(case):
                about = {
                    "experiment": evidence.experiment,
                    "model": None,
                    "stale": evidence.stale(case),
                    "variant": evidence.variant or named_state,
                    "case": case.name,
                    "layer": None,
                    **reading._asdict(),
                    "texts": reading.texts or evidence.captured,
                }
                yield AskedCase(case, reading, about)


def _states(
    rule: Rule,
    quantity: Quantity | Extreme,
    over: Over,
    experiments: Experiments,
    summary: Summary,
    variants: Sequence[str] | None = None,
    *,
    learned: bool = True,
) -> Iterator[QuantityReader]:
    """Experiments and model states that a quantity is asked of; none and None for arithmetic.

    What explains a prediction, or links words of a target to a source, is asked only of models that
    have ``learned`` their task.
    """
    if isinstance(quantity, Quantity) and (
        quantity.arithmetic or (quantity.fact and quantity.fact.of != "model")
    ):
        yield QuantityReader(summary, None, None, rule.id)
        return
    for name, experiment in experiments.items():
        if over.joint != is_joint(name, experiments):
            continue
        facts = summary.facts("model", name)
        if not (conditions.covers(over, experiment) and conditions.built(over, facts)):
            continue
        explains = quantity.measure and summary.group_of(quantity.measure) == "explain"
        if learned and (explains or over.joint) and not conditions.learned(facts):
            continue
        states = model_states(experiment)
        asked_of: dict[str, None] = {}
        for variant in variants or rule.variants:
            # Without fine-tuning, the model that predicts is the pretrained one.
            predicts = explains and variant == "finetuned" and experiment.train is not None
            asked_of[states[-1] if predicts else variant] = None
        for variant in asked_of:
            if variant == "both" or variant in states:
                yield QuantityReader(summary, name, None if variant == "both" else variant, rule.id)


def untested(rule: Rule, experiments: Experiments, summary: Summary) -> str | None:
    """Say why experiments do not test a rule; None where there is something to judge.

    A rule without cases is tested where one of its choices or numbers has a value.
    """
    quantities: list[Case | Extreme | Number] = [
        case for case in rule.cases if case.holds is not None
    ]
    quantities = quantities or [*rule.choices.values(), *rule.numbers.values()]

    def states(quantity: Case | Extreme | Number, learned: bool) -> Iterator[QuantityReader]:
        over = None if isinstance(quantity, Extreme) else quantity.over
        variants = quantity.variants if isinstance(quantity, Number) else None
        return _states(
            rule, quantity, over or rule.over, experiments, summary, variants, learned=learned
        )

    for reason, learned in ((None, True), ("not_learned", False)):
        if any(state.has(asked) for asked in quantities for state in states(asked, learned)):
            return reason
    if any(True for asked in quantities for _ in states(asked, False)):
        return "undefined"
    trains = any(experiment.train for experiment in experiments.values())
    return "no_experiment" if trains or "pretrained" in rule.variants else "untrained"


def shown(
    rule: Rule, number: Number, experiments: Experiments, summary: Summary
) -> dict[str, Any] | None:
    """Find a typical value over experiments, and the ends of its range, of each model state.

    States are never put together: before fine-tuning and after it are two populations. Where there
    are both, the typical values are of the same experiments, so that they can be compared; the ends
    are of all that were asked, as what becomes of the rule is. These have the experiments that they
    are of, ``low_of`` and ``high_of``; None for arithmetic. And whether the models have learned
    their task, where that is asked, and which measures would give other numbers today, ``stale``.
    """
    over, variants = number.over or rule.over, number.variants or rule.variants
    # Where no model has learned its task, its numbers are shown all the same; they decide nothing.
    for learned in (True, False):
        states = list(
            _states(rule, number, over, experiments, summary, number.variants, learned=learned)
        )
        read = [(state, reading.value) for state in states for reading in state.of(number)]
        if read:
            break
    if not read:
        return None
    values: dict[str, list[tuple[float, str | None]]] = {}
    for evidence, value in read:
        state = evidence.variant or "both"
        if state not in ("both", *variants):
            (state,) = variants  # the model that predicts, which was never fine-tuned
        values.setdefault(state, []).append((value, evidence.experiment))
    names = {state: {name for _, name in of} for state, of in values.items()}
    both = names.get("pretrained", set()) & names.get("finetuned", set())
    return {
        "states": {
            state: _spread(of, both or names[state])
            for state, of in sorted(values.items(), key=lambda item: VARIANTS.index(item[0]))
        },
        "form": number.form,
        "learned": learned,
        "stale": sorted({name for state, _ in read for name in state.stale(number)}),
    }


def _spread(
    values: Sequence[tuple[float, str | None]], compared: Collection[str | None]
) -> dict[str, Any]:
    """Return the median of values of experiments, both ends, and which experiments these are of.

    The median is of those ``compared`` alone.
    """
    low, high = (end(values, key=lambda value: value[0]) for end in (min, max))
    typical = [value for value, name in values if name in compared]
    return {
        "typical": statistics.median(typical),
        "low": low[0],
        "low_of": low[1],
        "high": high[0],
        "high_of": high[1],
    }


def choices(rule: Rule, experiments: Experiments, summary: Summary) -> dict[str, str]:
    """Name what is highest or lowest everywhere; ``depends`` where that differs."""
    chosen = {}
    for name, extreme in rule.choices.items():
        states = _states(rule, extreme, rule.over, experiments, summary)
        best = {choice for evidence in states if (choice := evidence.choice(extreme)) is not None}
        chosen[name] = best.pop() if len(best) == 1 else "depends" if best else "none"
    return chosen
