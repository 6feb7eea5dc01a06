"""Head mean, mixing, entropy and measures on maps; and the examples in the docstrings."""

import doctest
import importlib
import pkgutil

import numpy as np
import pytest
from scipy.special import softmax
from scipy.stats import entropy as scipy_entropy

import attention_mixing.methods
from attention_mixing.methods.attention import (
    ROW_SUM_TOLERANCE,
    entropy,
    head_mean,
    key_importance,
    largest_weight_kinds,
    later_weight,
    mean_total_variation,
    mirrored_weight,
    mixing,
    row_scores,
    row_sum_deviation,
)


def test_each_head_counts_the_same_whatever_its_rounding():
    """Heads are renormalised before the mean: a row that sums to 1.009 carries no more weight."""
    exact, drifted = np.array([[0.0, 1.0]] * 2), np.array([[1.0 + 0.009, 0.0]] * 2)
    heads = np.stack([exact, exact, drifted])[None]
    np.testing.assert_allclose(head_mean(heads), [[[1 / 3, 2 / 3]] * 2], atol=1e-15)


def test_drift_up_to_the_tolerance_is_taken_and_more_is_not():
    head_mean(np.eye(3)[None] * (1 + 0.9 * ROW_SUM_TOLERANCE))
    with pytest.raises(ValueError, match=r"attention\[0, 0\] sums to 1\.02; rows must sum to 1"):
        head_mean(np.eye(3)[None] * 1.02)


def test_head_mean_is_float64_and_leaves_its_input():
    attention = np.full((1, 2, 4, 4), 0.25, dtype=np.float16)
    attention[0, 0, 0, 0] = 0.2505
    before = attention.copy()
    assert head_mean(attention).dtype == np.float64
    np.testing.assert_array_equal(attention, before)


def test_mixing_is_what_a_token_does_not_keep():
    np.testing.assert_allclose(mixing(np.array([[[0.25, 0.75], [0.0, 1.0]]])), [[0.75, 0.0]])
    assert mixing(np.eye(4)).tolist() == [0.0] * 4


def test_entropy_agrees_with_scipy():
    rows = np.random.default_rng(0).dirichlet(np.full(9, 0.3), size=(3, 9))
    rows[0, 0] = np.eye(9)[4]
    np.testing.assert_allclose(entropy(rows), scipy_entropy(rows, axis=-1), atol=1e-12)


MODULES = [
    f"attention_mixing.methods.{module.name}"
    for module in pkgutil.iter_modules(attention_mixing.methods.__path__)
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_are_true(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_rows_of_a_matrix_by_hand():
    matrix = np.array([[[0.1, 0.9, 0.0], [0.5, 0.2, 0.3], [0.4, 0.0, 0.6]]])
    np.testing.assert_array_equal(row_scores(matrix, "cls"), [[0.1, 0.9, 0.0]])
    np.testing.assert_array_equal(row_scores(matrix, "max"), [[0.5, 0.9, 0.6]])


# --- measures on maps -----------------------------------------------------------------------------

ENDS = np.array([True, False, False, False, True])


def random_maps():
    return softmax(np.random.default_rng(0).standard_normal((4, 6, 6)), axis=-1)


def test_kinds_of_keys_by_hand():
    # Of the five queries: a special one, the next, itself, the previous one, another one.
    maps = np.eye(5)[[4, 2, 2, 2, 1]]
    assert set(largest_weight_kinds(maps, ENDS).values()) == {0.2}
    # All heads count alike. In the other one: another one, a special one, thrice the previous.
    both = largest_weight_kinds(np.stack([maps, np.eye(5)[[2, 0, 1, 2, 3]]]), ENDS)
    expected = {"special": 0.2, "self": 0.1, "previous": 0.4, "next": 0.1, "other": 0.2}
    assert both == pytest.approx(expected)


def test_a_special_token_is_no_neighbour_and_not_oneself():
    kinds = largest_weight_kinds(np.eye(5)[[0, 0, 2, 4, 4]], ENDS)
    assert kinds == {"special": 0.8, "self": 0.2, "previous": 0, "next": 0, "other": 0}


def test_total_variation_is_the_weight_placed_differently():
    maps = np.eye(3)[[[0, 0, 0], [0, 1, 2]]]
    assert mean_total_variation(maps) == pytest.approx(2 / 3)
    assert mean_total_variation(np.array([[[0.5, 0.5]], [[0.2, 0.8]]])) == pytest.approx(0.3)
    # Three pairs of heads, of which two share nothing.
    assert mean_total_variation(np.eye(2)[[[0], [0], [1]]]) == pytest.approx(2 / 3)


def test_heads_alike_or_alone_are_not_apart():
    maps = random_maps()
    assert mean_total_variation(maps[[0, 0, 0]]) == 0
    assert mean_total_variation(maps[:1]) == 0


def test_later_weight_by_hand():
    maps = np.array([[[0.2, 0.3, 0.5], [0.1, 0.5, 0.4], [0.3, 0.3, 0.4]]])
    assert later_weight(maps) == pytest.approx((0.8 + 0.4 + 0) / 3)
    assert later_weight(np.full((2, 5, 5), 0.2)) == pytest.approx(0.4)  # (n - 1) / 2n


def test_mirrored_weight_by_hand():
    assert mirrored_weight(np.eye(4)[::-1]) == 1
    assert mirrored_weight(np.eye(4)) == 0
    assert mirrored_weight(np.eye(3)) == pytest.approx(1 / 3)  # the one in the middle
    assert mirrored_weight(np.array([[[0.1, 0.7], [0.3, 0.2]]])) == pytest.approx(0.5)
    assert mirrored_weight(np.full((2, 5, 5), 0.2)) == pytest.approx(0.2)


def test_the_sum_furthest_from_one_is_told():
    maps = np.array([[[0.5, 0.5], [0.5, 0.25]], [[1, 0.125], [1, 0]]])
    assert row_sum_deviation(maps) == 0.25
    assert row_sum_deviation(random_maps()) < 1e-15
    # Sums are taken in double precision, so that of float32 only its rounding is left.
    assert 0 < row_sum_deviation(random_maps().astype(np.float32)) < 1e-6


def test_a_column_is_the_importance_of_its_key():
    attention = np.array([[0.8, 0.1, 0.1], [0.6, 0.4, 0.0], [1.0, 0.0, 0.0]])
    np.testing.assert_allclose(key_importance(attention[None, None]), [[[0.8, 0.5 / 3, 0.1 / 3]]])
    np.testing.assert_allclose(key_importance(attention[None, None, 1:]), [[[0.8, 0.2, 0]]])


def test_under_a_causal_mask_only_later_queries_count():
    """Uniform causal attention: key k is seen by those from k on, each giving 1 / (i + 1)."""
    tokens = 6
    attention = np.tril(np.ones((tokens, tokens))) / np.arange(1, tokens + 1)[:, None]
    by_hand = [np.mean([1 / (i + 1) for i in range(k, tokens)]) for k in range(tokens)]
    visible = np.tril(np.ones((1, tokens, tokens), bool))
    np.testing.assert_allclose(key_importance(attention[None, None], visible), [[by_hand]])
