"""Means over texts: which, of what, in which order, and what is not defined."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_mixing.addresses import ALL
from attention_mixing.measures.engine.definition import SHARE, SIGNED, Gives, Measure
from attention_mixing.measures.engine.summary import COLUMNS, summarise
from attention_mixing.methods.bootstrap import mean_interval, paired_difference
from attention_mixing.settings.measures import Bootstrap

BOOTSTRAP = Bootstrap(resamples=200, confidence=0.95, seed=0)
NUMBERS = BOOTSTRAP.model_dump()
LAYERS, HEADS = (1, 2, 3), (1, 2, 3, 4)
AT = ["quantity", "subject", "layer", "head"]
TOY = Measure("toy", work=print)


def table(seed: int = 0, texts: int = 12, *, heads=(0,), missing: float = 0.0) -> pd.DataFrame:
    """Two measures of two methods in an order that is not the alphabet's, three layers."""
    parts = (range(texts), ("rollout", "flow"), ("width", "height"), LAYERS, heads)
    rows = pd.DataFrame(product(*parts), columns=["text", "subject", "quantity", "layer", "head"])
    generator = np.random.default_rng(seed)
    value = generator.normal(size=len(rows)) + 5
    value[generator.random(value.shape) < missing] = np.nan
    return rows.assign(measure="toy", variant="pretrained", facet="", clusters=0, value=value)


def summary(rows: pd.DataFrame, *measures: Measure) -> pd.DataFrame:
    return summarise([rows], measures or (TOY,), BOOTSTRAP)


def by_place(found: pd.DataFrame) -> pd.DataFrame:
    """Rows that are no contrasts, by what they are of."""
    rows = found[found["minus"] == ""].set_index(AT)
    assert rows.index.is_unique
    return rows.sort_index()


def wide(rows: pd.DataFrame, measure: str, of: str, *by: str) -> pd.DataFrame:
    """One row a text, columns by layer or head."""
    chosen = rows[(rows["quantity"] == measure) & (rows["subject"] == of)]
    return chosen.pivot_table("value", "text", list(by), dropna=False)


# --- means ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("heads", [(0,), HEADS])
def test_means_are_those_of_pandas_and_lie_in_their_intervals(missing, heads):
    rows = table(heads=heads, missing=missing)
    expected = rows.groupby(AT)["value"].agg(["mean", "count", "min", "max"])
    found = by_place(summary(rows)).loc[expected.index]
    np.testing.assert_allclose(found["mean"], expected["mean"], rtol=1e-12)
    assert (found["texts"] == expected["count"]).all()
    assert (found["smallest"] == expected["min"]).all()
    assert (found["largest"] == expected["max"]).all()
    assert (found["low"] < found["mean"]).all()
    assert (found["mean"] < found["high"]).all()
    assert (found["texts"] < 12).any() == bool(missing)
    assert found["p"].isna().all()


def test_means_over_heads_and_then_over_layers_are_of_each_text_first():
    """With gaps they are not the means of all values; what is not defined is left out."""
    rows = table(heads=HEADS, missing=0.3)
    found = by_place(summary(rows))
    for measure, of in product(("width", "height"), ("rollout", "flow")):
        heads = wide(rows, measure, of, "layer", "head")
        layers = heads.T.groupby("layer").mean().T
        assert layers[1].mean() != pytest.approx(np.nanmean(heads[1]))
        for layer in LAYERS:
            own = found.loc[measure, of, layer, 0]
            assert own["mean"] == pytest.approx(layers[layer].mean())
            expected = mean_interval(layers[layer].to_numpy()[None], **NUMBERS)
            np.testing.assert_allclose(own[["low", "high"]].tolist(), expected[1:3])
        whole = found.loc[measure, of, ALL, 0]
        assert whole["mean"] == pytest.approx(layers.mean(axis=1).mean())
        assert whole["smallest"] == pytest.approx(layers.mean(axis=1).min())
        assert whole["largest"] == pytest.approx(layers.mean(axis=1).max())
        assert whole["low"] <= whole["mean"] <= whole["high"]
    assert set(found.index.get_level_values("layer")) == {ALL, *LAYERS}


def test_what_a_measure_gives_of_all_heads_or_layers_itself_stays_its_own():
    of_layers = table(seed=1)
    of_all = table(seed=2).query("layer == 1").assign(layer=ALL)
    for given_itself in (of_layers, of_all):
        found = by_place(summary(pd.concat([table(heads=HEADS), given_itself])))
        expected = by_place(summary(given_itself))
        pd.testing.assert_frame_equal(found.loc[expected.index], expected)


