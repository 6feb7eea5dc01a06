"""What a reader is advised to do depends on the verdicts, in both languages."""

import re

import pytest

from analysis.figures.advice import advice
from analysis.figures.words import words
from analysis.rules.verdicts import OUTCOMES

LANGUAGES = ("en", "ja")
# Claims, in the order of the page.
ADVISED = ("B8", "B1", "B3", "A9", "B7", "B11", "B25", "B23")


def vocabulary(language="en"):
    return words(language, "findings_advice")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("claim", ADVISED)
def test_advice_depends_on_the_verdict(claim, language):
    said = {
        outcome: [one.sentence for one in advice({claim: outcome}, vocabulary(language))]
        for outcome in OUTCOMES
    }
    assert said["open"] == said["not_tested"] == []
    assert said["partly"] and said["fails"]
    different = [said[name] for name in ("holds", "partly", "fails")]
    assert len({tuple(one) for one in different}) == 3
    end = {"en": ".", "ja": "。"}[language]
    assert all(sentence.endswith(end) for group in different for sentence in group)


def test_advice_comes_in_a_fixed_order_and_only_for_known_claims():
    found = dict.fromkeys(("X1", *reversed(ADVISED)), "partly")
    assert [one.claim for one in advice(found, vocabulary())] == list(ADVISED)
    assert advice({}, vocabulary()) == []


def test_claims_that_are_advised_about_are_in_the_committed_ledger(root):
    committed = (root / "report" / "rules.yaml").read_text(encoding="utf-8")
    assert set(ADVISED) <= set(re.findall(r"^- id: (\w+)$", committed, re.M))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_advice_is_written_for_what_is_not_advised(language):
    known = {f"advice_{claim}_{outcome}" for claim in ADVISED for outcome in OUTCOMES}
    assert {name for name in vocabulary(language) if name.startswith("advice_")} <= known
