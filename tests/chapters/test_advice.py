"""Advice follows from the outcomes, whatever they are."""

import re

import pandas as pd
import pytest
from made_claims import case, claim, read

from analysis.chapters.advice.prose import QUESTIONS, advice_table, answer_of, measures_of
from analysis.prose.messages import words
from analysis.results.circuits import QUESTIONS as TESTED
from analysis.results.circuits import CircuitAnswer, circuits_of_run
from analysis.rules.verdicts import OUTCOMES

CLAIMS = [one for question in QUESTIONS for one in question.claims]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_claim_that_holds_leads_to_advice_of_its_own(language):
    w = words(language, "advice")
    for name in CLAIMS:
        said = {outcome: w.say(f"advice_{name}", outcome=outcome) for outcome in OUTCOMES}
        held = said.pop("holds")
        assert held not in said.values(), name
        # What is not decided is advised on alike, whatever the reason.
        assert said["open"] == said["not_tested"], name


def test_the_claims_of_the_advice_are_in_the_rules(root):
    rules = (root / "report" / "rules.yaml").read_text(encoding="utf-8")
    assert set(CLAIMS) <= set(re.findall(r"^- id: (\w+)$", rules, re.M))


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_question_shows_the_claims_that_its_advice_rests_on(language):
    found, _, _ = read(language, [claim(name, "open", case(0.5, None)) for name in CLAIMS])
    w = words(language, "advice")
    cells, data = advice_table(found, None, w)
    assert len(cells) == len(QUESTIONS)
    assert list(data["claim"]) == CLAIMS
    linked = [re.findall(r"#claim-(\w+)", cell.data) for cell in cells[w["advice"]]]
    assert linked == [list(question.claims) for question in QUESTIONS]


def answer(baseline=0, **passed) -> CircuitAnswer:
    """Of three circuits, how many some measures pass."""
    return CircuitAnswer("model", ["relay", "lookup", "unread"], pd.Series(passed), baseline)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_measures_are_advised_if_they_pass_all_circuits_and_else_replacing_tokens(language):
    w = words(language, "advice")
    replacing = {"en": "Replacing tokens", "ja": "トークンの置き換え"}[language]
    some = answer_of(answer(flow=3, alti_logit=1), w)
    assert w["flow"] in some and w["alti_logit"] not in some and replacing not in some
    most = answer_of(answer(flow=1, alti_logit=2), w)
    assert replacing in most and w["alti_logit"] in most and w["flow"] not in most
    none = answer_of(answer(flow=0, alti_logit=0), w)
    assert replacing in none and w["flow"] not in none
    everything = answer_of(answer(flow=3, alti_logit=3), w)
    as_baseline = answer_of(answer(2, flow=1, alti_logit=2), w)
    assert replacing in as_baseline and w["alti_logit"] not in as_baseline and "2" in as_baseline
    assert answer_of(answer(2, flow=1, alti_logit=3), w) == answer_of(
        answer(0, flow=1, alti_logit=3), w
    )
    outcomes = (some, most, none, everything, as_baseline)
    assert len(set(outcomes)) == 5
    assert all("3" in said for said in outcomes)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_both_pages_take_their_answers_from_one_place(language, circuit_results, monkeypatch):
    monkeypatch.chdir(circuit_results.parents[1])
    circuits, w = circuits_of_run(), words(language, "advice")
    for advice in QUESTIONS:
        assert set(advice.asked) <= set(TESTED)
        assert advice.asked or advice.by_definition
        said = " ".join(measures_of(advice, circuits, w))
        assert said.count("circuits.html#tbl-questions") == len(advice.asked)
        # Without circuits, what is asked of them is answered by nothing.
        assert "circuits.html" not in " ".join(measures_of(advice, None, w))
