"""From a summary to an outcome: every kind of quantity, and what changes it."""

import pandas as pd
import pytest
from data_sections import FILES, HUB
from made_results import TEXTS, Made, of_texts, point
from made_rules import SAME, committed, rule
from pydantic import ValidationError

from analysis.rules.conditions import covers, data_names, learned, learned_seeds, same
from analysis.rules.judging import judge
from analysis.rules.quantities import NAMES
from analysis.rules.rule import Over, Rule, read
from analysis.rules.runs import kept_experiment
from analysis.stage import write_json
from attention_mixing.artifacts import MANIFEST
from attention_mixing.errors import InputError
from attention_mixing.measures import GROUPS
from attention_mixing.methods.power import exact_interval
from attention_mixing.params import load
from attention_mixing.params.states import cases
from attention_mixing.paths import REFERENCE, REPORT
from attention_mixing.schemas import SUMMARY

EXPERIMENTS = cases(committed().experiments)
TWO = {name: EXPERIMENTS[name] for name in ("reviews", "agreement")}
ONE = {"reviews": EXPERIMENTS["reviews"]}
RATIO = {"group": "vectors", "quantity": "ratio", "where": {"of": "attn_w"}}
DISTANCE = {"group": "vectors", "quantity": "distance"}
SCORE = {"group": "heads", "quantity": "score"}


@pytest.fixture
def made(tmp_path):
    """Results of reviews and agreement."""
    return Made(tmp_path)


def judged(made, *cases, experiments=ONE, **changes):
    asked = rule(*cases, **changes)
    (found,) = judge([asked], experiments, made.summary(asked))
    return found


def first(made, case, **changes):
    (found,) = judged(made, case, **changes)["cases"]
    return found


def finding(made, experiments, **asked):
    """What is found for a row that is no claim."""
    rule_of_it = Rule.model_validate({"id": "heads.best", "variants": ["pretrained"], **asked})
    (found,) = judge([rule_of_it], experiments, made.summary(rule_of_it))
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
def test_layers_are_chosen_by_name_or_depth(made, layers, expected):
    found = first(made, {"texts": RATIO | {"layers": layers}})
    # Seven texts fall by 0.02 a layer, one rises.
    assert found["value"] == pytest.approx(0.9 - 0.02 * expected * 6 / 8)
    assert found["low"] < found["value"] < found["high"]
    assert found["sample"] == 8


def test_a_trend_is_the_rank_correlation_with_depth_of_each_text(made):
    found = first(made, {"texts": RATIO | {"over_layers": "trend"}})
    assert found["value"] == pytest.approx((-7 + 1) / 8)


def test_contrasts_are_of_the_same_text(made):
    minus = first(made, {"texts": RATIO | {"minus": {"where": {"of": "attn_n"}}}})
    assert minus["value"] == minus["low"] == minus["high"] == pytest.approx(0.6)
    depth = first(made, {"texts": RATIO | {"layers": "last", "minus": {"layers": "first"}}})
    assert depth["value"] == pytest.approx(-0.02 * 5 * 6 / 8)
    case = {"texts": RATIO | {"minus": {"where": {"variant": "pretrained"}}}}
    after = first(made, case, variants=["finetuned"])
    assert after["value"] == pytest.approx(0.01)


def test_the_largest_and_smallest_are_of_texts_in_a_contrast_and_of_all_rows_without(made):
    """And have no interval."""
    ratio = RATIO | {"layers": "first", "divided_by": {"where": {"of": "attn_n"}}}
    for asked, largest, smallest in (
        (ratio, 0.88 / 0.28, 0.92 / 0.32),
        (RATIO, 0.9 + 0.02 * 6, 0.9 - 0.02 * 6),
    ):
        for end, expected in (("largest", largest), ("smallest", smallest)):
            found = first(made, {"texts": asked | {"over_texts": end}})
            assert (found["value"], found["low"]) == (pytest.approx(expected), None)


def test_one_head_may_stand_for_all(made):
    """Of four, the last has the lowest mean, and its own interval."""
    sep = {"group": "heads", "quantity": "sep"}
    for end, mean in (("largest", 0.9), ("smallest", 0.1)):
        found = first(made, {"curve": sep | {"over_heads": end}})
        assert (found["value"], found["low"]) == pytest.approx((mean, mean - 0.1))
    assert (
        judged(made, {"curve": sep | {"quantity": "none", "over_heads": "largest"}})["cases"] == []
    )


def test_a_share_of_heads_is_held_against_that_of_another_state(made):
    """Of four heads, two are above a half before, and one after."""
    for head, mean in enumerate((0.9, 0.4, 0.2, 0.1), start=1):
        after = {"layer": 1, "head": head, "variant": "finetuned"}
        made.points["reviews"].append(point("heads", "sep", mean, 0.1, **after))
    share = {"group": "heads", "quantity": "sep", "within": {"above": 0.5}, "every": True}
    case = {"heads": share | {"minus": {"where": {"variant": "pretrained"}}}}
    found = first(made, case, variants=["finetuned"])
    assert (found["value"], found["low"]) == (-0.25, None)
    with pytest.raises(ValidationError, match="add every: true"):
        rule({"heads": case["heads"] | {"every": False}})
    with pytest.raises(ValidationError, match="give it a where alone"):
        rule({"heads": case["heads"] | {"tested": True}})


