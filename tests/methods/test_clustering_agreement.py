"""Agreement of clusterings: by hand and against scikit-learn; of those of other samples."""

import numpy as np
import pytest
from random_clusters import blobs
from sklearn.metrics import adjusted_rand_score

from analysis.methods.clustering_agreement import agreement, agreement_of_counts, stability


def test_stability_is_high_at_the_true_number_alone():
    rows, _ = blobs()
    at = {k: stability(rows, k, resamples=8).mean() for k in (3, 4, 7)}
    assert at[4] > 0.97
    assert at[3] < 0.9
    assert at[7] < 0.8


def test_stability_repeats_and_takes_few_rows():
    rows = np.arange(6.0)[:, None]
    found = stability(rows, 6, resamples=5, seed=2)
    assert found.shape == (5,)
    np.testing.assert_array_equal(found, stability(rows, 6, resamples=5, seed=2))
    assert (found <= 1).all()


def test_agreement_is_the_adjusted_rand_index():
    # Hubert and Arabie: pairs together in both 2, in either 4 and 4, of 15.
    first, second = [0, 0, 0, 1, 1, 2], ["a", "a", "b", "c", "c", "b"]
    expected = (2 - 4 * 3 / 15) / ((4 + 3) / 2 - 4 * 3 / 15)
    assert agreement(first, second) == pytest.approx(expected)
    assert agreement(first, second) == pytest.approx(adjusted_rand_score(first, second))
    assert agreement([1, 1, 0], ["x", "x", "y"]) == 1


@pytest.mark.parametrize("seed", range(5))
def test_agreement_is_that_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    first = rng.integers(4, size=300)
    second = np.where(rng.random(300) < 0.6, first, rng.integers(7, size=300))
    expected = adjusted_rand_score(first, second)
    assert agreement(first, second) == pytest.approx(expected)
    counts = sum(
        np.histogram2d(one, two, [np.arange(5), np.arange(8)])[0]
        for one, two in zip(np.split(first, 3), np.split(second, 3), strict=True)
    )
    assert agreement_of_counts(counts) == pytest.approx(expected)
    assert agreement_of_counts(counts.T) == pytest.approx(expected)


@pytest.mark.parametrize("counts", [[[7]], [[1]], [[1, 0], [0, 1]], [[0, 3], [0, 0]]])
def test_with_one_way_to_agree_it_is_agreed(counts):
    assert agreement_of_counts(counts) == 1


def test_bad_counts():
    for counts in ([1, 2], [[0, 0]], [[1, -1]], np.zeros((0, 2))):
        with pytest.raises(ValueError, match=r"must be \[label, class\], at least 0, not all 0"):
            agreement_of_counts(counts)


def test_bad_stability_and_agreement_input():
    rows = np.random.default_rng(0).normal(size=(8, 3))
    with pytest.raises(ValueError, match="k is 1; of 8 maps it must be 2 to 8"):
        stability(rows, 1, resamples=2)
    with pytest.raises(ValueError, match="resamples is 0; it must be at least 1"):
        stability(rows, 2, resamples=0)
    with pytest.raises(ValueError, match=r"labels have shape \(2,\) and classes \(3,\)"):
        agreement([0, 1], [0, 1, 2])
