"""From a summary to a verdict: every kind of quantity, and what changes it."""

import random

import pandas as pd
import pytest
from ledger_rows import SAME, claim, committed, words
from made_results import of_texts, point

from analysis.claims.conditions import covers, data_names, same
from analysis.claims.judging import judge
from analysis.claims.ledger import Over
from analysis.errors import InputError

EXPERIMENTS = committed().experiments
TWO = {name: EXPERIMENTS[name] for name in ("reviews", "agreement")}
ONE = {"reviews": EXPERIMENTS["reviews"]}
RATIO = {"group": "vectors", "measure": "ratio", "where": {"of": "attn_w"}}
DISTANCE = {"group": "vectors", "measure": "distance"}
SCORE = {"group": "heads", "measure": "score"}


def judged(made, *cases, experiments=ONE, **changes):
    asked = claim(*cases, **changes)
    return judge(asked, experiments, made.summary(asked))


def first(made, case, **changes):
    (found,) = judged(made, case, **changes)["cases"]
    return found


def of_both(case):
    """Ask of results that do not tell the states apart."""
    return {"variants": ["both"], "cases": [case]}


# --- quantities -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layers", "expected"),
    [
        ("first", 1),
        ("middle", 3),
        ("last", 6),
        ("all", 3.5),
        ("last_two", 5.5),
        ("all_but_last_two", 2.5),
        ({"from": 6, "to": 10, "of": 12}, 4),
        ({"from": 4, "to": 6, "of": 6}, 5),
        ({"from": 5, "to": 5, "of": 6}, 5),
    ],
)
def test_layers_are_chosen_by_name_or_depth(made, layers, expected):
    found = first(made, {"texts": RATIO | {"layers": layers}})
    # Seven texts fall by 0.02 a layer, one rises.
    assert found["value"] == pytest.approx(0.9 - 0.02 * expected * 6 / 8)
    assert found["low"] < found["value"] < found["high"]
    assert found["texts"] == 8


def test_a_trend_is_the_rank_correlation_with_depth_of_each_text(made):
    found = first(made, {"texts": RATIO | {"over_layers": "trend"}})
    assert found["value"] == pytest.approx((-7 + 1) / 8)


def test_contrasts_are_of_the_same_text(made):
    minus = first(made, {"texts": RATIO | {"minus": {"where": {"of": "attn_n"}}}})
    assert minus["value"] == minus["low"] == minus["high"] == pytest.approx(0.6)
    depth = first(made, {"texts": RATIO | {"layers": "last", "minus": {"layers": "first"}}})
    assert depth["value"] == pytest.approx(-0.02 * 5 * 6 / 8)
    case = {"texts": RATIO | {"minus": {"where": {"variant": "pretrained"}}}}
    after = first(made, case, test={"variants": ["finetuned"], "cases": [case]})
    assert after["value"] == pytest.approx(0.01)


def test_the_largest_and_smallest_text_have_no_interval(made):
    ratio = RATIO | {"layers": "first", "divided_by": {"where": {"of": "attn_n"}}}
    largest = first(made, {"texts": ratio | {"over_texts": "largest"}})
    smallest = first(made, {"texts": ratio | {"over_texts": "smallest"}})
    assert (largest["value"], largest["low"]) == (pytest.approx(0.88 / 0.28), None)
    assert smallest["value"] == pytest.approx(0.92 / 0.32)


def test_without_a_contrast_extremes_are_of_all_rows(made):
    """Not of the means of texts over their layers."""
    largest = first(made, {"texts": RATIO | {"over_texts": "largest"}})
    assert (largest["value"], largest["low"]) == (pytest.approx(0.9 + 0.02 * 6), None)
    smallest = first(made, {"texts": RATIO | {"over_texts": "smallest"}})
    assert smallest["value"] == pytest.approx(0.9 - 0.02 * 6)


def test_measures_can_be_held_against_each_other(made):
    before = of_texts("before", [0.0] * 4 + [0.25] * 4)
    made.values["reviews"] = pd.concat([made.values["reviews"], before])
    other = {"measure": "before"}
    minus = {"texts": DISTANCE | {"minus": other}}
    assert first(made, minus, test=of_both(minus))["value"] == pytest.approx(0.375)
    # A ratio to nothing is not defined.
    ratio = {"texts": DISTANCE | {"divided_by": other}}
    found = first(made, ratio, test=of_both(ratio))
    assert (found["value"], found["texts"]) == (2, 4)


def test_a_value_of_both_states_is_read_once(made):
    case = {"texts": DISTANCE}
    found = judged(made, case, test=of_both(case))["cases"]
    assert [(one["variant"], one["value"]) for one in found] == [(None, 0.5)]


def test_what_is_of_all_layers_comes_with_its_interval(made):
    score = first(made, {"curve": SCORE})
    assert (score["value"], score["low"], score["high"]) == (0.8, 0.8 - 0.1, 0.8 + 0.1)
    assert score["texts"] == 8
    # Of all texts together there is none.
    case = {"curve": {"group": "heads", "measure": "p_value", "where": {"of": "elbow"}}}
    found = first(made, case)
    assert (found["value"], found["low"], found["high"], found["texts"]) == (0.4, None, None, None)


