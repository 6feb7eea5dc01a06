"""Choices of the scale against plain sums over pairs, and what each of them cannot see."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from analysis.methods.geometry import own_correlation
from analysis.methods.joint_space import centroid_shift, scaled, translate_keys
from analysis.methods.scaling import (
    SCALES,
    SEED_SCALES,
    SEED_SHIFTS,
    norm_ratio,
    seed_search,
    weighted_correlation,
    weighted_scale,
)


def head(tokens=40, dimensions=8, seed=0, shape=()):
    """Queries and keys that lie apart, have unequal lengths and know of each other."""
    rng = np.random.default_rng(seed)
    key = rng.normal(size=(*shape, tokens, dimensions)) * rng.uniform(0.3, 3, size=dimensions)
    query = rng.normal(size=key.shape) + 0.5 * key + rng.normal(size=dimensions)
    return query * rng.uniform(0.5, 2), key - rng.normal(size=dimensions)


def plain_weighted(texts, c):
    """The definition, with every pair of every text written down."""
    distance = np.concatenate([cdist(c * q, k / c).ravel() for q, k in texts])
    dot = np.concatenate([(q @ k.T).ravel() for q, k in texts])
    farthest = np.percentile(distance, 0.5)
    weights = np.where(distance < farthest, (farthest - distance) ** 2, 0)
    covariance = np.cov(distance, dot, aweights=weights)
    return covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])


# The seed's grid


def test_the_grid_of_the_seed():
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
    best = np.abs(found.grid).max()
    assert abs(found.correlation) == best
    shift, scale = SEED_SHIFTS.tolist().index(found.shift), SEED_SCALES.tolist().index(found.scale)
    assert found.grid[shift, scale] == found.correlation
    # The first of equals, shift by shift.
    assert (np.abs(found.grid).ravel()[: shift * 10 + scale] < best).all()


@pytest.mark.parametrize("seed", range(5))
def test_only_rounding_tells_one_scale_from_another(seed):
    found = seed_search(*head(tokens=11, shape=(4,), seed=seed))
    assert found.spread < 1e-14
    assert np.ptp(found.grid, axis=0).min() > 1e-3  # the shift is no matter of rounding
    assert found.spread == np.ptp(found.grid, axis=1).max()


def test_the_search_sees_no_pair_of_two_tokens():
    query, key = head(tokens=11, shape=(4,))
    order = np.random.default_rng(0).permutation(11)
    found, mixed = seed_search(query, key), seed_search(query[:, order], key[:, order])
    np.testing.assert_allclose(mixed.grid, found.grid, atol=1e-12)
    # Keys of other tokens: attention of a query is the same, the search is not.
    other = seed_search(query, key[:, order])
    assert np.abs(other.grid - found.grid).max() > 0.01


def test_negative_correlations_count_by_their_size():
    query, key = head(tokens=11, shape=(4,))
    found = seed_search(query, key)
    at = scaled(query, key + found.shift, found.scale)
    assert found.correlation == own_correlation(*at, distance="cosine")
    assert found.correlation < 0


@pytest.mark.parametrize("tokens", [1, 9])
def test_no_search_among_constants(tokens):
    found = seed_search(np.ones((2, tokens, 3)), np.ones((2, tokens, 3)))
    assert np.isnan([found.shift, found.scale, found.correlation, found.spread]).all()
    assert np.isnan(found.grid).all()


# Lengths


def test_ratio_by_hand():
    query = [[3.0, 4.0], [0.0, 5.0]]
    key = [[1.0, 0.0], [0.0, 1.5]]
    assert norm_ratio(query, key) == pytest.approx(2)  # 5 and 1.25
    stacked = norm_ratio([query, key], [key, query])
    np.testing.assert_allclose(stacked, [2, 0.5])


@given(st.integers(0, 100))
def test_lengths_are_made_equal_by_the_inverse(seed):
    query, key = head(seed=seed)
    c = norm_ratio(query, key)

    def lengths(vectors):
        return np.linalg.norm(vectors, axis=-1).mean()

    equal = scaled(query, key, 1 / c)
    assert lengths(equal[0]) == pytest.approx(lengths(equal[1]))
    printed = scaled(query, key, c)
    ratio = lengths(query) / lengths(key)
    assert lengths(printed[0]) / lengths(printed[1]) == pytest.approx(ratio**2)


def test_no_ratio_without_length():
    for query, key in ((np.zeros((3, 2)), np.ones((3, 2))), (np.ones((3, 2)), np.zeros((3, 2)))):
        assert np.isnan(norm_ratio(query, key))
    assert np.isnan(norm_ratio(np.zeros((3, 2)), np.zeros((3, 2))))


# Nearest pairs


@pytest.mark.parametrize("c", [0.2, 1, 3, -3])
def test_weighted_correlation_is_that_of_the_definition(c):
    texts = [head(tokens=tokens, seed=tokens) for tokens in (1, 12, 40, 50)]
    found = weighted_correlation(*zip(*texts, strict=True), c)
    assert found == pytest.approx(plain_weighted(texts, c), abs=1e-9)
    assert -1 <= found <= 1


def test_each_head_has_pairs_and_a_scale_of_its_own():
    texts = [head(tokens=tokens, seed=tokens, shape=(2, 3)) for tokens in (20, 30)]
    c = np.array([[0.5, 1, 2], [0.25, 0.75, 1.5]])
    found = weighted_correlation(*zip(*texts, strict=True), c)
    for at in np.ndindex(2, 3):
        expected = plain_weighted([(q[at], k[at]) for q, k in texts], c[at])
        assert found[at] == pytest.approx(expected, abs=1e-9)


def test_texts_in_any_order():
    texts = [head(tokens=30, seed=seed) for seed in range(4)]
    np.testing.assert_allclose(
        weighted_correlation(*zip(*texts, strict=True), 1.3),
        weighted_correlation(*zip(*texts[::-1], strict=True), 1.3),
        atol=1e-12,
    )


def test_a_step_of_both_leaves_distances_and_moves_dot_products():
    """Translation by centroids is not the only one; the pairs that count are the same."""
    query, key = head()
    near = weighted_correlation([query], [translate_keys(query, key)], 1)
    apart = weighted_correlation([query], [key + 50 * centroid_shift(query, key)], 1)
    assert abs(near - apart) > 0.1


def test_too_few_pairs():
    assert np.isnan(weighted_correlation(*([vectors] for vectors in head(tokens=20)), 1))  # 2
    assert not np.isnan(weighted_correlation(*([vectors] for vectors in head(tokens=30)), 1))  # 5
    found = weighted_scale(*([vectors] for vectors in head(tokens=2)))
    assert np.isnan(found.scale)
    assert np.isnan(found.correlation)
    assert not found.at_edge


def test_constant_vectors():
    constant = [np.ones((40, 3))]
    assert np.isnan(weighted_correlation(constant, constant, 1))
    assert np.isnan(weighted_scale(constant, constant).scale)


def test_one_text_runs_away_at_either_end():
    """The pairs that count are those of one vector, whose distances differ by dot product alone."""
    query, key = head()
    for c in (0.01, 100):
        assert weighted_correlation([query], [key], c) == pytest.approx(-1, abs=1e-6)
    assert weighted_correlation([query], [key], 1) > -0.5
    assert weighted_scale([query], [key]).at_edge


@pytest.mark.parametrize("seed", range(5))
def test_the_search_goes_below_the_grid_and_stays_near_it(seed):
    texts = [head(tokens=30, seed=100 * seed + text) for text in range(12)]
    given_texts = tuple(zip(*texts, strict=True))
    found = weighted_scale(*given_texts)
    assert found.correlation == pytest.approx(
        weighted_correlation(*given_texts, found.scale), abs=1e-12
    )
    coarse = [weighted_correlation(*given_texts, c) for c in SCALES]
    assert found.correlation < min(coarse)
    assert found.at_edge == (np.argmin(coarse) in (0, len(SCALES) - 1))
    assert SCALES[max(np.argmin(coarse) - 1, 0)] <= found.scale
    assert found.scale <= SCALES[min(np.argmin(coarse) + 1, len(SCALES) - 1)]


def test_the_search_of_many_heads_is_that_of_each():
    texts = [head(tokens=30, seed=seed, shape=(3,)) for seed in range(2)]
    found = weighted_scale(*zip(*texts, strict=True))
    for at in range(3):
        alone = weighted_scale(*zip(*[(q[at], k[at]) for q, k in texts], strict=True))
        assert found.scale[at] == alone.scale
        assert found.correlation[at] == alone.correlation
        assert found.at_edge[at] == alone.at_edge


@pytest.mark.parametrize(
    ("queries", "keys", "c", "message"),
    [
        ([], [], 1, "0 texts"),
        ([np.ones((2, 2))], [], 1, "1 texts and keys of 0"),
        ([np.ones((2, 2))], [np.ones((3, 2))], 1, r"shape \(2, 2\) and key \(3, 2\)"),
        ([np.ones((2, 2)), np.ones((2, 3))], [np.ones((2, 2)), np.ones((2, 3))], 1, r"\(2,\)"),
        ([np.ones((2, 2))], [np.ones((2, 2))], 0, "c is 0.0.*not 0"),
        ([np.ones((2, 2))], [np.ones((2, 2))], np.inf, "c is inf"),
        ([np.ones((2, 2))], [np.ones((2, 2))], [1, 2], r"c has shape \(2,\)"),
        ([[[np.nan]]], [[[1.0]]], 1, r"query\[0, 0\] is nan"),
    ],
)
def test_what_is_not_allowed_is_refused(queries, keys, c, message):
    with pytest.raises(ValueError, match=message):
        weighted_correlation(queries, keys, c)
    if c == 1:
        with pytest.raises(ValueError, match=message):
            weighted_scale(queries, keys)


def test_a_search_needs_matching_shapes():
    with pytest.raises(ValueError, match=r"shape \(2, 3, 4\) and key \(2, 3, 5\)"):
        seed_search(np.ones((2, 3, 4)), np.ones((2, 3, 5)))
