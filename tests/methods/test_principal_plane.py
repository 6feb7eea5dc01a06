"""The plane of queries and keys against scikit-learn, its moments against those of all vectors."""

import numpy as np
import pytest
from random_heads import head
from sklearn.decomposition import PCA

from analysis.methods.joint_space import centroid_shift, scaled, translate_keys
from analysis.methods.principal_plane import Plane, VectorMoments, principal_plane, project


def streamed(vectors, parts):
    moments = VectorMoments()
    for part in np.split(vectors, parts, axis=-2):
        moments.add(part)
    return moments


def test_moments_of_vectors_text_by_text():
    query, key = head(tokens=40, shape=(2, 3))
    moments = streamed(query + 100, [1, 7, 30])
    assert moments.count == 40
    np.testing.assert_allclose(moments.mean, (query + 100).mean(axis=-2), rtol=1e-12)
    for at in np.ndindex(2, 3):
        np.testing.assert_allclose(
            moments.cross[at] / 40, np.cov(query[at].T, bias=True), atol=1e-10
        )
    keys = streamed(key, [20])
    np.testing.assert_allclose(
        streamed(query, [20]).mean - keys.mean, centroid_shift(query, key), atol=1e-12
    )


def test_moments_of_moved_vectors():
    query, key = head(tokens=12, shape=(4,))
    c = np.array([0.5, 1, 2, -3])
    shift = centroid_shift(query, key)
    moved = streamed(key, [5]).moved(shift, 1 / c)
    expected = streamed(scaled(query, translate_keys(query, key), c)[1], [5])
    np.testing.assert_allclose(moved.mean, expected.mean, atol=1e-12)
    np.testing.assert_allclose(moved.cross, expected.cross, rtol=1e-10, atol=1e-10)
    assert moved.count == 12


def test_the_plane_is_that_of_principal_components():
    query, key = head(tokens=30, shape=(2, 3))
    plane = principal_plane(streamed(query, [10]), streamed(key, [4, 9]))
    points = project(query, plane)
    assert points.shape == (2, 3, 30, 2)
    for at in np.ndindex(2, 3):
        reference = PCA(2, svd_solver="full").fit(np.concatenate([query[at], key[at]]))
        np.testing.assert_allclose(plane.share[at], reference.explained_variance_ratio_)
        expected = reference.transform(query[at])
        signs = np.sign((expected * points[at]).sum(axis=0))
        np.testing.assert_allclose(points[at], expected * signs, atol=1e-10)
        np.testing.assert_allclose(plane.axes[at].T @ plane.axes[at], np.eye(2), atol=1e-12)
        largest = np.abs(plane.axes[at]).argmax(axis=0)
        assert (plane.axes[at][largest, [0, 1]] > 0).all()
    # Reflected vectors, the same axes.
    mirrored = principal_plane(streamed(-query, [10]), streamed(-key, [10]))
    np.testing.assert_allclose(mirrored.axes, plane.axes, atol=1e-10)
    one = Plane(*(part[1, 2] for part in plane))
    np.testing.assert_allclose(project(query[1, 2], one), points[1, 2], atol=1e-12)


def test_vectors_that_do_not_vary_have_no_shares():
    moments = streamed(np.ones((6, 3)), [2])
    plane = principal_plane(moments, moments)
    assert np.isnan(plane.share).all()
    np.testing.assert_allclose(project(np.ones((6, 3)), plane), 0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda q, k: streamed(q, [5]).add(k[0]), r"shape \(3, 8\) and 20 with \(8,\)"),
        (
            lambda q, k: streamed(q, [5]).merged(streamed(k[0], [5])),
            r"shape \(3, 8\) and 20 with \(8,\)",
        ),
        (
            lambda q, k: principal_plane(streamed(q[..., :1], [5]), streamed(k[..., :1], [5])),
            "two dimensions or more",
        ),
        (lambda q, k: principal_plane(VectorMoments(), VectorMoments()), "at least one vector"),
        (
            lambda q, k: project(q[0], principal_plane(streamed(q, [5]), streamed(k, [5]))),
            r"shape \(20, 8\).*\(3, 8\)",
        ),
    ],
)
def test_vectors_of_no_plane_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call(*head(shape=(3,)))
