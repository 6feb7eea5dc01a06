"""The bootstrap covers what it says, keeps texts together, and repeats."""

import numpy as np
import pytest

from attention_mixing.methods.bootstrap import FEWEST_SEEDS, mean_interval, paired_difference
from attention_mixing.methods.power import exact_interval

SETTINGS = {"resamples": 500, "confidence": 0.95, "seed": 0}


def test_the_interval_is_that_of_the_means_of_what_each_resample_has():
    """Written out: every resample as a list of texts, those without a value left out."""
    values = np.random.default_rng(6).normal(size=(6, 4))
    values[1, 1] = values[:3, 2] = values[:, 3] = np.nan
    draws = np.random.default_rng(0).multinomial(6, np.full(6, 1 / 6), 500)
    low, high = np.full((2, 4), np.nan)
    for column in range(3):
        texts = [np.repeat(values[:, column], draw) for draw in draws]
        means = [np.nanmean(drawn) for drawn in texts if not np.isnan(drawn).all()]
        low[column], high[column] = np.quantile(means, [0.4, 0.6])
    result = mean_interval(values[None], **SETTINGS | {"confidence": 0.2})
    np.testing.assert_allclose(result.mean[:3], np.nanmean(values[:, :3], axis=0), atol=1e-15)
    np.testing.assert_allclose([result.low, result.high], [low, high], atol=1e-15)
    np.testing.assert_array_equal(result.texts, [6, 5, 3, 0])
    assert np.isnan(result.mean[3])


def test_texts_that_are_all_alike_leave_room_for_others():
    """Exact: of 12 texts none differs, so less than a share of all may, anywhere in the range."""
    alike, varied = np.ones(12), np.linspace(0.2, 0.9, 12)
    values = np.stack([alike, alike, alike / 2, varied], axis=-1)[None]
    within = np.array([[0, np.nan, 0, 0], [1, np.nan, 1, 1]])
    found = mean_interval(values, **SETTINGS, within=within)
    without = mean_interval(values, **SETTINGS)
    _, others = exact_interval(0, 12, confidence=0.95)
    np.testing.assert_allclose(found.low[[0, 2]], [1 - others, 0.5 - others / 2])
    np.testing.assert_allclose(found.high[[0, 2]], [1, 0.5 + others / 2])
    for column in (1, 3):  # unknown ends, and texts that differ
        assert found.low[column] == without.low[column]
        assert found.high[column] == without.high[column]


def test_the_interval_of_texts_that_are_alike_covers_the_mean():
    """Where one text in thirty is 0 and all others 1, ten texts are often all alike."""
    rng, covered = np.random.default_rng(3), []
    for _ in range(400):
        values = (rng.random((1, 10, 1)) > 1 / 30).astype(float)
        found = mean_interval(values, **SETTINGS, within=np.array([[0.0], [1.0]]))
        covered.append(found.low[0] <= 29 / 30 <= found.high[0])
    assert np.mean(covered) > 0.95


def test_a_difference_of_pairs_is_the_interval_of_the_differences():
    """Of two methods that differ by far less than texts do; pairs with a hole are left out."""
    rng = np.random.default_rng(9)
    text = rng.normal(scale=5, size=(50, 4))
    a, b = text + 0.3 + rng.normal(scale=0.1, size=(50, 4)), text
    a[:20, 0] = b[10:30, 0] = a[:30, 1] = b[30:, 1] = np.nan
    paired = paired_difference(a[None], b[None], **SETTINGS)
    expected = mean_interval((a - b)[None], **SETTINGS)
    np.testing.assert_allclose(paired[:3], expected[:3], atol=1e-15)
    np.testing.assert_array_equal(paired.texts, [20, 0, 50, 50])
    # No resample has the other sign.
    least = 2 / (SETTINGS["resamples"] + 1)
    np.testing.assert_allclose(paired.p, [least, np.nan, least, least])
    assert paired_difference(b[None], b[None], **SETTINGS).p[3] == 1


@pytest.mark.parametrize("shift", [0.1, 0.2, 0.3])
def test_p_falls_below_the_level_where_the_interval_leaves_zero(shift):
    a = np.random.default_rng(13).normal(size=(1, 80)) + shift
    for confidence in (0.5, 0.8, 0.95, 0.99):
        paired = paired_difference(a, 0 * a, resamples=2000, confidence=confidence, seed=1)
        outside = paired.low > 0 or paired.high < 0
        # The two may differ by the resamples that lie next to the bound.
        if abs(paired.p - (1 - confidence)) > 4 / 2000:
            assert outside == (paired.p < 1 - confidence)


def test_p_is_as_rare_as_it_says_when_there_is_no_difference():
    rng = np.random.default_rng(14)
    a, b = rng.normal(size=(2, 60, 400))  # 400 comparisons of 60 texts each
    p = paired_difference(a[None], b[None], resamples=1000, confidence=0.95, seed=2).p
    # Standard errors: 0.025 and 0.015; the percentile interval is a little too narrow.
    assert (p < 0.5).mean() == pytest.approx(0.5, abs=0.075)
    assert (p < 0.1).mean() == pytest.approx(0.11, abs=0.045)


def test_a_few_seeds_are_averaged_text_by_text():
    """Also where a seed lacks the value of a text; the texts alone are resampled."""
    values = np.random.default_rng(3).normal(size=(FEWEST_SEEDS - 1, 20, 2))
    values[1, :5, 0] = values[:, 7, 1] = np.nan
    averaged = np.array(
        [
            [np.nanmean(values[:, t, v]) if t != 7 or v != 1 else np.nan for v in range(2)]
            for t in range(20)
        ]
    )
    found = mean_interval(values, **SETTINGS)
    np.testing.assert_allclose(found, mean_interval(averaged[None], **SETTINGS), atol=1e-14)


def test_seeds_that_agree_add_nothing_and_others_widen_the_interval():
    text = np.random.default_rng(4).normal(size=(40, 1))
    alike = mean_interval(np.stack([text] * FEWEST_SEEDS), **SETTINGS)
    np.testing.assert_allclose(alike, mean_interval(text[None], **SETTINGS), atol=1e-14)
    shifts = np.linspace(-3, 3, FEWEST_SEEDS)[:, None, None]
    apart = mean_interval(text + shifts, **SETTINGS)
    np.testing.assert_allclose(apart.mean, alike.mean, atol=1e-14)
    assert apart.texts == alike.texts == 40
    # Variances of the two levels add; 500 resamples tell a width to a few hundredths.
    of_seeds = mean_interval(shifts.squeeze()[None, :, None], **SETTINGS)
    widths = [one.high - one.low for one in (apart, alike, of_seeds)]
    assert widths[0] == pytest.approx(np.hypot(*widths[1:]), rel=0.15)


def test_texts_are_needed():
    none = np.empty((1, 0, 2))
    for call in (
        lambda: mean_interval(none, **SETTINGS),
        lambda: paired_difference(none, none, **SETTINGS),
    ):
        with pytest.raises(ValueError, match="there is no text"):
            call()