def test_measures_can_be_held_against_each_other(made):
    before = of_texts("before", [0.0] * 4 + [0.25] * 4)
    made.values["reviews"] = pd.concat([made.values["reviews"], before])
    other = {"quantity": "before"}
    minus = {"texts": DISTANCE | {"minus": other}}
    assert first(made, minus, variants=["both"])["value"] == pytest.approx(0.375)
    # A ratio to nothing is not defined.
    ratio = {"texts": DISTANCE | {"divided_by": other}}
    found = first(made, ratio, variants=["both"])
    assert (found["value"], found["sample"]) == (2, 4)


def test_a_value_of_both_states_is_read_once(made):
    case = {"texts": DISTANCE}
    found = judged(made, case, variants=["both"])["cases"]
    assert [(one["variant"], one["value"]) for one in found] == [(None, 0.5)]


def test_a_quantity_that_names_its_state_is_read_once(made):
    for variant, expected in (("pretrained", 0.855), ("finetuned", 0.865)):
        case = {"texts": RATIO | {"where": {"of": "attn_w", "variant": variant}}}
        case["texts"] |= {"layers": "middle"}
        found = judged(made, case, variants=["both"])["cases"]
        assert [one["value"] for one in found] == pytest.approx([expected])


def test_states_that_are_told_apart_are_never_read_as_one(made):
    assert judged(made, {"texts": RATIO}, variants=["both"])["cases"] == []


def test_only_what_was_trained_is_asked_of_after_training(made):
    untrained = {"reviews": EXPERIMENTS["reviews"].model_copy(update={"train": None})}
    both = ["pretrained", "finetuned"]
    for experiments, states in ((ONE, both), (untrained, both[:1])):
        case = {"fact": {"path": "score"}}
        found = judged(made, case, experiments=experiments, variants=both)["cases"]
        assert [one["variant"] for one in found] == states


def test_what_explains_a_prediction_is_asked_of_the_state_that_predicts(made):
    """Of a model that was trained from nothing, that is the pretrained one."""
    from_nothing = {"reviews": EXPERIMENTS["verbs"]}
    case = {"curve": {"group": "explain", "quantity": "score"}}
    for point_of in made.points["reviews"]:
        if point_of["quantity"] == "score":
            point_of["group"] = "explain"
    found = judged(made, case, experiments=from_nothing, variants=["finetuned"])
    assert {one["variant"] for one in found["cases"]} == {"pretrained"}
    other = {"curve": SCORE}
    assert not judged(made, other, experiments=from_nothing, variants=["finetuned"])["cases"]


@pytest.mark.parametrize(
    ("sight", "causal"),
    [
        (["earlier"], True),
        (["earlier", "earlier_window"], True),
        (["all"], False),
        (["all", "window"], False),
        (None, False),  # of a run that was kept before sight was noted
    ],
)
def test_encoders_and_decoders_are_asked_apart(made, sight, causal):
    made.facts["reviews"] |= {"structure": {"sight": sight}} if sight else {}
    case = {"curve": SCORE}
    for asked in (True, False):
        found = judged(made, case, over={"causal": asked})
        assert bool(found["cases"]) is (asked is causal)
    assert judged(made, case)["cases"]


def test_what_is_of_all_layers_comes_with_its_interval(made):
    score = first(made, {"curve": SCORE})
    assert (score["value"], score["low"], score["high"]) == (0.8, 0.8 - 0.1, 0.8 + 0.1)
    assert score["sample"] == 8
    # Of all texts together there is none.
    case = {"curve": {"group": "heads", "quantity": "p_value", "where": {"of": "elbow"}}}
    found = first(made, case)
    assert (found["value"], found["low"], found["high"], found["sample"]) == (0.4, None, None, None)


def test_facts_have_no_interval_and_can_be_held_against_each_other(made):
    for path, value in (("score", 0.8), ("families.share", 0.4), ("families.count", 12)):
        found = first(made, {"fact": {"path": path}})
        assert (found["value"], found["low"], found["sample"]) == (value, None, None)
    assert first(made, {"fact": {"path": "score", "minus": "families.share"}})["value"] == 0.8 - 0.4


def test_a_curve_has_a_case_for_each_layer_that_is_defined(made):
    curve = {"group": "heads", "quantity": "curve", "layers": {"from": 4, "to": 6, "of": 6}}
    asked = {"name": "to", "curve": curve, "holds": {"above": 0.35, "effect": 1}}
    found = judged(made, asked)["cases"]
    assert [(one["case"], one["layer"]) for one in found] == [("to", 4), ("to", 5)]
    assert [one["holds"] for one in found] == [None, True]


def test_heads_are_counted_by_their_mean_or_if_their_interval_shows_it(made):
    """Intervals reach 0.1 to either side of 0.9, 0.6, 0.2 and 0.1."""
    sep = {"group": "heads", "quantity": "sep"}
    for tested, bound, expected, possible in (
        (False, "level", 0.5, None),
        (True, "level", 0.25, 0.5),  # 0.5 itself is outside, and may be above
        (False, 0.15, 0.75, None),
        (True, 0.15, 0.5, 1.0),
    ):
        heads = sep | {"tested": tested, "within": {"above": bound}}
        found = first(made, {"heads": heads})
        assert (found["value"], found["sample"], found["unit"]) == (expected, 4, "head")
        assert found["low"] < expected < found["high"]
        every = first(made, {"heads": heads | {"every": True}})
        low = None if possible is None else expected
        ends = every["value"], every["low"], every["high"], every["sample"]
        assert ends == (expected, low, possible, None)
        # No head is a sample of others: it fails only if no head may be there.
        some = first(made, {"heads": heads | {"every": True}, "holds": {"above": 0}})
        assert some["holds"] is True
    none = sep | {"tested": True, "every": True, "within": {"above": 0.85}}
    assert first(made, {"heads": none, "holds": {"above": 0}})["holds"] is None
    none["within"] = {"above": 1.1}
    assert first(made, {"heads": none, "holds": {"above": 0}})["holds"] is False


