"""Clusters of rows in blocks: the same as in memory, however the blocks are cut."""

import tracemalloc

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from analysis.methods import clustering_blocks, clustering_quality
from analysis.methods.clustering import cluster
from analysis.methods.clustering_blocks import centres, drawn, labels, quality, reduction
from analysis.methods.clustering_quality import quality as whole_quality


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr(clustering_blocks, "BATCH", 64)
    monkeypatch.setattr(clustering_blocks, "SAMPLE", 300)


def maps(rows=1000, dimensions=6, seed=0, apart=6.0):
    """Four clusters, ordered by cluster as maps may be by layer; units differ, one is constant."""
    rng = np.random.default_rng(seed)
    which = np.repeat(np.arange(4), -(-rows // 4))[:rows]
    found = apart * np.eye(4, dimensions)[which] + rng.normal(size=(rows, dimensions))
    found = found * np.geomspace(0.01, 100, dimensions) + 7
    return np.column_stack([found, np.full(rows, 0.3)]), which


def cut(rows, *at):
    return [lambda: iter(np.split(rows, at))]


def everything(partitions, components=4, k=4, seed=0):
    reduced = reduction(partitions, components)
    found = centres(partitions, reduced, k, seed=seed)
    names = [labels(block, reduced, found) for partition in partitions for block in partition()]
    return reduced, found, np.concatenate(names), quality(partitions, reduced, found, seed=seed)


def test_how_rows_are_cut_changes_nothing():
    rows, _ = maps()
    expected = everything(cut(rows))
    for at in ([500], range(1, 1000), [0, 3, 64, 65, 700], range(64, 1000, 64)):
        found = everything(cut(rows, *at))
        for one, other in zip(found[0], expected[0], strict=True):
            np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(found[1], expected[1])
        np.testing.assert_array_equal(found[2], expected[2])
        assert found[3] == expected[3]


def test_partitions_change_nothing_but_the_order_of_sums_and_batches():
    rows, which = maps(apart=4)
    order = np.random.default_rng(1).permutation(1000)
    rows, which = rows[order], which[order]
    whole, parted = cut(rows), [*cut(rows[:300]), *cut(rows[:0]), *cut(rows[300:], 50)]
    expected, found = everything(whole), everything(parted)
    assert found[0].counts == (300, 0, 700)
    assert found[0].rows == expected[0].rows == 1000
    for one, other in zip(found[0][1:], expected[0][1:], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-10)
    # Centres have moved in steps of other sizes, to the same places but for noise.
    assert adjusted_rand_score(found[2], expected[2]) > 0.98
    # With the same centres, all is the same.
    again = quality(parted, found[0], expected[1])
    np.testing.assert_allclose(again, expected[3], rtol=1e-10)


def test_rows_drawn_do_not_depend_on_partitions():
    def numbers(counts, size=30, seed=3):
        starts = np.cumsum([0, *counts[:-1]])
        return np.concatenate(
            [rows + start for rows, start in zip(drawn(counts, size, seed), starts, strict=True)]
        )

    expected = numbers([100])
    assert len(set(expected.tolist())) == 30
    assert (np.diff(expected) > 0).all()
    for counts in ([50, 50], [0, 99, 0, 1], [10] * 10):
        np.testing.assert_array_equal(numbers(counts), expected)
    np.testing.assert_array_equal(numbers([20, 10]), np.arange(30))
    assert (numbers([100], seed=4) != expected).any()
    # Every row is as likely as every other.
    often = sum(np.bincount(numbers([60, 40], seed=seed), minlength=100) for seed in range(400))
    assert abs(often - 120).max() < 5 * np.sqrt(400 * 0.3 * 0.7)


def test_work_that_is_repeated_gives_the_same():
    """Who works on partitions may do one again, from the state that the one before has left."""

    class Twice:
        def each(self, work, partitions):
            return [(work(partition), work(partition))[1] for partition in partitions]

        def chain(self, work, state, partitions):
            for partition in partitions:
                work(state, partition)
                state = work(state, partition)
            return state

    rows, _ = maps(apart=2)
    partitions = [*cut(rows[:400]), *cut(rows[400:])]
    reduced = reduction(partitions, 4)
    expected = centres(partitions, reduced, 4)
    np.testing.assert_array_equal(centres(partitions, reduced, 4, workers=Twice()), expected)


def test_rows_are_standardised():
    rows, _ = maps()
    reduced = reduction(cut(rows, 137, 600), 7)
    assert reduced.rows == 1000
    # With all components, distances stay.
    first, second = reduced(rows[:50]), StandardScaler().fit_transform(rows)[:50]
    np.testing.assert_allclose(
        np.linalg.norm(first[:, None] - first, axis=-1),
        np.linalg.norm(second[:, None] - second, axis=-1),
        atol=1e-9,
    )
    assert np.isinf(reduced.deviation).tolist() == [False] * 6 + [True]


def test_components_are_those_of_the_whole():
    rows, _ = maps()
    reduced, exact = reduction(cut(rows, 300), 4), PCA(4).fit(StandardScaler().fit_transform(rows))
    np.testing.assert_allclose(reduced.share[:4], exact.explained_variance_ratio_, atol=1e-9)
    assert reduced.share.sum() == pytest.approx(1)
    alike = np.abs((reduced.axes * exact.components_).sum(axis=1))
    np.testing.assert_allclose(alike, 1, atol=1e-9)
    largest = np.abs(reduced.axes).argmax(axis=1)
    assert (reduced.axes[np.arange(4), largest] > 0).all()


def test_moments_lose_no_digits_far_from_zero():
    rows, _ = maps()
    near, far = (reduction(cut(rows * 0.01 + at), 3).deviation[:6] for at in (0, 1e6))
    np.testing.assert_allclose(near, far, rtol=1e-5)


@pytest.mark.parametrize("shuffled", [False, True])
def test_clusters_are_found_in_any_order(shuffled):
    rows, which = maps()
    if shuffled:
        order = np.random.default_rng(1).permutation(1000)
        rows, which = rows[order], which[order]
    _, _, names, found = everything(cut(rows, 400))
    assert adjusted_rand_score(which, names) > 0.98
    assert found.clusters == 4


def test_as_good_as_kmeans_in_memory():
    rows, _ = maps(apart=2.5)
    _, _, _, found = everything(cut(rows), components=7)
    exact = StandardScaler().fit_transform(rows)
    best = whole_quality(exact, cluster(exact, "kmeans", k=4))
    assert best.distortion <= found.distortion <= 1.03 * best.distortion


@pytest.mark.parametrize("k", [1, 3, 9])
def test_quality_is_that_of_the_rows_in_memory(k):
    rows, _ = maps(apart=2.5)
    reduced, _, names, found = everything(cut(rows, 10, 900), k=k)
    np.testing.assert_allclose(found, whole_quality(reduced(rows), names), rtol=1e-9)


def test_silhouettes_are_of_a_sample(monkeypatch):
    rows, _ = maps(apart=2.5)
    whole = everything(cut(rows))[3]
    monkeypatch.setattr(clustering_blocks, "SILHOUETTE_ROWS", 400)
    sampled = everything(cut(rows, 500))[3]
    assert sampled.silhouette != whole.silhouette
    assert sampled.silhouette == pytest.approx(whole.silhouette, abs=0.05)
    assert sampled._replace(silhouette=0) == whole._replace(silhouette=0)


def test_memory_does_not_grow_with_the_rows():
    def peak(rows):
        def blocks():
            for number in range(rows // 100):
                yield np.random.default_rng(number).normal(size=(100, 20)) + number % 3

        tracemalloc.start()
        reduced = reduction([blocks], 4)
        quality([blocks], reduced, centres([blocks], reduced, 4))
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clustering_blocks, "SILHOUETTE_ROWS", 200)
        peak(1000)  # what is imported on the way
        assert peak(20_000) < 1.1 * peak(2000)
    assert clustering_quality.SILHOUETTE_ROWS == clustering_blocks.SILHOUETTE_ROWS


def test_bad_input():
    rows, _ = maps(100)
    blocks = cut(rows, 40)
    with pytest.raises(ValueError, match="all 100 maps are identical; there is nothing to cluster"):
        reduction(cut(np.full((100, 3), 0.1) + np.linspace(0, 1e-16, 100)[:, None]), 1)
    with pytest.raises(ValueError, match="there is no map; partitions are empty"):
        reduction([lambda: []], 1)
    with pytest.raises(ValueError, match="components is 8; of 100 maps with 7 dimensions it must"):
        reduction(blocks, 8)
    with pytest.raises(ValueError, match=r"block 1 has shape \(2, 3\); blocks must be \[row"):
        reduction([lambda: [np.ones((2, 4)), np.ones((2, 3))]], 1)
    with pytest.raises(ValueError, match="partitions have 7 and 3 dimensions; all must be of one"):
        reduction([*blocks, *cut(np.eye(3))], 1)
    bad = rows.copy()
    bad[70, 2] = np.nan
    with pytest.raises(ValueError, match="row 70 has nan at 2; must be finite"):
        reduction(cut(bad, 40), 1)
    reduced = reduction(blocks, 2)
    with pytest.raises(ValueError, match="k is 101; of 100 maps it must be 1 to 100"):
        centres(blocks, reduced, 101)
