"""The first sentences of set-up, mixing and propagation follow the numbers."""

import re

import pytest

from analysis.figures import setup as setup_figures
from analysis.figures.findings import mixing, propagation, setup
from analysis.figures.words import Words, words

LANGUAGES = ("en", "ja")


def words_of(language: str) -> Words:
    return words(language, "findings_setup", "findings_mixing", "findings_propagation")


ENGLISH = words_of("en")


def whole(sentence: str) -> str:
    assert sentence
    assert not sentence.endswith((".", "。"))  # the page has it
    assert not re.search(r"\bnan\b|None|[{}]", sentence)
    return sentence


def distinct(sentences) -> bool:
    """Whether every case has words of its own, numbers left aside."""
    bare = [re.sub(r"[\d.,%−–]+", "", sentence) for sentence in sentences]
    return len(set(bare)) == len(bare)


@pytest.mark.parametrize("language", LANGUAGES)
def test_lead_of_setup_says_how_many_models_learned(language):
    cases = [([], []), ([0.9, 0.8], [0.5, 0.5]), ([0.9, 0.4], [0.5, 0.5]), ([0.4], [0.5])]
    leads = [whole(setup.lead(*case, 3.6e-6, words_of(language))) for case in cases]
    assert distinct(leads)
    assert all("3.6e\u221206" in lead for lead in leads)
    assert "80%–90%" in leads[1]


def test_a_score_that_needs_no_reading_is_no_success():
    assert "The fine-tuned model has not learned" in setup.lead([0.5], [0.5], 0.0, ENGLISH)
    assert "No fine-tuned model" in setup.lead([0.5, 0.4], [0.5, 0.5], 0.0, ENGLISH)
    assert "1 of 2 fine-tuned models has learned its task" in setup.lead(
        [0.9, 0.4], [0.5, 0.5], 0.0, ENGLISH
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_lead_of_mixing_compares_vectors_with_weights(language):
    cases = [([0.9, 0.9], [0.2, 0.4]), ([0.9, 0.9], [0.2, 0.8]), ([0.9, 0.9], [0.2, 0.95])]
    leads = [whole(mixing.lead(*case, words_of(language))) for case in cases]
    assert distinct(leads)
    assert "20%–40%" in leads[0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_lead_of_propagation_has_a_sentence_for_every_case(language):
    leads = [
        whole(propagation.lead(rollout, [0.93, 0.93], distance, [0.3, 0.6], words_of(language)))
        for rollout in ([0.93, 0.95], [0.93, 0.6])
        for distance in ([0.02, 0.05], [0.02, 0.5])
    ]
    assert distinct(leads)
    assert all("30%–60%" in lead for lead in leads)


def test_lead_of_propagation_blames_assumptions_only_where_the_model_has_no_part():
    alike, other = [0.93], [0.6]
    assert propagation.lead(alike, alike, [0.02], [0.3], ENGLISH).startswith(
        "Rollout says more about"
    )
    assert "reports the model" in propagation.lead(other, alike, [0.5], [0.3], ENGLISH)


def test_answering_nothing_is_what_questions_are_held_against(root, monkeypatch):
    from analysis import params

    guessed = {"bag_of_words_accuracy": 0.6, "majority_accuracy": 0.5}
    known = {
        "reviews": {"evaluate": {"accuracy": 0.9}, "corpus": guessed},
        "questions": {"evaluate": {"f1": 80.0, "NoAns_total": 1, "total": 4}, "corpus": guessed},
    }
    monkeypatch.setattr(setup_figures, "facts", known.__getitem__)
    values = params.load(root / "params.yaml")
    chosen = {name: values.experiments[name] for name in ("reviews", "questions")}
    values = values.model_copy(update={"experiments": chosen})
    assert setup_figures.learned(values) == ([0.9, 0.8], [0.6, 0.25])
