"""From a summary to an outcome: every kind of quantity, and what changes it.

Most of it is the table ``judged.yaml``: a rule, the rows that it is held against, what is found.
"""

from pathlib import Path
from typing import Any

import pytest
import yaml
from made_results import TEXTS, Made, point
from made_rules import SAME, committed, row
from pydantic import ValidationError

from analysis.parameters.derived import cases
from analysis.rules.judging import judge
from analysis.rules.rule import parse
from attention_mixing.errors import InputError

TABLE = yaml.safe_load(Path(__file__).with_name("judged.yaml").read_text(encoding="utf-8"))
EXPERIMENTS = cases(committed().experiments)
EXPERIMENTS["untrained"] = EXPERIMENTS["reviews"].model_copy(update={"task": "none", "train": None})
TWO = {name: EXPERIMENTS[name] for name in ("reviews", "agreement")}
ONE = {"reviews": EXPERIMENTS["reviews"]}
FACTS = {
    "learned": {"seeds": {}, "corpus": {}},  # as of what was not trained
    "not learned": {
        "seeds": {"0": {"evaluate": {"accuracy": 0.59}}},
        "corpus": {"majority_accuracy": 0.5},
    },
}

RATIO = {"measure": "mixing", "quantity": "ratio", "where": {"subject": "attn_w"}}
SCORE = {"measure": "heads", "quantity": "score"}
SEP = {"measure": "heads", "quantity": "sep"}
SCORED = {"curve": SCORE, "holds": {"above": 0.5, "effect": 2}}
EXPLAINED = {
    "curve": {"measure": "faithfulness", "quantity": "roc_auc"},
    "holds": {"above": 0, "effect": 1},
}
AUC = point("faithfulness", "roc_auc", 0.7, 0.1, variant="finetuned")


def points(
    measure: str = "heads",
    *,
    heads: list[float] | None = None,
    width: float | None = 0.1,
    **about: Any,
) -> list[dict]:
    """Rows of the summary: one of a mean, or those of the heads of one layer."""
    quantity = about.pop("quantity")
    if heads is None:
        return [point(measure, quantity, about.pop("mean"), width, **about)]
    first, means = about.pop("from", 1), heads * about.pop("times", 1)
    return [
        point(measure, quantity, mean, width, layer=1, head=head, **about)
        for head, mean in enumerate(means, start=first)
    ]


def held(made: Made, *rules: dict, experiments=ONE, kept=None) -> list[dict]:
    """Judge rules of what was made."""
    asked = [parse(rule) for rule in rules]
    return judge(asked, experiments, made.summary(*asked), kept or {})


def keep(made: Made, run: str, rule: dict, rows: list[dict]) -> None:
    """Keep a reference run of reviews in which a rule reads these rows."""
    here = made.points["reviews"], made.facts["reviews"]["capture"]
    made.points["reviews"] = rows
    made.facts["reviews"]["capture"] = {"examples": max(one["texts"] for one in rows)}
    made.keep(run, parse(rule))
    made.points["reviews"], made.facts["reviews"]["capture"] = here


def at(found: Any, path: str) -> Any:
    """What stands at a path; of a list, what stands there in each element."""
    for step in path.split("."):
        found = [one[step] for one in found] if isinstance(found, list) else found[step]
    return found


def near(expected: Any) -> Any:
    """The same, but for the rounding of its numbers."""
    if isinstance(expected, dict):
        return {name: near(one) for name, one in expected.items()}
    if isinstance(expected, list):
        return [near(one) for one in expected]
    return pytest.approx(expected) if isinstance(expected, float) else expected


@pytest.fixture
def made(tmp_path):
    """Results of reviews and agreement."""
    return Made(tmp_path)


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param(asked, id=asked["id"].replace(" ", "-"))
        for part, each in TABLE.items()
        if part != "names"
        for asked in each
    ],
)
def test_a_rule_is_judged_by_what_was_measured(made, asked):
    variants = asked.get("variants", ["pretrained"])
    if "finding" in asked:
        rule = {"id": "heads.best", "variants": variants} | asked["finding"]
    else:
        of_rule = asked["cases"] if "cases" in asked else [asked["case"]]
        rule = row(*of_rule, claim=asked.get("claim"), variants=variants)
    for name, learned in asked.get("facts", {}).items():
        made.facts[name] |= FACTS[learned]
    rows = {
        where: [one for about in given for one in points(**about)]
        for where, given in (asked.get("rows", {}) | asked.get("kept", {})).items()
    }
    for run in asked.get("kept", {}):
        keep(made, run, rule, rows.pop(run))
    made.points |= rows
    made.stale = asked.get("stale", {})
    experiments = {
        name: EXPERIMENTS[like]
        for name, like in asked.get("experiments", {"reviews": "reviews"}).items()
    }
    like = EXPERIMENTS[asked.get("kept_like", "reviews")]
    kept = {f"{run}/reviews": like for run in asked.get("kept", {})}
    (found,) = held(made, rule, experiments=experiments, kept=kept)
    for path, expected in asked["found"].items():
        assert at(found, path) == near(expected), path


