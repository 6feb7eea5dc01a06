"""What rules ask of texts: of which rows, text by text, of which texts; as pandas has it."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from analysis.pipeline.readings import NO_CURVE, readings
from analysis.rules.selection import Texts
from attention_mixing.addresses import ALL
from attention_mixing.measures.engine.cube import by_text, of_all
from attention_mixing.measures.engine.definition import Measure
from attention_mixing.measures.engine.summary import saturating, summarise
from attention_mixing.methods.bootstrap import mean_interval
from attention_mixing.settings.measures import Bootstrap

BOOTSTRAP = Bootstrap(resamples=200, confidence=0.95, seed=0)
NUMBERS = ["mean", "low", "high", "texts"]
LAYERS, HEADS, TEXTS = (1, 2, 3, 4), (1, 2), 12
TOY = Measure("toy", work=print)


def values(seed: int = 0, *states: str) -> pd.DataFrame:
    """Values of two methods, by layer and head."""
    parts = (states or ("pretrained",), range(TEXTS), ("a", "b"), LAYERS, HEADS)
    rows = pd.DataFrame(product(*parts), columns=["variant", "text", "subject", "layer", "head"])
    number = np.random.default_rng(seed).normal(size=len(rows)) + 5
    return rows.assign(measure="toy", facet="", quantity="width", clusters=0, value=number)


def asked(**more) -> Texts:
    return Texts.model_validate({"measure": "toy", "quantity": "width"} | more)


def read(question: Texts, *of_seeds: pd.DataFrame) -> pd.DataFrame:
    """Rows of a question, by model state."""
    cubes = by_text(of_seeds), of_all(of_seeds)
    found = readings([question], *cubes, BOOTSTRAP, saturating([TOY]))
    rows = found[found["reading"] == question.name]
    assert all((rows[column] == value).all() for column, value in NO_CURVE.items())
    return rows.set_index("variant")


def of(rows: pd.DataFrame, method: str, *layers: int) -> pd.Series:
    """Means of texts over heads, and then over layers."""
    chosen = rows[(rows["subject"] == method) & rows["layer"].isin(layers or LAYERS)]
    return chosen.groupby(["text", "layer"])["value"].mean().groupby("text").mean()


def estimate(by_text: pd.Series) -> list[float]:
    found = mean_interval(by_text.to_numpy()[None], **BOOTSTRAP.model_dump())
    return [float(number) for number in found]


def test_what_a_curve_has_too_has_the_same_mean_and_interval():
    """Both are of the same resamples."""
    rows = values()
    found = summarise([rows], [TOY], BOOTSTRAP)
    curve = found[(found["subject"] == "a") & (found["layer"] == ALL) & (found["head"] == 0)]
    reading = read(asked(where={"subject": "a"}), rows)
    np.testing.assert_allclose(reading[NUMBERS].astype(float), curve[NUMBERS].astype(float))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ({"layers": "last"}, lambda rows: of(rows, "a", 4)),
        ({"layers": {"from": 6, "to": 9, "of": 12}}, lambda rows: of(rows, "a", 2, 3)),
        ({"minus": {"where": {"subject": "b"}}}, lambda rows: of(rows, "a") - of(rows, "b")),
        (
            {"layers": "last", "divided_by": {"layers": "first"}},
            lambda rows: of(rows, "a", 4) / of(rows, "a", 1),
        ),
    ],
    ids=["last", "depth", "difference", "ratio"],
)
def test_a_contrast_is_of_each_text_first(question, expected):
    rows = values()
    found = read(asked(where={"subject": "a"}, **question), rows)
    assert found.loc["pretrained", NUMBERS].tolist() == pytest.approx(estimate(expected(rows)))


def test_a_trend_is_the_rank_correlation_with_depth():
    rows = values()
    found = read(asked(where={"subject": "a"}, over_layers="trend"), rows)
    by_layer = (
        rows[rows["subject"] == "a"].groupby(["text", "layer"])["value"].mean().unstack("layer")
    )
    ranks = by_layer.T.corrwith(pd.Series(LAYERS, LAYERS), method="spearman")
    assert found.loc["pretrained", NUMBERS].tolist() == pytest.approx(estimate(ranks))


def test_texts_for_which_it_is_not_defined_are_no_part_of_the_sample():
    """As one without a layer, or a ratio to nothing."""
    rows = values()
    rows.loc[(rows["text"] == 3) & (rows["subject"] == "a") & (rows["layer"] == 2), "value"] = (
        np.nan
    )
    rows.loc[(rows["text"] == 5) & (rows["subject"] == "b"), "value"] = 0.0
    found = read(asked(where={"subject": "a"}, divided_by={"where": {"subject": "b"}}), rows)
    ratio = (of(rows, "a") / of(rows, "b")).drop([3, 5])
    assert found.loc["pretrained", NUMBERS].tolist() == pytest.approx(estimate(ratio))
    assert found.loc["pretrained", "texts"] == TEXTS - 2


@pytest.mark.parametrize(("which", "method"), [("largest", "max"), ("smallest", "min")])
def test_an_extreme_is_one_value_without_an_interval(which, method):
    rows = values()
    found = read(asked(over_texts=which), rows)
    assert found.loc["pretrained", "mean"] == getattr(rows["value"], method)()
    contrast = read(
        asked(where={"subject": "a"}, minus={"where": {"subject": "b"}}, over_texts=which), rows
    )
    difference = of(rows, "a") - of(rows, "b")
    assert contrast.loc["pretrained", "mean"] == pytest.approx(getattr(difference, method)())
    for row in (found, contrast):
        assert row[["low", "high"]].isna().all(axis=None)
        assert (row["texts"] == 0).all()


def test_model_states_are_read_apart_and_one_that_is_named_stands_for_both():
    rows = values(0, "pretrained", "finetuned")
    found = read(asked(where={"subject": "a"}), rows)
    assert set(found.index) == {"pretrained", "finetuned"}
    named = read(asked(where={"subject": "a", "variant": "finetuned"}), rows)
    assert list(named.index) == ["both"]
    assert named.loc["both", "mean"] == found.loc["finetuned", "mean"]
    assert found["mean"].nunique() == 2


def test_seeds_are_averaged_and_what_only_the_first_has_is_of_one():
    first, second = values(0, "pretrained", "finetuned"), values(1, "finetuned")
    found = read(asked(where={"subject": "a"}), first, second)
    assert found["seeds"].to_dict() == {"pretrained": 1, "finetuned": 2}
    tuned = (of(first[first["variant"] == "finetuned"], "a") + of(second, "a")) / 2
    assert found.loc["finetuned", NUMBERS].tolist() == pytest.approx(estimate(tuned))
    untuned = of(first[first["variant"] == "pretrained"], "a")
    assert found.loc["pretrained", NUMBERS].tolist() == pytest.approx(estimate(untuned))


def test_what_is_of_all_texts_together_has_no_interval():
    whole = values().query("text == 0").assign(text=ALL, quantity="depth")
    found = read(asked(quantity="depth", where={"subject": "a"}), pd.concat([values(), whole]))
    assert found.loc["pretrained", "mean"] == pytest.approx(of(whole, "a").item())
    assert found.loc["pretrained", "texts"] == 0
    assert np.isnan(found.loc["pretrained", "low"])


def test_what_no_measure_has_given_has_no_row():
    assert read(asked(quantity="depth"), values()).empty
    assert read(asked(where={"subject": "c"}), values()).empty
