"""Distances between heads and their layout: against scipy, and what must not matter."""

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon, pdist, squareform

from attention_mixing.methods.head_distances import classical_mds, jensen_shannon_distances


def texts(lengths=(5, 9, 12), heads=(2, 3), seed=0):
    rng = np.random.default_rng(seed)
    return [rng.dirichlet(np.full(n, 0.3), size=(*heads, n)) for n in lengths]


def test_distances_are_those_of_scipy_row_by_row():
    given = texts()
    found = jensen_shannon_distances(iter(given), queries=99)
    flat = [text.reshape(6, *text.shape[-2:]) for text in given]
    expected = np.zeros((6, 6))
    for a in range(6):
        for b in range(6):
            rows = [
                jensenshannon(text[a, query], text[b, query]) ** 2
                for text in flat
                for query in range(text.shape[1])
            ]
            expected[a, b] = np.sqrt(np.mean(rows))
    np.testing.assert_allclose(found, expected, atol=1e-9)
    assert (np.diagonal(found) == 0).all()


def test_queries_are_spread_evenly():
    def rows(text, chosen):
        """A text in which heads differ in the chosen rows alone."""
        return np.where(np.isin(np.arange(text.shape[-1]), chosen)[:, None], text, text[:1, :1])

    (text,) = texts((9,))
    chosen = [0, 4, 8]
    found = jensen_shannon_distances([text], queries=3)
    apart = jensen_shannon_distances([rows(text, chosen)], queries=99)
    np.testing.assert_allclose(found, apart * np.sqrt(9 / 3), atol=1e-12)


def test_mds_gives_points_back():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(20, 3)) * [5, 2, 1]
    layout = classical_mds(squareform(pdist(points)))
    np.testing.assert_allclose(pdist(layout.coordinates), pdist(points))
    np.testing.assert_allclose(layout.coordinates.mean(axis=0), 0, atol=1e-6)
    assert layout.share.sum() == pytest.approx(1)
    assert (np.diff(layout.share) <= 0).all()
    np.testing.assert_allclose(layout.coordinates[:, 3:], 0, atol=1e-5)
    # They are the principal components.
    squares = np.linalg.svd(points - points.mean(axis=0), compute_uv=False) ** 2
    np.testing.assert_allclose(layout.share[:3], squares / squares.sum())


def test_signs_are_fixed():
    far = jensen_shannon_distances(texts(heads=(9,)), queries=99)
    order = np.random.default_rng(1).permutation(9)
    found, again = classical_mds(far), classical_mds(far[np.ix_(order, order)])
    plane = found.coordinates[:, :2]
    np.testing.assert_allclose(again.coordinates[:, :2], plane[order], atol=1e-9)
    assert (plane[np.abs(plane).argmax(axis=0), [0, 1]] > 0).all()


def test_bad_input():
    with pytest.raises(ValueError, match=r"attention\[1, 0\] sums to 4; rows must sum to 1"):
        jensen_shannon_distances([np.stack([np.eye(4), np.ones((4, 4))])], queries=99)
    for far, said in [
        (np.zeros((3, 3)), "all 3 heads are identical; there is nothing to lay out"),
        (np.triu(np.ones((3, 3)), 1), "must be symmetric"),
        (np.full((3, 3), np.nan), "contains NaN"),
    ]:
        with pytest.raises(ValueError, match=said):
            classical_mds(far)