# --- what has more to it than one outcome ---------------------------------------------------------


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
    for over, asked in (({"causal": causal}, True), ({"causal": not causal}, False), ({}, True)):
        (found,) = held(made, row({"curve": SCORE}, over=over))
        assert bool(found["cases"]) is asked


@pytest.mark.parametrize(
    ("tested", "bound", "expected", "possible"),
    [
        (False, "level", 0.5, None),
        (True, "level", 0.25, 0.5),  # 0.5 itself is outside, and may be above
        (False, 0.15, 0.75, None),
        (True, 0.15, 0.5, 1.0),
    ],
)
def test_heads_are_counted_by_their_mean_or_if_their_interval_shows_it(
    made, tested, bound, expected, possible
):
    """Intervals reach 0.1 to either side of 0.9, 0.6, 0.2 and 0.1."""
    asked = SEP | {"tested": tested, "within": {"above": bound}}
    (found,) = held(made, row({"heads": asked}))[0]["cases"]
    assert (found["value"], found["sample"], found["unit"]) == (expected, 4, "head")
    assert found["low"] < expected < found["high"]
    (every,) = held(made, row({"heads": asked | {"every": True}}))[0]["cases"]
    ends = every["value"], every["low"], every["high"], every["sample"]
    assert ends == (expected, None if possible is None else expected, possible, None)


def test_a_share_that_more_texts_would_decide_says_how_many(made):
    """An interval that is narrower by the root of needed / TEXTS leaves out 0."""
    made.points["reviews"] = points(quantity="change", heads=[0.05] * 40, width=0.08)
    change = {"measure": "heads", "quantity": "change", "tested": True, "within": {"above": 0}}
    asked = {"heads": change, "holds": {"above": 0.5, "effect": 1}}
    (found,) = held(made, row(asked))[0]["cases"]
    assert (found["holds"], found["needed_unit"]) == (None, "text")
    assert 0.05 > 0.08 * (TEXTS / found["needed"]) ** 0.5
    assert 0.05 < 0.08 * (TEXTS / (found["needed"] / 1.4)) ** 0.5


@pytest.mark.parametrize(
    ("asked", "told"),
    [({"every": False}, "add every: true"), ({"tested": True}, "give it a where alone")],
)
def test_shares_that_cannot_be_held_against_each_other_are_refused(asked, told):
    share = SEP | {"within": {"above": 0.5}, "every": True}
    share["minus"] = {"where": {"variant": "pretrained"}}
    with pytest.raises(ValidationError, match=told):
        parse(row({"heads": share | asked}))


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
    (found,) = held(made, row({"curve": SCORE, "holds": holds}))[0]["cases"]
    expected = {"low": low, "high": high, "effect": effect}
    assert {name: found["allowed"][name] for name in expected} == pytest.approx(expected)