def test_curves_come_in_the_order_of_the_values():
    found = summary(table(heads=(0, *HEADS)))
    assert list(found["quantity"].drop_duplicates()) == ["width", "height"]
    assert list(found["subject"].drop_duplicates()) == ["rollout", "flow"]
    assert found["layer"].tolist() == [n for n in LAYERS for _ in range(5)] * 4 + [ALL] * 4
    assert found["head"].tolist() == [0, *HEADS] * 12 + [0] * 4


def test_a_curve_that_the_first_texts_lack_keeps_its_layers_in_order():
    """Such as tokens of a kind that few texts have."""
    rows = table()
    rows = rows[(rows["subject"] == "rollout") | (rows["text"] > 8)]
    found = summary(rows)
    flow = found[(found["subject"] == "flow") & (found["layer"] != ALL)]
    assert flow["layer"].tolist() == list(LAYERS) * 2
    assert set(flow["texts"]) == {3}
    expected = wide(rows, "width", "flow", "layer").mean()
    np.testing.assert_allclose(flow[flow["quantity"] == "width"]["mean"], expected)


@settings(deadline=None, max_examples=5)
@given(st.permutations(range(12)), st.integers(0, 3))
def test_the_order_of_texts_is_of_no_account(order, seed):
    rows = table(seed, missing=0.2)
    place = {text: index for index, text in enumerate(order)}
    shuffled = rows.sort_values("text", key=lambda ids: ids.map(place), kind="stable")
    pd.testing.assert_frame_equal(summary(shuffled), summary(rows))


def test_all_values_see_the_same_resamples():
    """Of one measure and of several: what differs by a constant has ends that do."""
    rows = table()
    more = rows.assign(measure="more", value=rows["value"] + 1)
    found = summary(pd.concat([rows, more]), TOY, Measure("more", work=print))
    own, other = (found[found["measure"] == by].reset_index() for by in ("toy", "more"))
    for end in ("mean", "low", "high"):
        np.testing.assert_allclose(other[end], own[end] + 1)


def test_a_value_that_no_text_has_is_not_a_number_and_counted_as_such():
    rows = table()
    gone = (rows["subject"] == "flow") & (rows["quantity"] == "height")
    rows.loc[gone & (rows["layer"] == 2), "value"] = np.nan
    found = by_place(summary(rows))
    place = ("height", "flow", 2, 0)
    assert found.loc[place, "texts"] == 0
    assert found.loc[place, ["mean", "low", "high", "smallest", "largest"]].isna().all()
    assert (found["texts"].drop(place) == 12).all()
    assert found["mean"].drop(place).notna().all()
    rows.loc[gone, "value"] = np.nan
    assert np.isnan(by_place(summary(rows)).loc[("height", "flow", ALL, 0), "mean"])


def test_one_text_has_an_interval_of_its_own_value():
    found = summary(table(texts=1))
    assert (found["texts"] == 1).all()
    for end in ("low", "high", "smallest", "largest"):
        np.testing.assert_array_equal(found[end], found["mean"])


@pytest.mark.parametrize("ends", [SIGNED, SHARE])
def test_what_all_texts_have_alike_by_chance_has_an_interval(ends):
    """A head whose removal changes no answer of so many texts may change one of the next."""
    alike = table(texts=20).query("quantity == 'width'").assign(value=0.0)
    exact = Measure("toy", work=print, gives=(Gives("width", range=ends),))
    assert (summary(alike, exact)[["low", "high"]] == 0).all(axis=None)
    by_chance = Measure("toy", work=print, gives=(Gives("width", range=ends, saturates=True),))
    found = summary(alike, by_chance)
    beyond = 1 - 0.025 ** (1 / 20)  # Clopper and Pearson (1934), of none in twenty
    np.testing.assert_allclose(found["low"], ends[0] * beyond)
    np.testing.assert_allclose(found["high"], ends[1] * beyond)


def test_what_is_of_all_texts_together_has_no_interval():
    together = table(texts=1).assign(text=ALL)
    found = summary(together)
    assert (found["texts"] == 0).all()
    assert found[["low", "high", "smallest", "largest", "p"]].isna().all(axis=None)
    pd.testing.assert_series_equal(found["mean"], together["value"], check_names=False)
    # Beside values of texts it changes nothing of theirs.
    other = together.assign(facet="depth")
    beside, alone = summary(pd.concat([table(), other])), summary(table())
    pd.testing.assert_frame_equal(
        beside[beside["texts"] > 0].reset_index(drop=True), alone, check_dtype=False
    )
    assert len(beside) == len(alone) + len(other)


