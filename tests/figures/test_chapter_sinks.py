"""Chapter *mixing*, the experiment on sinks: what is shown are the effects, in both languages."""

import html
import re
import shutil
from itertools import product

import numpy as np
import pandas as pd
import pytest
import tiny_experiment as tiny

from analysis.figures import sinks
from analysis.parameters import Params
from analysis.paths import ARMS
from analysis.pipeline.sink_effects import ReadWeights
from analysis.prose.messages import words
from analysis.prose.phrases import written
from analysis.prose.sinks import association, outcomes
from analysis.results.sinks import SinkResult, sink_results, sink_rule
from analysis.rules.sinks import READINGS
from analysis.stages.sinks import sinks as stage
from attention_mixing.settings.sinks import ARMS as ALL

LANGUAGES = ("en", "ja")
RATE = 1e-4
RISES = {"free": 0.2, "clamped": 0.08, "placebo_move": 0.18}
QUANTITIES = {"dependence": 2, "right": 0, "sinks": 0}


def made_outcomes(seed: int) -> pd.DataFrame:
    """Outcomes of all arms in all ways, of two texts, as the stage *arms* writes them."""
    from attention_mixing.models.arms import conditions, pretrained_conditions
    from attention_mixing.models.conditions import Condition

    dosed = Condition("biased", "special", bias=-1.0)
    read = [("pretrained", 0.0, way) for way in (*pretrained_conditions(ALL), dosed)]
    read += [(name, RATE, way) for name in ALL for way in conditions(name)]
    read += [(name, 5e-5, way) for name in ("free", "clamped") for way in conditions(name)]
    rng = np.random.default_rng(seed)
    rows = []
    for weights, rate, way in read:
        names = [weights, rate, way.what, way.keys, way.shares, way.bias]
        for text in (0, 1):
            rise = RISES.get(weights, 0.1) if rate else 0.01 * text
            values = {"dependence": 0.3 + rise + rng.normal(0, 0.01), "right": 0.9, "sinks": 0.4}
            rows += [(*names, text, of, QUANTITIES[of], value) for of, value in values.items()]
    columns = [*ReadWeights._fields, "text", "quantity", "layer", "value"]
    return pd.DataFrame(rows, columns=columns)


@pytest.fixture
def results(here, root) -> list[SinkResult]:
    """Of two corpora of this run, with three seeds."""
    values = tiny.parameters().model_dump()
    corpus = {
        "model": {"source": "embedded"},
        "data": {
            **{"source": "generated", "grammar": "agreement", "seed": 0},
            "sizes": {"train": 8, "validation": 2, "test": 8},
        },
        "length": {"max_tokens": 20, "longer": "truncate"},
        "train": {
            **{"texts": 8, "epochs": 1, "batch_size": 4, "learning_rate": RATE},
            **{"other_rates": [], "weight_decay": 0.01, "warmup": 0.1},
        },
    }
    values["sinks"] |= {"corpora": {"agreement": corpus, "own": corpus}, "seeds": [0, 1, 2]}
    shutil.copytree(root / "report", "report")
    for name, seed in product(("agreement", "own"), ("0", "1", "2")):
        directory = ARMS / name / seed
        directory.mkdir(parents=True)
        names = {"weights": ["pretrained", *RISES], "learning_rate": 0.0, "layer": 1, "head": 1}
        tables = {
            "outcomes": made_outcomes(int(seed)),
            "heads": pd.DataFrame(names | {"value": 0.4}),
            "keys": pd.DataFrame({"text": [0], "keys": "special", "count": 2}),
            "path": pd.DataFrame({"text": [0], "quantity": "all", "layer": 1, "value": 0.1}),
        }
        for table, content in tables.items():
            content.to_parquet(directory / f"{table}.parquet")
    stage(Params.model_validate(values))
    return sink_results()


@pytest.mark.parametrize("language", LANGUAGES)
def test_intervals_and_seeds_are_drawn(results, language):
    figure, data = sinks.arm_intervals(results, sink_rule(), words(language, "mixing"))
    first = results[0].of_readings()
    assert [*first.index] == [*READINGS]
    for axis, one in zip(figure.axes, results, strict=True):
        dots = np.concatenate([dots.get_offsets()[:, 0] for dots in axis.collections])
        seeds = np.concatenate([one.of_seeds(name) for name in READINGS])
        np.testing.assert_allclose(np.sort(dots), np.sort(seeds))
    assert len(data) == 2 * len(READINGS)
    free = data[(data["reading"] == "free") & (data["corpus"] == "agreement")]
    assert free["rise"].item() == pytest.approx(np.mean(results[0].of_seeds("free")))


@pytest.mark.parametrize("language", LANGUAGES)
def test_tables_name_all_that_was_read(results, language):
    w = words(language, "mixing")
    cells, _ = sinks.arms_table(results, w)
    assert [*cells[w["arm"]]] == [w[f"arm_{name}"] for name in READINGS]
    every, data = sinks.readings_table(results, w)
    assert len(every) == len(data) == sum(len(one.effects) for one in results)
    assert not every.map(lambda cell: "{" in str(cell)).any(axis=None)
    predicted, _ = sinks.predictions_table(results, sink_rule(), w)
    assert len(predicted) == len(sink_rule().predictions)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_outcome_is_said_in_the_words_of_the_rule(results, language):
    w, rule = words(language, "mixing"), sink_rule()
    said = html.unescape(re.sub("<[^>]+>", "", outcomes(results, rule, w).data))
    for one in results:
        assert getattr(rule.outcomes[one.record["outcome"]], language) in said
        removed = one.of_readings().loc["clamped", "removed"]
        assert written(removed, "z.0%") in said


def test_an_association_is_told_over_models():
    w = words("en", "mixing")
    changes = pd.DataFrame({"mixing": [0.1, 0.2, 0.3], "sink": [0.0, -0.1, -0.2]})
    assert "\u22121.00" in association(changes, w)
    assert "Too few" in association(changes[:2], w)


def test_without_the_experiment_there_is_nothing(here):
    assert sink_results() == []
