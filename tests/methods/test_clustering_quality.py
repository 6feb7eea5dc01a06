"""Quality of clusters: against scikit-learn and by hand."""

import numpy as np
import pytest
from random_clusters import blobs
from sklearn.metrics import calinski_harabasz_score, silhouette_score
from sklearn.preprocessing import StandardScaler

from analysis.methods import clustering_quality
from analysis.methods.clustering import cluster
from analysis.methods.clustering_quality import Quality, quality


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
    monkeypatch.setattr(clustering_quality, "SILHOUETTE_ROWS", 300)
    sampled = quality(rows, labels, seed=1)
    assert sampled == quality(rows, labels, seed=1)
    assert sampled.silhouette != whole.silhouette
    assert sampled.silhouette == pytest.approx(whole.silhouette, abs=0.03)
    assert sampled._replace(silhouette=0) == whole._replace(silhouette=0)


def test_clusters_of_standardised_noise_explain_nothing():
    rows = StandardScaler().fit_transform(np.random.default_rng(0).normal(size=(400, 6)))
    assert quality(rows, np.zeros(400, int)).distortion_per_dimension == pytest.approx(1)


def test_families_are_clusters_with_names():
    rows, which = blobs()
    names = np.array(["block", "diagonal", "heterogeneous", "vertical"])[which]
    assert quality(rows, names) == quality(rows, which)


def test_one_label_a_row_is_needed():
    with pytest.raises(ValueError, match=r"labels have shape \(3,\); there must be one a row, 8"):
        quality(np.eye(8, 3), [0, 1, 2])
