"""Fieller's interval of a ratio of means keeps its level, and knows when there is no ratio."""

import numpy as np
import pytest
from scipy.stats import t as student

from attention_mixing.methods.fieller import fieller, ratio_of_means


def test_by_hand():
    """Independent means of 2 and 4 with variances of .01: a quadratic solved on paper."""
    squared = student.ppf(0.975, 9) ** 2
    found = fieller(np.array([2.0, 4.0]), np.diag([0.01, 0.01]), confidence=0.95, freedom=9)
    for bound in found[1:]:
        assert (2 - bound * 4) ** 2 == pytest.approx(squared * 0.01 * (1 + bound**2))
    assert found.low < found.ratio == 0.5 < found.high


def test_without_error_below_it_is_the_interval_of_a_mean():
    quantile = student.ppf(0.975, 9)
    found = fieller(np.array([2.0, 4.0]), np.diag([0.04, 0.0]), confidence=0.95, freedom=9)
    np.testing.assert_allclose(found[1:], [(2 - quantile * 0.2) / 4, (2 + quantile * 0.2) / 4])


def test_a_mean_below_that_may_be_zero_leaves_no_ratio_out():
    found = fieller(np.array([1.0, 0.1]), np.diag([0.01, 0.01]), confidence=0.95, freedom=9)
    assert found == (10.0, -np.inf, np.inf)


def test_what_is_proportional_has_an_exact_ratio():
    below = np.random.default_rng(0).normal(3, 0.1, size=(12, 20))
    np.testing.assert_allclose(ratio_of_means(below / 4, below, confidence=0.95), 0.25)


@pytest.mark.parametrize(("seeds", "varying"), [(12, 0.3), (3, 0.0)])
def test_it_holds_the_ratio_as_often_as_it_says(seeds, varying):
    """Seeds and texts with effects of their own, crossed; of few seeds, texts alone vary."""
    rng = np.random.default_rng(2)
    held = []
    for _ in range(400):
        of_seed = rng.normal(0, varying, (2, seeds, 1))
        of_text = rng.normal(0, 0.5, (2, 1, 24))
        rest = rng.normal(0, 0.2, (2, seeds, 24))
        above, below = np.array([0.6, 2.0])[:, None, None] + of_seed + of_text + rest
        found = ratio_of_means(above, below, confidence=0.95)
        held.append(found.low <= 0.3 <= found.high)
    assert 0.925 <= np.mean(held) <= 0.995


def test_one_text_is_refused():
    with pytest.raises(ValueError, match="there are 1 texts"):
        ratio_of_means(np.ones((10, 1)), np.ones((10, 1)), confidence=0.95)
