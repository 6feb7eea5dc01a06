"""From results to a verdict: every kind of quantity, and what changes it."""

import json
import random
from pathlib import Path

import pandas as pd
import pytest
from ledger_rows import SAME, claim, committed, words

from analysis.claims.conditions import covers, data_names, same
from analysis.claims.evidence import Results
from analysis.claims.judging import judge
from analysis.claims.ledger import Over
from analysis.errors import InputError
from analysis.params import Bootstrap

BOOTSTRAP = Bootstrap(resamples=100, confidence=0.95, seed=0)
EXPERIMENTS = committed().experiments
TWO = {name: EXPERIMENTS[name] for name in ("reviews", "agreement")}
ONE = {"reviews": EXPERIMENTS["reviews"]}
RATIO = {"table": "mixing", "column": "ratio", "where": {"scope": "attn_w"}}


def judged(directory: Path, *cases, experiments=ONE, **changes):
    return judge(claim(*cases, **changes), experiments, Results(directory), BOOTSTRAP)


def first(directory: Path, case, **changes):
    (found,) = judged(directory, case, **changes)["cases"]
    return found


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
def test_layers_are_chosen_by_name_or_depth(results, layers, expected):
    found = first(results, {"texts": RATIO | {"layers": layers}})
    # Seven texts fall by 0.02 a layer, one rises.
    assert found["value"] == pytest.approx(0.9 - 0.02 * expected * 6 / 8)
    assert found["low"] < found["value"] < found["high"]
    assert found["texts"] == 8


def test_a_trend_is_the_rank_correlation_with_depth_of_each_text(results):
    found = first(results, {"texts": RATIO | {"over_layers": "trend"}})
    assert found["value"] == pytest.approx((-7 + 1) / 8)


def test_contrasts_are_of_the_same_text(results):
    minus = first(results, {"texts": RATIO | {"minus": {"where": {"scope": "attn_n"}}}})
    assert minus["value"] == minus["low"] == minus["high"] == pytest.approx(0.6)
    depth = first(results, {"texts": RATIO | {"layers": "last", "minus": {"layers": "first"}}})
    assert depth["value"] == pytest.approx(-0.02 * 5 * 6 / 8)
    after = first(
        results,
        {"texts": RATIO | {"minus": {"where": {"variant": "pretrained"}}}},
        test={
            "variants": ["finetuned"],
            "cases": [{"texts": RATIO | {"minus": {"where": {"variant": "pretrained"}}}}],
        },
    )
    assert after["value"] == pytest.approx(0.01)


def test_the_largest_and_smallest_text_have_no_interval(results):
    ratio = RATIO | {"layers": "first", "divided_by": {"where": {"scope": "attn_n"}}}
    largest = first(results, {"texts": ratio | {"over_texts": "largest"}})
    smallest = first(results, {"texts": ratio | {"over_texts": "smallest"}})
    assert (largest["value"], largest["low"]) == (pytest.approx(0.88 / 0.28), None)
    assert smallest["value"] == pytest.approx(0.92 / 0.32)


def test_columns_can_be_held_against_each_other(results):
    path = results / "reviews" / "change.parquet"
    pd.read_parquet(path).assign(before=[0.0] * 4 + [0.25] * 4).to_parquet(path)
    change = {"table": "change", "column": "distance"}
    other = {"column": "before"}
    assert first(results, {"texts": change | {"minus": other}})["value"] == pytest.approx(0.375)
    # A ratio to nothing is not defined.
    ratio = first(results, {"texts": change | {"divided_by": other}})
    assert (ratio["value"], ratio["texts"]) == (2, 4)


def test_a_table_of_both_states_is_read_once(results):
    case = {"texts": {"table": "change", "column": "distance"}}
    found = judged(results, case, test={"variants": ["both"], "cases": [case]})["cases"]
    assert [(one["variant"], one["value"]) for one in found] == [(None, 0.5)]


def test_metrics_come_with_the_interval_beside_them(results):
    score = first(results, {"metric": {"file": "metrics/scores", "path": "{variant}.score"}})
    assert (score["value"], score["low"], score["high"]) == (0.8, 0.7, 0.9)
    share = first(results, {"metric": {"file": "metrics/scores", "path": "families.share"}})
    assert (share["value"], share["low"], share["high"]) == (0.4, 0.3, 0.5)
    count = first(results, {"metric": {"file": "metrics/scores", "path": "families.count"}})
    assert (count["value"], count["low"]) == (12, None)


