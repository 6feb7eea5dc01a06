"""Queries and keys against scipy, scikit-learn, sums over all pairs, and hand-solved cases."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import cdist
from scipy.special import softmax
from scipy.stats import spearmanr
from sklearn.decomposition import PCA

from attention_mixing.methods.attentionviz import (
    Moments,
    PrincipalPlane,
    distances,
    joint,
    moved,
    neighbour_rank,
    own_correlation,
    pooled,
    pooled_correlation,
    principal_plane,
    project,
    rank_correlations,
    scaled,
    translate_keys,
    vector_moments,
)
from attention_mixing.methods.attentionviz_scale import (
    SCALES,
    SEED_SCALES,
    SEED_SHIFTS,
    correlation_at_scale,
    norm_ratio,
    optimal_scale,
    pair_moments,
    seed_search,
    weighted_correlation,
    weighted_scale,
)
from attention_mixing.methods.scaled_dot_product import scaled_scores

factors = st.one_of(st.floats(0.01, 100), st.floats(-100, -0.01))


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


def attention(query, key):
    return softmax(scaled_scores(query, key), axis=-1)


def rows_of(query, key):
    """Squared lengths and dot product of every pair, one after the other."""
    return np.array([(q @ q, k @ k, q @ k) for q in query for k in key])


def plain_correlation(query, key, metric="sqeuclidean"):
    return np.corrcoef((query @ key.T).ravel(), cdist(query, key, metric).ravel())[0, 1]


def squared_correlation(query, key):
    return correlation_at_scale(pair_moments(query, key), 1.0)


def best(query, key):
    return optimal_scale(pair_moments(query, translate_keys(query, key)))


# The joint space


@given(pairs())
def test_translation_brings_the_centroids_together_and_attention_stays(given_pair):
    query, key = given_pair
    after = translate_keys(query, key)
    np.testing.assert_allclose(after.mean(axis=-2), query.mean(axis=-2), atol=1e-12)
    shift = query.mean(axis=-2, keepdims=True) - key.mean(axis=-2, keepdims=True)
    np.testing.assert_allclose(after - key, np.broadcast_to(shift, key.shape), atol=1e-14)
    np.testing.assert_allclose(attention(query, after), attention(query, key), atol=1e-12)


@given(pairs(), factors)
def test_scaling_keeps_dot_products(given_pair, c):
    query, key = given_pair
    wider, narrower = scaled(query, key, c)
    np.testing.assert_allclose(wider, c * query)
    np.testing.assert_allclose(
        wider @ narrower.swapaxes(-1, -2), query @ key.swapaxes(-1, -2), rtol=1e-12, atol=1e-12
    )


# Does distance stand for the dot product?


@given(pairs())
def test_rank_correlations_are_those_of_scipy(given_pair):
    query, key = given_pair
    found = rank_correlations(query, key)
    for at in np.ndindex(found.shape):
        vector, others = query[at], key[at[0]]
        dot = others @ vector
        lengths = np.linalg.norm(others, axis=-1) * np.linalg.norm(vector)
        if len(others) < 3 or not lengths.all():
            assert np.isnan(found[at])
            continue
        # What is equal on paper is made equal: scipy knows of no rounding.
        distance = np.round(1 - dot / lengths, 9)
        if len(set(dot)) == 1 or len(set(distance)) == 1:
            assert np.isnan(found[at])
        else:
            assert found[at] == pytest.approx(spearmanr(dot, distance)[0], abs=1e-12)


@pytest.mark.parametrize("decades", [0, 8])
def test_vectors_without_ties_have_none_however_unequal_their_lengths(decades):
    query, key = head(tokens=30)
    key *= 10.0 ** np.linspace(-decades, decades, 30)[:, None]
    both = query @ key.T, cdist(query, key, "cosine")
    expected = [spearmanr(a, b)[0] for a, b in zip(*both, strict=True)]
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


@given(pairs())
def test_pooled_correlations_are_those_of_all_pairs(given_pair):
    found = zip(squared_correlation(*given_pair), pooled_correlation(*given_pair), strict=True)
    for (by_square, by_angle), query, key in zip(found, *given_pair, strict=True):
        dot = (query @ key.T).ravel()
        if np.ptp(dot) == 0 or np.ptp(cdist(query, key, "sqeuclidean")) == 0:
            assert np.isnan(by_square)
        else:
            assert by_square == pytest.approx(plain_correlation(query, key), abs=1e-10)
        if not (query.any(axis=-1).all() and key.any(axis=-1).all()) or np.ptp(dot) == 0:
            assert np.isnan(by_angle)
        elif np.ptp(cdist(query, key, "cosine")) < 1e-12:
            assert np.isnan(by_angle)
        else:
            assert by_angle == pytest.approx(plain_correlation(query, key, "cosine"), abs=1e-10)


@given(pairs(), factors, st.integers(-30, 30))
def test_correlations_lie_between_minus_one_and_one(given_pair, c, power):
    vectors = scaled(*given_pair, c * 10.0**power)
    for measure in (rank_correlations, pooled_correlation, own_correlation, squared_correlation):
        found = np.asarray(measure(*vectors))
        assert (np.abs(found[~np.isnan(found)]) <= 1).all()
    least = optimal_scale(pair_moments(*vectors))[1]
    assert (np.abs(least[~np.isnan(least)]) <= 1).all()


@pytest.mark.parametrize("size", [1e-12, 1.0, 1e15])
def test_constant_vectors_have_no_correlation(size):
    query = np.tile(size * np.array([0.1, 0.7, -0.3]), (9, 1))
    key = np.tile(np.array([0.3, 0.2, 0.9]), (9, 1))
    varied = head(tokens=9, dimensions=3)[0]
    for q, k in ((query, key), (query * 0, key), (varied, key)):
        assert np.isnan(rank_correlations(q, k)).all()
        assert np.isnan(rank_correlations(q, translate_keys(q, k))).all()
    for measure in (pooled_correlation, own_correlation, squared_correlation, best):
        assert np.isnan(measure(query, key)).all()


def test_vectors_in_one_direction_have_one_angle():
    """Lengths and dot products vary, cosines by rounding alone."""
    rng = np.random.default_rng(0)
    query, key = rng.uniform(1, 2, size=(2, 30, 1)) * rng.normal(size=7)
    for measure in (rank_correlations, pooled_correlation, own_correlation):
        assert np.isnan(measure(query, key)).all()
    assert not np.isnan(squared_correlation(query, key))


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
    euclidean = neighbour_rank(distances(query, key, distance="euclidean"), index)
    cosine = neighbour_rank(distances(query, key, distance="cosine"), index)
    for at in np.ndindex(index.shape):
        q, keys = query[at], key[at[0]]
        if np.ptp(query[at[0]], axis=0).any() or np.ptp(keys, axis=0).any():
            assert euclidean[at] == plain_rank(cdist([q], keys)[0], index[at])
        else:  # no radius, no distance
            assert np.isnan(euclidean[at])
        if q.any() and keys.any(axis=-1).all():
            assert cosine[at] == plain_rank(cdist([q], keys, "cosine")[0], index[at])
        else:
            assert np.isnan(cosine[at])


def test_neighbour_ranks_are_those_among_the_keys_that_a_query_sees():
    query, key = head(tokens=6)
    apart = distances(query, key, distance="euclidean")
    strongest = np.array([0, 1, 0, 2, 4, 3])
    ranks = neighbour_rank(apart, strongest, np.tri(6, dtype=bool))
    assert np.isnan(ranks[0])  # the first query sees itself alone
    for at in range(1, 6):
        assert ranks[at] == plain_rank(apart[at, : at + 1], strongest[at])


def test_distances_show_a_step_of_the_keys_alone():
    """In units that are those of the vectors before it."""
    query, key = head()
    step = np.zeros(key.shape[-1])
    step[0] = 1e3
    far = distances(query, key + step, distance="euclidean")
    radius = np.sqrt((query.var(axis=0).sum() + key.var(axis=0).sum()) / 2)
    np.testing.assert_allclose(far * radius, cdist(query, key + step))


# The best scale in closed form


@given(pairs())
def test_moments_are_those_of_all_pairs(given_pair):
    moments = pair_moments(*given_pair)
    assert moments.count == given_pair[0].shape[1] ** 2
    for at, (query, key) in enumerate(zip(*given_pair, strict=True)):
        rows = rows_of(query, key)
        np.testing.assert_allclose(moments.mean[at], rows.mean(axis=0), atol=1e-10)
        np.testing.assert_allclose(moments.covariance[at], np.cov(rows.T, bias=True), atol=1e-10)


def test_moments_far_from_the_origin():
    query, key = head()
    query, key = query + 1e3, key - 1e3
    rows, moments = rows_of(query, key), pair_moments(query, key)
    np.testing.assert_allclose(moments.mean, rows.mean(axis=0), rtol=1e-10)
    size = np.outer(rows.std(axis=0), rows.std(axis=0))
    covariance = np.cov(rows.T, bias=True)
    np.testing.assert_allclose(moments.covariance / size, covariance / size, atol=1e-10)


def test_texts_are_pooled_as_their_pairs_are():
    texts = [head(tokens=tokens, seed=tokens) for tokens in (1, 4, 9, 25)]
    texts[2] = (texts[2][0] + 3, texts[2][1] * 2)
    rows = np.concatenate([rows_of(*text) for text in texts])
    together = pooled([pair_moments(*text) for text in texts])
    assert together.count == len(rows)
    np.testing.assert_allclose(together.mean, rows.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(together.covariance, np.cov(rows.T, bias=True), atol=1e-10)
    assert abs(together.covariance[0, 1]) > 0.1  # between texts, lengths go together


def test_heads_and_layers_are_pooled_as_texts_are():
    query, key = head(tokens=6, shape=(2, 3))
    moments = [[pair_moments(query[at], key[at]) for at in ((0, h), (1, h))] for h in range(3)]
    layers = joint(pair_moments(query, key))
    for layer in range(2):
        expected = pooled([both[layer] for both in moments])
        assert layers.count == expected.count == 3 * 36
        np.testing.assert_allclose(layers.mean[layer], expected.mean)
        np.testing.assert_allclose(layers.covariance[layer], expected.covariance)
    model, expected = joint(layers), pooled([one for both in moments for one in both])
    assert model.count == 6 * 36
    np.testing.assert_allclose(model.covariance, expected.covariance)


@given(st.integers(0, 1000), factors)
def test_correlation_at_any_scale(seed, c):
    query, key = head(seed=seed)
    expected = plain_correlation(*scaled(query, key, c))
    assert correlation_at_scale(pair_moments(query, key), c) == pytest.approx(expected, abs=1e-9)


covariances = st.lists(
    arrays(float, 3, elements=st.floats(-2, 2).map(lambda x: round(x, 3))), min_size=1, max_size=8
)


@given(covariances, st.integers(-8, 8))
def test_nothing_is_below_the_closed_form(rows, power):
    """Squared lengths that go together, as over many texts, and very unequal ones."""
    # Rows of their own on every axis: else distances might be the same at some scale.
    apart = np.array([*rows, *np.eye(3), *-np.eye(3)]) * 10.0 ** np.array([power, -power, 0])
    moments = Moments(len(apart), np.ones(3), np.cov(apart.T, bias=True))
    scale, least = optimal_scale(moments)
    many = Moments(len(apart), np.ones((302, 3)), np.tile(moments.covariance, (302, 1, 1)))
    others = correlation_at_scale(many, np.geomspace(1e-12, 1e12, 302))
    assert least <= others.min() + 1e-12
    np.testing.assert_array_equal(least, correlation_at_scale(moments, scale))


def of(covariance):
    return Moments(100, np.array([1.0, 1.0, 0.0]), np.array(covariance, dtype=float))


@pytest.mark.parametrize(
    ("covariance", "scale", "least"),
    [
        # By hand: symmetric in queries and keys, so c = 1; r = -2 / sqrt(6).
        ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], 1, -2 / np.sqrt(6)),
        # The same with queries twice as long and keys half: c = 1/2.
        ([[16, 0, 0], [0, 1 / 16, 0], [0, 0, 1]], 0.5, -2 / np.sqrt(6)),
        # Queries of one length, or keys: the other squares can be scaled away, more and more.
        ([[0, 0, 0], [0, 1, 0], [0, 0, 1]], np.nan, np.nan),
        ([[1, 0, 0], [0, 0, 0], [0, 0, 1]], np.nan, np.nan),
        # Two kinds of pairs, D^2 = (c^2 + 1 / c^2 - 4) times the same: -1 around c = 1.
        ([[1, 1, 2], [1, 1, 2], [2, 2, 4]], 1, -1),
        ([[1, 0, 0], [0, 1, 0], [0, 0, 0]], np.nan, np.nan),
        # What rounding leaves of a variance is none.
        ([[1e-30, 0, 0], [0, 1, 0], [0, 0, 1]], np.nan, np.nan),
        ([[1, 0, 0], [0, 1, 0], [0, 0, 1e-30]], np.nan, np.nan),
    ],
)
def test_closed_form_by_hand(covariance, scale, least):
    np.testing.assert_allclose(optimal_scale(of(covariance)), (scale, least), rtol=1e-12)


# The notebook's search


def test_the_grid_of_the_search():
    np.testing.assert_allclose(SEED_SHIFTS, np.arange(-9, 10, 2) / 18)
    np.testing.assert_allclose(SEED_SCALES, np.arange(-9, 10, 2) / 4.5)
    assert (SEED_SCALES != 0).all()


def test_the_search_is_over_tokens_with_themselves_in_all_heads():
    query, key = head(tokens=11, shape=(4,))
    found = seed_search(query, key)
    assert found.grid.shape == (10, 10)
    rows = query.reshape(-1, 8), key.reshape(-1, 8)
    for (a, c), correlation in np.ndenumerate(found.grid):
        q, k = rows[0] * SEED_SCALES[c], (rows[1] + SEED_SHIFTS[a]) / SEED_SCALES[c]
        dot = (q * k).sum(axis=1)
        distance = 1 - dot / (np.linalg.norm(q, axis=1) * np.linalg.norm(k, axis=1))
        assert correlation == pytest.approx(np.corrcoef(dot, distance)[0, 1], abs=1e-12)
    size = np.abs(found.grid)
    # Negative correlations count by their size.
    assert abs(found.correlation) == size.max()
    assert found.correlation < 0
    assert found.correlation == own_correlation(*scaled(query, key + found.shift, found.scale))
    shift, scale = SEED_SHIFTS.tolist().index(found.shift), SEED_SCALES.tolist().index(found.scale)
    assert found.grid[shift, scale] == found.correlation
    # The first of equals, shift by shift.
    assert (size.ravel()[: shift * 10 + scale] < size.max()).all()
    # Only rounding tells one scale from another; the shift is no matter of rounding.
    assert found.spread == np.ptp(found.grid, axis=1).max() < 1e-14
    assert np.ptp(found.grid, axis=0).min() > 1e-3


def test_no_search_among_constants():
    found = seed_search(*np.ones((2, 2, 9, 3)))
    assert all(np.isnan(part).all() for part in found)


# Lengths


def test_ratio_by_hand():
    query, key = np.array([[[3.0, 4.0], [0.0, 5.0]], [[1.0, 0.0], [0.0, 1.5]]])
    assert norm_ratio(query, key) == pytest.approx(2)  # 5 and 1.25
    stacked = norm_ratio(np.stack([query, key]), np.stack([key, query]))
    np.testing.assert_allclose(stacked, [2, 0.5])


@pytest.mark.parametrize(("query", "key"), [(0, 1), (1, 0), (0, 0)])
def test_no_ratio_without_length(query, key):
    assert np.isnan(norm_ratio(np.full((3, 2), float(query)), np.full((3, 2), float(key))))


# Nearest pairs


def weighted(texts, c):
    """Weighted correlation of one head."""
    return weighted_correlation(*np.concatenate([rows_of(*text) for text in texts]).T, c)


def searched(texts):
    return weighted_scale(*(list(vectors) for vectors in zip(*texts, strict=True)))


def plain_weighted(texts, c):
    """The definition, with every pair of every text written down."""
    distance = np.concatenate([cdist(c * q, k / c).ravel() for q, k in texts])
    dot = np.concatenate([(q @ k.T).ravel() for q, k in texts])
    farthest = np.percentile(distance, 0.5)
    weights = np.where(distance < farthest, (farthest - distance) ** 2, 0)
    covariance = np.cov(distance, dot, aweights=weights)
    return covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])


@pytest.mark.parametrize("c", [0.2, -3.0])
def test_weighted_correlation_is_that_of_the_definition(c):
    texts = [head(tokens=tokens, seed=tokens) for tokens in (1, 12, 40, 50)]
    assert weighted(texts, c) == pytest.approx(plain_weighted(texts, c), abs=1e-9)


def test_too_few_pairs_and_equal_ones_have_no_weighted_correlation():
    assert np.isnan(weighted([head(tokens=20)], 1.0))  # 2
    assert not np.isnan(weighted([head(tokens=30)], 1.0))  # 5
    constant = np.ones((40, 3)), np.ones((40, 3))
    assert np.isnan(weighted([constant], 1.0))
    for text in (head(tokens=2), constant):
        found = searched([text])
        assert np.isnan(found.scale)
        assert not found.at_edge


def test_one_text_runs_away_at_either_end():
    """The pairs that count are those of one vector, whose distances differ by dot product alone."""
    text = head(tokens=40)
    assert weighted([text], 100.0) == pytest.approx(-1, abs=1e-6)
    assert searched([text]).at_edge


def test_the_search_goes_below_the_grid_and_stays_near_it():
    texts = [head(tokens=30, seed=text) for text in range(12)]
    found = searched(texts)
    coarse = [weighted(texts, c) for c in SCALES]
    least = np.argmin(coarse)
    assert weighted(texts, float(found.scale)) < min(coarse)
    assert found.at_edge == (least in (0, len(SCALES) - 1))
    assert SCALES[max(least - 1, 0)] <= found.scale <= SCALES[min(least + 1, len(SCALES) - 1)]


def test_the_search_of_many_heads_is_that_of_each():
    texts = [head(tokens=tokens, seed=tokens, shape=(2, 3)) for tokens in (20, 30)]
    found = searched(texts)
    for at in np.ndindex(2, 3):
        own = [(query[at], key[at]) for query, key in texts]
        assert [part[at] for part in found] == list(searched(own))


# The plane


def streamed(vectors, parts):
    return pooled([vector_moments(part) for part in np.split(vectors, parts, axis=-2)])


def test_moments_of_moved_vectors():
    query, key = head(tokens=12, shape=(4,))
    c = np.array([0.5, 1, 2, -3])
    shift = query.mean(axis=-2) - key.mean(axis=-2)
    found = moved(streamed(key, [5]), shift, 1 / c)
    expected = streamed(scaled(query, translate_keys(query, key), c)[1], [5])
    np.testing.assert_allclose(found.mean, expected.mean, atol=1e-12)
    np.testing.assert_allclose(found.covariance, expected.covariance, rtol=1e-10, atol=1e-11)
    assert found.count == 12


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
    one = PrincipalPlane(*(part[1, 2] for part in plane))
    np.testing.assert_allclose(project(query[1, 2], one), points[1, 2], atol=1e-12)


@pytest.mark.parametrize("size", [0.0, 0.1, 1.0])
def test_vectors_that_do_not_vary_have_no_shares(size):
    vectors = np.full((6, 3), size)
    plane = principal_plane(streamed(vectors, [2]), streamed(vectors, [1, 5]))
    assert np.isnan(plane.share).all()
    np.testing.assert_allclose(project(vectors, plane), 0, atol=1e-15)


# What is refused


@pytest.mark.parametrize(
    "function",
    [
        translate_keys,
        rank_correlations,
        pooled_correlation,
        own_correlation,
        pair_moments,
        seed_search,
        norm_ratio,
        lambda query, key: distances(query, key, distance="euclidean"),
        lambda query, key: vector_moments(query),
        lambda query, key: weighted_scale([query], [key]),
    ],
)
def test_what_is_not_finite_is_refused(function):
    query, key = head()
    query[3, 2] = -np.inf
    with pytest.raises(ValueError, match=r"queries and keys\[3, 2\] is .*; entries must be finite"):
        function(query, key)


@pytest.mark.parametrize("c", [0.0, np.inf, np.array([1.0, 0.0, 2.0])])
def test_a_scale_that_cannot_be_is_refused(c):
    with pytest.raises(ValueError, match=r"c is .*; it must be finite and not 0"):
        scaled(*head(shape=(3,)), c)
