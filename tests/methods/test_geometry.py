"""Geometry of queries and keys against scipy, plain sums over all pairs, and hand-solved cases."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from random_heads import NO_VECTORS, head, pairs, scales
from scipy.spatial.distance import cdist
from scipy.stats import spearmanr

from analysis.methods.geometry import (
    neighbour_rank,
    optimal_scale,
    own_correlation,
    pooled_correlation,
    rank_correlation,
    rank_correlations,
    strongest_keys,
)
from analysis.methods.joint_space import centroid_shift, scaled, translate_keys
from analysis.methods.pair_moments import optimal_scale_of_moments, pair_moments

# Correlations


@given(pairs(least=3))
def test_rank_correlations_are_those_of_scipy(given_pair):
    query, key = given_pair
    found = rank_correlations(query, key)
    for at in np.ndindex(found.shape):
        vector, others = query[at], key[at[0]]
        dot = others @ vector
        lengths = np.linalg.norm(others, axis=-1) * np.linalg.norm(vector)
        if not lengths.all():
            assert np.isnan(found[at])
            continue
        # What is equal on paper is made equal: scipy knows of no rounding.
        distance = np.round(1 - dot / lengths, 9)
        if len(set(dot)) == 1 or len(set(distance)) == 1:
            assert np.isnan(found[at])
        else:
            assert found[at] == pytest.approx(spearmanr(dot, distance)[0], abs=1e-12)


def test_rank_correlations_of_ordinary_vectors():
    query, key = head(tokens=70, shape=(2, 3))
    found = rank_correlations(query, key)
    assert found.shape == (2, 3, 70)
    for at in np.ndindex(2, 3):
        distance = cdist(query[at], key[at], "cosine")
        dot = query[at] @ key[at].T
        expected = [spearmanr(a, b)[0] for a, b in zip(dot, distance, strict=True)]
        np.testing.assert_allclose(found[at], expected, atol=1e-12)


def test_keys_of_very_unequal_lengths_are_no_ties():
    query, key = head(tokens=30)
    key *= 10.0 ** np.linspace(-8, 8, 30)[:, None]
    expected = [spearmanr(key @ q, cdist([q], key, "cosine")[0])[0] for q in query]
    np.testing.assert_allclose(rank_correlations(query, key), expected, atol=1e-12)


def test_equal_keys_are_ties_wherever_they_stand():
    """In a matrix product, equal columns may come out unequal in the last bit."""
    query, key = head(tokens=37, dimensions=13)
    key = key[np.arange(37) % 5]
    ranks = []
    for q in query:
        dot, cosine = key[:5] @ q, key[:5] @ q / np.linalg.norm(key[:5], axis=-1)
        ranks.append(spearmanr(dot[np.arange(37) % 5], -cosine[np.arange(37) % 5])[0])
    np.testing.assert_allclose(rank_correlations(query, key), ranks, atol=1e-12)


def test_keys_of_one_length_correlate_perfectly():
    query, key = head()
    key /= np.linalg.norm(key, axis=-1, keepdims=True)
    np.testing.assert_allclose(rank_correlations(query, key), -1, atol=1e-15)


def test_mean_over_queries_after_translation():
    query, key = head(shape=(3,))
    expected = rank_correlations(query, translate_keys(query, key)).mean(axis=-1)
    np.testing.assert_allclose(rank_correlation(query, key), expected, atol=1e-15)
    assert isinstance(rank_correlation(query[0], key[0]), float)


def test_undefined_queries_are_left_out_of_the_mean():
    query, key = head()
    key -= centroid_shift(-query, -key)  # no matter: translated back
    query[3] = 0
    each = rank_correlations(query, translate_keys(query, key))
    assert np.isnan(each).nonzero()[0].tolist() == [3]
    assert rank_correlation(query, key) == pytest.approx(np.delete(each, 3).mean(), abs=1e-15)


@given(pairs(least=2))
def test_pooled_correlations_are_those_of_all_pairs(given_pair):
    for query, key in zip(*given_pair, strict=True):
        found = pooled_correlation(query, key, distance="squared-euclidean")
        dot, distance = (query @ key.T).ravel(), cdist(query, key, "sqeuclidean").ravel()
        if np.ptp(dot) == 0 or np.ptp(distance) == 0:
            assert np.isnan(found)
        else:
            assert found == pytest.approx(np.corrcoef(dot, distance)[0, 1], abs=1e-10)
        found = pooled_correlation(query, key, distance="cosine")
        if not (query.any(axis=-1).all() and key.any(axis=-1).all()) or np.ptp(dot) == 0:
            assert np.isnan(found)
            continue
        distance = cdist(query, key, "cosine").ravel()
        if np.ptp(distance) < 1e-12:
            assert np.isnan(found)
        else:
            assert found == pytest.approx(np.corrcoef(dot, distance)[0, 1], abs=1e-10)


@pytest.mark.parametrize("distance", ["cosine", "squared-euclidean"])
def test_pairs_of_a_token_with_itself_over_all_heads(distance):
    query, key = head(tokens=11, shape=(2, 4))
    dot = [q @ k for q, k in zip(query.reshape(-1, 8), key.reshape(-1, 8), strict=True)]
    apart = [
        cdist([q], [k], distance.replace("squared-", "sq"))[0, 0]
        for q, k in zip(query.reshape(-1, 8), key.reshape(-1, 8), strict=True)
    ]
    found = own_correlation(query, key, distance=distance)
    assert found == pytest.approx(np.corrcoef(dot, apart)[0, 1], abs=1e-12)


@given(pairs(), scales, st.integers(-30, 30))
def test_correlations_lie_between_minus_one_and_one(given_pair, c, power):
    query, key = scaled(*given_pair, c * 10.0**power)
    for found in (
        rank_correlations(query, key),
        rank_correlation(query, key),
        pooled_correlation(query, key, distance="cosine"),
        pooled_correlation(query, key, distance="squared-euclidean"),
        own_correlation(query, key, distance="cosine"),
        own_correlation(query, key, distance="squared-euclidean"),
        optimal_scale_of_moments(pair_moments(query, key))[1],
    ):
        defined = np.asarray(found)[~np.isnan(found)]
        assert (np.abs(defined) <= 1).all()


@pytest.mark.parametrize("size", [1e-12, 1.0, 1e15])
def test_constant_vectors_have_no_correlation(size):
    query = np.tile(size * np.array([0.1, 0.7, -0.3]), (9, 1))
    key = np.tile(np.array([0.3, 0.2, 0.9]), (9, 1))
    varied = head(tokens=9, dimensions=3)[0]
    for q, k in ((query, key), (query * 0, key), (varied, key)):
        assert np.isnan(rank_correlations(q, k)).all()
        assert np.isnan(rank_correlation(q, k))
    assert np.isnan(pooled_correlation(query, key, distance="cosine"))
    assert np.isnan(pooled_correlation(query, key, distance="squared-euclidean"))
    assert np.isnan(own_correlation(query, key, distance="cosine"))
    assert np.isnan(optimal_scale(query, key)).all()


def test_vectors_in_one_direction_have_one_angle():
    """Lengths and dot products vary, cosines by rounding alone."""
    rng = np.random.default_rng(0)
    query, key = rng.uniform(1, 2, size=(2, 30, 1)) * rng.normal(size=7)
    assert np.isnan(pooled_correlation(query, key, distance="cosine"))
    assert np.isnan(own_correlation(query, key, distance="cosine"))
    assert np.isnan(rank_correlations(query, key)).all()
    assert not np.isnan(own_correlation(query, key, distance="squared-euclidean"))


@pytest.mark.parametrize("tokens", [1, 2])
def test_short_texts(tokens):
    query, key = head(tokens=tokens, shape=(2,))
    assert np.isnan(rank_correlations(query, key)).all()
    assert np.isnan(rank_correlation(query, key)).all()
    assert rank_correlation(query, key).shape == (2,)
    assert np.isnan(rank_correlation(query[0], key[0]))
    for distance in ("cosine", "squared-euclidean"):
        assert np.isnan(pooled_correlation(query, key, distance=distance)).all() == (tokens == 1)
    assert np.isnan(optimal_scale(query[0], key[0])).all() == (tokens == 1)
    ranks = neighbour_rank(query, key, strongest_keys(query, key), distance="euclidean")
    assert np.isnan(ranks).all() == (tokens == 1)


def test_renaming_tokens_renames_queries_and_no_more():
    query, key = head(tokens=25)
    order = np.random.default_rng(1).permutation(25)
    mixed = query[order], key[order]
    np.testing.assert_allclose(
        rank_correlations(*mixed), rank_correlations(query, key)[order], atol=1e-13
    )
    np.testing.assert_allclose(optimal_scale(*mixed), optimal_scale(query, key), rtol=1e-10)
    np.testing.assert_allclose(
        rank_correlations(query, key[order]), rank_correlations(query, key), atol=1e-13
    )


def test_many_heads_are_as_one_by_one():
    query, key = head(tokens=90, shape=(2, 7))  # more than one block of pairs
    strongest = strongest_keys(query, key)
    moments = pair_moments(query, key)
    scale, least = optimal_scale_of_moments(moments)
    ranks = rank_correlations(query, key)
    cosine = pooled_correlation(query, key, distance="cosine")
    near = {
        distance: neighbour_rank(query, key, strongest, distance=distance)
        for distance in ("cosine", "euclidean")
    }
    for at in np.ndindex(2, 7):
        q, k = query[at], key[at]
        np.testing.assert_allclose(ranks[at], rank_correlations(q, k), atol=1e-13)
        alone = pair_moments(q, k)
        np.testing.assert_allclose(moments.covariance[at], alone.covariance, rtol=1e-12)
        np.testing.assert_allclose(
            (scale[at], least[at]), optimal_scale_of_moments(alone), rtol=1e-12
        )
        assert cosine[at] == pytest.approx(pooled_correlation(q, k, distance="cosine"), abs=1e-13)
        for distance, values in near.items():
            np.testing.assert_array_equal(
                values[at], neighbour_rank(q, k, strongest[at], distance=distance)
            )


# Neighbours


def plain_rank(apart, strongest):
    own = apart[strongest]
    others = np.delete(apart, strongest)
    tied = np.abs(others - own) <= 1e-9
    return ((others < own - 1e-9).sum() + tied.sum() / 2) / len(others)


@given(pairs(least=2), st.data())
def test_neighbour_ranks_are_counted(given_pair, data):
    query, key = given_pair
    index = data.draw(
        arrays(int, query.shape[:-1], elements=st.integers(0, query.shape[1] - 1)),
        label="strongest",
    )
    euclidean = neighbour_rank(query, key, index, distance="euclidean")
    cosine = neighbour_rank(query, key, index, distance="cosine")
    for at in np.ndindex(index.shape):
        q, keys = query[at], key[at[0]]
        assert euclidean[at] == plain_rank(cdist([q], keys)[0], index[at])
        if q.any() and keys.any(axis=-1).all():
            assert cosine[at] == plain_rank(cdist([q], keys, "cosine")[0], index[at])
        else:
            assert np.isnan(cosine[at])


def test_neighbours_by_hand():
    query, key = [[0.0, 1.0]] * 4, [[0.0, 1.0], [0.0, 4.0], [0.0, -2.0], [3.0, 1.0]]
    # Distances 0, 3, 3, 3.
    found = neighbour_rank(query, key, [0, 1, 2, 3], distance="euclidean")
    np.testing.assert_allclose(found, [0, 2 / 3, 2 / 3, 2 / 3])
    # Angles 0, 0, 180 and about 72 degrees.
    found = neighbour_rank(query, key, [0, 1, 2, 3], distance="cosine")
    np.testing.assert_allclose(found, [1 / 6, 1 / 6, 1, 2 / 3])


def test_the_strongest_key_of_small_keys_is_the_nearest():
    query, key = head()
    strongest = strongest_keys(query, key)
    np.testing.assert_array_equal(strongest, (query @ key.T).argmax(axis=-1))
    far = scaled(query, key, 1e4)
    assert (neighbour_rank(*far, strongest, distance="euclidean") == 0).all()
    np.testing.assert_array_equal(strongest_keys(*far), strongest)


def test_a_step_of_both_leaves_neighbours():
    query, key = head()
    strongest = strongest_keys(query, key)
    np.testing.assert_array_equal(
        neighbour_rank(query + 1e4, key + 1e4, strongest, distance="euclidean"),
        neighbour_rank(query, key, strongest, distance="euclidean"),
    )


# What is refused


@pytest.mark.parametrize(
    "function",
    [
        rank_correlations,
        rank_correlation,
        optimal_scale,
        strongest_keys,
        lambda query, key: pooled_correlation(query, key, distance="cosine"),
        lambda query, key: pooled_correlation(query, key, distance="squared-euclidean"),
        lambda query, key: own_correlation(query, key, distance="cosine"),
    ],
)
@pytest.mark.parametrize(("query", "key", "message"), NO_VECTORS)
def test_what_are_no_vectors_is_refused(function, query, key, message):
    with pytest.raises(ValueError, match=message):
        function(query, key)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda q, k: pooled_correlation(q, k, distance="euclidean"),
            "distance is 'euclidean'; allowed: cosine, squared-euclidean",
        ),
        (
            lambda q, k: own_correlation(q, k, distance="manhattan"),
            "distance is 'manhattan'; allowed: cosine, squared-euclidean",
        ),
        (
            lambda q, k: neighbour_rank(q, k, strongest_keys(q, k), distance="manhattan"),
            "distance is 'manhattan'; allowed: cosine, euclidean",
        ),
        (
            lambda q, k: neighbour_rank(q, k, [0, 1], distance="cosine"),
            r"strongest has shape \(2,\).*\(3, 20\)",
        ),
        (
            lambda q, k: neighbour_rank(q, k, np.full((3, 20), 20), distance="cosine"),
            "integers 0 to 19",
        ),
        (
            lambda q, k: neighbour_rank(q, k, np.zeros((3, 20)), distance="cosine"),
            "integers 0 to 19",
        ),
        (lambda q, k: optimal_scale(q, k), r"shape \(3, 20, 8\).*one head"),
    ],
)
def test_what_is_not_allowed_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call(*head(shape=(3,)))
