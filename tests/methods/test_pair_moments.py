"""Moments of pairs against plain sums over all of them; the closed form against a search."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from random_heads import NO_VECTORS, head, pairs, plain_correlation, plain_moments, scales
from scipy.optimize import minimize_scalar
from scipy.spatial.distance import cdist
from scipy.stats import spearmanr

from analysis.methods.geometry import optimal_scale
from analysis.methods.joint_space import scaled, translate_keys
from analysis.methods.pair_moments import (
    PairMoments,
    correlation_at_scale,
    joint,
    optimal_scale_of_moments,
    pair_moments,
    pooled,
)


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


@pytest.mark.parametrize(("query", "key", "message"), NO_VECTORS)
def test_what_are_no_vectors_has_no_moments(query, key, message):
    with pytest.raises(ValueError, match=message):
        pair_moments(query, key)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda q, k: pooled([]), r"heads of shapes \[\]"),
        (
            lambda q, k: pooled([pair_moments(q, k), pair_moments(q[0], k[0])]),
            r"heads of shapes \[\(\), \(3,\)\]",
        ),
        (lambda q, k: joint(pair_moments(q, k), 1), "axis is 1; the moments have 1 axes"),
        (lambda q, k: joint(pair_moments(q[0], k[0])), "axis is -1; the moments have 0 axes"),
        (lambda q, k: correlation_at_scale(pair_moments(q, k), [1, 2]), r"c has shape \(2,\)"),
    ],
)
def test_moments_that_do_not_match_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call(*head(shape=(3,)))