def test_one_head_among_many_has_to_stand_out(made):
    """By chance, one of so many intervals leaves out 0."""
    heads = [
        point("heads", "change", 0.09 if head == 1 else 0.0, 0.08, layer=1, head=head)
        for head in range(1, 41)
    ]
    asked = {"group": "heads", "quantity": "change", "tested": True, "within": {"above": 0}}
    for count, expected in ((1, 1.0), (40, 0.0)):
        made.points["reviews"] = heads[:count]
        assert first(made, {"heads": asked})["value"] == expected


def test_a_head_that_is_not_shown_to_matter_is_not_thereby_spared(made):
    """Intervals from -0.08 to 0.08 show no head above 0, and rule out above 0.2 for all of them."""
    made.points["reviews"] = [
        point("heads", "change", 0.0, 0.08, layer=1, head=head) for head in range(1, 41)
    ]
    asked = {"group": "heads", "quantity": "change", "tested": True}
    for bound, highest in ((0, 1.0), (0.2, exact_interval(0, 40, confidence=0.95)[1])):
        found = first(made, {"heads": asked | {"within": {"above": bound}}})
        assert (found["value"], found["low"]) == (0.0, 0.0)
        assert found["high"] == pytest.approx(highest)


@pytest.mark.parametrize(("mean", "unit"), [(0.05, "text"), (0.0, "head")])
def test_an_open_share_of_heads_names_what_there_is_too_little_of(made, mean, unit):
    """More texts show a mean above 0 in every head; where all are 0, only more heads help."""
    heads = [point("heads", "change", mean, 0.08, layer=1, head=head) for head in range(1, 41)]
    asked = {"group": "heads", "quantity": "change", "tested": True, "within": {"above": 0}}
    holds = {"above": 0.5, "effect": 1} if mean else {"below": 0.01, "effect": 0}
    made.points["reviews"] = heads
    found = first(made, {"heads": asked, "holds": holds})
    assert (found["holds"], found["needed_unit"]) == (None, unit)
    if unit == "text":
        # An interval that is narrower by the root of needed / TEXTS leaves out 0.
        assert 0.05 > 0.08 * (TEXTS / found["needed"]) ** 0.5
        assert 0.05 < 0.08 * (TEXTS / (found["needed"] / 1.4)) ** 0.5


def test_heads_say_nothing_of_effects_smaller_than_one_text(made):
    """Where heads were measured on different numbers of texts, on the fewest."""
    heads = {"group": "heads", "quantity": "sep", "within": {"above": 0.5}}
    made.points["reviews"].append(point("heads", "sep", 0.1, 0.1, layer=1, head=5, texts=1000))
    holds = {"below": 0.9, "effect": 0}
    for resolution, needed in ((1 / 8, None), (0.03, 34)):
        found = first(made, {"heads": heads | {"resolution": resolution}, "holds": holds})
        assert found["at_least"] == needed
        if needed:
            assert (found["holds"], found["needed"]) == (None, needed)


def test_a_p_by_simulation_has_the_interval_of_a_share(made):
    made.points["reviews"] += [
        point("heads", "p_value", 1 / 20, of="bend"),
        point("heads", "references", 19, of="bend"),
    ]
    curve = {"group": "heads", "quantity": "p_value", "where": {"of": "bend"}}
    found = first(made, {"curve": curve | {"references": "references"}})
    # None of 19 was as extreme.
    assert (found["value"], found["low"], found["unit"]) == (0.05, 0.0, "reference")
    assert found["high"] == pytest.approx(1 - 0.025 ** (1 / 19))
    assert found["sample"] == 19


def test_arithmetic_needs_no_experiment(made):
    case = {
        "arithmetic": {"function": "total", "given": {"parts": ["curve.0", "level", 1]}},
        "holds": {"near": 1.6, "within": 0},
    }
    found = judged(made, case, experiments={})
    assert found["cases"][0]["value"] == pytest.approx(1.6)
    assert found["cases"][0]["experiment"] is None
    assert found["outcome"] == "holds"


# --- bounds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("holds", "low", "high", "effect"),
    [
        ({"effect": "level"}, 0.125, None, 0.5),
        ({"effect": "level", "share": 0.5}, 0.25, None, 0.5),
        ({"effect": "curve.1"}, None, -0.0625, -0.25),
        ({"effect": {"mean": ["curve.0"], "minus": ["curve.1"]}}, 0.0875, None, 0.35),
        ({"effect": {"mean": ["level", "curve.0"], "by": "level"}}, 0.15, None, 0.6),
        ({"effect": {"trend": "curve"}}, None, -0.25, -1),
        ({"above": "level", "effect": 0.9}, 0.5, None, 0.9),
        ({"above": 0.1, "below": 0.3}, 0.1, 0.3, 0.2),
        ({"near": "level", "within": 0.1}, 0.4, 0.6, 0.5),
        ({"differs_from": 0, "effect": "curve.1"}, -0.0625, 0.0625, -0.25),
    ],
)
def test_a_share_of_what_was_published_is_the_bound(made, holds, low, high, effect):
    found = first(made, {"curve": SCORE, "holds": holds})["allowed"]
    expected = {"low": low, "high": high, "effect": effect}
    assert {name: found[name] for name in expected} == pytest.approx(expected)


