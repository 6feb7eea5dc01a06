"""The short formula on dense ranks: right without ties, and what ties make of it."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from analysis.methods.dense_ranks import dense_rank_correlation, dense_rank_error


def test_without_ties_it_is_spearmans():
    rng = np.random.default_rng(0)
    a, b = rng.permuted(np.tile(np.arange(20), (2, 5, 1)), axis=-1)
    expected = [spearmanr(x, y).statistic for x, y in zip(a, b, strict=True)]
    np.testing.assert_allclose(dense_rank_correlation(a, b), expected)


def test_ties_by_hand():
    """Dense ranks 1 1 2 2 and 2 2 1 1: Σd² = 4, so 1 - 24/60, where the order is reversed."""
    a, b = [0, 0, 5, 5], [7, 7, 3, 3]
    assert dense_rank_correlation(a, b) == pytest.approx(0.6)
    assert spearmanr(a, b).statistic == pytest.approx(-1)


@pytest.mark.parametrize("correlation", [-0.5, 0.0, 0.5])
def test_the_error_is_nothing_without_ties_and_grows_with_them(correlation):
    errors = [dense_rank_error(ties, correlation, 50, 100, 0) for ties in (0, 0.3, 0.6, 0.9)]
    assert errors[0] == pytest.approx(0, abs=1e-12)
    assert np.all(np.diff(errors) > 0.05)


def test_two_values_at_least_have_to_be_left():
    with pytest.raises(ValueError, match="leaves 1 of 10 values"):
        dense_rank_error(0.9, 0, 10, 10, 0)