def test_a_curve_has_a_case_for_each_layer_that_is_defined(results):
    curve = {
        "file": "attended",
        "where": {"measure": "sep"},
        "layers": {"from": 4, "to": 6, "of": 6},
    }
    found = judged(results, {"label": words("to"), "curve": curve, "rule": {"above": 0.35}})[
        "cases"
    ]
    assert [one["label"]["en"] for one in found] == ["to, layer 4", "to, layer 5"]
    assert found[0]["label"]["ja"].endswith("、第 4 層")
    assert [one["holds"] for one in found] == [None, True]


def test_rows_are_counted_or_their_extremes_taken(results):
    sep = {"table": "heads", "column": "sep"}
    share = first(results, {"rows": sep | {"take": "share", "within": {"above": "level"}}})
    assert share["value"] == 0.5
    assert first(results, {"rows": sep | {"take": "largest"}})["value"] == 0.9
    assert first(results, {"rows": sep | {"take": "smallest"}})["value"] == 0.1


def test_arithmetic_needs_no_experiment(results):
    case = {
        "arithmetic": {"function": "total", "given": {"parts": ["curve.0", "level", 1]}},
        "rule": {"near": 1.6, "within": 0},
    }
    found = judged(results, case, experiments={})
    assert found["cases"][0]["value"] == pytest.approx(1.6)
    assert found["cases"][0]["experiment"] is None
    assert found["verdict"] == "reproduced"


# --- what is not there ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "case",
    [
        {"texts": RATIO | {"where": {"scope": "none such"}}},
        {"texts": {"table": "nothing", "column": "sep"}, "over": {"max_tokens": 1}},
        {"metric": {"file": "metrics/scores", "path": "{variant}.undefined"}},
        {"metric": {"file": "metrics/scores", "path": "{variant}.undefined.within"}},
        {"curve": {"file": "attended", "where": {"measure": "none such"}}},
        {"rows": {"table": "nothing", "column": "sep", "take": "largest"}},
        {"texts": RATIO | {"layers": {"from": 1, "to": 1, "of": 100}}},
        {"texts": RATIO | {"layers": {"from": 1, "to": 1, "of": 100}, "over_layers": "trend"}},
    ],
)
def test_without_results_a_claim_is_not_tested(results, case):
    found = judged(results, case | {"rule": {"above": 0}})
    assert (found["verdict"], found["cases"], found["conditions"]) == ("not_tested", [], None)


def test_a_claim_without_a_test_is_not_tested(results):
    assert judged(results)["verdict"] == "not_tested"


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ({"texts": RATIO | {"column": "rate"}}, "reads rate of"),
        ({"texts": RATIO | {"where": {"scoop": 1}}}, "reads scoop of"),
        ({"texts": RATIO | {"minus": {"where": {"scoop": 1}}}}, "asks for scoop in mixing"),
        ({"texts": RATIO | {"minus": {"column": "rate"}}}, "reads rate of"),
        ({"texts": RATIO | {"table": "gone"}}, "which is not there"),
        ({"metric": {"file": "metrics/gone", "path": "a"}}, "which is not there"),
        ({"metric": {"file": "metrics/scores", "path": "pretrained"}}, "is not a number"),
        (
            {"metric": {"file": "metrics/scores", "path": "gone.score"}},
            "gone.score of .*scores.json, which has pretrained, families in the place of gone",
        ),
        (
            {"metric": {"file": "metrics/scores", "path": "families.portion"}},
            "which has share, low, high, count in the place of portion",
        ),
        (
            {"metric": {"file": "metrics/scores", "path": "{variant}.score.mean"}},
            "which has no names in the place of mean",
        ),
    ],
)
def test_a_wrong_name_is_told_in_one_sentence(results, case, expected):
    with pytest.raises(InputError, match=expected) as error:
        judged(results, case)
    assert "claim B1" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_case_is_asked_only_where_it_could_come_out_otherwise(results):
    case = {"rows": {"table": "heads", "column": "sep", "take": "largest"}, "rule": {"above": 0}}
    score = {"file": "metrics/scores", "path": "pretrained.score"}
    for bound, count in ((0.9, 1), (0.8, 0)):
        when = {"metric": score, "rule": {"below": bound}}
        assert len(judged(results, case | {"when": when})["cases"]) == count


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