# --- what is not there ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "case",
    [
        {"texts": RATIO | {"where": {"of": "none such"}}},
        {"texts": RATIO, "over": {"max_tokens": 1}},
        {"texts": RATIO | {"layers": {"from": 1, "to": 1, "of": 100}}},
        {"texts": RATIO | {"layers": {"from": 1, "to": 1, "of": 100}, "over_layers": "trend"}},
        {"texts": DISTANCE},  # of the later state alone
        {"fact": {"path": "undefined"}},
        {"fact": {"path": "undefined.within"}},
        {"fact": {"path": "score", "minus": "undefined"}},
        {"curve": {"group": "heads", "quantity": "undefined"}},
        {"curve": SCORE | {"where": {"of": "none such"}}},
        {"heads": {"group": "heads", "quantity": "none such", "within": {"above": 0}}},
    ],
)
def test_without_results_a_claim_is_not_tested(made, case):
    found = judged(made, case | {"holds": {"above": 0, "effect": 1}})
    assert (found["outcome"], found["models"], found["cases"]) == ("not_tested", [], [])


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("families", "families is not a number of reviews; name one within it"),
        (
            "gone.score",
            "which has score, undefined, families, capture, seeds in the place of gone; correct",
        ),
        ("families.portion", "which has share, count in the place of portion; correct the path"),
        ("score.mean", "reads score.mean of reviews, which has no names in the place of mean"),
    ],
)
def test_a_wrong_name_is_told_in_one_sentence(made, path, expected):
    with pytest.raises(InputError, match=expected) as error:
        judged(made, {"fact": {"path": path}})
    assert "rule B1" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_case_is_asked_only_where_it_could_come_out_otherwise(made):
    case = {"fact": {"path": "score"}, "holds": {"above": 0}}
    for bound, count in ((0.9, 1), (0.8, 0)):
        when = {"curve": SCORE, "holds": {"below": bound}}
        assert len(judged(made, case | {"when": when})["cases"]) == count
    unknown = {"curve": SCORE | {"quantity": "undefined"}, "holds": {"below": 1}}
    assert judged(made, case | {"when": unknown})["cases"] == []


UNLEARNED = {
    "seeds": {"0": {"evaluate": {"accuracy": 0.59}}},
    "corpus": {"majority_accuracy": 0.5},
}
NO_MODEL: dict = {"seeds": {}, "corpus": {}}
EXPLAINED_CURVE = {"curve": {"group": "explain", "quantity": "roc_auc"}}
EXPLAINED = EXPLAINED_CURVE | {
    "holds": {"above": 0, "effect": 1},
}
UNTRAINED = {"sentences": EXPERIMENTS["sentences"]}


@pytest.mark.parametrize(
    ("measured", "facts", "experiments", "over", "reason"),
    [
        (["reviews"], {}, ONE, {}, None),
        (["reviews"], UNLEARNED, ONE, {}, "not_learned"),
        ([], UNLEARNED, ONE, {}, "undefined"),
        ([], {}, ONE, {}, "undefined"),
        # One of two has learned, but has no such value; the other has it and has not learned.
        (["reviews"], UNLEARNED, TWO, {}, "not_learned"),
        (["reviews", "agreement"], UNLEARNED, TWO, {}, None),
        (["reviews"], {}, ONE, {"data": ["agreement"]}, "no_experiment"),
        ([], {}, UNTRAINED, {}, "untrained"),
    ],
)
def test_the_reason_why_nothing_was_tested_is_told(
    made, measured, facts, experiments, over, reason
):
    made.facts["reviews"] |= facts
    made.facts["sentences"] = NO_MODEL
    for name in measured:
        made.points[name].append(point("explain", "roc_auc", 0.7, 0.1, variant="finetuned"))
    asked = {"experiments": experiments, "over": over, "variants": ["finetuned"]}
    found = judged(made, EXPLAINED, **asked)
    assert found["untested"] == reason
    assert (found["claim"]["this_run"] == "not_tested") == (reason is not None)


def test_a_choice_is_made_among_models_that_have_learned(made):
    choice = {"group": "explain", "quantity": "roc_auc", "by": "of", "among": ["flow", "raw"]}
    asked = Rule.model_validate(
        {"id": "heads.best", "variants": ["finetuned"], "choices": {"evidence": choice}}
    )
    for of, mean in (("flow", 0.4), ("raw", 0.7)):
        row = point("explain", "roc_auc", mean, 0.1, variant="finetuned", of=of)
        made.points["reviews"].append(row)
    for facts, reason, chosen in (({}, None, "raw"), (UNLEARNED, "not_learned", "none")):
        made.facts["reviews"] |= NO_MODEL | facts
        (found,) = judge([asked], ONE, made.summary(asked))
        assert (found["untested"], found["choices"]) == (reason, {"evidence": chosen})


def test_a_number_of_models_that_have_not_learned_is_marked(made):
    asked = Rule.model_validate(
        {"id": "heads.best", "variants": ["finetuned"], "numbers": {"auc": EXPLAINED_CURVE}}
    )
    for name, mean in (("reviews", 0.4), ("agreement", 0.9)):
        made.facts[name] |= UNLEARNED
        made.points[name].append(point("explain", "roc_auc", mean, 0.1, variant="finetuned"))
    for facts, able, typical in (({}, False, 0.65), (NO_MODEL, True, 0.9)):
        made.facts["agreement"] |= facts
        (found,) = judge([asked], TWO, made.summary(asked))
        number = found["numbers"]["auc"]
        assert number["learned"] is able
        assert number["states"]["finetuned"]["typical"] == pytest.approx(typical)


