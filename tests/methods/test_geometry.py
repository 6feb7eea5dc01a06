"""Geometry of queries and keys against scipy, plain sums over all pairs, and hand-solved cases."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize_scalar
from scipy.spatial.distance import cdist
from scipy.stats import spearmanr
from sklearn.decomposition import PCA

from analysis.methods.geometry import (
    PairMoments,
    Plane,
    VectorMoments,
    attention_weights,
    centroid_shift,
    correlation_at_scale,
    joint,
    neighbour_rank,
    normalised,
    optimal_scale,
    optimal_scale_of_moments,
    own_correlation,
    pair_moments,
    pooled,
    pooled_correlation,
    principal_plane,
    project,
    rank_correlation,
    rank_correlations,
    scaled,
    strongest_keys,
    translate_keys,
)


def head(tokens=20, dimensions=8, seed=0, shape=()):
    """Queries and keys that lie apart, have unequal lengths and know of each other."""
    rng = np.random.default_rng(seed)
    key = rng.normal(size=(*shape, tokens, dimensions)) * rng.uniform(0.3, 3, size=dimensions)
    query = rng.normal(size=key.shape) + 0.5 * key + rng.normal(size=dimensions)
    return query * rng.uniform(0.5, 2), key - rng.normal(size=dimensions)


@st.composite
def pairs(draw, least=1):
    """Small whole numbers: vectors of length zero, equal vectors and ties among them."""
    shape = draw(st.tuples(st.integers(1, 3), st.integers(least, 7), st.integers(1, 4)))
    numbers = st.integers(-3, 3).map(float)
    return tuple(draw(arrays(float, shape, elements=numbers)) for _ in range(2))


def plain_moments(query, key):
    """Mean and covariance over all pairs of one head, every pair written down."""
    rows = np.array([(q @ q, k @ k, q @ k) for q in query for k in key])
    return rows.mean(axis=0), np.cov(rows.T, bias=True)


def plain_correlation(query, key, metric):
    return np.corrcoef((query @ key.T).ravel(), cdist(query, key, metric).ravel())[0, 1]


scales = st.one_of(st.floats(0.01, 100), st.floats(-100, -0.01))


# Translation and scaling


@given(pairs())
def test_translation_brings_the_centroids_together_and_attention_stays(given_pair):
    query, key = given_pair
    moved = translate_keys(query, key)
    np.testing.assert_allclose(moved.mean(axis=-2), query.mean(axis=-2), atol=1e-12)
    shift = np.broadcast_to(centroid_shift(query, key)[:, None], key.shape)
    np.testing.assert_allclose(moved - key, shift, atol=1e-14)
    np.testing.assert_allclose(
        attention_weights(query, moved, 0.5), attention_weights(query, key, 0.5), atol=1e-12
    )


@given(pairs(), scales)
def test_scaling_keeps_dot_products(given_pair, c):
    query, key = given_pair
    wider, narrower = scaled(query, key, c)
    np.testing.assert_allclose(wider, c * query)
    np.testing.assert_allclose(
        wider @ narrower.swapaxes(-1, -2), query @ key.swapaxes(-1, -2), rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize("order", ["translate-scale", "scale-translate"])
@pytest.mark.parametrize("c", [0.3, -1.5555555555555556, 40.0])
def test_either_order_leaves_attention_as_it_is(order, c):
    query, key = head(shape=(2, 3))
    after = normalised(query, key, c, order=order)
    np.testing.assert_allclose(
        attention_weights(*after, 0.3), attention_weights(query, key, 0.3), atol=1e-12
    )
    if order == "scale-translate":
        np.testing.assert_allclose(after[0].mean(axis=-2), after[1].mean(axis=-2), atol=1e-12)


def test_translated_first_no_scale_changes_a_correlation_with_cosines():
    query, key = head(shape=(4,))
    reference = normalised(query, key, 1, order="translate-scale")
    for c in np.linspace(-2, 2, 10):
        after = normalised(query, key, c, order="translate-scale")
        for measure in (
            rank_correlations,
            lambda q, k: pooled_correlation(q, k, distance="cosine"),
            lambda q, k: own_correlation(q, k, distance="cosine"),
        ):
            np.testing.assert_allclose(measure(*after), measure(*reference), atol=1e-12)


def test_scaled_first_the_scale_does_matter():
    query, key = head(shape=(4,))
    found = [
        pooled_correlation(*normalised(query, key, c, order="scale-translate"), distance="cosine")
        for c in (0.5, 1.0, 2.0)
    ]
    assert (np.ptp(found, axis=0) > 0.01).all()


def test_a_scale_for_each_head():
    query, key = head(shape=(2, 3))
    c = np.arange(1, 7).reshape(2, 3) / 2
    together = normalised(query, key, c, order="scale-translate")
    for at in np.ndindex(2, 3):
        alone = normalised(query[at], key[at], c[at], order="scale-translate")
        np.testing.assert_array_equal(together[0][at], alone[0])
        np.testing.assert_allclose(together[1][at], alone[1], atol=1e-14)


def test_attention_by_hand():
    # Dot products 0 and ln 3, halved by no scaling: weights 1/4 and 3/4.
    weights = attention_weights([[1.0], [0.0]], [[0.0], [np.log(3)]], 1.0)
    np.testing.assert_allclose(weights, [[0.25, 0.75], [0.5, 0.5]])
    # Far beyond what exp can hold.
    assert attention_weights([[1e3], [1.0]], [[1e3], [0.0]], 1.0).tolist()[0] == [1.0, 0.0]


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


# Moments of pairs and the closed form


@given(pairs())
def test_moments_are_those_of_all_pairs(given_pair):
    moments = pair_moments(*given_pair)
    assert moments.count == given_pair[0].shape[1] ** 2
    for at, (query, key) in enumerate(zip(*given_pair, strict=True)):
        mean, covariance = plain_moments(query, key)
        np.testing.assert_allclose(moments.mean[at], mean, atol=1e-10)
        np.testing.assert_allclose(moments.covariance[at], covariance, atol=1e-10)


def test_moments_far_from_the_origin():
    query, key = head()
    query, key = query + 1e3, key - 1e3
    mean, covariance = plain_moments(query, key)
    moments = pair_moments(query, key)
    np.testing.assert_allclose(moments.mean, mean, rtol=1e-10)
    size = np.sqrt(np.outer(covariance.diagonal(), covariance.diagonal()))
    np.testing.assert_allclose(moments.covariance / size, covariance / size, atol=1e-10)


def test_texts_are_pooled_as_their_pairs_are():
    texts = [head(tokens=tokens, seed=tokens) for tokens in (1, 4, 9, 25)]
    texts[2] = (texts[2][0] + 3, texts[2][1] * 2)
    rows = np.array([(q @ q, k @ k, q @ k) for text in texts for q in text[0] for k in text[1]])
    together = pooled(pair_moments(*text) for text in texts)
    assert together.count == len(rows)
    np.testing.assert_allclose(together.mean, rows.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(together.covariance, np.cov(rows.T, bias=True), atol=1e-10)
    assert abs(together.covariance[0, 1]) > 0.1  # between texts, lengths go together
    one_by_one = pair_moments(*texts[0])
    for text in texts[1:]:
        one_by_one = pooled([one_by_one, pair_moments(*text)])
    assert one_by_one.count == together.count
    np.testing.assert_allclose(one_by_one.covariance, together.covariance, rtol=1e-10)


def test_heads_and_layers_are_pooled_as_their_pairs_are():
    query, key = head(tokens=6, shape=(2, 3))
    moments = pair_moments(query, key)
    rows = np.array(
        [
            [(q @ q, k @ k, q @ k) for h in range(3) for q in query[l, h] for k in key[l, h]]
            for l in range(2)  # noqa: E741
        ]
    )
    layers = joint(moments)
    assert layers.count == 3 * 36
    assert layers.mean.shape == (2, 3)
    for layer in range(2):
        np.testing.assert_allclose(
            layers.covariance[layer], np.cov(rows[layer].T, bias=True), atol=1e-10
        )
    model = joint(layers, 0)
    assert model.count == 6 * 36
    np.testing.assert_allclose(model.covariance, np.cov(rows.reshape(-1, 3).T, bias=True))
    by_head = joint(moments, 0)
    assert by_head.mean.shape == (3, 3)
    np.testing.assert_allclose(joint(by_head).covariance, model.covariance, rtol=1e-12)


@given(st.integers(0, 1000), scales)
def test_correlation_at_any_scale(seed, c):
    query, key = head(seed=seed)
    expected = plain_correlation(*scaled(query, key, c), "sqeuclidean")
    assert correlation_at_scale(pair_moments(query, key), c) == pytest.approx(expected, abs=1e-9)


def numerical_search(query, key):
    """Search the scale of least correlation by a grid and Brent, on all pairs."""

    def at(logarithm):
        return plain_correlation(*scaled(query, key, np.exp(logarithm)), "sqeuclidean")

    grid = np.linspace(-5, 5, 201)
    best = grid[np.argmin([at(logarithm) for logarithm in grid])]
    found = minimize_scalar(
        at, bounds=(best - 0.05, best + 0.05), method="bounded", options={"xatol": 1e-11}
    )
    return np.exp(found.x), found.fun


@pytest.mark.parametrize("seed", range(12))
def test_closed_form_is_what_a_search_finds(seed):
    query, key = head(tokens=15, dimensions=6, seed=seed)
    scale, least = optimal_scale(query, key)
    expected = numerical_search(query, translate_keys(query, key))
    assert scale == pytest.approx(expected[0], rel=1e-6)
    assert least == pytest.approx(expected[1], abs=1e-12)


covariances = st.lists(
    arrays(float, 3, elements=st.floats(-2, 2).map(lambda x: round(x, 3))), min_size=1, max_size=8
)


@settings(max_examples=300)
@given(covariances, st.integers(-8, 8))
def test_nothing_is_below_the_closed_form(rows, power):
    """Squared lengths that go together, as over many texts, and very unequal ones."""
    # Rows of their own on every axis: else distances might be the same at some scale.
    apart = np.array([*rows, *np.eye(3), *-np.eye(3)]) * 10.0 ** np.array([power, -power, 0])
    moments = PairMoments(len(apart), np.ones(3), np.cov(apart.T, bias=True))
    scale, least = optimal_scale_of_moments(moments)
    many = PairMoments(len(apart), np.ones((302, 3)), np.tile(moments.covariance, (302, 1, 1)))
    others = correlation_at_scale(many, [*np.geomspace(1e-12, 1e12, 300), 0, np.inf])
    assert least <= others.min() + 1e-12
    np.testing.assert_array_equal(least, correlation_at_scale(moments, scale))


def of(covariance, mean=(1.0, 1.0, 0.0)):
    return PairMoments(100, np.array(mean), np.array(covariance, dtype=float))


@pytest.mark.parametrize(
    ("covariance", "scale", "least"),
    [
        # By hand: symmetric in queries and keys, so c = 1; r = -2 / sqrt(6).
        ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], 1, -2 / np.sqrt(6)),
        # The same with queries twice as long and keys half: c = 1/2.
        ([[16, 0, 0], [0, 1 / 16, 0], [0, 0, 1]], 0.5, -2 / np.sqrt(6)),
        # Queries of one length, or keys: the other squares can be scaled away.
        ([[0, 0, 0], [0, 1, 0], [0, 0, 1]], np.inf, -1),
        ([[1, 0, 0], [0, 0, 0], [0, 0, 1]], 0, -1),
        ([[0, 0, 0], [0, 0, 0], [0, 0, 1]], 1, -1),
        # The dot product falls as the query's length grows, and knows nothing else.
        ([[1, 0, -1], [0, 1, 0], [-1, 0, 1]], np.inf, -1),
        ([[1, 0, 0], [0, 1, -1], [0, -1, 1]], 0, -1),
        # Two kinds of pairs, D^2 = (c^2 + 1 / c^2 - 4) times the same: -1 around c = 1.
        ([[1, 1, 2], [1, 1, 2], [2, 2, 4]], 1, -1),
        ([[1, 0, 0], [0, 1, 0], [0, 0, 0]], np.nan, np.nan),
        # What rounding leaves of a variance is none.
        ([[1e-30, 0, 0], [0, 1, 0], [0, 0, 1]], np.inf, -1),
        ([[1, 0, 0], [0, 1, 0], [0, 0, 1e-30]], np.nan, np.nan),
    ],
)
def test_closed_form_by_hand(covariance, scale, least):
    found = optimal_scale_of_moments(of(covariance))
    np.testing.assert_allclose(found, (scale, least), rtol=1e-12)


@given(arrays(float, 3, elements=st.floats(0.1, 10)))
def test_where_all_scales_are_alike_none_is_taken_to_its_limit(deviations):
    """Dot products fall as both lengths grow: -1 at every scale."""
    apart = deviations * [1, 1, -1]
    scale, least = optimal_scale_of_moments(of(np.outer(apart, apart)))
    assert least == pytest.approx(-1)
    assert scale == pytest.approx((deviations[1] / deviations[0]) ** 0.25)


def test_the_minimum_is_inside_for_a_text():
    """Unless squared lengths alone decide the dot product."""
    for seed in range(50):
        scale, least = optimal_scale(*head(tokens=5, dimensions=3, seed=seed))
        assert 0 < scale < np.inf
        assert least < 0


def test_scaling_the_vectors_scales_the_optimum():
    query, key = head()
    scale, least = optimal_scale(query, key)
    moments = pair_moments(*scaled(query, translate_keys(query, key), 5))
    np.testing.assert_allclose(optimal_scale_of_moments(moments), (scale / 5, least), rtol=1e-10)


def test_query_by_query_the_euclidean_optimum_runs_away():
    """Keys that shrink differ, beside a query, in nothing but the dot product."""
    query, key = head()
    means = []
    for c in (1, 3, 10, 100, 1e4):
        apart = cdist(*scaled(query, translate_keys(query, key), c))
        means.append(
            np.mean([spearmanr(a, b)[0] for a, b in zip(query @ key.T, apart, strict=True)])
        )
    assert (np.diff(means) <= 0).all()
    assert means[-1] == pytest.approx(-1)
    # Over all pairs it does not.
    assert optimal_scale(query, key)[0] < 3


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


# Planes


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


# What is refused


@pytest.mark.parametrize(
    "function",
    [
        centroid_shift,
        translate_keys,
        rank_correlations,
        rank_correlation,
        pair_moments,
        optimal_scale,
        strongest_keys,
        lambda query, key: attention_weights(query, key, 1.0),
        lambda query, key: scaled(query, key, 2),
        lambda query, key: pooled_correlation(query, key, distance="cosine"),
        lambda query, key: pooled_correlation(query, key, distance="squared-euclidean"),
        lambda query, key: own_correlation(query, key, distance="cosine"),
    ],
)
@pytest.mark.parametrize(
    ("query", "key", "message"),
    [
        (np.ones(3), np.ones(3), r"query has shape \(3,\).*\[\.\.\., token, head_dim\]"),
        (np.ones((0, 3)), np.ones((0, 3)), r"query has shape \(0, 3\).*nothing empty"),
        (np.ones((4, 3)), np.ones((0, 3)), r"key has shape \(0, 3\)"),
        (np.ones((4, 3)), np.ones((5, 3)), r"query has shape \(4, 3\) and key \(5, 3\)"),
        (np.ones((4, 3)), np.ones((4, 2)), r"query has shape \(4, 3\) and key \(4, 2\)"),
        ([[1.0], [np.nan]], [[1.0], [1.0]], r"query\[1, 0\] is nan"),
        ([[1.0], [1.0]], [[np.inf], [1.0]], r"key\[0, 0\] is inf.*finite"),
        ([[1e100], [1.0]], [[1.0], [1.0]], r"query\[0, 0\] is 1e\+100.*at most 1e\+70"),
    ],
)
def test_what_are_no_vectors_is_refused(function, query, key, message):
    with pytest.raises(ValueError, match=message):
        function(query, key)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda q, k: scaled(q, k, 0), r"c is 0.0; .*not 0"),
        (lambda q, k: scaled(q, k, np.nan), r"c is nan"),
        (lambda q, k: scaled(q, k, [1, 2]), r"c has shape \(2,\).*\(3,\)"),
        (
            lambda q, k: normalised(q, k, 1, order="both"),
            "order is 'both'; allowed: translate-scal",
        ),
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
        (lambda q, k: pooled([]), r"heads of shapes \[\]"),
        (
            lambda q, k: pooled([pair_moments(q, k), pair_moments(q[0], k[0])]),
            r"heads of shapes \[\(\), \(3,\)\]",
        ),
        (lambda q, k: joint(pair_moments(q, k), 1), "axis is 1; the moments have 1 axes"),
        (lambda q, k: joint(pair_moments(q[0], k[0])), "axis is -1; the moments have 0 axes"),
        (lambda q, k: correlation_at_scale(pair_moments(q, k), [1, 2]), r"c has shape \(2,\)"),
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
def test_what_is_not_allowed_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call(*head(shape=(3,)))
