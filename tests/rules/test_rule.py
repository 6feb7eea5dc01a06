"""Reading rules: mistakes are told in one sentence, and the committed ones are complete."""

import math
import re
from pathlib import Path

import pandas as pd
import pytest
import yaml
from made_rules import ROOT, row, rule, write
from refusals import refusal

from analysis.prose.claims import flat
from analysis.prose.messages import words
from analysis.rules.rule import Predicate, read
from analysis.rules.selection import choose
from analysis.rules.verdicts import contains
from attention_mixing.errors import InputError

REFERENCE = ROOT / "reference" / "quick" / "summary.parquet"
RULES = read(ROOT / "report" / "rules.yaml")
CLAIMS = [one for one in RULES if one.claim]
FINDINGS = [one for one in RULES if not one.claim]
COMPUTED = {"verdict", "outcome", "value", "low", "high", "experiment", "power"}
FACT = {"fact": {"path": "a"}}
MISTAKES = yaml.safe_load(Path(__file__).with_name("mistakes.yaml").read_text(encoding="utf-8"))


def told(tmp_path, *rows) -> str:
    """What reading says: one sentence that names the file and the rule."""
    return refusal(read, write(tmp_path / "rules.yaml", *rows))


# --- what is read ---------------------------------------------------------------------------------


def test_a_rule_names_both_methods_of_a_contrast_but_none_of_a_condition():
    texts = {"measure": "faithfulness", "quantity": "roc_auc", "where": {"subject": "raw"}}
    contrast = {"texts": texts | {"minus": {"where": {"subject": "alti"}}}, "holds": {"effect": 1}}
    when = {"texts": texts | {"where": {"subject": "flow"}}, "holds": {"above": 0, "effect": 1}}
    methods = rule(contrast | {"when": when}, contrast | {"name": "again"}).methods
    assert methods == [
        ("faithfulness", "roc_auc", "raw"),
        ("faithfulness", "roc_auc", "alti"),
    ]


def test_a_rule_names_the_methods_that_it_chooses_among():
    among = ["raw", "flow"]
    choice = {"measure": "faithfulness", "quantity": "roc_auc", "by": "subject", "among": among}
    other = {"measure": "heads", "by": "quantity", "among": ["cls", "sep"]}
    methods = rule(FACT, choices={"best": choice, "sink": other}).methods
    assert [method.subject for method in methods] == among


# --- mistakes -------------------------------------------------------------------------------------


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake["told"])
def test_a_mistake_is_one_sentence_that_names_the_rule(tmp_path, mistake):
    text = told(tmp_path, row(FACT) | mistake["row"])
    assert "rules.yaml: rule B1: " in text
    assert mistake["told"] in text


def test_an_id_stands_there_once(tmp_path):
    assert "rule B1 stands there twice" in told(tmp_path, row(FACT), row(FACT))


def test_a_row_without_an_id_is_named_by_its_place(tmp_path):
    nameless = {key: value for key, value in row(FACT).items() if key != "id"}
    assert "rule in row 2: id is missing" in told(tmp_path, row(FACT), nameless)


def test_the_rule_whose_outcome_is_taken_exists(tmp_path):
    finding = {"id": "mixing.depth", "like": "B99"}
    assert "takes the outcome of B99, which does not exist" in told(tmp_path, row(FACT), finding)


@pytest.mark.parametrize(
    ("content", "expected"), [("", "no list of rules"), ("- [", "is not YAML"), (None, "restore")]
)
def test_a_file_that_holds_no_rules_is_refused(tmp_path, content, expected):
    path = tmp_path / "rules.yaml"
    if content is not None:
        path.write_text(content)
    with pytest.raises(InputError, match=expected) as error:
        read(path)
    assert "\n" not in str(error.value)


# --- published values -----------------------------------------------------------------------------


def test_published_values_have_names():
    one = rule(FACT | {"holds": {"above": "curve.0", "below": 3}})
    assert one.cases[0].holds.allowed[:2] == (0.1, 3)
    values = flat({"level": 0.5, "curve": [0.1, -0.25], "n": 12000}, "+.2f")
    assert values == {
        "level": "0.50",
        "curve": "0.10, \u22120.25",
        "curve_0": "0.10",
        "curve_1": "\u22120.25",
        "n": "12,000",
    }


# --- the committed rules --------------------------------------------------------------------------


def test_claims_stand_in_the_order_of_their_names_once_each():
    names = [one.id for one in CLAIMS]
    assert names == sorted(set(names), key=lambda name: (name[0], int(name[1:])))


def test_no_outcome_is_typed():
    def keys(node):
        if isinstance(node, dict):
            for key, value in node.items():
                yield key
                if key not in ("values", "numbers"):
                    yield from keys(value)
        elif isinstance(node, list):
            for value in node:
                yield from keys(value)

    text = (ROOT / "report" / "rules.yaml").read_text(encoding="utf-8")
    assert not COMPUTED & set(keys(yaml.safe_load(text)))