def test_a_finding_that_is_like_a_claim_has_its_reason(made):
    made.facts["reviews"] |= UNLEARNED
    made.points["reviews"].append(point("explain", "roc_auc", 0.7, 0.1, variant="finetuned"))
    claim = rule(EXPLAINED, variants=["finetuned"])
    like = Rule.model_validate({"id": "heads.best", "like": "B1"})
    found = judge([claim, like], ONE, made.summary(claim))
    assert [one["untested"] for one in found] == ["not_learned", "not_learned"]


def test_a_model_that_has_not_learned_its_task_explains_nothing(made):
    made.facts["reviews"] |= UNLEARNED
    case = {
        "curve": {"group": "explain", "quantity": "roc_auc"},
        "holds": {"above": 0, "effect": 1},
    }
    assert judged(made, case, variants=["finetuned"])["outcome"] == "not_tested"
    # What is no explanation is asked of it all the same.
    assert judged(made, {"curve": SCORE, "holds": {"above": 0, "effect": 1}})["cases"]


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
    assert covers(Over(task=["question_answering"]), questions)


def test_files_are_known_by_their_names_and_hub_data_by_theirs():
    reviews = EXPERIMENTS["reviews"]
    given = {"train": "train-file", "test": "imdb-test", "limits": {"train": None, "test": 100}}
    for data, names in ((FILES | given, ["train-file", "imdb-test"]), (HUB | given, ["imdb"])):
        asked = type(reviews).model_validate(reviews.model_dump() | {"data": data})
        assert data_names(asked) == names
        assert covers(Over(data=["imdb"]), asked)
        assert not covers(Over(whole=True), asked)


def test_the_owner_of_a_model_is_no_part_of_its_name():
    reviews = EXPERIMENTS["reviews"].model_dump()
    hub = {"source": "hub", "name": "somebody/all-MiniLM-L6-v2", "revision": "0" * 40}
    moved = type(EXPERIMENTS["reviews"]).model_validate(reviews | {"model": hub})
    assert same(rule(CASE, claim={"conditions": SAME}), moved)


CASE = {
    "texts": RATIO | {"layers": "last", "minus": {"layers": "first"}},
    "holds": {"below": -0.001, "effect": -1},
}
ELSEWHERE = SAME | {"data": ["sst2"]}


def under(made, conditions, *cases):
    return judged(made, *cases, experiments=TWO, claim={"conditions": conditions})


def test_published_conditions_or_any_make_a_reproduction_and_others_are_named(made):
    for conditions in (SAME, None):
        there = under(made, conditions, CASE)
        assert (there["outcome"], there["claim"]["differs"]) == ("holds", None)
        assert len(there["cases"]) == 2
    other = under(made, ELSEWHERE, CASE)
    assert other["outcome"] == "holds"
    names = {"models": ["all-MiniLM-L6-v2"], "experiments": ["reviews", "agreement"]}
    assert other["claim"]["differs"] == names


def test_where_there_are_published_conditions_they_alone_decide(made):
    score = {"curve": SCORE, "holds": {"above": 0.95, "effect": 2}}
    made.points["agreement"] = [point("heads", "score", 0.99, 0.01)]
    assert under(made, SAME, score)["outcome"] == "fails"
    assert under(made, ELSEWHERE, score)["outcome"] == "partly"


def test_a_case_without_a_predicate_is_shown_and_decides_nothing(made):
    shown = {"texts": CASE["texts"]}
    assert judged(made, shown)["outcome"] == "not_tested"
    found = judged(made, CASE | {"name": "a"}, shown | {"name": "b"})
    assert [one["holds"] for one in found["cases"]] == [True, None]
    assert [one["decides"] for one in found["cases"]] == [True, False]
    assert (found["outcome"], found["parts"]) == ("holds", {"a": "holds", "b": "not_tested"})


def test_the_unit_of_evidence_is_the_weights_of_one_training(made):
    """Two experiments of one pretrained model are one; fine-tuned, they are a model each."""
    made.points["reviews"] = [point("heads", "score", 0.8, 0.01)]
    made.points["agreement"] = [point("heads", "score", 0.2, 0.01)]
    for name, mean in (("reviews", 0.8), ("agreement", 0.9)):
        made.points[name].append(point("heads", "score", mean, 0.01, variant="finetuned"))
    case = {"curve": SCORE, "holds": {"above": 0.5, "effect": 2}}
    found = judged(made, case, experiments=TWO, variants=["pretrained", "finetuned"])
    assert found["models"] == [
        {"encoder": "all-MiniLM-L6-v2", "trained": None, "outcome": "partly"}
        | {"parts": {"": "partly"}},
        *(
            {"encoder": "all-MiniLM-L6-v2", "trained": name, "outcome": "holds"}
            | {"parts": {"": "holds"}}
            for name in TWO
        ),
    ]
    assert found["outcome"] == "divided"
    for one in found["cases"]:
        trained = None if one["variant"] == "pretrained" else one["experiment"]
        assert one["model"]["trained"] == trained


def test_a_claim_is_judged_again_by_other_margins_units_and_tokens(made):
    """Both experiments are of one model; a ratio of .2 of the one and .6 of the other token."""
    for name, mean in (("reviews", 0.2), ("agreement", 0.2)):
        made.points[name] = [point("heads", "score", mean, 0.01)]
    made.points["agreement"].append(point("heads", "score", 0.9, 0.01, variant="finetuned"))
    other = {"group": "vectors", "quantity": "ratio", "where": {"of": "attn_w"}}
    cases = [{"curve": SCORE, "holds": {"effect": 0.6}, "name": "a"}]
    cases.append({"texts": other | {"where": {"of": "attn_n"}}, "name": "b"})
    cases[1] |= {"holds": {"above": 0.35, "effect": 0.5}, "other_tokens": other}
    found = judged(made, *cases, experiments=TWO)
    otherwise = found["claim"]["otherwise"]
    # At least .15, at half that .075, at double .3; and 0.3 - 0.02 * 3.5 = .23 against 0.35.
    assert found["parts"] == {"a": "holds", "b": "fails"}
    assert (found["outcome"], otherwise["lax"]) == ("partly", "holds")
    assert otherwise["strict"] == "fails"
    assert otherwise["tokens"] == "holds"
    # By experiment: four cases, two of which hold.
    assert otherwise["cases"] == "partly"