@pytest.mark.parametrize(
    ("case", "variants"),
    [
        ({"texts": RATIO | {"where": {"subject": "none such"}}}, ["pretrained"]),
        ({"texts": RATIO, "over": {"max_tokens": 1}}, ["pretrained"]),
        ({"texts": RATIO | {"layers": {"from": 1, "to": 1, "of": 100}}}, ["pretrained"]),
        (
            {"texts": RATIO | {"layers": {"from": 1, "to": 1, "of": 100}, "over_layers": "trend"}},
            ["pretrained"],
        ),
        (
            {"texts": {"measure": "mixing", "quantity": "distance"}},
            ["pretrained"],
        ),  # of the later state alone
        ({"texts": RATIO}, ["both"]),  # states that are told apart are never read as one
        ({"fact": {"path": "undefined"}}, ["pretrained"]),
        ({"fact": {"path": "undefined.within"}}, ["pretrained"]),
        ({"fact": {"path": "score", "minus": "undefined"}}, ["pretrained"]),
        ({"curve": {"measure": "heads", "quantity": "undefined"}}, ["pretrained"]),
        ({"curve": SCORE | {"where": {"subject": "none such"}}}, ["pretrained"]),
        ({"curve": SEP | {"quantity": "none", "over_heads": "largest"}}, ["pretrained"]),
        ({"heads": SEP | {"quantity": "none such", "within": {"above": 0}}}, ["pretrained"]),
    ],
)
def test_without_results_a_claim_is_not_tested(made, case, variants):
    (found,) = held(made, row(case | {"holds": {"above": 0, "effect": 1}}, variants=variants))
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
        held(made, row({"fact": {"path": path}}))
    assert "rule B1" in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("measured", "facts", "experiments", "over", "reason"),
    [
        (["reviews"], {}, ONE, {}, None),
        (["reviews"], FACTS["not learned"], ONE, {}, "not_learned"),
        ([], FACTS["not learned"], ONE, {}, "undefined"),
        ([], {}, ONE, {}, "undefined"),
        # One of two has learned, but has no such value; the other has it and has not learned.
        (["reviews"], FACTS["not learned"], TWO, {}, "not_learned"),
        (["reviews", "agreement"], FACTS["not learned"], TWO, {}, None),
        (["reviews"], {}, ONE, {"data": ["agreement"]}, "no_experiment"),
        ([], {}, {"sentences": EXPERIMENTS["sentences"]}, {}, "untrained"),
    ],
)
def test_the_reason_why_nothing_was_tested_is_told(
    made, measured, facts, experiments, over, reason
):
    made.facts["reviews"] |= facts
    made.facts["sentences"] = FACTS["learned"]
    for name in measured:
        made.points[name].append(AUC)
    rule = row(EXPLAINED, over=over, variants=["finetuned"])
    (found,) = held(made, rule, experiments=experiments)
    assert found["untested"] == reason
    assert (found["claim"]["this_run"] == "not_tested") == (reason is not None)


# --- a finding and the claim that covers it -------------------------------------------------------

COVERED = {"id": "heads.best", "like": "B1"}


@pytest.mark.parametrize(("mean", "outcome"), [(0.8, "holds"), (0.45, "open"), (0.1, "fails")])
def test_a_finding_takes_the_outcome_of_the_claim_that_covers_it(made, mean, outcome):
    """One number changed, and claim and sentence turn together."""
    made.points["reviews"] = points(quantity="score", mean=mean)
    case = {"name": "score", "curve": SCORE, "holds": {"above": "level", "effect": 5}}
    claim, said = held(made, row(case), COVERED)
    for key in ("outcome", "parts", "cases"):
        assert claim[key] == said[key]
    assert said["outcome"] == outcome


def test_a_finding_that_is_like_a_claim_has_its_reason(made):
    made.facts["reviews"] |= FACTS["not learned"]
    made.points["reviews"].append(AUC)
    found = held(made, row(EXPLAINED, variants=["finetuned"]), COVERED)
    assert [one["untested"] for one in found] == ["not_learned", "not_learned"]


def test_a_finding_that_is_like_a_claim_is_of_this_run_alone(made):
    claim = row(SCORED | {"name": "score"})
    keep(made, "large", claim, points(quantity="score", mean=0.2, texts=200))
    made.points["reviews"] = points(quantity="score", mean=0.8)
    found, said = held(made, claim, COVERED, kept={"large/reviews": EXPERIMENTS["reviews"]})
    assert (found["outcome"], said["outcome"]) == ("fails", "holds")
    assert [one["experiment"] for one in said["cases"]] == ["reviews"]
    assert said["parts"] == {"score": "holds"}
    assert found["claim"]["this_run"] == "holds"
    assert said["like"] == {"id": "B1", "outcome": "fails"}


# --- what holds of any rule -----------------------------------------------------------------------


@pytest.mark.parametrize("conditions", [None, SAME, SAME | {"data": ["sst2"]}])
def test_the_order_of_experiments_changes_no_verdict(made, conditions):
    falls = RATIO | {"layers": "last", "minus": {"layers": "first"}}
    case = {"texts": falls, "holds": {"below": -0.001, "effect": -1}}
    rule = row(case, claim={"conditions": conditions})
    turned = dict(reversed(TWO.items()))
    (one,), (other,) = (held(made, rule, experiments=order) for order in (TWO, turned))
    assert one["outcome"] == other["outcome"]
    assert one["cases"] == other["cases"][::-1]
