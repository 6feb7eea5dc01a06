"""The bootstrap covers what it says, keeps texts together, and repeats."""

import numpy as np
import pytest
from scipy import stats

from analysis.methods.bootstrap import mean_interval

SETTINGS = {"resamples": 500, "confidence": 0.95, "seed": 0}


def test_interval_covers_the_true_mean_as_often_as_stated():
    rng = np.random.default_rng(0)
    covered = 0
    for trial in range(300):
        _, low, high = mean_interval(
            rng.normal(3.0, 2.0, size=50), resamples=400, confidence=0.9, seed=trial
        )
        covered += bool(low <= 3.0 <= high)
    # A percentile interval of 50 values covers a little less than 0.9; 300 trials give +- 0.035.
    assert 0.83 < covered / 300 < 0.95


def test_width_is_that_of_the_normal_approximation():
    values = np.random.default_rng(1).normal(size=400)
    mean, low, high = mean_interval(values, resamples=4000, confidence=0.95, seed=0)
    error = stats.sem(values)
    assert mean == pytest.approx(values.mean())
    assert high - mean == pytest.approx(1.96 * error, rel=0.08)
    assert mean - low == pytest.approx(1.96 * error, rel=0.08)


def test_more_confidence_is_wider():
    values = np.random.default_rng(2).exponential(size=30)
    widths = []
    for confidence in (0.5, 0.9, 0.99):
        _, low, high = mean_interval(values, resamples=1000, confidence=confidence, seed=0)
        widths.append(high - low)
    assert widths == sorted(widths)
    assert widths[0] > 0


def test_identical_texts_leave_no_doubt():
    mean, low, high = mean_interval(np.full((8, 3), 0.25), **SETTINGS)
    np.testing.assert_array_equal(mean, [0.25] * 3)
    np.testing.assert_allclose(low, mean, atol=1e-15)
    np.testing.assert_allclose(high, mean, atol=1e-15)


def test_one_text_has_an_interval_of_no_width():
    mean, low, high = mean_interval([[1.0, 2.0]], **SETTINGS)
    assert mean.tolist() == low.tolist() == high.tolist() == [1.0, 2.0]


def test_same_seed_same_interval_and_another_seed_another():
    values = np.random.default_rng(3).normal(size=(20, 4))
    first, again = (mean_interval(values, **SETTINGS) for _ in range(2))
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, other)
    other_seed = mean_interval(values, **(SETTINGS | {"seed": 1}))
    assert not np.array_equal(first[1], other_seed[1])


def test_values_of_one_text_are_drawn_together():
    """Two layers that always cancel out have a sum without any doubt."""
    layer = np.random.default_rng(4).normal(size=30)
    together = np.stack([layer, -layer], axis=1)
    _, low, high = mean_interval(together, **SETTINGS)
    np.testing.assert_allclose(low[0], -high[1], atol=1e-12)
    np.testing.assert_allclose(high[0], -low[1], atol=1e-12)


def test_shape_of_a_text_is_kept():
    values = np.random.default_rng(5).normal(size=(10, 2, 3))
    for result in mean_interval(values, **SETTINGS):
        assert result.shape == (2, 3)


def test_no_text_is_refused():
    with pytest.raises(ValueError, match="no text"):
        mean_interval(np.empty((0, 3)), **SETTINGS)
