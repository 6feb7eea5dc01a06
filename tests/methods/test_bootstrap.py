"""The bootstrap covers what it says, keeps texts together, and repeats."""

import numpy as np
import pytest

from analysis.methods.bootstrap import (
    mean_interval,
    paired_difference,
    percentile_interval,
    resampled_means,
)

SETTINGS = {"resamples": 500, "confidence": 0.95, "seed": 0}


def test_interval_covers_the_true_mean_as_often_as_stated():
    rng = np.random.default_rng(0)
    covered = 0
    for trial in range(300):
        _, low, high, _ = mean_interval(
            rng.normal(3.0, 2.0, size=50), resamples=400, confidence=0.9, seed=trial
        )
        covered += bool(low <= 3.0 <= high)
    # A percentile interval of 50 values covers a little less than 0.9; 300 trials give +- 0.035.
    assert 0.83 < covered / 300 < 0.95


# --- undefined values -----------------------------------------------------------------------------


def test_with_every_value_defined_it_is_the_quantiles_of_resampled_means():
    values = np.random.default_rng(6).normal(size=(40, 3))
    draws = np.random.default_rng(0).multinomial(40, np.full(40, 1 / 40), 500)
    expected = np.quantile(draws @ values / 40, [0.025, 0.975], axis=0)
    result = mean_interval(values, **SETTINGS)
    np.testing.assert_allclose(result.mean, values.mean(axis=0), atol=1e-15)
    np.testing.assert_allclose([result.low, result.high], expected, atol=1e-15)
    np.testing.assert_array_equal(result.texts, [40] * 3)


def test_undefined_values_are_left_out_and_counted():
    values = np.array([[1.0, np.nan, np.nan], [2.0, 5.0, np.nan], [6.0, np.nan, np.nan]])
    mean, low, high, texts = mean_interval(values, **SETTINGS)
    np.testing.assert_array_equal(texts, [3, 1, 0])
    np.testing.assert_allclose(mean, [3, 5, np.nan])
    # One value, however often it is drawn, is its own mean.
    assert low[1] == high[1] == 5
    assert 1 <= low[0] < 3 < high[0] <= 6
    assert np.isnan(low[2]) and np.isnan(high[2])


def test_leaving_out_is_as_sure_as_never_having_had_them():
    values = np.random.default_rng(7).normal(size=200)
    holes = np.concatenate([values, np.full(200, np.nan)])
    with_holes = mean_interval(holes, resamples=4000, confidence=0.95, seed=0)
    without = mean_interval(values, resamples=4000, confidence=0.95, seed=0)
    assert with_holes.mean == pytest.approx(without.mean, abs=1e-14)
    assert with_holes.texts == 200
    width = without.high - without.low
    assert with_holes.high - with_holes.low == pytest.approx(width, rel=0.1)


def test_a_hole_in_one_column_leaves_the_others_as_they_were():
    values = np.random.default_rng(8).normal(size=(30, 2))
    holes = values.copy()
    holes[:10, 0] = np.nan
    for ours, whole in zip(
        mean_interval(holes, **SETTINGS),
        mean_interval(values, **SETTINGS),
        strict=True,
    ):
        assert ours[1] == whole[1]
        assert ours[0] != whole[0]


# --- pairs ----------------------------------------------------------------------------------------


def test_a_difference_of_pairs_is_the_interval_of_the_differences():
    rng = np.random.default_rng(9)
    a, b = rng.normal(size=(2, 50, 4))
    paired = paired_difference(a, b, **SETTINGS)
    for ours, plain in zip(paired[:3], mean_interval(a - b, **SETTINGS)[:3], strict=True):
        np.testing.assert_allclose(ours, plain, atol=1e-15)
    assert paired.p.shape == paired.texts.shape == (4,)


def test_pairing_finds_what_the_single_intervals_hide():
    """Texts differ by far more than the methods, but both methods differ alike on each."""
    rng = np.random.default_rng(10)
    text = rng.normal(scale=5, size=60)
    a, b = text + 0.3 + rng.normal(scale=0.1, size=60), text
    _, low, _, _ = mean_interval(a, **SETTINGS)
    _, _, high, _ = mean_interval(b, **SETTINGS)
    assert low < high
    paired = paired_difference(a, b, **SETTINGS)
    assert paired.low > 0.2
    assert paired.p == pytest.approx(2 / (SETTINGS["resamples"] + 1))


