"""Trust figures against other implementations, and what must not change them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import procrustes as scipy_procrustes
from scipy.spatial.distance import cdist
from sklearn import manifold

from attention_mixing.methods.projection import pca_map
from attention_mixing.methods.trust import (
    continuity,
    map_trust,
    neighbour_overlap,
    neighbour_ranks,
    procrustes,
    seed_spread,
    trustworthiness,
)


def points(tokens, width=2, seed=0):
    return np.random.default_rng(seed).normal(size=(tokens, width))


def turned(layout, angle, mirrored):
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    return layout * [1, -1 if mirrored else 1] @ turn


# --- neighbours -----------------------------------------------------------------------------------


def test_equal_tokens_rank_in_order_but_for_the_token_itself():
    expected = [[0, 1, 2], [1, 0, 2], [1, 2, 0]]
    np.testing.assert_array_equal(neighbour_ranks(np.zeros((3, 2))), expected)


def test_rounding_does_not_order_equals():
    """A map by PCA of tokens that come twice keeps their ties, and is trusted as it is without."""
    features = np.repeat(points(10), 2, axis=0)
    ranks = neighbour_ranks(features @ np.linalg.qr(points(8, 8))[0][:2] + 7)
    np.testing.assert_array_equal(ranks, neighbour_ranks(features))
    np.testing.assert_array_equal(neighbour_ranks(pca_map(features)), ranks)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
@pytest.mark.parametrize(("tokens", "k"), [(6, 1), (40, 5)])
def test_trustworthiness_is_that_of_scikit_learn(metric, tokens, k):
    features, layout = points(tokens, 16), points(tokens, seed=1)
    expected = manifold.trustworthiness(features, layout, n_neighbors=k, metric=metric)
    found = trustworthiness(neighbour_ranks(features, metric), neighbour_ranks(layout), k)
    assert found == pytest.approx(expected, abs=1e-14)


def test_a_map_that_turns_the_plane_of_its_tokens_is_trusted_whole():
    plane = points(30)
    assert map_trust(neighbour_ranks(plane), turned(plane, 1.0, True)) == (1, 1, 1)


@pytest.mark.parametrize("k", [1, 12])
def test_continuity_and_overlap_word_by_word(k):
    """Venna and Kaski's V_k(i): neighbours in full dimension that are none on the map."""
    features, layout = points(30, 8), points(30, seed=1)
    full, flat = (cdist(x, x) for x in (features, layout))
    penalty, kept = 0, []
    for i in range(30):
        others = [j for j in range(30) if j != i]
        near = set(sorted(others, key=lambda j: full[i, j])[:k])
        by_map = sorted(others, key=lambda j: flat[i, j])
        penalty += sum(by_map.index(j) + 1 - k for j in near - set(by_map[:k]))
        kept.append(len(near & set(by_map[:k])) / k)
    ranks, on_map = neighbour_ranks(features), neighbour_ranks(layout)
    expected = 1 - 2 / (30 * k * (60 - 3 * k - 1)) * penalty
    assert continuity(ranks, on_map, k) == pytest.approx(expected, abs=1e-14)
    np.testing.assert_allclose(neighbour_overlap(ranks, on_map, k), kept)


@pytest.mark.parametrize(
    ("measure", "k", "below"),
    [
        *((measure, k, 5) for measure in (trustworthiness, continuity) for k in (0, 5)),
        *((neighbour_overlap, k, 10) for k in (0, 10)),
    ],
)
def test_too_many_neighbours_are_refused(measure, k, below):
    ranks = neighbour_ranks(points(10))
    with pytest.raises(ValueError, match=f"k is {k}; for 10 tokens .* below {below}"):
        measure(ranks, ranks, k)


# --- Procrustes -----------------------------------------------------------------------------------


@given(
    angle=st.floats(0, 2 * np.pi),
    mirrored=st.booleans(),
    scale=st.floats(0.01, 100),
    move=st.tuples(st.floats(-10, 10), st.floats(-10, 10)),
)
def test_a_turned_mirrored_scaled_moved_copy_is_recovered(angle, mirrored, scale, move):
    onto = points(20)
    copy = scale * turned(onto, angle, mirrored) + move
    found = procrustes(copy, onto)
    centred = (copy - copy.mean(axis=0)) / scale
    np.testing.assert_allclose(centred @ found.rotation, onto - onto.mean(axis=0), atol=1e-10)
    np.testing.assert_allclose(found.rotation @ found.rotation.T, np.eye(2), atol=1e-14)
    assert np.linalg.det(found.rotation) == pytest.approx(-1 if mirrored else 1)
    assert 0 <= found.disparity < 1e-24


def test_disparity_is_that_of_scipy_whatever_lies_on_the_other():
    layout, onto = points(15) * 3 + 1, points(15, seed=50)
    found = procrustes(layout, onto)
    assert found.disparity == pytest.approx(scipy_procrustes(onto, layout)[2], abs=1e-14)
    assert found.disparity == pytest.approx(procrustes(onto, layout).disparity, abs=1e-14)


@pytest.mark.parametrize(
    ("layout", "onto", "message"),
    [
        (np.ones((5, 2)), points(5), "all points of layout are the same"),
        (points(5), np.ones((5, 2)), "all points of onto are the same"),
        (points(5), np.full((5, 2), np.nan), "onto are .* not finite"),
    ],
)
def test_what_has_no_shape_is_refused(layout, onto, message):
    with pytest.raises(ValueError, match=message):
        procrustes(layout, onto)


def test_the_spread_is_the_mean_over_pairs():
    maps = [points(12, seed=seed) for seed in range(3)]
    pairs = [procrustes(maps[i], maps[j]).disparity for i, j in ((0, 1), (0, 2), (1, 2))]
    assert seed_spread(maps) == pytest.approx(np.mean(pairs))
    same = [maps[0], 2 * turned(maps[0], 1, True) + 3]
    assert seed_spread(same) == pytest.approx(0, abs=1e-24)
    with pytest.raises(ValueError, match=r"there are 1 layouts; .* at least 2"):
        seed_spread(maps[:1])