def test_no_margin_is_zero():
    """Where a value has an interval, 0 would turn any difference into a finding."""
    for one in RULES:
        for case in one.cases:
            if case.holds is not None and not case.exact:
                allowed = case.holds.allowed
                assert 0 not in (allowed.low, allowed.high), (one.id, case.name)
                assert allowed.effect is not None, (one.id, case.name)
                inside = allowed.low < allowed.effect < allowed.high
                assert inside is allowed.inside, (one.id, case.name)
            if case.heads is not None and case.heads.tested:
                within = case.heads.within.allowed
                assert 0 not in (within.low, within.high), (one.id, case.name)


def test_what_is_beside_the_outcome_of_another_rule_is_a_part_of_its_own():
    for one in RULES:
        assert not one.like or all(case.name for case in one.cases), one.id


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_evidence_stands_on_its_page(language):
    for one in CLAIMS:
        page = (ROOT / "report" / language / f"{one.chapter}.qmd").read_text(encoding="utf-8")
        assert re.search(rf"\{{#{one.claim.evidence}[ }}]", page), f"{one.chapter}: {one.id}"


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_claim_has_its_words(language):
    w = words(language, "claims")
    asked = {f"{one.id}_{part}" for one in CLAIMS for part in ("statement", "published", "rule")}
    asked |= {f"case_{case.name}" for one in CLAIMS for case in one.cases if case.name}
    asked |= {f"needs_{one.claim.needs}" for one in CLAIMS if one.claim.needs}
    asked |= {f"conditions_{one.claim.conditions.name}" for one in CLAIMS if one.claim.conditions}
    of_claims = re.compile(r"[AB]\d+_|case_|needs_|conditions_")
    assert asked == {name for name in w if of_claims.match(name)}
    for one in CLAIMS:
        values = flat(one.claim.values, one.form)
        for part in ("published", "rule"):
            assert w.say(f"{one.id}_{part}", **values)


def test_several_cases_are_told_apart():
    """Cases of a claim are shown one by one; those of a finding may make a part together."""
    for one in RULES:
        names = [case.name for case in one.cases]
        assert one.claim is None or len(set(names)) == len(names), one.id
        assert len(names) < 2 or all(names), one.id


def test_what_is_of_other_conditions_says_what_a_full_test_takes():
    for one in CLAIMS:
        assert one.claim.conditions is None or one.claim.needs is not None, one.id


def test_everything_that_is_read_of_the_summary_was_measured_in_the_reference_run():
    """A name that is wrong would else look like something that was not measured."""
    measures = dict(tuple(pd.read_parquet(REFERENCE).groupby("quantity", observed=True)))
    for one in RULES:
        asked = [*one.cases, *(case.when for case in one.cases if case.when)]
        for quantity in (*asked, *one.numbers.values()):
            for measure, where in measured(quantity):
                assert measure in measures, (one.id, measure)
                assert len(choose(measures[measure], where)), (one.id, measure, where)


def measured(asked):
    """Measures of all heads that a quantity reads, and the values that their rows must have."""
    for part in (asked.texts, asked.curve):
        if part:
            yield part.quantity, part.where
    for other in (asked.texts.minus, asked.texts.divided_by) if asked.texts else ():
        if other:
            yield other.quantity or asked.texts.quantity, asked.texts.where | other.where


# --- margins of other sizes -----------------------------------------------------------------------

BOUNDED = [
    ({"effect": 0.8}, (0.1, math.inf), (0.4, math.inf)),
    ({"effect": -0.8}, (-math.inf, -0.1), (-math.inf, -0.4)),
    ({"effect": 0.8, "share": 0.75}, (0.3, math.inf), (0.8, math.inf)),  # no more than all of it
    ({"near": 0.7, "within": 0.1}, (0.5, 0.9), (0.65, 0.75)),
    ({"above": 0.4, "effect": 0.5}, (0.3, math.inf), (0.45, math.inf)),
    ({"below": 0.5, "effect": 0}, (-math.inf, 1.0), (-math.inf, 0.25)),
    ({"above": 0.2, "below": 0.6}, (0.0, 0.8), (0.3, 0.5)),
    ({"differs_from": 0, "effect": 0.4}, (-0.05, 0.05), (-0.2, 0.2)),
    ({"above": 0}, (0, math.inf), (0, math.inf)),  # no matter of degree
]


@pytest.mark.parametrize(("given", "lax", "strict"), BOUNDED)
def test_a_stricter_margin_asks_for_more_of_the_effect_and_allows_less_beside_it(
    given, lax, strict
):
    predicate = Predicate.model_validate(given)
    assert predicate.at(1) == predicate.allowed
    assert predicate.at(0.5)[:2] == pytest.approx(lax)
    assert predicate.at(2)[:2] == pytest.approx(strict)


@pytest.mark.parametrize("given", [given for given, *_ in BOUNDED])
@pytest.mark.parametrize("value", [-0.9, -0.3, 0.0, 0.15, 0.35, 0.48, 0.62, 0.9])
def test_what_keeps_the_stricter_margin_keeps_the_laxer_one(given, value):
    predicate = Predicate.model_validate(given)
    kept = [contains(predicate.at(strictness), value, value) for strictness in (0.5, 1, 2)]
    assert kept == sorted(kept, reverse=True)