def test_facts_have_no_interval(made):
    for path, value in (("score", 0.8), ("families.share", 0.4), ("families.count", 12)):
        found = first(made, {"fact": {"path": path}})
        assert (found["value"], found["low"], found["texts"]) == (value, None, None)


def test_a_curve_has_a_case_for_each_layer_that_is_defined(made):
    curve = {"group": "heads", "measure": "curve", "layers": {"from": 4, "to": 6, "of": 6}}
    found = judged(made, {"label": words("to"), "curve": curve, "rule": {"above": 0.35}})["cases"]
    assert [one["label"]["en"] for one in found] == ["to, layer 4", "to, layer 5"]
    assert found[0]["label"]["ja"].endswith("、第 4 層")
    assert [one["holds"] for one in found] == [None, True]


def test_heads_are_counted_by_their_mean_or_an_end_of_its_interval(made):
    sep = {"group": "heads", "measure": "sep"}
    for column, bound, expected in (
        ("mean", "level", 0.5),
        ("low", "level", 0.25),
        ("high", 0.25, 0.75),
    ):
        heads = sep | {"column": column, "within": {"above": bound}}
        assert first(made, {"heads": heads})["value"] == expected


def test_arithmetic_needs_no_experiment(made):
    case = {
        "arithmetic": {"function": "total", "given": {"parts": ["curve.0", "level", 1]}},
        "rule": {"near": 1.6, "within": 0},
    }
    found = judged(made, case, experiments={})
    assert found["cases"][0]["value"] == pytest.approx(1.6)
    assert found["cases"][0]["experiment"] is None
    assert found["verdict"] == "reproduced"


# --- what is not there ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "case",
    [
        {"texts": RATIO | {"where": {"of": "none such"}}},
        {"texts": RATIO | {"measure": "none such"}},
        {"texts": RATIO, "over": {"max_tokens": 1}},
        {"texts": RATIO | {"layers": {"from": 1, "to": 1, "of": 100}}},
        {"texts": RATIO | {"layers": {"from": 1, "to": 1, "of": 100}, "over_layers": "trend"}},
        {"texts": DISTANCE},  # of the later state alone
        {"fact": {"path": "undefined"}},
        {"fact": {"path": "undefined.within"}},
        {"curve": {"group": "heads", "measure": "undefined"}},
        {"curve": {"group": "heads", "measure": "none such"}},
        {"curve": {"group": "vectors", "measure": "none such"}},
        {"curve": SCORE | {"where": {"of": "none such"}}},
        {"heads": {"group": "heads", "measure": "none such", "within": {"above": 0}}},
    ],
)
def test_without_results_a_claim_is_not_tested(made, case):
    found = judged(made, case | {"rule": {"above": 0}})
    assert (found["verdict"], found["cases"], found["conditions"]) == ("not_tested", [], None)


def test_a_claim_without_a_test_is_not_tested(made):
    assert judged(made)["verdict"] == "not_tested"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("families", "families is not a number of reviews; name one within it"),
        ("gone.score", "which has score, undefined, families in the place of gone; correct"),
        ("families.portion", "which has share, count in the place of portion; correct the path"),
        ("score.mean", "reads score.mean of reviews, which has no names in the place of mean"),
    ],
)
def test_a_wrong_name_is_told_in_one_sentence(made, path, expected):
    with pytest.raises(InputError, match=expected) as error:
        judged(made, {"fact": {"path": path}})
    assert "claim B1" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_case_is_asked_only_where_it_could_come_out_otherwise(made):
    case = {"fact": {"path": "score"}, "rule": {"above": 0}}
    for bound, count in ((0.9, 1), (0.8, 0)):
        when = {"curve": SCORE, "rule": {"below": bound}}
        assert len(judged(made, case | {"when": when})["cases"]) == count
    unknown = {"curve": SCORE | {"measure": "undefined"}, "rule": {"below": 1}}
    assert judged(made, case | {"when": unknown})["cases"] == []


# --- conditions -----------------------------------------------------------------------------------


def test_experiments_are_chosen_by_what_they_are():
    reviews, questions = EXPERIMENTS["reviews"], EXPERIMENTS["questions"]
    assert data_names(reviews) == ["reviews"]
    assert data_names(EXPERIMENTS["sentences"]) == ["sentences"]
    for over, expected in (
        ({}, True),
        ({"task": ["classification"]}, True),
        ({"task": ["none"]}, False),
        ({"data": ["rev"]}, True),
        ({"not_data": ["reviews"]}, False),
        ({"models": ["bert-base-uncased"]}, False),
        ({"max_tokens": reviews.length.max_tokens}, True),
        ({"trained": False}, False),
        ({"whole": True}, True),
    ):
        assert covers(Over.model_validate(over), reviews) is expected, over
    assert covers(Over(task=("question_answering",)), questions)