def test_what_is_no_claim_about_models_is_judged_in_one_way(made):
    total = {"function": "total", "given": {"parts": [1]}}
    found = judged(made, {"arithmetic": total, "holds": {"above": 0}}, claim={"kind": "arithmetic"})
    assert found["claim"]["otherwise"] is None


def test_a_state_that_a_quantity_names_is_of_that_model(made):
    """What is asked of the pretrained model is one model, whatever it was trained on later."""
    ratio = {"group": "vectors", "quantity": "ratio"}
    cases = [
        {"name": name, "texts": ratio | {"where": {"of": "attn_w", "variant": state}}}
        | {"holds": {"above": 0.35, "effect": 0.5}}
        for name, state in (("before", "pretrained"), ("after", "finetuned"))
    ]
    found = judged(made, *cases, experiments=TWO, variants=["both"])
    assert [(one["trained"], [*one["parts"]]) for one in found["models"]] == [
        (None, ["before"]),
        ("reviews", ["after"]),
        ("agreement", ["after"]),
    ]


def test_many_texts_of_one_model_do_not_outvote_another(made):
    """Three parts hold in the pretrained model, whose fine-tuning fails in one."""
    made.points["reviews"] = [
        point("heads", "score", 0.8, 0.01),
        point("heads", "score", 0.2, 0.01, variant="finetuned"),
    ]
    case = {"curve": SCORE, "holds": {"above": 0.5, "effect": 2}}
    both = ["pretrained", "finetuned"]
    cases = [case | {"name": name} for name in ("a", "b", "c")]
    found = judged(made, *cases, variants=both)
    assert found["outcome"] == "divided"
    assert found["parts"] == dict.fromkeys("abc", "divided")
    # What only the heavier model decides is still of all that decide.
    made.points["reviews"][1] |= {"low": 0.4, "high": 0.6, "mean": 0.5}
    assert judged(made, *cases, variants=both)["outcome"] == "open"


# --- reference runs -------------------------------------------------------------------------------


def test_of_the_same_conditions_the_run_with_more_texts_decides_a_claim(made):
    case = {"curve": SCORE, "holds": {"above": 0.5, "effect": 2}}
    asked = rule(case)
    made.points["reviews"] = [point("heads", "score", 0.2, 0.1, measure="sinks", code="old")]
    made.points["reviews"][0]["texts"] = 200
    made.keep("large", asked)
    made.points["reviews"] = [point("heads", "score", 0.8, 0.1, measure="sinks", code="new")]
    kept = {"large/reviews": EXPERIMENTS["reviews"]}
    (found,) = judge([asked], ONE, made.summary(asked), kept)
    here, there = found["cases"]
    assert (here["experiment"], there["experiment"]) == ("reviews", "large/reviews")
    assert (here["decides"], there["decides"]) == (False, True)
    assert (here["changed"], there["changed"]) == (False, True)
    assert found["outcome"] == "fails"
    other = {"large/reviews": EXPERIMENTS["agreement"]}  # of other conditions both decide
    (found,) = judge([asked], ONE, made.summary(asked), other)
    assert [one["decides"] for one in found["cases"]] == [True, True]
    # As it was pretrained, it is one model on whatever texts.
    assert [one["outcome"] for one in found["models"]] == ["partly"]
    assert found["outcome"] == "partly"


def test_a_run_that_repeats_a_reference_run_decides_alone(made):
    asked = rule({"curve": SCORE, "holds": {"above": 0.5, "effect": 2}})
    made.points["reviews"] = [point("heads", "score", 0.2, 0.1, measure="sinks", code="old")]
    made.keep("same", asked)
    made.points["reviews"] = [point("heads", "score", 0.8, 0.1, measure="sinks", code="new")]
    kept = {"same/reviews": EXPERIMENTS["reviews"]}
    (found,) = judge([asked], ONE, made.summary(asked), kept)
    assert [(one["experiment"], one["decides"]) for one in found["cases"]] == [
        ("reviews", True),
        ("same/reviews", False),
    ]
    assert found["outcome"] == "holds"


def test_a_share_of_heads_is_decided_by_the_run_with_more_texts(made):
    """Its sample is of heads, of which all runs have equally many."""
    heads = {"group": "heads", "quantity": "sep", "within": {"above": 0.5}}
    asked = rule({"heads": heads, "holds": {"above": 0.3, "effect": 1}})
    for row in made.points["reviews"]:
        row["texts"] = 200
    made.keep("large", asked)
    for row in made.points["reviews"]:
        row["texts"] = TEXTS
    kept = {"large/reviews": EXPERIMENTS["reviews"]}
    (found,) = judge([asked], ONE, made.summary(asked), kept)
    assert [one["sample"] for one in found["cases"]] == [4, 4]
    assert [one["texts"] for one in found["cases"]] == [TEXTS, 200]
    assert [one["decides"] for one in found["cases"]] == [False, True]


def test_of_two_reference_runs_alike_one_decides(made):
    asked = rule({"curve": SCORE, "holds": {"above": 0.5, "effect": 2}})
    made.keep("first", asked)
    made.keep("second", asked)
    kept = {f"{run}/reviews": EXPERIMENTS["reviews"] for run in ("first", "second")}
    (found,) = judge([asked], {}, made.summary(asked), kept)
    assert [one["decides"] for one in found["cases"]] == [True, False]


