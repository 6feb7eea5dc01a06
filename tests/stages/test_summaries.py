"""Means over texts: which, of what, in which order, and what is not defined."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.errors import InputError
from analysis.methods.rollout import attention_rollout
from analysis.params import Bootstrap
from analysis.params.sections import Focus
from analysis.corpora.prepared import choose
from analysis.stages.summaries import (
    MATRIX_MEASURES,
    curves,
    defined,
    matrix_measures,
    nested,
    text_shown,
)

BOOTSTRAP = Bootstrap(resamples=200, confidence=0.95, seed=0)
LAYERS = (1, 2, 3)


def table(seed: int = 0, texts: int = 12, *, missing: float = 0.0) -> pd.DataFrame:
    """Two measures of two methods in an order that is not the alphabet's, three layers."""
    generator = np.random.default_rng(seed)
    rows = [
        {"example_id": text, "method": method, "layer": layer}
        for text in range(texts)
        for method in ("rollout", "flow")
        for layer in LAYERS
    ]
    values = generator.normal(size=(len(rows), 2)) + 5
    values[generator.random(values.shape) < missing] = np.nan
    return pd.DataFrame(rows).assign(width=values[:, 0], height=values[:, 1])


def drawn(rows: pd.DataFrame, bootstrap: Bootstrap = BOOTSTRAP) -> pd.DataFrame:
    return curves(rows, keys=["method"], measures=["width", "height"], bootstrap=bootstrap)


def summary(rows: pd.DataFrame) -> dict:
    return nested(rows, keys=["method"], measures=["width", "height"], bootstrap=BOOTSTRAP)


# --- curves ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_means_are_those_of_pandas_and_lie_in_their_intervals(missing):
    rows = table(missing=missing)
    result = drawn(rows).set_index(["measure", "method", "layer"])
    groups = rows.groupby(["method", "layer"])
    for measure in ("width", "height"):
        expected = groups[measure].agg(["mean", "count"])
        found = result.loc[measure].reindex(expected.index)
        np.testing.assert_allclose(found["mean"], expected["mean"], rtol=1e-12)
        assert (found["texts"] == expected["count"]).all()
        assert (found["low"] < found["mean"]).all()
        assert (found["mean"] < found["high"]).all()
    assert (result["texts"] < 12).any() == bool(missing)


def test_curves_come_in_the_order_of_the_table():
    result = drawn(table())
    assert list(result.columns) == [
        *("method", "measure", "layer", "mean", "low", "high", "texts"),
    ]
    assert list(result["measure"].drop_duplicates()) == ["width", "height"]
    assert list(result["method"].drop_duplicates()) == ["rollout", "flow"]
    assert result["layer"].tolist() == list(LAYERS) * 4


def test_a_curve_that_the_first_texts_lack_keeps_its_layers_in_order():
    """Such as tokens of a kind that few texts have."""
    rows = table()
    rows = rows[(rows["method"] == "rollout") | (rows["example_id"] > 8)]
    result = drawn(rows)
    flow = result[result["method"] == "flow"]
    assert flow["layer"].tolist() == list(LAYERS) * 2
    assert set(flow["texts"]) == {3}
    expected = rows[rows["method"] == "flow"].groupby("layer")["width"].mean()
    np.testing.assert_allclose(flow.query("measure == 'width'")["mean"], expected)


@settings(deadline=None, max_examples=20)
@given(st.permutations(range(12)), st.integers(0, 3))
def test_the_order_of_texts_is_of_no_account(order, seed):
    rows = table(seed, missing=0.2)
    place = {text: index for index, text in enumerate(order)}
    shuffled = rows.sort_values("example_id", key=lambda ids: ids.map(place), kind="stable")
    pd.testing.assert_frame_equal(drawn(shuffled), drawn(rows))


def test_a_value_that_no_text_has_is_not_a_number_and_counted_as_such():
    rows = table()
    rows.loc[(rows["method"] == "flow") & (rows["layer"] == 2), "height"] = np.nan
    result = drawn(rows).set_index(["measure", "method", "layer"])
    nothing = result.loc["height", "flow", 2]
    assert nothing["texts"] == 0
    assert nothing[["mean", "low", "high"]].isna().all()
    assert (result["texts"].drop(("height", "flow", 2)) == 12).all()


def test_one_text_has_an_interval_of_its_own_value():
    rows = table(texts=1)
    result = drawn(rows)
    assert (result["texts"] == 1).all()
    np.testing.assert_array_equal(result["low"], result["mean"])
    np.testing.assert_array_equal(result["high"], result["mean"])


def test_an_empty_table_gives_empty_curves():
    empty = pd.DataFrame(columns=["example_id", "method", "layer", "width", "height"])
    assert list(drawn(empty).columns) == list(drawn(table()).columns)
    assert drawn(empty).empty


def test_a_text_that_is_there_twice_is_refused():
    rows = table()
    with pytest.raises(ValueError, match="duplicate"):
        drawn(pd.concat([rows, rows.iloc[:1]]))


# --- metrics --------------------------------------------------------------------------------------


def test_metrics_are_both_ends_and_the_mean_over_layers_of_each_text():
    rows = table(missing=0.2)
    result = summary(rows)
    assert list(result) == ["rollout", "flow"]
    for method, measures in result.items():
        assert list(measures) == ["width", "height"]
        for measure, numbers in measures.items():
            wide = rows[rows["method"] == method].pivot(
                index="example_id", columns="layer", values=measure
            )
            assert numbers["first"] == pytest.approx(wide[1].mean())
            assert numbers["last"] == pytest.approx(wide[3].mean())
            assert numbers["last_low"] <= numbers["last"] <= numbers["last_high"]
            # Of each text first: with gaps that is not the mean of all values.
            assert numbers["mean"] == pytest.approx(wide.mean(axis=1).mean())
            assert numbers["mean_low"] <= numbers["mean"] <= numbers["mean_high"]


