"""Matrices whose measures are known."""

import numpy as np
import pytest

from analysis.measures.matrices import of_matrices, scores
from analysis.methods.rollout import attention_rollout

MEASURES = ("mixing", "entropy", "cls_entropy", "special_share", "row_distance", "own_source")


def measured(matrices, special, sources=None) -> dict[str, np.ndarray]:
    found = list(of_matrices(matrices, special, of="rollout", sources=sources))
    assert {(one.of, one.kind, one.layer) for one in found} == {("rollout", "", None)}
    return {one.measure: one.value for one in found}


def of(matrix, special=None) -> dict[str, float]:
    matrix = np.asarray(matrix, dtype=float)
    if special is None:
        special = np.arange(len(matrix)) % (len(matrix) - 1) == 0  # both ends
    return {name: value.item() for name, value in measured(matrix[None], special).items()}


def test_a_token_that_keeps_to_itself():
    n = 5
    assert of(np.eye(n)) == {
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


def test_measures_are_of_every_layer_and_bounded():
    generator = np.random.default_rng(0)
    matrices = attention_rollout(generator.dirichlet(np.ones(6), size=(4, 6)), residual=0.3)
    found = measured(matrices, np.array([True, *[False] * 4, True]))
    assert tuple(found) == MEASURES
    for values in found.values():
        assert values.shape == (4,)
        assert ((0 <= values) & (values <= 1)).all()


def test_some_rows_are_measured_as_they_are_among_all():
    """Where every row is alike but for its own token, some of them have the mean of all."""
    matrix = np.full((5, 5), 0.1) + 0.5 * np.eye(5)
    sources = np.array([0, 2, 4])
    special = np.array([True, False, False, False, True])
    some = measured(matrix[None, sources], special, sources)
    every = measured(matrix[None], special)
    for measure in ("mixing", "entropy", "cls_entropy", "own_source"):
        assert some[measure] == pytest.approx(every[measure])
    # Both special rows are among the three.
    assert some["special_share"] == pytest.approx((2 * 0.7 + 0.2) / 3)


def test_a_text_of_one_token_is_all_its_own():
    row = of([[1.0]], np.array([False]))
    assert row["mixing"] == row["entropy"] == row["cls_entropy"] == row["row_distance"] == 0
    assert row["own_source"] == 1


def test_tokens_are_scored_by_the_first_row_or_the_largest_of_all():
    matrices = np.random.default_rng(0).dirichlet(np.ones(4), size=(3, 4))
    cls, largest = scores("raw", matrices)
    assert (cls.name, largest.name) == ("raw/cls", "raw/max")
    assert cls.axes == largest.axes == ("layer", "token")
    assert not cls.shown
    np.testing.assert_array_equal(cls.content, matrices[:, 0].astype(np.float32))
    np.testing.assert_array_equal(largest.content, matrices.max(axis=1).astype(np.float32))
    assert cls.content.dtype == largest.content.dtype == np.float32
