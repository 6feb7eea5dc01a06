"""Ends of a number, its largest and lowest value, are of all that its rule was asked of."""

import re
from pathlib import Path

import pytest
from prose.sentence_faults import of_models

from analysis.parameters import load
from analysis.prose.messages import sentences_file
from analysis.rules import conditions
from analysis.rules.asking import ask, shown
from analysis.rules.quantities import QuantityReader
from analysis.rules.rule import Case, read
from analysis.rules.verdicts import Reading
from analysis.stages.rules import asked_of
from attention_mixing.measures import groups
from attention_mixing.settings.derived import model_states

ROOT = Path(__file__).parents[2]
RULES = {rule.id: rule for rule in read(ROOT / "report" / "rules.yaml")}
EXPERIMENTS = asked_of(load(ROOT / "params.yaml"))
CAUSAL = {"verbs", "translation-decoder"}


def shown_ends():
    """Numbers of which a sentence shows an end, by rule."""
    for rule in RULES.values():
        if rule.claim is None:
            text = sentences_file("en", rule.chapter).read_text("utf-8")
            name = re.escape(re.sub("[.-]", "_", rule.id))
            message = re.search(rf"^{name}\w* = .*?(?=^\w|\Z)", text, re.M | re.S)
            for number, quantity in rule.numbers.items():
                ends = rf"\$ ?{number}_(?:low|high|range)\b"
                if message and of_models(quantity) and re.search(ends, message[0]):
                    yield rule.id, number


class Made:
    """A summary in which every model has learned its task and every quantity has a value."""

    confidence = 0.95

    def facts(self, of, name):
        score = {"evaluate": {"accuracy": 1.0}}
        return {
            "seeds": {"0": score},
            "corpus": {"majority_accuracy": 0.5},
            "structure": {"sight": ["earlier" if name in CAUSAL else "all"]},
            "capture": {"examples": 8},
        }

    def changed(self, *_):
        return False

    def group_of(self, measure):
        return groups()[measure]


@pytest.mark.parametrize(("name", "number"), shown_ends())
def test_the_ends_of_a_number_are_of_all_that_its_rule_judged(name, number, monkeypatch):
    rule, extreme = RULES[name], None
    judged, asked = set(), set()

    def of(reader, quantity):
        state = reader.experiment, reader.variant
        if not isinstance(quantity, Case):
            asked.add(state)
        return [Reading(9.0 if state == extreme else 1.0)]

    monkeypatch.setattr(QuantityReader, "of", of)
    quantity, summary = rule.numbers[number], Made()
    for one in (rule, RULES.get(rule.like)):
        for _, _, about in ask(one, EXPERIMENTS, summary) if one else ():
            judged.add((about["experiment"], about["variant"]))
    shown(rule, quantity, EXPERIMENTS, summary)
    over, variants = quantity.over or rule.over, quantity.variants or rule.variants
    expected = {
        (experiment, variant)
        for experiment, variant in judged
        if experiment is not None
        and variant in model_states(EXPERIMENTS[experiment])
        and conditions.covers(over, EXPERIMENTS[experiment])
        and conditions.built(over, summary.facts("model", experiment))
        and (variant in variants or (experiment, variant) in asked)
    }
    assert expected <= asked
    assert asked
    for extreme in asked:
        found = shown(rule, quantity, EXPERIMENTS, summary)["states"].values()
        assert extreme[0] in {one["high_of"] for one in found if one["high"] == 9.0}


def test_the_ends_that_were_of_fewer_models_are_asked():
    assert {("heads.massive", "largest"), ("heads.quality", "stability")} <= {*shown_ends()}
    assert ("features.trusted", "umap") in {*shown_ends()}


@pytest.mark.parametrize("rule", [rule for rule in RULES.values() if rule.claim is None])
def test_what_models_were_is_compared_with_what_the_same_became(rule):
    """A number of the former alone would be of other models than one of the latter."""
    if "pretrained" not in rule.variants:
        assert all(number.variants != ["pretrained"] for number in rule.numbers.values())
