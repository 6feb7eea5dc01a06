"""Clusters: against scikit-learn, on data with clusters and without; who computes them."""

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score, calinski_harabasz_score, silhouette_score
from sklearn.preprocessing import StandardScaler

from attention_mixing.methods import clustering
from attention_mixing.methods.clustering import (
    METHODS,
    SCIKIT_LEARN,
    Library,
    Quality,
    agreement_of_counts,
    cluster,
    distortion,
    elbow,
    gap,
    library,
    plane,
    quality,
    reduce,
    stability,
    without_clusters,
)


def distortions(rows, ks, **options):
    return np.array([distortion(rows, int(k), **options) for k in ks])


def reference_distortions(rows, ks, references, **options):
    """Curves of data without clusters."""
    drawn = (without_clusters(rows, number, seed=0) for number in range(references))
    return np.array([distortions(one, ks, **options) for one in drawn])


def stabilities(rows, k, resamples, **options):
    return np.array([stability(rows, k, number, **options) for number in range(resamples)])


KS = np.arange(1, 7)


def blobs(clusters=4, rows=160, dimensions=5, seed=0, apart=6.0):
    """Rows around corners of a simplex, and which corner: clusters of unequal size."""
    rng = np.random.default_rng(seed)
    weights = np.arange(clusters, 0, -1) + 2
    which = np.sort(rng.choice(clusters, rows, p=weights / weights.sum()))
    return apart * np.eye(clusters, dimensions)[which] + rng.normal(size=(rows, dimensions)), which


def number_of(method):
    return 8 if method == "hdbscan" else 4