def test_a_claim_is_judged_by_another_run_where_this_one_has_measured_nothing(made):
    asked = rule({"curve": SCORE, "holds": {"above": 0.5, "effect": 2}})
    made.points = {"reviews": [point("heads", "score", 0.8, 0.1, measure="sinks", code="old")]}
    made.keep("large", asked)
    made.points = {"reviews": [point("vectors", "ratio", 0.5, 0.1)]}
    kept = {"large/reviews": EXPERIMENTS["reviews"]}
    (found,) = judge([asked], {}, made.summary(asked), kept)
    assert [one["changed"] for one in found["cases"]] == [False]
    assert (found["outcome"], found["claim"]["this_run"]) == ("holds", "not_tested")


def test_findings_are_of_this_run_alone(made):
    row = {"cases": [{"curve": SCORE, "holds": {"above": 0.5, "effect": 2}}]}
    asked = Rule.model_validate({"id": "heads.best", "variants": ["pretrained"], **row})
    made.keep("large", asked)
    kept = {"large/reviews": EXPERIMENTS["reviews"]}
    (found,) = judge([asked], ONE, made.summary(asked), kept)
    assert [one["experiment"] for one in found["cases"]] == ["reviews"]


def test_a_finding_of_all_runs_has_the_numbers_of_the_run_with_most_texts(made):
    case = {"curve": SCORE, "holds": {"above": 0.5, "effect": 2}}
    row = {"id": "heads.best", "variants": ["pretrained"], "all_runs": True, "cases": [case]}
    asked = Rule.model_validate(row | {"numbers": {"score": {"curve": SCORE, "form": ".1f"}}})
    made.points["reviews"] = [point("heads", "score", 0.2, 0.1)]
    made.points["reviews"][0]["texts"] = 200
    made.facts["reviews"]["capture"]["examples"] = 200
    made.keep("large", asked)
    made.points["reviews"] = [point("heads", "score", 0.8, 0.1)]
    made.facts["reviews"]["capture"]["examples"] = TEXTS
    kept = {"large/reviews": EXPERIMENTS["reviews"]}
    (found,) = judge([asked], ONE, made.summary(asked), kept)
    assert [one["decides"] for one in found["cases"]] == [False, True]
    assert found["outcome"] == "fails"
    assert found["numbers"]["score"]["states"]["pretrained"]["typical"] == 0.2


def test_a_finding_that_is_like_a_claim_is_of_this_run_alone(made):
    case = {"name": "score", "curve": SCORE, "holds": {"above": 0.5, "effect": 2}}
    claim, like = rule(case), Rule.model_validate({"id": "heads.best", "like": "B1"})
    made.points["reviews"] = [point("heads", "score", 0.2, 0.1)]
    made.points["reviews"][0]["texts"] = 200
    made.keep("large", claim)
    made.points["reviews"] = [point("heads", "score", 0.8, 0.1)]
    kept = {"large/reviews": EXPERIMENTS["reviews"]}
    found, said = judge([claim, like], ONE, made.summary(claim), kept)
    assert (found["outcome"], said["outcome"]) == ("fails", "holds")
    assert [one["experiment"] for one in said["cases"]] == ["reviews"]
    assert said["parts"] == {"score": "holds"}
    assert found["claim"]["this_run"] == "holds"
    assert said["like"] == {"id": "B1", "outcome": "fails"}


# --- findings -------------------------------------------------------------------------------------


def test_a_finding_takes_the_outcome_of_the_claim_that_covers_it(made):
    """One number changed, and claim and sentence turn together."""
    covered = Rule.model_validate({"id": "mixing.depth", "like": "B1"})
    seen = []
    for value in (0.8, 0.45, 0.1):
        made.points["reviews"] = [point("heads", "score", value, 0.1)]
        case = {"name": "score", "curve": SCORE, "holds": {"above": "level", "effect": 5}}
        claim = rule(case)
        both = judge([claim, covered], ONE, made.summary(claim))
        for key in ("outcome", "parts", "cases"):
            assert both[0][key] == both[1][key]
        seen.append(both[1]["outcome"])
    assert seen == ["holds", "open", "fails"]


def test_no_finding_of_the_committed_run_is_left_untested(made):
    every = [
        one
        for one in read(REPORT / "rules.yaml")
        if not any(
            asked.fact and asked.fact.of != "model" for asked in (*one.cases, *one.numbers.values())
        )
    ]
    made.kept.append(REFERENCE / "quick")
    summary = made.summary()
    for group in GROUPS:
        target = made.directory / "summary" / group / "curves.parquet"
        target.parent.mkdir(exist_ok=True)
        pd.DataFrame(columns=NAMES).to_parquet(target)
        write_json(target.with_name(MANIFEST), {"schema": SUMMARY.version})
    kept = cases(load(REFERENCE / "quick" / "params.yaml").experiments)
    experiments = {kept_experiment("quick", name): one for name, one in kept.items()}
    found = [one for one in judge(every, experiments, summary) if "claim" not in one]
    asked = {one.id for one in every if one.cases or one.like}
    untested = [one["id"] for one in found if one["outcome"] == "not_tested"]
    assert not asked & set(untested)


