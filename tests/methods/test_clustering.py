"""Clusters: against scikit-learn, on data with clusters and without."""

import numpy as np
import pytest
from random_clusters import blobs
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from analysis.methods import clustering
from analysis.methods.clustering import METHODS, cluster
from analysis.methods.clustering_agreement import stability
from analysis.methods.clustering_number import distortions
from analysis.methods.clustering_quality import quality

ROWS = np.random.default_rng(0).normal(size=(8, 3))


def number_of(method, k=4):
    return {"smallest": 8} if method == "hdbscan" else {"k": k}


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
        lambda rows: cluster(rows, "kmeans", k=2),
        lambda rows: cluster(rows, "hdbscan", smallest=2),
        lambda rows: quality(rows, np.zeros(12)),
        lambda rows: stability(rows, 2, resamples=1),
        lambda rows: distortions(rows, [2]),
    ):
        with pytest.raises(ValueError, match="all 12 maps are identical; there is nothing to clus"):
            function(same)


def test_bad_clustering_input():
    with pytest.raises(ValueError, match="method is 'dbscan'; allowed: kmeans, agglomerative, hdb"):
        cluster(ROWS, "dbscan", k=2)
    with pytest.raises(ValueError, match="k is missing; agglomerative needs it"):
        cluster(ROWS, "agglomerative")
    with pytest.raises(ValueError, match="smallest is missing; hdbscan needs it"):
        cluster(ROWS, "hdbscan", k=3)
    with pytest.raises(ValueError, match="smallest is 1; of 8 maps it must be 2 to 8"):
        cluster(ROWS, "hdbscan", smallest=1)
    with pytest.raises(ValueError, match=r"features have shape \(8,\); they must be \[row, dim\]"):
        cluster(ROWS[:, 0], "kmeans", k=2)
    bad = ROWS.copy()
    bad[5, 1] = np.inf
    with pytest.raises(ValueError, match=r"features\[5, 1\] is inf; they must be finite"):
        cluster(bad, "kmeans", k=2)