def test_published_conditions_make_a_reproduction_and_others_are_said(results):
    there = judged(results, CASE, experiments=TWO, conditions=SAME)
    assert (there["conditions"], there["verdict"], there["differs"]) == ("same", "reproduced", None)
    assert len(there["cases"]) == 2
    elsewhere = SAME | {"data": ["sst2"]}
    other = judged(results, CASE, experiments=TWO, conditions=elsewhere)
    assert (other["conditions"], other["verdict"]) == ("other", "consistent")
    assert "the model on reviews" in other["differs"]["en"]
    assert "all-MiniLM-L6-v2 on reviews, agreement" in other["differs"]["en"]
    assert "レビューでのモデル" in other["differs"]["ja"]


def test_where_there_are_published_conditions_they_alone_decide(results):
    heads = {
        "rows": {"table": "heads", "column": "sep", "take": "largest"},
        "rule": {"above": 0.95},
    }
    path = results / "agreement" / "heads.parquet"
    pd.read_parquet(path).assign(sep=0.99).to_parquet(path)
    assert judged(results, heads, experiments=TWO, conditions=SAME)["verdict"] == "not_reproduced"
    elsewhere = SAME | {"data": ["sst2"]}
    found = judged(results, heads, experiments=TWO, conditions=elsewhere)
    assert found["verdict"] == "partly_consistent"


def test_what_is_said_of_any_model_is_reproduced_or_not(results):
    found = judged(results, CASE, experiments=TWO, conditions=None)
    assert (found["conditions"], found["verdict"], found["differs"]) == ("same", "reproduced", None)


def test_a_case_without_a_rule_is_shown_and_decides_nothing(results):
    shown = {key: value for key, value in CASE.items() if key != "rule"}
    assert judged(results, shown)["verdict"] == "not_tested"
    found = judged(results, CASE | {"label": words("a")}, shown | {"label": words("b")})
    assert [one["holds"] for one in found["cases"]] == [True, None]
    assert [one["decides"] for one in found["cases"]] == [True, False]
    assert found["verdict"] == "reproduced"


# --- what changes a verdict -----------------------------------------------------------------------


def test_one_number_changed_by_hand_changes_the_verdict(results):
    case = {
        "metric": {"file": "metrics/scores", "path": "{variant}.score"},
        "rule": {"above": "level"},
    }
    path = results / "reviews" / "metrics" / "scores.json"
    metrics = json.loads(path.read_text())
    seen = []
    for value in (0.8, 0.45, 0.1):
        low, high = value - 0.1, value + 0.1
        metrics["pretrained"] |= {"score": value, "score_low": low, "score_high": high}
        path.write_text(json.dumps(metrics))
        seen.append(judged(results, case)["verdict"])
    assert seen == ["reproduced", "undecided", "not_reproduced"]


def test_a_few_changed_texts_open_and_then_turn_a_verdict(results):
    path = results / "reviews" / "mixing.parquet"
    table = pd.read_parquet(path)
    seen = []
    for risen in (0, 4, 8):
        changed = table.copy()
        here = (changed["example_id"] < risen) & (changed["layer"] == 6)
        changed.loc[here, "ratio"] += 0.5
        changed.to_parquet(path)
        seen.append(judged(results, CASE)["verdict"])
    assert seen[0] == "reproduced"
    assert seen[2] == "not_reproduced"
    assert seen[1] in ("undecided", "not_reproduced")


def test_the_order_of_experiments_changes_no_verdict(results):
    names = list(TWO)
    random.Random(1).shuffle(names)
    orders = [TWO, dict(reversed(TWO.items())), {name: TWO[name] for name in names}]
    for conditions in (None, SAME, SAME | {"data": ["sst2"]}):
        found = [judged(results, CASE, experiments=o, conditions=conditions) for o in orders]
        assert len({one["verdict"] for one in found}) == 1
        cases = [sorted(one["cases"], key=lambda c: c["experiment"]) for one in found]
        assert cases[0] == cases[1] == cases[2]


def test_files_that_are_read_are_named(results):
    curve = {"curve": {"file": "attended", "where": {"measure": "sep"}}}
    found = judged(results, CASE, curve | {"label": words("b")})
    assert found["files"] == [
        "results/{experiment}/mixing.parquet",
        "results/{experiment}/plots/attended.csv",
    ]
