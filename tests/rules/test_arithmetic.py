"""Arithmetic of printed numbers, and what ties make of the short formula on dense ranks."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from analysis.rules.arithmetic import (
    dense_rank_correlation,
    dense_rank_error,
    feature_points,
    product,
    total,
    weighted_mean,
)
from attention_mixing.methods.projection import INPUT_POINTS, POINT_SETS


def test_means_count_members_and_sums_and_products_are_exact():
    assert weighted_mean([1, 4], [2, 1]) == 2
    assert total([0.1] * 10) == 1
    assert product([131_944, 144]) == 18_999_936


def test_feature_points_are_those_that_maps_are_drawn_of():
    for points, count in (("seed38", 38), ("all62", 62)):
        assert feature_points(len(INPUT_POINTS), len(POINT_SETS[points]), 12) == count


def test_without_ties_the_short_formula_is_spearmans():
    rng = np.random.default_rng(0)
    a, b = rng.permuted(np.tile(np.arange(20), (2, 5, 1)), axis=-1)
    expected = [spearmanr(x, y).statistic for x, y in zip(a, b, strict=True)]
    np.testing.assert_allclose(dense_rank_correlation(a, b), expected)


def test_ties_by_hand():
    """Dense ranks 1 1 2 2 and 2 2 1 1: Σd² = 4, so 1 - 24/60, where the order is reversed."""
    a, b = np.array([[0, 0, 5, 5]]), np.array([[7, 7, 3, 3]])
    assert dense_rank_correlation(a, b) == pytest.approx(0.6)
    assert spearmanr(a[0], b[0]).statistic == pytest.approx(-1)


@pytest.mark.parametrize("correlation", [-0.5, 0.0, 0.5])
def test_the_error_is_nothing_without_ties_and_grows_with_them(correlation):
    errors = [dense_rank_error(ties, correlation, 50, 100, 0) for ties in (0, 0.3, 0.6, 0.9)]
    assert errors[0] == pytest.approx(0, abs=1e-12)
    assert np.all(np.diff(errors) > 0.05)


def test_what_leaves_no_ranks_is_refused():
    with pytest.raises(ValueError, match="leaves 1 of 10 values"):
        dense_rank_error(0.9, 0, 10, 10, 0)
