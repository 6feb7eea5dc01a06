"""The rule of the experiment on sinks, on tables made by hand."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis.pipeline.sink_effects import ReadWeights, effects, levels, rises_by_seed
from analysis.rules.sinks import Prediction, answer, answers, outcome, read_rule
from attention_mixing.settings.measures import Bootstrap
from attention_mixing.settings.sinks import ARMS

RULE = read_rule(Path(__file__).parents[2] / "report" / "sinks.yaml")
BOOTSTRAP = Bootstrap(resamples=200, confidence=0.95, seed=0)
RATE = 1e-4
BEFORE = ReadWeights("pretrained", 0.0)
FREE = ReadWeights("free", RATE)
CLAMPED = ReadWeights("clamped", RATE, "held", "special", "pretrained")
PLACEBO = ReadWeights("placebo_move", RATE, "held", "move", "pretrained")
ZEROED_BEFORE = ReadWeights("pretrained", 0.0, "zeroed", "special")


def arms(**rises: float) -> pd.DataFrame:
    """Outcomes of ten seeds and twelve texts, whose dependence rises by so much in each arm."""
    rng = np.random.default_rng(0)
    of_text, of_seed = rng.normal(0.4, 0.1, 12), rng.normal(0, 0.002, 10)
    read = {BEFORE: 0.0, FREE: rises["free"], CLAMPED: rises["clamped"], PLACEBO: rises["placebo"]}
    read |= {one.before: 0.0 for one in (CLAMPED, PLACEBO)}
    rows = []
    for weights, rise in read.items():
        noise = rng.normal(0, rises.get("noise", 0.002), (10, 12))
        values = of_text + (rise + of_seed[:, None] + noise) * (rise != 0)
        lost = {CLAMPED: "lost", PLACEBO: "placebo_lost"}.get(weights, "")
        right = 0.9 - rises.get(lost, 0.0)
        for (seed, text), value in np.ndenumerate(values):
            rows += [
                (*weights, seed + 20, text, "dependence", 2, value),
                (*weights, seed + 20, text, "dependence", 1, 0.1),
                (*weights, seed + 20, text, "right", 0, right),
            ]
    names = [*ReadWeights._fields, "seed", "text", "quantity", "layer", "value"]
    return pd.DataFrame(rows, columns=names)


def judged(**rises: float) -> str:
    found = arms(**rises)
    table = effects(found, BOOTSTRAP, main_rate=RATE, asked=RULE.margins.asked)
    return outcome(table, RULE.margins)


def test_the_clamp_alone_removes_most():
    assert judged(free=0.1, clamped=0.03, placebo=0.1) == "supported"


def test_the_clamp_removes_little():
    assert judged(free=0.1, clamped=0.09, placebo=0.1) == "refuted"


@pytest.mark.parametrize("placebo", [0.03, 0.01])
def test_the_placebo_removes_as_much_or_more(placebo):
    assert judged(free=0.1, clamped=0.03, placebo=placebo) == "refuted"


@pytest.mark.parametrize(
    "rises",
    [
        {"free": 0.1, "clamped": 0.066, "placebo": 0.1, "noise": 0.05},
        {"free": 0.1, "clamped": 0.03, "placebo": 0.1, "lost": 0.05},
        {"free": 0.1, "clamped": 0.067, "placebo": 0.067},
        {"free": 0.1, "clamped": 0.03, "placebo": 0.1, "placebo_lost": 0.05},
        {"free": 0.1, "clamped": 0.03, "placebo": 0.01, "placebo_lost": 0.2},
    ],
    ids=["too wide", "less accurate", "neither removes a third", "no placebo learns", "nor rises"],
)
def test_it_may_stay_open(rises):
    assert judged(**rises) == "open"


def test_nothing_is_asked_where_nothing_rises():
    assert judged(free=0.01, clamped=0.0, placebo=0.01) == "not_asked"


def test_effects_are_those_put_in():
    table = effects(
        arms(free=0.1, clamped=0.025, placebo=0.1), BOOTSTRAP, main_rate=RATE, asked=0.02
    ).set_index("weights")
    assert table.loc["free", "rise"] == pytest.approx(0.1, abs=0.003)
    assert table.loc["clamped", "removed"] == pytest.approx(0.75, abs=0.03)
    assert table.loc["clamped", "beyond"] == 0
    assert table.loc["free", "beyond"] == pytest.approx(0.075, abs=0.003)
    for part in ("rise", "removed", "beyond"):
        of_arms = table.drop(index="pretrained")
        assert (of_arms[f"{part}_low"] <= of_arms[part] + 1e-12).all()
        assert (of_arms[part] <= of_arms[f"{part}_high"] + 1e-12).all()


def test_what_is_removed_is_asked_only_where_something_rises():
    found = arms(free=0.01, clamped=0.005, placebo=0.01)
    table = effects(found, BOOTSTRAP, main_rate=RATE, asked=0.02)
    assert table["removed"].isna().all() and not table["rise"].isna().any()


def test_log_odds_take_away_the_ceiling():
    """Rises that are equal in log-odds, of which the larger is nearer to 1, remove nothing."""
    found = arms(free=0.1, clamped=0.1, placebo=0.1)
    asked = found["quantity"] == "dependence"
    odds = {"free": 2.0, "clamped": 2.0, "placebo_move": 1.0}
    value = 1 / (1 + np.exp(-found["weights"].map(odds).fillna(0.0)))
    found["value"] = found["value"].where(~asked, value + 1e-9 * found["text"])
    table = effects(found, BOOTSTRAP, main_rate=RATE, asked=0.02).set_index("weights")
    assert table.loc["clamped", "removed_odds"] == pytest.approx(0, abs=1e-6)
    assert table.loc["placebo_move", "removed_odds"] == pytest.approx(0.5, abs=1e-6)
    assert table.loc["placebo_move", "removed"] < 0.5


def test_rises_of_seeds_have_the_mean_of_the_effect():
    found = arms(free=0.1, clamped=0.03, placebo=0.1)
    by_seed = rises_by_seed(found)
    whole = effects(found, BOOTSTRAP, main_rate=RATE, asked=0.02)
    fields = [*ReadWeights._fields]
    means = by_seed.groupby(fields)["rise"].mean()
    assert len(by_seed) == len(whole) * found["seed"].nunique()
    for row in whole.itertuples(index=False):
        key = tuple(getattr(row, field) for field in fields)
        assert means[key] == pytest.approx(row.rise)


def test_levels_are_means_of_all_and_of_each_seed():
    found = arms(free=0.1, clamped=0.03, placebo=0.1)
    table = levels(found, BOOTSTRAP)
    free = table[(table["weights"] == "free") & (table["layer"] == 2)]
    assert len(free) == 11
    mean = found[(found["weights"] == "free") & (found["layer"] == 2)]["value"].mean()
    (of_all,) = free[free["seed"].isna()]["mean"]
    assert of_all == pytest.approx(mean)
    assert free["mean"][free["seed"].notna()].mean() == pytest.approx(mean)


@pytest.mark.parametrize(
    ("read", "before"),
    [
        (FREE, BEFORE),
        (FREE._replace(what="held", keys="special", shares="pretrained"), CLAMPED.before),
        (CLAMPED, ReadWeights("pretrained", 0.0, "held", "special", "pretrained")),
        (CLAMPED._replace(what="following"), BEFORE),
        (ReadWeights("pretrained", 0.0, "held", "special", "free"), CLAMPED.before),
        (ReadWeights("pretrained", 0.0, "following", "special", "free"), BEFORE),
        (FREE._replace(what="biased", keys="mass", bias=1.0), FREE),
        (ReadWeights("zeroed", RATE, "zeroed", "special"), ZEROED_BEFORE),
        (CLAMPED.before, BEFORE),
        (BEFORE, BEFORE),
    ],
)
def test_what_weights_are_compared_with(read, before):
    assert read.before == before


def test_a_prediction_is_true_if_all_its_rows_are():
    rows = pd.DataFrame(
        {
            "weights": "pretrained",
            "learning_rate": 0.0,
            "what": "biased",
            "keys": "special",
            "shares": "",
            "bias": [-2.0, -1.0, 1.0],
            "rise_low": [0.2, 0.1, -0.2],
            "rise_high": [0.3, 0.2, -0.1],
        }
    )
    (down,) = (one for one in RULE.predictions if one.name == "doses_down")
    assert answer(rows, down, RATE) == "true"
    assert answer(rows.assign(rise_low=[0.2, -0.1, 0]), down, RATE) == "open"
    assert answer(rows.assign(rise_low=-0.3, rise_high=-0.1), down, RATE) == "false"
    assert answer(rows[rows["bias"] > 0], down, RATE) == "not_measured"


def test_every_prediction_is_of_something_that_is_read():
    """Of all arms, at two rates and with doses."""
    from attention_mixing.models.arms import conditions, pretrained_conditions
    from attention_mixing.models.conditions import Condition

    ways = [("pretrained", 0.0, way) for way in pretrained_conditions(ARMS)]
    ways += [(name, RATE, way) for name in ARMS for way in conditions(name)]
    ways += [("pretrained", 0.0, Condition("biased", "special", bias=bias)) for bias in (-1.0, 1.0)]
    table = pd.DataFrame(
        [(*of, way.what, way.keys, way.shares, way.bias) for *of, way in ways],
        columns=ReadWeights._fields,
    )
    ends = [f"{part}_{end}" for part in ("rise", "removed", "beyond") for end in ("low", "high")]
    found = dict(answers(table.assign(**dict.fromkeys(ends, 0.1)), RULE, RATE))
    assert len(found) == len(RULE.predictions)
    assert "not_measured" not in found.values()


def test_a_prediction_has_one_direction():
    (first, *_) = RULE.predictions
    with pytest.raises(ValueError, match="needs one of above and below"):
        Prediction.model_validate(first.model_dump() | {"below": 1.0})


def test_all_is_said_in_both_languages():
    texts = [*RULE.outcomes.values(), *(one.words for one in RULE.predictions)]
    assert {*RULE.outcomes} == {"supported", "refuted", "open", "not_asked"}
    assert all(text.en.isascii() and not text.ja.isascii() for text in texts)
    assert not any(re.search(r"[、。ぁ-ん] [ぁ-んァ-ヶ一-龠]", text.ja) for text in texts)
