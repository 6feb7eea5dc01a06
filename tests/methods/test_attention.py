"""Head mean, mixing and entropy; and the examples in the docstrings."""

import doctest
import importlib
import pkgutil

import numpy as np
import pytest
from scipy.stats import entropy as scipy_entropy

import attention_mixing.methods
from attention_mixing.methods.attention import (
    ROW_SUM_TOLERANCE,
    entropy,
    head_mean,
    mixing,
    row_scores,
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