def test_what_is_not_defined_is_null_in_json():
    rows = table()
    rows.loc[rows["method"] == "flow", "height"] = np.nan
    rows.loc[(rows["method"] == "flow") & (rows["layer"] == 1), "width"] = np.nan
    result = summary(rows)
    assert set(result["flow"]["height"].values()) == {None}
    assert result["flow"]["width"]["first"] is None
    assert result["flow"]["width"]["last"] is not None
    json.dumps(result, allow_nan=False)
    assert defined(math.nan) is None
    assert defined(np.float64(0)) == 0


# --- matrices -------------------------------------------------------------------------------------


def of(matrix) -> dict[str, float]:
    matrix = np.asarray(matrix, dtype=float)
    special = np.arange(len(matrix)) % (len(matrix) - 1) == 0  # both ends
    (row,) = matrix_measures(matrix[None], special)
    return row


def test_a_token_that_keeps_to_itself():
    n = 5
    row = of(np.eye(n))
    assert row == {
        "layer": 1,
        "mixing": 0,
        "entropy": 0,
        "cls_entropy": 0,
        "special_share": pytest.approx(2 / n),
        "row_distance": pytest.approx(1 - 1 / n),
        "own_source": 1,
    }


def test_a_token_that_knows_no_other_from_itself():
    n = 5
    row = of(np.full((n, n), 1 / n))
    assert row["mixing"] == pytest.approx(1 - 1 / n)
    assert row["entropy"] == row["cls_entropy"] == pytest.approx(1)
    assert row["special_share"] == pytest.approx(2 / n)
    assert row["row_distance"] == pytest.approx(0, abs=1e-12)


def test_a_text_that_looks_at_its_first_token_only():
    matrix = np.zeros((4, 4))
    matrix[:, 0] = 1
    row = of(matrix)
    assert row["special_share"] == 1
    assert row["entropy"] == row["row_distance"] == 0
    assert row["own_source"] == 0.25
    assert row["mixing"] == 0.75


def test_measures_are_named_layer_by_layer_and_bounded():
    generator = np.random.default_rng(0)
    matrices = attention_rollout(generator.dirichlet(np.ones(6), size=(4, 6)), residual=0.3)
    rows = matrix_measures(matrices, np.array([True, *[False] * 4, True]))
    assert [row["layer"] for row in rows] == [1, 2, 3, 4]
    for row in rows:
        assert tuple(row) == ("layer", *MATRIX_MEASURES)
        assert all(0 <= row[measure] <= 1 for measure in MATRIX_MEASURES)


def test_some_rows_are_measured_as_they_are_among_all():
    """Where every row is alike but for its own token, some of them have the mean of all."""
    matrix = np.full((5, 5), 0.1) + 0.5 * np.eye(5)
    sources = np.array([0, 2, 4])
    special = np.array([True, False, False, False, True])
    (some,) = matrix_measures(matrix[None, sources], special, sources)
    (every,) = matrix_measures(matrix[None], special)
    for measure in ("mixing", "entropy", "cls_entropy", "own_source"):
        assert some[measure] == pytest.approx(every[measure])
    # Both special rows are among the three.
    assert some["special_share"] == pytest.approx((2 * 0.7 + 0.2) / 3)


def test_a_text_of_one_token_is_all_its_own():
    (row,) = matrix_measures(np.ones((1, 1, 1)), np.array([False]))
    assert row["mixing"] == row["entropy"] == row["cls_entropy"] == row["row_distance"] == 0
    assert row["own_source"] == 1


# --- texts ----------------------------------------------------------------------------------------


def test_the_text_shown_is_the_one_in_focus_or_the_first():
    texts = pd.DataFrame({"id": [7, 3, 9]})
    focus = Focus(experiment="reviews", example=2)
    assert text_shown(focus, "reviews", texts) == 9
    assert text_shown(focus, "agreement", texts) == 7
    with pytest.raises(InputError, match=r"example is 2 but reviews has only 2 captured texts"):
        text_shown(focus, "reviews", texts[:2])


@given(st.lists(st.integers(0, 3), min_size=1, max_size=40), st.integers(1, 50))
def test_texts_are_chosen_as_evenly_over_the_labels_as_can_be(labels, count):
    examples = pd.DataFrame({"id": range(len(labels)), "label": pd.array(labels, "Int64")})
    chosen = choose(examples, count)
    assert len(chosen) == min(count, len(labels))
    assert chosen["id"].is_monotonic_increasing
    there, taken = examples["label"].value_counts(), chosen["label"].value_counts()
    most = taken.max()
    for label, available in there.items():
        # A label is short of the others only where it has no more texts.
        assert taken.get(label, 0) >= min(available, most - 1)
        first = examples.loc[examples["label"] == label, "id"].iloc[: taken.get(label, 0)]
        assert set(first) <= set(chosen["id"])


def test_texts_without_labels_are_taken_from_the_start():
    examples = pd.DataFrame({"id": [4, 5, 6], "label": pd.array([None] * 3, "Int64")})
    assert choose(examples, 2)["id"].tolist() == [4, 5]
    assert choose(examples, 9)["id"].tolist() == [4, 5, 6]