def test_without_values_there_are_no_rows():
    for found in (summary(table()[:0]), summary(table(), Measure("another", work=print))):
        assert found.empty
        assert list(found.columns) == COLUMNS


def test_a_value_that_is_there_twice_is_refused():
    rows = table(heads=HEADS)
    with pytest.raises(ValueError, match="duplicate"):
        summary(pd.concat([rows, rows.iloc[:1]]))


# --- seeds ----------------------------------------------------------------------------------------


def test_seeds_are_averaged_and_shown_one_by_one():
    """Of each text first, heads and layers included; contrasts too."""
    rows = [table(seed, heads=HEADS) for seed in range(3)]
    measure = Measure("toy", work=print, contrasts={"": ("flow",)})
    found = summarise(rows, [measure], BOOTSTRAP)
    both = pd.concat(rows).groupby(
        ["measure", "variant", "facet", "clusters", *AT, "text"], sort=False
    )
    mean = summarise([both["value"].mean().reset_index()], [measure], BOOTSTRAP)
    numbers = ["mean", "low", "high", "p", "texts"]
    np.testing.assert_allclose(found[numbers].astype(float), mean[numbers].astype(float))
    alone = [summarise([one], [measure], BOOTSTRAP)["mean"] for one in rows]
    np.testing.assert_allclose(np.array(found["by_seed"].tolist()).T, alone)
    assert (found["seeds"] == 3).all()
    assert (mean["seeds"] == 1).all()
    assert (mean["by_seed"].map(len) == 0).all()


def test_what_only_the_first_seed_has_is_its_own():
    """The pretrained model, and what is of all texts together."""
    tuned = [table(seed).assign(variant="finetuned") for seed in range(2)]
    together = [table(seed, texts=1).assign(text=ALL, facet="depth") for seed in range(2)]
    found = summarise(
        [pd.concat([table(7), tuned[0], together[0]]), pd.concat([tuned[1], together[1]])],
        [TOY],
        BOOTSTRAP,
    )
    own = found[(found["variant"] == "pretrained") & (found["texts"] > 0)].reset_index(drop=True)
    pd.testing.assert_frame_equal(own, summary(table(7)), check_dtype=False)
    of_all = found[found["texts"] == 0]
    values = np.array([one["value"] for one in together])
    np.testing.assert_allclose(of_all["mean"], values.mean(axis=0))
    np.testing.assert_allclose(np.array(of_all["by_seed"].tolist()).T, values)


# --- contrasts ------------------------------------------------------------------------------------


def test_a_contrast_is_of_the_same_texts_where_both_are_measured_alike():
    rows = table(missing=0.2)
    # Of another kind nothing is asked; flow is not measured in layer 2 of width.
    other = rows.assign(facet="first")
    rows = rows[
        (rows["subject"] == "rollout") | (rows["quantity"] == "height") | (rows["layer"] != 2)
    ]
    measure = Measure("toy", work=print, contrasts={"": ("flow",)})
    found = summary(pd.concat([rows, other]), measure)
    contrasts = found[found["minus"] != ""]
    assert set(contrasts["minus"]) == {"flow"}
    assert set(contrasts["subject"]) == {"rollout"}
    assert set(contrasts["facet"]) == {""}
    places = contrasts.set_index(["quantity", "layer"]).sort_index()
    expected = {*product(("width", "height"), (ALL, *LAYERS))} - {("width", 2)}
    assert set(places.index) == expected
    for measured, layer in [place for place in expected if place[1] != ALL]:
        pair = (
            wide(rows, measured, of, "layer")[[layer]].to_numpy().T for of in ("rollout", "flow")
        )
        difference = paired_difference(*pair, **NUMBERS)
        own = places.loc[measured, layer]
        for number in ("mean", "low", "high", "p", "texts"):
            assert own[number] == pytest.approx(getattr(difference, number)), number
    whole = [wide(rows, "height", of, "layer").mean(axis=1) for of in ("rollout", "flow")]
    assert places.loc[("height", ALL), "mean"] == pytest.approx((whole[0] - whole[1]).mean())
    assert contrasts[["smallest", "largest"]].isna().all(axis=None)
    # The others are as they are without contrasts.
    rest = found[found["minus"] == ""].reset_index(drop=True)
    pd.testing.assert_frame_equal(rest, summary(pd.concat([rows, other])), check_dtype=False)
