"""Number of clusters: elbow and gap by hand, on data with clusters and without."""

import numpy as np
import pytest
from random_clusters import blobs

from analysis.methods.clustering_number import distortions, elbow, gap, reference_distortions

KS = range(1, 9)


def judged(rows, seed=0):
    curves = distortions(rows, KS), reference_distortions(rows, KS, references=19, seed=seed)
    return gap(KS, *curves), elbow(KS, *curves)


@pytest.mark.parametrize("clusters", [3, 5])
def test_clusters_give_an_elbow_and_the_gap_their_number(clusters):
    found, bend = judged(blobs(clusters, apart=8)[0])
    assert found.k == clusters
    assert (bend.k, bend.found) == (clusters, True)
    assert bend.p_value == pytest.approx(0.05)


@pytest.mark.parametrize(
    "rows",
    [
        np.random.default_rng(0).uniform(size=(200, 2)),
        np.random.default_rng(1).normal(size=(200, 2)),
        np.random.default_rng(2).normal(size=(200, 6)) @ np.diag([8, 4, 2, 1, 1, 1]),
        np.random.default_rng(3).standard_t(3, size=(200, 4)),
    ],
    ids=["even", "round", "long", "heavy tails"],
)
def test_a_cloud_has_no_elbow_though_its_curve_bends(rows):
    found, bend = judged(rows)
    assert found.k == 1
    assert not bend.found
    # On ordinary axes the eye sees one: far below the chord in terms of the curve's own height.
    curve = distortions(rows, KS)
    height = (curve - curve[-1]) / (curve[0] - curve[-1])
    assert np.max(1 - np.linspace(0, 1, len(KS)) - height) > 0.15


def test_elbow_and_gap_by_hand():
    ks = [1, 2, 4]
    straight = [[16.0, 8.0, 4.0]] * 19
    found = elbow(ks, [16.0, 2.0, 1.0], straight)
    # Half way of the chord from ln 16 to ln 1 lies ln 4.
    assert found == (2, pytest.approx(np.log(2)), pytest.approx(1 / 20), True)
    assert elbow(ks, [16.0, 8.0, 4.0], straight).p_value == 1
    assert not elbow(ks, [16.0, 12.0, 1.0], straight).found
    references = [[8.0, 4.0, 3.0], [8.0, 4.0 * np.e**2, 3.0]]
    result = gap([1, 2, 3], [8.0, 1.0, 1.0], references)
    np.testing.assert_allclose(result.gap, [0, np.log(4) + 1, np.log(3)], atol=1e-12)
    np.testing.assert_allclose(result.error, [0, np.sqrt(1.5), 0], atol=1e-12)
    assert result.k == 2
    assert gap([1, 2, 3], [8.0, 2.0, 0.5], [[8.0, 4.0, 3.0]]).k is None


def test_references_fill_the_box_along_the_principal_components():
    """Rows on a line across both dimensions: so are the references, all along it."""
    rows = np.linspace(0, 1, 200)[:, None] * [3.0, 4.0]
    found = reference_distortions(rows, [1], references=4)
    assert found.shape == (4, 1)
    # A line of length 5, evenly filled, has the variance 25 / 12; a box of 3 by 4 has the same,
    # and so it takes two clusters to tell them: 1/4 of it on a line, more in a box.
    np.testing.assert_allclose(found, 25 / 12, rtol=0.1)
    halves = reference_distortions(rows, [1, 2], references=4)
    np.testing.assert_allclose(halves[:, 1] / halves[:, 0], 0.25, rtol=0.1)


def test_bad_curves():
    nulls = np.ones((19, 3))
    with pytest.raises(ValueError, match=r"ks are \[1, 3, 5\]; they must grow one by one"):
        gap([1, 3, 5], np.ones(3), nulls)
    with pytest.raises(ValueError, match=r"ks are \[3, 2, 1\]; they must grow and be at least"):
        elbow([3, 2, 1], np.ones(3), nulls)
    with pytest.raises(ValueError, match="references has 18 curves; at least 19 needed"):
        elbow([1, 2, 3], np.ones(3), nulls[:18])
    with pytest.raises(ValueError, match="a distortion is not positive; ask for fewer clusters"):
        elbow([1, 2, 3], [1, 0.5, 0], nulls)
    with pytest.raises(ValueError, match=r"ks have shape \(3,\), distortions \(2,\) and refer"):
        gap([1, 2, 3], np.ones(2), nulls)
    with pytest.raises(ValueError, match="references is 0; it must be at least 1"):
        reference_distortions(np.eye(3), [2], references=0)