def maps(rows=1000, dimensions=6, seed=0, apart=6.0):
    """Four clusters, ordered by cluster as maps may be by layer; units differ, one is constant."""
    rng = np.random.default_rng(seed)
    which = np.repeat(np.arange(4), -(-rows // 4))[:rows]
    found = apart * np.eye(4, dimensions)[which] + rng.normal(size=(rows, dimensions))
    found = found * np.geomspace(0.01, 100, dimensions) + 7
    return np.column_stack([found, np.full(rows, 0.3)])


# Principal components.


def test_components_are_those_of_scikit_learn_however_rows_are_cut():
    rows = maps()
    exact = PCA(4).fit(StandardScaler().fit_transform(rows))
    order = np.random.default_rng(1).permutation(1000)
    for blocks in ([rows], np.split(rows[order], [1, 300, 999])):
        reduced = reduce(blocks, 4)
        np.testing.assert_allclose(reduced.share[:4], exact.explained_variance_ratio_, atol=1e-9)
        assert reduced.share.sum() == pytest.approx(1)
        signs = np.sign((reduced.axes * exact.components_).sum(axis=1))
        np.testing.assert_allclose(reduced.axes, signs[:, None] * exact.components_, atol=1e-9)
        largest = np.abs(reduced.axes).argmax(axis=1)
        assert (reduced.axes[np.arange(4), largest] > 0).all()


def test_with_all_components_distances_are_those_of_standardised_rows():
    rows = maps()
    reduced = reduce(np.split(rows, [137, 600]), 7)
    first, second = reduced(rows[:50]), StandardScaler().fit_transform(rows)[:50]
    np.testing.assert_allclose(
        np.linalg.norm(first[:, None] - first, axis=-1),
        np.linalg.norm(second[:, None] - second, axis=-1),
        atol=1e-9,
    )
    assert np.isinf(reduced.deviation).tolist() == [False] * 6 + [True]


def test_rows_that_cannot_be_reduced():
    rows = maps(100)
    same = np.full((100, 3), 0.1) + np.linspace(0, 1e-16, 100)[:, None]
    with pytest.raises(ValueError, match="all 100 maps are identical; there is nothing to cluster"):
        reduce([same], 1)
    with pytest.raises(ValueError, match="components is 8; of 100 maps with 7 dimensions it must"):
        reduce([rows], 8)
    rows[70, 2] = np.nan
    with pytest.raises(ValueError, match="a feature of a map is not finite"):
        reduce([rows[:40], rows[40:]], 1)


# Clusters.


@pytest.mark.parametrize("method", METHODS)
def test_every_method_finds_clusters_far_apart_in_any_order(method):
    rows, which = blobs()
    labels = cluster(rows, method, number_of(method))
    assigned = labels >= 0
    assert assigned.mean() > 0.75
    assert adjusted_rand_score(which[assigned], labels[assigned]) > 0.98
    sizes = np.bincount(labels[assigned])
    assert len(sizes) == 4
    assert (np.diff(sizes) <= 0).all()
    order = np.random.default_rng(1).permutation(len(rows))
    np.testing.assert_array_equal(cluster(rows[order], method, number_of(method)), labels[order])


def test_of_clusters_of_one_size_the_one_met_first_comes_first():
    rows = np.array([[9.0], [9.1], [0.0], [0.1], [5.0], [5.1], [5.2]])
    assert cluster(rows, "agglomerative", 3).tolist() == [1, 1, 2, 2, 0, 0, 0]


def test_kmeans_is_that_of_scikit_learn():
    rows, _ = blobs(apart=2)
    best = KMeans(4, n_init=clustering.STARTS, random_state=3).fit(rows)
    assert adjusted_rand_score(best.labels_, cluster(rows, "kmeans", 4, seed=3)) == 1
    assert distortion(rows, 4, seed=3) == pytest.approx(best.inertia_ / len(rows))


# Quality.


def test_quality_is_that_of_scikit_learn_on_what_belongs_to_a_cluster():
    rows, _ = blobs(apart=2)
    labels = cluster(rows, "kmeans", 3)
    labels[::8] = -1
    inside, own = rows[labels >= 0], labels[labels >= 0]
    centres = np.stack([inside[own == label].mean(axis=0) for label in range(3)])
    distortion = ((inside - centres[own]) ** 2).sum(axis=1).mean()
    expected = Quality(
        3, 1 / 8, distortion, distortion / 5, silhouette_score(inside, own),
        calinski_harabasz_score(inside, own),
    )  # fmt: skip
    np.testing.assert_allclose(quality(rows, labels), expected)


def test_what_is_undefined_is_not_a_number():
    rows = np.array([[0.0], [1.0], [5.0]])
    one, each, none = (
        quality(rows, np.array(labels)) for labels in ([0, 0, 0], [0, 1, 2], [-1, -1, -1])
    )
    assert one[:3] == (1, 0, pytest.approx(14 / 3))
    assert np.isnan([one.silhouette, one.calinski_harabasz]).all()
    assert each[:4] == (3, 0, 0, 0)
    assert np.isnan([each.silhouette, each.calinski_harabasz]).all()
    assert none[:2] == (0, 1)
    assert np.isnan(none[2:]).all()
    on_centres = quality(rows[[0, 0, 1, 1]], np.array([0, 0, 1, 1]))
    assert (on_centres.silhouette, on_centres.distortion) == (1, 0)
    assert np.isnan(on_centres.calinski_harabasz)


def test_silhouettes_of_many_rows_are_those_of_a_sample(monkeypatch):
    rows, labels = blobs(rows=600, apart=3)
    whole = quality(rows, labels)
    monkeypatch.setattr(clustering, "SILHOUETTE_ROWS", 300)
    sampled = quality(rows, labels, seed=1)
    assert sampled == quality(rows, labels, seed=1)
    assert sampled.silhouette != whole.silhouette
    assert sampled.silhouette == pytest.approx(whole.silhouette, abs=0.03)
    assert sampled._replace(silhouette=0) == whole._replace(silhouette=0)


# Agreement and stability.


def test_agreement_of_counts_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    first = rng.integers(4, size=300)
    second = np.where(rng.random(300) < 0.6, first, rng.integers(7, size=300))
    counts = np.histogram2d(first, second, [np.arange(5), np.arange(8)])[0]
    for table in (counts, counts.T):
        assert agreement_of_counts(table) == pytest.approx(adjusted_rand_score(first, second))
    for agreed in ([[7]], [[1]], [[1, 0], [0, 1]], [[0, 3], [0, 0]]):
        assert agreement_of_counts(np.array(agreed)) == 1


def test_stability_is_high_at_the_true_number_alone():
    rows, _ = blobs()
    found = stabilities(rows, 7, 8)
    assert len(set(found)) > 1  # every number resamples anew
    at = {k: stabilities(rows, k, 8).mean() for k in (3, 4)} | {7: found.mean()}
    assert at[4] > 0.97
    assert at[3] < 0.9
    assert at[7] < 0.8


# The number of clusters.


def judged(rows):
    curves = distortions(rows, KS), reference_distortions(rows, KS, 19)
    return gap(KS, *curves), elbow(KS, *curves)


def test_clusters_give_an_elbow_and_the_gap_their_number():
    found, bend = judged(blobs(clusters=3, apart=8)[0])
    assert found == 3
    assert (bend.k, bend.found) == (3, True)
    assert bend.p_value == pytest.approx(0.05)


@pytest.mark.parametrize(
    "rows",
    [
        np.random.default_rng(0).uniform(size=(200, 2)),
        np.random.default_rng(2).normal(size=(200, 6)) @ np.diag([8, 4, 2, 1, 1, 1]),
    ],
    ids=["even", "long"],
)
def test_a_cloud_has_no_elbow_though_its_curve_bends(rows):
    found, bend = judged(rows)
    assert found == 1
    assert not bend.found
    # On ordinary axes the eye sees one: far below the chord in terms of the curve's own height.
    curve = distortions(rows, KS)
    height = (curve - curve[-1]) / (curve[0] - curve[-1])
    assert np.max(1 - np.linspace(0, 1, len(KS)) - height) > 0.15


def test_elbow_and_gap_by_hand():
    ks, straight = np.array([1, 2, 4]), np.array([[16.0, 8.0, 4.0]] * 19)
    found = elbow(ks, np.array([16.0, 2.0, 1.0]), straight)
    # Half way of the chord from ln 16 to ln 1 lies ln 4.
    assert found == (2, pytest.approx(np.log(2)), pytest.approx(1 / 20), True)
    assert elbow(ks, straight[0], straight).p_value == 1
    assert not elbow(ks, np.array([16.0, 12.0, 1.0]), straight).found
    references = np.array([[8.0, 4.0, 3.0], [8.0, 4.0 * np.e**2, 3.0]])
    # Gaps are 0, the one asked for and ln 3, errors 0, the root of 1.5 and 0.
    for asked, k in ((1.22, 1), (1.23, 2)):
        assert gap(KS[:3], np.array([8.0, 4 * np.exp(1 - asked), 1.0]), references) == k
    assert gap(KS[:3], np.array([8.0, 2.0, 0.5]), references[:1]) is None


def test_references_fill_the_box_along_the_principal_components():
    """Rows on a line across both dimensions: so are the references, all along it."""
    rows = np.linspace(0, 1, 200)[:, None] * [3.0, 4.0]
    found = reference_distortions(rows, [1, 2], 4)
    assert found.shape == (4, 2)
    # A line of length 5, evenly filled, has the variance 25 / 12; a box of 3 by 4 has the same,
    # and so it takes two clusters to tell them: 1/4 of it on a line, more in a box.
    np.testing.assert_allclose(found[:, 0], 25 / 12, rtol=0.1)
    np.testing.assert_allclose(found[:, 1] / found[:, 0], 0.25, rtol=0.2)
    assert len(np.unique(found[:, 0])) == 4


def test_bad_curves():
    ones, nulls = np.ones(3), np.ones((19, 3))
    with pytest.raises(ValueError, match=r"ks are \[1, 3, 5\]; they must grow one by one"):
        gap(np.array([1, 3, 5]), ones, nulls)
    with pytest.raises(ValueError, match=r"ks are \[3, 2, 1\]; they must grow and be at least"):
        elbow(np.array([3, 2, 1]), ones, nulls)
    with pytest.raises(ValueError, match="references has 18 curves; at least 19 needed"):
        elbow(KS[:3], ones, nulls[:18])
    with pytest.raises(ValueError, match="a distortion is not positive; ask for fewer clusters"):
        elbow(KS[:3], np.array([1, 0.5, 0]), nulls)


# scikit-learn or cuML, with a stand-in for the latter: no GPU is needed.


@pytest.fixture
def cuml(monkeypatch):
    """Modules with the names of cuML and CuPy, and what their estimators are made with."""
    asked = []

    class Estimator:
        def __init__(self, **settings):
            assert settings.pop("output_type") == "numpy"
            asked.append(settings)

        def fit_predict(self, rows):
            return np.arange(len(rows))

        def fit_transform(self, rows):
            return rows[:, :2].astype(np.float32) + 5

    names = ("cuml", "cuml.cluster", "cuml.cluster.hdbscan", "cuml.manifold", "cupy")
    modules = {name: ModuleType(name) for name in names}
    modules["cuml.cluster"].KMeans = modules["cuml.cluster.hdbscan"].HDBSCAN = Estimator
    modules["cuml.manifold"].UMAP = Estimator
    modules["cupy"].cuda = SimpleNamespace(is_available=lambda: True)
    modules["cupy"].asarray = np.asarray
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    return asked


def test_without_cuml_there_is_scikit_learn(monkeypatch):
    monkeypatch.setitem(sys.modules, "cuml", None)
    assert library("auto").name == library("scikit-learn").name == "scikit-learn"
    with pytest.raises(ValueError, match=r"engine is cuml, but it is not installed.*set auto or"):
        library("cuml")


def test_with_cuml_auto_takes_it_where_there_is_a_gpu(cuml, monkeypatch):
    assert library("auto").name == library("cuml").name == "cuml"
    assert library("scikit-learn").name == "scikit-learn"
    monkeypatch.setattr(sys.modules["cupy"].cuda, "is_available", lambda: False)
    assert library("auto").name == "scikit-learn"
    with pytest.raises(ValueError, match="engine is cuml, but there is no CUDA GPU; set auto"):
        library("cuml")


def test_cuml_is_asked_in_its_own_words(cuml):
    rows, there = blobs(rows=5)[0], library("cuml")
    cluster(rows, "hdbscan", 3, library=there)
    layout = plane(rows, neighbors=15, min_dist=0.1, seed=7, library=there)
    np.testing.assert_allclose(layout.mean(axis=0), 0, atol=1e-6)
    # UMAP takes no more neighbours than there are.
    expected = {"n_neighbors": 4, "min_dist": 0.1, "random_state": 7}
    assert cuml == [{"min_cluster_size": 3}, expected]


def test_what_is_heavy_is_computed_with_the_library_given():
    """It answers as scikit-learn does, and leaves a trace."""
    used = []

    def told(work):
        return lambda *given, **settings: used.append(work) or work(*given, **settings)

    name, *kinds = SCIKIT_LEARN
    there = Library(name, *(kind and told(kind) for kind in kinds))
    rows = blobs(rows=80)[0]
    for call in (
        lambda which: cluster(rows, "kmeans", 4, seed=1, library=which),
        lambda which: cluster(rows, "hdbscan", 8, library=which),
        lambda which: distortion(rows, 2, library=which),
        lambda which: stability(rows, 3, 0, library=which),
        lambda which: reduce([rows], 3, which).axes,
    ):
        used.clear()
        np.testing.assert_array_equal(call(there), call(SCIKIT_LEARN))
        assert used
