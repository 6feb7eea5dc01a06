"""No sentence says the opposite of its rule, counts other models, or mixes layers and model."""

import re
from functools import cache
from pathlib import Path

import pytest
import yaml
from prose.sentence_faults import (
    compared,
    ends,
    faults,
    larger,
    mixed_scopes,
    spelled_out,
    texts_of,
)

from analysis.lint.written import messages_of
from analysis.prose.messages import MESSAGES, sentences_file, stating
from analysis.rules.rule import read

RULES = {rule.id: rule for rule in read(MESSAGES / "rules.yaml")}
FINDINGS = [rule for rule in RULES.values() if rule.claim is None]
LANGUAGES = ("en", "ja")
MISTAKES = yaml.safe_load((Path(__file__).parent / "false_sentences.yaml").read_text("utf-8"))


def text_of(chapter, language):
    return sentences_file(language, chapter).read_text("utf-8")


def said_of(rule, text):
    """The lines of a message, of the file of its chapter."""
    name = re.escape(rule.id.replace(".", "_").replace("-", "_"))
    found = re.search(rf"^{name} =.*(?:\n[ }}].*)*", text, re.M)
    return found[0] if found else ""


def found_in(rule, text, language):
    message = messages_of(text)[rule.id.replace(".", "_").replace("-", "_")]
    return [*faults(rule, RULES, message, language), *ends(rule, message, language)]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("chapter", stating())
def test_every_text_has_the_direction_and_the_models_of_its_rule(chapter, language):
    text = text_of(chapter, language)
    of_chapter = [rule for rule in FINDINGS if rule.chapter == chapter]
    assert of_chapter
    for rule in of_chapter:
        assert found_in(rule, text, language) == [], rule.id


@pytest.mark.parametrize("language", LANGUAGES)
def test_where_weights_and_vectors_are_compared_it_is_said_which_is_larger(language):
    """Else the test before would pass on whatever is not understood."""
    asked = 0
    for rule in FINDINGS:
        cases = RULES[rule.like].cases if rule.like else rule.cases
        if rule.chapter == "mixing" and not rule.id.endswith((".order", ".alti")):
            if any(larger(case) for case in cases):
                message = messages_of(text_of(rule.chapter, language))[rule.id.replace(".", "_")]
                said = [compared(text.said, language) for text in texts_of(message)]
                assert any(said), rule.id
                asked += 1
    assert asked >= 3


@pytest.mark.parametrize(
    "mistake", MISTAKES["texts"], ids=lambda one: f"{one['rule']}-{one['told']}"
)
def test_a_false_text_is_found(mistake):
    rule, language = RULES[mistake["rule"]], mistake["language"]
    text = text_of(rule.chapter, language)
    name = rule.id.replace(".", "_").replace("-", "_")
    begin = re.search(rf"^{name} =", text, re.M).start()
    if "attribute" in mistake:
        mark = f".{mistake['attribute']} = "
    else:
        begin = text.index(f"{{ ${mistake.get('chooser', 'outcome')} ->", begin)
        mark = f"[{mistake['outcome']}] "
    begin = text.index(mark, begin) + len(mark)
    changed = text[:begin] + mistake["said"] + text[text.index("\n", begin) :]
    assert found_in(rule, text, language) == []
    assert any(mistake["told"] in one for one in found_in(rule, changed, language))


@cache
def paragraphs(language):
    """List every paragraph of the pages, with what its findings say for each outcome in turn."""
    messages = {
        name: message
        for chapter in stating()
        for name, message in messages_of(text_of(chapter, language)).items()
    }
    return [
        spelled_out(paragraph, outcome, messages)
        for page in sorted((MESSAGES / language).glob("*.qmd"))
        for paragraph in page.read_text("utf-8").split("\n\n")
        for outcome in ("holds", "divided", "fails", "open", "not_tested")
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_values_of_one_layer_beside_those_of_all_are_told_apart(language):
    found = [one for text in paragraphs(language) for one in mixed_scopes(text, RULES, language)]
    assert found == []


@pytest.mark.parametrize("mistake", MISTAKES["scopes"], ids=lambda one: one["said"][:40])
def test_a_value_of_one_layer_among_those_of_all_is_found(mistake):
    language, said = mistake["language"], mistake["said"]
    lead = next(text for text in paragraphs(language) if f"var {mistake['beside']} " in text)
    (found,) = mixed_scopes(f"{lead} {said}", RULES, language)
    assert found.endswith(said)


NOTES = {"en": "numbers are joined by an arrow", "ja": "矢印で結んだ二つの数値"}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("chapter", stating())
def test_arrows_are_explained_where_a_number_is_of_two_states(chapter, language):
    """Where a message writes both of them by one name."""
    two, text = {"pretrained", "finetuned"}, text_of(chapter, language)
    may = any(
        two <= {*(number.variants or rule.variants)}
        and re.search(rf"\$(?:{name}|{name}_range) \}}", said_of(rule, text))
        for rule in FINDINGS
        if rule.chapter == chapter
        for name, number in rule.numbers.items()
    )
    page = (MESSAGES / language / f"{chapter}.qmd").read_text("utf-8")
    assert (NOTES[language] in page) == may


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_reference_runs_may_decide_names_them(language):
    """Else a number of theirs reads as one of this run."""
    asked = 0
    for rule in FINDINGS:
        if not rule.all_runs:
            continue
        message = messages_of(text_of(rule.chapter, language))[
            rule.id.replace(".", "_").replace("-", "_")
        ]
        parts = {case.name or "outcome" for case in rule.cases} | {"outcome"}
        for text in texts_of(message):
            if text.chooser in parts and text.outcome != "not_tested":
                assert f"{text.chooser}_source" in text.shown, (rule.id, text)
                asked += 1
    assert asked