def test_pairs_with_a_hole_are_left_out():
    a = np.array([[1.0, np.nan], [2.0, np.nan], [np.nan, 3.0], [8.0, 4.0]])
    b = np.array([[0.0, 1.0], [np.nan, 1.0], [np.nan, np.nan], [1.0, 9.0]])
    paired = paired_difference(a, b, **SETTINGS)
    np.testing.assert_array_equal(paired.texts, [2, 1])
    np.testing.assert_allclose(paired.mean, [(1 + 7) / 2, -5])


def test_without_any_pair_nothing_is_known():
    a = np.array([np.nan, 1])
    mean, low, high, p, texts = paired_difference(a, a[::-1], **SETTINGS)
    assert np.isnan([mean, low, high, p]).all()
    assert texts == 0


def test_equal_methods_differ_by_chance_only():
    values = np.random.default_rng(12).normal(size=20)
    paired = paired_difference(values, values, **SETTINGS)
    assert (paired.mean, paired.low, paired.high, paired.p) == (0, 0, 0, 1)


@pytest.mark.parametrize("shift", [0.0, 0.1, 0.2, 0.3, 0.5])
def test_p_falls_below_the_level_where_the_interval_leaves_zero(shift):
    a = np.random.default_rng(13).normal(size=80) + shift
    for confidence in (0.5, 0.8, 0.95, 0.99):
        paired = paired_difference(a, 0 * a, resamples=2000, confidence=confidence, seed=1)
        outside = paired.low > 0 or paired.high < 0
        # The two may differ by the resamples that lie next to the bound.
        if abs(paired.p - (1 - confidence)) > 4 / 2000:
            assert outside == (paired.p < 1 - confidence)


def test_p_is_as_rare_as_it_says_when_there_is_no_difference():
    rng = np.random.default_rng(14)
    a, b = rng.normal(size=(2, 60, 400))  # 400 comparisons of 60 texts each
    p = paired_difference(a, b, resamples=1000, confidence=0.95, seed=2).p
    # Standard errors: 0.025 and 0.015; the percentile interval is a little too narrow.
    assert (p < 0.5).mean() == pytest.approx(0.5, abs=0.075)
    assert (p < 0.1).mean() == pytest.approx(0.11, abs=0.045)


def test_texts_are_needed():
    none = np.empty((0, 2))
    for call in (
        lambda: mean_interval(none, **SETTINGS),
        lambda: paired_difference(none, none, **SETTINGS),
        lambda: resampled_means(none, resamples=5, seed=0),
    ):
        with pytest.raises(ValueError, match="there is no text"):
            call()


def test_means_of_resamples_give_the_interval_of_the_mean():
    values = np.random.default_rng(11).normal(size=(30, 2, 3))
    _, low, high, _ = mean_interval(values, **SETTINGS)
    means = resampled_means(values, resamples=500, seed=0)
    assert means.shape == (500, 2, 3)
    found = percentile_interval(means, confidence=0.95)
    np.testing.assert_allclose(found, (low, high), atol=1e-12)


def test_what_is_resampled_in_several_calls_belongs_together():
    values = np.random.default_rng(12).normal(size=(30, 2))
    one, other = (resampled_means(values[:, i], resamples=50, seed=4) for i in range(2))
    both = resampled_means(values, resamples=50, seed=4)
    np.testing.assert_allclose(np.stack([one, other], axis=-1), both, atol=1e-12)
    shifted = resampled_means(values[:, 0] + 1, resamples=50, seed=4)
    np.testing.assert_allclose(shifted - one, 1, atol=1e-12)


def test_an_interval_leaves_out_what_is_undefined():
    sample = np.array([[1.0, np.nan], [2.0, np.nan], [np.nan, np.nan], [3.0, np.nan]])
    low, high = percentile_interval(sample, confidence=0.5)
    np.testing.assert_allclose(low, [1.5, np.nan])
    np.testing.assert_allclose(high, [2.5, np.nan])


def test_resampled_means_need_all_values():
    with pytest.raises(ValueError, match=r"values\[1, 0\] is nan"):
        resampled_means(np.array([[1.0], [np.nan]]), resamples=5, seed=0)
