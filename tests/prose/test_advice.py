"""Advice follows from the outcomes, whatever they are."""

import re

import pytest
from made_claims import case, claim, read

from analysis.prose.advice import QUESTIONS, advice_table
from analysis.prose.messages import words
from analysis.rules.verdicts import OUTCOMES

CLAIMS = [one for question in QUESTIONS for one in question.claims]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_outcome_has_advice_of_its_own(language):
    w = words(language, "advice")
    for name in CLAIMS:
        # An effect that is too small is advised on as one that is not there, and one in some parts
        # as one in some models.
        outcomes = set(OUTCOMES) - {"smaller", "partly"}
        said = {w.say(f"advice_{name}", outcome=outcome, why="…") for outcome in outcomes}
        assert len(said) == len(outcomes), name


def test_the_claims_of_the_advice_are_in_the_rules(root):
    rules = (root / "report" / "rules.yaml").read_text(encoding="utf-8")
    assert set(CLAIMS) <= set(re.findall(r"^- id: (\w+)$", rules, re.M))


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_question_shows_the_claims_that_its_advice_rests_on(language):
    found, _, _ = read(language, [claim(name, "open", case(0.5, None)) for name in CLAIMS])
    w = words(language, "advice")
    cells, data = advice_table(found, w)
    assert len(cells) == len(QUESTIONS)
    assert list(data["claim"]) == CLAIMS
    linked = [re.findall(r"#claim-(\w+)", cell.data) for cell in cells[w["advice"]]]
    assert linked == [list(question.claims) for question in QUESTIONS]
