"""Which experiments a rule is asked of, and which models have learned what they explain."""

import pytest
from data_sections import FILES, HUB
from made_rules import ROOT, SAME, committed, rule

from analysis.parameters.derived import cases
from analysis.rules.conditions import (
    built,
    covers,
    data_names,
    learned,
    learned_seeds,
    normalizes_sums,
    same,
    special_first,
)
from analysis.rules.rule import Over, read

EXPERIMENTS = cases(committed().experiments)
REVIEWS = EXPERIMENTS["reviews"]


def changed(**sections):
    """Reviews with other sections."""
    return type(REVIEWS).model_validate(REVIEWS.model_dump() | sections)


# --- what an experiment is ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("over", "expected"),
    [
        ({}, True),
        ({"task": ["classification"]}, True),
        ({"task": ["none"]}, False),
        ({"data": ["rev"]}, True),
        ({"not_data": ["reviews"]}, False),
        ({"models": ["bert-base-uncased"]}, False),
        ({"max_tokens": REVIEWS.length.max_tokens}, True),
        ({"trained": False}, False),
        ({"whole": True}, True),
    ],
)
def test_experiments_are_chosen_by_what_they_are(over, expected):
    assert covers(Over.model_validate(over), REVIEWS) is expected


@pytest.mark.parametrize(
    ("structure", "normalizes"),
    [
        ({"structure": {"norms": ["after"]}}, True),
        ({"structure": {"norms": ["before+after"]}}, True),
        ({"structure": {"norms": ["before", "before+of_output"]}}, False),
        ({"structure": {"norms": [""]}}, False),
        ({}, True),  # kept before it was noted
    ],
)
def test_models_are_chosen_by_whether_they_normalize_sums(structure, normalizes):
    assert normalizes_sums(structure) is normalizes
    assert built(Over(normalizes_sums=True), structure) is normalizes
    assert built(Over(normalizes_sums=False), structure) is not normalizes
    assert built(Over(), structure)


@pytest.mark.parametrize(
    ("structure", "begins"),
    [
        ({"structure": {"special_first": True}}, True),
        ({"structure": {"special_first": False}}, False),
        ({}, True),  # kept before it was noted
    ],
)
def test_models_are_chosen_by_how_their_texts_begin(structure, begins):
    assert special_first(structure) is begins
    assert built(Over(special_first=True), structure) is begins
    assert built(Over(special_first=False), structure) is not begins
    assert built(Over(), structure)


def test_where_the_largest_activation_sits_is_asked_of_texts_that_begin_with_a_special_token():
    """The encoder of a little translator reads none first, so there is no place to name."""
    asked = [
        (case.over or one.over, one.id)
        for one in read(ROOT / "report" / "rules.yaml")
        for case in one.cases
        if case.texts and case.texts.quantity == "largest_at"
    ]
    assert {"B38", "heads.massive"} <= {name for _, name in asked}
    for over, name in asked:
        for begins in (True, False):
            structure = {"sight": ["all"], "special_first": begins}
            assert built(over, {"structure": structure}) is begins, name


def test_questions_are_chosen_by_their_task():
    assert covers(Over(task=["question_answering"]), EXPERIMENTS["questions"])


def test_bundled_data_are_known_by_their_experiment():
    assert data_names(REVIEWS) == ["reviews"]
    assert data_names(EXPERIMENTS["sentences"]) == ["sentences"]


@pytest.mark.parametrize(
    ("source", "names"), [(FILES, ["train-file", "imdb-test"]), (HUB, ["imdb"])]
)
def test_files_are_known_by_their_names_and_hub_data_by_theirs(source, names):
    given = {"train": "train-file", "test": "imdb-test", "limits": {"train": None, "test": 100}}
    asked = changed(data=source | given)
    assert data_names(asked) == names
    assert covers(Over(data=["imdb"]), asked)
    assert not covers(Over(whole=True), asked)


def test_the_owner_of_a_model_is_no_part_of_its_name():
    hub = {"source": "hub", "name": "somebody/all-MiniLM-L6-v2", "revision": "0" * 40}
    asked = rule({"fact": {"path": "score"}}, claim={"conditions": SAME})
    assert same(asked, changed(model=hub))


# --- what was learned -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        ({"accuracy": 0.59}, False),
        ({"accuracy": 0.61}, True),
        # Answering nothing is right for every unanswerable question.
        ({"f1": 59.0, "total": 200, "NoAns_total": 100}, False),
        ({"f1": 61.0, "total": 200, "NoAns_total": 100}, True),
        ({"f1": 32.4, "HasAns_f1": 54.9, "total": 11873, "NoAns_total": 5945}, False),
        ({"f1": 11.0, "total": 200}, True),
    ],
)
def test_a_task_is_learned_by_what_a_model_does_that_reads_nothing(score, expected):
    known = {"seeds": {"0": {"evaluate": score}}, "corpus": {"majority_accuracy": 0.5}}
    assert learned(known) is expected
    assert learned_seeds(known) == ["0"] * expected


def test_no_explanation_is_of_a_model_that_has_not_learned():
    """Of an earlier version, whose means are over all seeds; now over those that have."""
    scores = {"0": 1.0, "1": 0.5, "2": 0.9}
    seeds = {seed: {"evaluate": {"accuracy": score}} for seed, score in scores.items()}
    known = {"seeds": seeds, "corpus": {"majority_accuracy": 0.5}}
    assert learned_seeds(known) == ["0", "2"]
    assert not learned(known)
    assert learned(known | {"explained": ["0", "2"]})
    assert not learned(known | {"explained": ["1"]})
    assert learned({"seeds": {}, "corpus": {}, "explained": []})  # nothing was trained
