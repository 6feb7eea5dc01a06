"""Clusters: against scikit-learn and by hand, on data with clusters and without."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, calinski_harabasz_score, silhouette_score
from sklearn.preprocessing import StandardScaler

from analysis.methods import clustering
from analysis.methods.clustering import (
    METHODS,
    Quality,
    agreement,
    agreement_of_counts,
    cluster,
    distortions,
    elbow,
    gap,
    quality,
    reference_distortions,
    stability,
    standardised,
    typical,
)

KS = range(1, 9)


def blobs(clusters=4, rows=160, dimensions=5, seed=0, apart=6.0):
    """Rows around corners of a simplex, and which corner: clusters of unequal size."""
    rng = np.random.default_rng(seed)
    weights = np.arange(clusters, 0, -1) + 2
    which = np.sort(rng.choice(clusters, rows, p=weights / weights.sum()))
    return apart * np.eye(clusters, dimensions)[which] + rng.normal(size=(rows, dimensions)), which


def number_of(method, k=4):
    return {"smallest": 8} if method == "hdbscan" else {"k": k}


def test_standardised_is_that_of_scikit_learn():
    rows = blobs()[0] * [1, 10, 100, 0.01, 5] + 7
    np.testing.assert_allclose(standardised(rows), StandardScaler().fit_transform(rows), atol=1e-12)


def test_constant_dimensions_become_zero_and_axes_are_joined():
    features = np.random.default_rng(0).normal(size=(6, 2, 3, 4))
    features[..., 1] = 0.1 + 0.2
    features[3, ..., 1] = 0.3  # what rounding makes of the same number
    rows = standardised(features)
    assert rows.shape == (36, 4)
    assert (rows[:, 1] == 0).all()
    np.testing.assert_allclose(rows[:, [0, 2, 3]].std(axis=0), 1)
    np.testing.assert_allclose(rows[7, 0], (features[1, 0, 1, 0] - features[..., 0].mean())
                               / features[..., 0].std())  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_every_method_finds_clusters_far_apart(method):
    rows, which = blobs()
    labels = cluster(rows, method, **number_of(method))
    assigned = labels >= 0
    assert assigned.mean() > 0.75
    assert adjusted_rand_score(which[assigned], labels[assigned]) > 0.98
    sizes = np.bincount(labels[assigned])
    assert len(sizes) == 4
    assert (np.diff(sizes) <= 0).all()
    np.testing.assert_array_equal(labels, cluster(rows, method, **number_of(method)))


@pytest.mark.parametrize("method", METHODS)
def test_order_of_rows_does_not_matter(method):
    rows, _ = blobs()
    order = np.random.default_rng(1).permutation(len(rows))
    labels = cluster(rows, method, **number_of(method))
    np.testing.assert_array_equal(cluster(rows[order], method, **number_of(method)), labels[order])


def test_kmeans_is_that_of_scikit_learn():
    rows, _ = blobs(apart=2)
    best = KMeans(4, n_init=clustering.STARTS, random_state=3).fit(rows)
    assert adjusted_rand_score(best.labels_, cluster(rows, "kmeans", k=4, seed=3)) == 1
    np.testing.assert_allclose(distortions(rows, [4], seed=3), best.inertia_ / len(rows))


def test_quality_is_that_of_scikit_learn():
    rows, _ = blobs(apart=2)
    labels = cluster(rows, "kmeans", k=3)
    found = quality(rows, labels)
    centres = np.stack([rows[labels == label].mean(axis=0) for label in range(3)])
    distortion = np.mean(
        [((row - centres[label]) ** 2).sum() for row, label in zip(rows, labels, strict=True)]
    )
    expected = Quality(
        3, 0, distortion, distortion / 5, silhouette_score(rows, labels),
        calinski_harabasz_score(rows, labels),
    )  # fmt: skip
    np.testing.assert_allclose(found, expected)


def test_quality_by_hand():
    """Pairs at 0 and 2, and at 8 and 10, and one row between them that belongs to no cluster."""
    found = quality([[0.0], [2.0], [5.0], [8.0], [10.0]], [1, 1, -1, 0, 0])
    # Silhouettes: 2 to the own, 9 to the other cluster from the outside, 7 from the inside.
    expected = Quality(2, 0.2, 1.0, 1.0, (7 / 9 + 5 / 7) / 2, (4 * 16 / 1) / (4 / 2))
    np.testing.assert_allclose(found, expected)


def test_what_is_undefined_is_not_a_number():
    rows = [[0.0], [1.0], [5.0]]
    one, each, none = (quality(rows, labels) for labels in ([0, 0, 0], [0, 1, 2], [-1, -1, -1]))
    assert one[:3] == (1, 0, pytest.approx(14 / 3))
    assert np.isnan([one.silhouette, one.calinski_harabasz]).all()
    assert each[:4] == (3, 0, 0, 0)
    assert np.isnan([each.silhouette, each.calinski_harabasz]).all()
    assert none[:2] == (0, 1)
    assert np.isnan(none[2:]).all()


def test_silhouettes_of_many_rows_are_those_of_a_sample(monkeypatch):
    rows, labels = blobs(rows=600, apart=3)
    whole = quality(rows, labels)
    monkeypatch.setattr(clustering, "SILHOUETTE_ROWS", 300)
    sampled = quality(rows, labels, seed=1)
    assert sampled == quality(rows, labels, seed=1)
    assert sampled.silhouette != whole.silhouette
    assert sampled.silhouette == pytest.approx(whole.silhouette, abs=0.03)
    assert sampled._replace(silhouette=0) == whole._replace(silhouette=0)


def test_clusters_of_standardised_noise_explain_nothing():
    rows = standardised(np.random.default_rng(0).normal(size=(400, 6)))
    assert quality(rows, np.zeros(400, int)).distortion_per_dimension == pytest.approx(1)


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


def test_typical_rows_are_nearest_to_their_centre():
    rows = np.array([[0.0], [10.0], [1.0], [2.0], [11.0], [5.0], [12.0]])
    labels = [0, 1, 0, 0, 1, -1, 1]
    found = typical(rows, labels, 2)
    assert {label: each.tolist() for label, each in found.items()} == {0: [2, 0], 1: [4, 1]}
    assert [len(each) for each in typical(rows, labels, 9).values()] == [3, 3]


def test_families_are_clusters_with_names():
    rows, which = blobs()
    names = np.array(["block", "diagonal", "heterogeneous", "vertical"])[which]
    assert quality(rows, names) == quality(rows, which)
    found, named = typical(rows, which, 2), typical(rows, names, 2)
    assert list(named) == ["block", "diagonal", "heterogeneous", "vertical"]
    for one, other in zip(found.values(), named.values(), strict=True):
        np.testing.assert_array_equal(one, other)


ROWS = np.random.default_rng(0).normal(size=(8, 3))


@pytest.mark.parametrize("k", [0, 9, -1])
def test_more_clusters_than_maps_are_refused(k):
    said = rf"k is {k}; of 8 maps it must be 1 to 8"
    for method in ("kmeans", "agglomerative"):
        with pytest.raises(ValueError, match=said):
            cluster(ROWS, method, k=k)
    with pytest.raises(ValueError, match=said):
        distortions(ROWS, [2, k])


def test_more_clusters_than_different_maps_are_refused():
    rows = np.repeat(ROWS[:3], 4, axis=0)
    for function in (
        lambda: cluster(rows, "kmeans", k=4),
        lambda: stability(rows, 4, resamples=1),
        lambda: distortions(rows, [4]),
    ):
        with pytest.raises(ValueError, match="k is 4; of the 12 maps only 3 are different"):
            function()


def test_identical_maps_are_refused():
    same = np.full((12, 3), 0.1) + np.linspace(0, 1e-16, 12)[:, None]
    for function in (
        standardised,
        lambda rows: cluster(rows, "kmeans", k=2),
        lambda rows: cluster(rows, "hdbscan", smallest=2),
        lambda rows: quality(rows, np.zeros(12)),
        lambda rows: stability(rows, 2, resamples=1),
        lambda rows: distortions(rows, [2]),
        lambda rows: typical(rows, np.zeros(12), 1),
    ):
        with pytest.raises(ValueError, match="all 12 maps are identical; there is nothing to clus"):
            function(same)


def test_other_bad_input():
    rows = ROWS
    with pytest.raises(ValueError, match="method is 'dbscan'; allowed: kmeans, agglomerative, hdb"):
        cluster(rows, "dbscan", k=2)
    with pytest.raises(ValueError, match="k is missing; agglomerative needs it"):
        cluster(rows, "agglomerative")
    with pytest.raises(ValueError, match="smallest is missing; hdbscan needs it"):
        cluster(rows, "hdbscan", k=3)
    with pytest.raises(ValueError, match="smallest is 1; of 8 maps it must be 2 to 8"):
        cluster(rows, "hdbscan", smallest=1)
    with pytest.raises(ValueError, match="k is 1; of 8 maps it must be 2 to 8"):
        stability(rows, 1, resamples=2)
    with pytest.raises(ValueError, match="resamples is 0; it must be at least 1"):
        stability(rows, 2, resamples=0)
    with pytest.raises(ValueError, match="references is 0; it must be at least 1"):
        reference_distortions(rows, [2], references=0)
    with pytest.raises(ValueError, match="count is 0; it must be at least 1"):
        typical(rows, np.zeros(8), 0)
    with pytest.raises(ValueError, match=r"features have shape \(8,\); they must be \[row, dim\]"):
        cluster(rows[:, 0], "kmeans", k=2)
    with pytest.raises(ValueError, match=r"labels have shape \(3,\); there must be one a row, 8"):
        quality(rows, [0, 1, 2])
    with pytest.raises(ValueError, match=r"labels have shape \(2,\) and classes \(3,\)"):
        agreement([0, 1], [0, 1, 2])
    bad = rows.copy()
    bad[5, 1] = np.inf
    with pytest.raises(ValueError, match=r"features\[5, 1\] is inf; they must be finite"):
        standardised(bad)


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