def test_files_are_known_by_their_names_and_hub_data_by_theirs():
    reviews = EXPERIMENTS["reviews"]
    shared = {"text": "t", "label": "l", "validation_fraction": 0.1, "seed": 0}
    shared |= {"train": "train-file", "test": "imdb-test"}
    limits = {"train": None, "test": 100}
    files = {"source": "files", "limits": limits} | shared
    hub = {"source": "hub", "name": "stanfordnlp/imdb", "config": None, "revision": "0" * 40}
    for data, names in (
        (files, ["train-file", "imdb-test"]),
        (files | hub, ["imdb"]),
    ):
        asked = type(reviews).model_validate(reviews.model_dump() | {"data": data})
        assert data_names(asked) == names
        assert covers(Over(data=("imdb",)), asked)
        assert not covers(Over(whole=True), asked)


def test_the_owner_of_a_model_is_no_part_of_its_name():
    reviews = EXPERIMENTS["reviews"].model_dump()
    hub = {"source": "hub", "name": "somebody/all-MiniLM-L6-v2", "revision": "0" * 40}
    moved = type(EXPERIMENTS["reviews"]).model_validate(reviews | {"model": hub})
    assert same(claim(conditions=SAME), moved)


CASE = {"texts": RATIO | {"layers": "last", "minus": {"layers": "first"}}, "rule": {"below": 0}}


def test_published_conditions_make_a_reproduction_and_others_are_said(made):
    there = judged(made, CASE, experiments=TWO, conditions=SAME)
    assert (there["conditions"], there["verdict"], there["differs"]) == ("same", "reproduced", None)
    assert len(there["cases"]) == 2
    elsewhere = SAME | {"data": ["sst2"]}
    other = judged(made, CASE, experiments=TWO, conditions=elsewhere)
    assert (other["conditions"], other["verdict"]) == ("other", "consistent")
    assert "the model on reviews" in other["differs"]["en"]
    assert "all-MiniLM-L6-v2 on reviews, agreement" in other["differs"]["en"]
    assert "レビューでのモデル" in other["differs"]["ja"]


def test_where_there_are_published_conditions_they_alone_decide(made):
    score = {"curve": SCORE, "rule": {"above": 0.95}}
    made.points["agreement"] = [point("heads", "score", 0.99, 0.01)]
    assert judged(made, score, experiments=TWO, conditions=SAME)["verdict"] == "not_reproduced"
    elsewhere = SAME | {"data": ["sst2"]}
    found = judged(made, score, experiments=TWO, conditions=elsewhere)
    assert found["verdict"] == "partly_consistent"


def test_what_is_said_of_any_model_is_reproduced_or_not(made):
    found = judged(made, CASE, experiments=TWO, conditions=None)
    assert (found["conditions"], found["verdict"], found["differs"]) == ("same", "reproduced", None)


def test_a_case_without_a_rule_is_shown_and_decides_nothing(made):
    shown = {key: value for key, value in CASE.items() if key != "rule"}
    assert judged(made, shown)["verdict"] == "not_tested"
    found = judged(made, CASE | {"label": words("a")}, shown | {"label": words("b")})
    assert [one["holds"] for one in found["cases"]] == [True, None]
    assert [one["decides"] for one in found["cases"]] == [True, False]
    assert found["verdict"] == "reproduced"


# --- what changes a verdict -----------------------------------------------------------------------


def test_one_number_changed_by_hand_changes_the_verdict(made):
    seen = []
    for value in (0.8, 0.45, 0.1):
        made.points["reviews"] = [point("heads", "score", value, 0.1)]
        seen.append(judged(made, {"curve": SCORE, "rule": {"above": "level"}})["verdict"])
    assert seen == ["reproduced", "undecided", "not_reproduced"]


def test_a_few_changed_texts_open_and_then_turn_a_verdict(made):
    values = made.values["reviews"]
    seen = []
    for risen in (0, 4, 8):
        here = (values["text"] < risen) & (values["layer"] == 6)
        made.values["reviews"] = values.assign(value=values["value"] + 0.5 * here)
        seen.append(judged(made, CASE)["verdict"])
    assert seen[0] == "reproduced"
    assert seen[2] == "not_reproduced"
    assert seen[1] in ("undecided", "not_reproduced")


def test_the_order_of_experiments_changes_no_verdict(made):
    names = list(TWO)
    random.Random(1).shuffle(names)
    orders = [TWO, dict(reversed(TWO.items())), {name: TWO[name] for name in names}]
    for conditions in (None, SAME, SAME | {"data": ["sst2"]}):
        found = [judged(made, CASE, experiments=o, conditions=conditions) for o in orders]
        assert len({one["verdict"] for one in found}) == 1
        cases = [sorted(one["cases"], key=lambda c: c["experiment"]) for one in found]
        assert cases[0] == cases[1] == cases[2]


def test_groups_that_are_read_are_named(made):
    score, fact = {"curve": SCORE, "label": words("b")}, {"fact": {"path": "score"}}
    found = judged(made, CASE | {"label": words("a")}, score, fact)
    assert found["files"] == [f"results/summary/{group}" for group in ("vectors", "heads", "model")]