def test_numbers_are_typical_ones_with_their_range(made):
    made.points["agreement"] = [point("heads", "score", 0.2, 0.1)]
    numbers = {
        "score": {"curve": SCORE, "form": ".2f"},
        "none": {"curve": SCORE | {"quantity": "none such"}},
    }
    shown = {
        "states": {"pretrained": {"typical": 0.5, "low": 0.2, "high": 0.8}},
        "form": ".2f",
        "changed": False,
        "learned": True,
    }
    assert finding(made, TWO, numbers=numbers)["numbers"] == {"score": shown, "none": None}


def test_no_number_puts_model_states_together(made):
    """What fine-tuning does to one state leaves the number of the other as it is."""
    for name, before in (("reviews", 0.2), ("agreement", 0.3)):
        made.points[name] = [point("heads", "score", before, 0.1)]
    made.points["reviews"].append(point("heads", "score", 0.9, 0.1, variant="finetuned"))
    asked = {"numbers": {"score": {"curve": SCORE}}, "variants": ["pretrained", "finetuned"]}
    (number,) = finding(made, TWO, **asked)["numbers"].values()
    # Before and after are of the same experiments; that of the other, which was not tuned, is not
    # held against them.
    assert number["states"] == {
        state: dict.fromkeys(("typical", "low", "high"), value)
        for state, value in (("pretrained", 0.2), ("finetuned", 0.9))
    }
    made.points["reviews"].pop()
    (number,) = finding(made, TWO, **asked)["numbers"].values()
    assert number["states"] == {"pretrained": {"typical": 0.25, "low": 0.2, "high": 0.3}}


@pytest.mark.parametrize(("then", "changed"), [("old", True), ("new", False)])
def test_a_number_of_a_reference_run_says_whether_its_code_has_changed(made, then, changed):
    made.points["reviews"] = [point("heads", "score", 0.2, 0.1, measure="sinks", code=then)]
    made.keep("large", rule({"curve": SCORE}))
    made.points["reviews"] = [point("heads", "score", 0.8, 0.1, measure="sinks", code="new")]
    kept = {"large/reviews": EXPERIMENTS["reviews"]}
    number = finding(made, kept, numbers={"score": {"curve": SCORE}})["numbers"]["score"]
    assert number["states"]["pretrained"]["typical"] == 0.2
    assert number["changed"] is changed


@pytest.mark.parametrize(("second", "expected"), [(0.1, "a"), (0.9, "depends")])
def test_what_is_highest_everywhere_is_named(made, second, expected):
    for name, value in (("reviews", 0.1), ("agreement", second)):
        made.points[name] = [
            point("heads", "score", 0.5, 0.1, of="a"),
            point("heads", "score", value, 0.1, of="b"),
        ]
    asked = {"group": "heads", "quantity": "score", "by": "of", "among": ["a", "b", "c"]}
    choices = {"best": asked, "worst": asked | {"take": "smallest", "among": ["c", "d"]}}
    found = finding(made, TWO, choices=choices)
    assert found["choices"] == {"best": expected, "worst": "none"}


@pytest.mark.parametrize(("value", "expected"), [(0.48, "close"), (0.4, "a")])
def test_what_is_hardly_higher_than_another_is_not_named(made, value, expected):
    made.points["reviews"] = [
        point("heads", "score", 0.5, 0.1, of="a"),
        point("heads", "score", value, 0.1, of="b"),
    ]
    asked = {"group": "heads", "quantity": "score", "by": "of", "among": ["a", "b"]}
    choices = {"best": asked | {"margin": 0.05}, "strictly": asked}
    found = finding(made, ONE, choices=choices)
    assert found["choices"] == {"best": expected, "strictly": "a"}


def test_a_finding_names_the_experiments_that_it_was_measured_in(made):
    made.points["agreement"] = [point("heads", "score", 0.2, 0.1)]
    case = {"curve": SCORE, "holds": {"above": 0, "effect": 1}}
    assert finding(made, TWO, cases=[case])["experiments"] == ["reviews", "agreement"]
    beyond = case | {"over": {"task": ["question_answering"]}}
    assert finding(made, TWO, cases=[beyond])["experiments"] == []


def test_a_finding_counts_the_experiments_and_model_states_of_its_run(made):
    untrained = {"own": ONE["reviews"].model_copy(update={"task": "none", "train": None})}
    assert finding(made, untrained)["run"] == {"experiments": 1, "states": 1}
    assert finding(made, ONE)["run"] == {"experiments": 1, "states": 2}


def test_curves_of_layers_are_meaned_before_they_are_compared(made):
    for name, first, last in (("a", 0.1, 0.7), ("b", 0.5, 0.2)):
        made.points["reviews"] += [
            point("heads", "share", first, layer=1, of=name),
            point("heads", "share", last, layer=2, of=name),
        ]
    asked = {"group": "heads", "quantity": "share", "by": "of", "among": ["a", "b"]}
    choices = {"all": asked | {"layers": "all"}, "first": asked | {"layers": "first"}}
    found = finding(made, ONE, choices=choices)
    assert found["choices"] == {"all": "a", "first": "b"}


def test_the_order_of_experiments_changes_no_verdict(made):
    for conditions in (None, SAME, ELSEWHERE):
        claim = {"conditions": conditions}
        one, other = (
            judged(made, CASE, experiments=experiments, claim=claim)
            for experiments in (TWO, dict(reversed(TWO.items())))
        )
        assert one["outcome"] == other["outcome"]
        assert one["cases"] == other["cases"][::-1]


def test_groups_that_are_read_are_named(made):
    score, fact = {"curve": SCORE, "name": "b"}, {"fact": {"path": "score"}}
    found = judged(made, CASE | {"name": "a"}, score, fact)
    groups = [f"results/summary/{group}" for group in ("vectors", "heads", "model")]
    assert found["claim"]["files"] == groups
