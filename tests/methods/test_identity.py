"""What remains of a token: cases by hand, invariances, and streams against the whole."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_layers import normal
from scipy.spatial.distance import cdist

from attention_mixing.methods.identity import (
    LayerMoments,
    anisotropy,
    composite_norm,
    effective_rank,
    identified,
    linear_cka,
    relative_residual,
    self_similarity,
)


def moments_of(first, second, bounds=()):
    moments = LayerMoments()
    for x, y in zip(np.split(first, bounds), np.split(second, bounds), strict=True):
        moments.add(x, y)
    return moments


def cka(first, second, bounds=()):
    pairs = (first, second), (first, first), (second, second)
    return linear_cka(*(moments_of(*pair, bounds) for pair in pairs))


def rank(features, bounds=()):
    return effective_rank(moments_of(features, features, bounds))


def plain_rank(features):
    """The definition, from singular values."""
    singular = np.linalg.svd(features - features.mean(axis=0), compute_uv=False)
    shares = singular[singular > 1e-12 * singular[0]] / singular.sum()
    return np.exp(-(shares * np.log(shares)).sum())


def test_self_similarity_by_hand():
    embedding = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    features = np.array(
        [[[3.0, 0.0], [1.0, 0.0], [-1.0, -1.0]], [[1.0, 1.0], [0.0, 0.0], [1.0, 0.0]]]
    )
    half = np.sqrt(0.5)
    expected = [[1, 0, -1], [half, np.nan, half]]
    np.testing.assert_allclose(self_similarity(features, embedding), expected, atol=1e-15)
    np.testing.assert_allclose(self_similarity(features[0], embedding), expected[0], atol=1e-15)


def test_self_similarity_of_the_same_direction_is_one_however_it_is_rounded():
    embedding = normal(1000, 7)
    found = self_similarity(np.stack([3 * embedding, -embedding / 7]), embedding)
    np.testing.assert_allclose(found, [[1] * 1000, [-1] * 1000], atol=1e-15)
    assert np.abs(found).max() == 1


def test_a_tie_counts_against_the_token():
    # Exactly between two embeddings; and two tokens with the same word.
    np.testing.assert_array_equal(identified(np.array([[1.0, 1.0], [0.0, 1.0]]), np.eye(2)), [0, 1])
    word = normal(40, seed=1)
    rows = np.concatenate([normal(70, 40), [word, 3 * word]])
    assert identified(rows, rows).tolist() == [1.0] * 70 + [0.0] * 2


def test_identified_is_whose_embedding_is_the_nearest_in_every_layer():
    embedding, features = normal(20, 4), normal(3, 20, 4, seed=1)
    nearest = [cdist(rows, embedding, "cosine").argmin(axis=1) for rows in features]
    np.testing.assert_array_equal(identified(features, embedding), nearest == np.arange(20))


@pytest.mark.parametrize(
    ("features", "embedding", "expected"),
    [
        ([[1, 0]], [[1, 0]], [np.nan]),
        ([[0, 0], [1, 0], [0, 1]], [[1, 1], [1, 0], [0, 1]], [np.nan, 1, 1]),
        # A zero embedding is nobody's neighbour, and its own token has no cosine to it.
        ([[1, 1], [1, 0], [0, 1]], [[0, 0], [1, 0], [0, 1]], [np.nan, 1, 1]),
        # The only rival has no direction.
        ([[1, 1], [1, 0]], [[0, 0], [1, 0]], [np.nan, np.nan]),
    ],
)
def test_what_has_no_direction_or_no_rival_is_undefined(features, embedding, expected):
    found = identified(np.array(features, dtype=float), np.array(embedding, dtype=float))
    np.testing.assert_array_equal(found, expected)


def test_anisotropy_by_hand():
    crossed, along = [[1.0, 0.0], [0.0, 5.0], [-2.0, 0.0]], [[1.0, 1.0], [2.0, 2.0], [5.0, 5.0]]
    found = anisotropy(np.array([crossed, along]))
    np.testing.assert_allclose(found, [-1 / 3, 1], atol=1e-15)
    # An equilateral triangle, far from the origin: cosines of -1/2 without the mean.
    angles = 2 * np.pi * np.arange(3) / 3
    triangle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    centred, far = anisotropy(np.stack([triangle, triangle + 100]))
    assert centred == pytest.approx(-0.5)
    assert far > 0.999
    # No pair, no direction.
    assert np.isnan([*anisotropy(np.ones((1, 1, 2))), *anisotropy(np.zeros((1, 2, 2)))]).all()


def test_equal_tokens_have_no_spread():
    """0.1 is no binary number: the mean of equal tokens differs from them by rounding."""
    features = np.tile(normal(6) * 0.1, (7, 1))
    assert np.isnan([rank(features), rank(features, [3]), rank(features[:1])]).all()
    assert np.isnan(cka(features, normal(7, 3)))
    assert np.isnan(cka(normal(7, 3), features))


@given(st.integers(2, 12), st.integers(1, 12), st.integers(0, 1000))
def test_effective_rank_is_that_of_singular_values_and_bounded(tokens, dim, seed):
    rows = normal(tokens, dim, seed=seed)
    found = rank(rows)
    assert found == pytest.approx(plain_rank(rows), rel=1e-9)
    assert 1 - 1e-12 <= found <= min(tokens - 1, dim) + 1e-9


@given(st.integers(2, 20), st.integers(1, 6), st.integers(1, 6), st.integers(0, 1000))
def test_cka_is_that_of_the_kernels(tokens, first_dim, second_dim, seed):
    """The other form of the definition, from similarities between tokens: no rotation is seen."""
    first = normal(tokens, first_dim, seed=seed) + 3
    second = 5 * normal(tokens, second_dim, seed=seed + 1)
    centre = np.eye(tokens) - 1 / tokens
    kernels = [centre @ x @ x.T @ centre for x in (first, second)]
    aligned = np.trace(kernels[0] @ kernels[1])
    expected = aligned / np.prod([np.linalg.norm(kernel) for kernel in kernels])
    similarity = cka(first, second)
    assert similarity == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert 0 <= similarity <= 1 + 1e-12


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6), st.integers(0, 1000))
def test_text_by_text_is_all_at_once(lengths, seed):
    tokens = sum(lengths)
    # Means far from 0, where a difference of sums of products would lose most digits.
    first = normal(tokens, 5, seed=seed) + 1e4
    second = first @ normal(5, 3, seed=seed + 1) + normal(tokens, 3, seed=seed + 2)
    bounds = np.cumsum(lengths)[:-1]
    between = moments_of(first, second, bounds)
    assert between.count == tokens
    np.testing.assert_allclose(between.first_mean, first.mean(axis=0), rtol=1e-13)
    np.testing.assert_allclose(between.second_mean, second.mean(axis=0), rtol=1e-13)
    expected = (first - first.mean(axis=0)).T @ (second - second.mean(axis=0))
    np.testing.assert_allclose(between.cross, expected, atol=1e-8)
    np.testing.assert_allclose(cka(first, second, bounds), cka(first, second), rtol=1e-9)
    if tokens > 1:
        np.testing.assert_allclose(rank(first, bounds), plain_rank(first), rtol=1e-6)


@pytest.mark.parametrize(
    "call",
    [
        lambda bad, good: self_similarity(bad, good),
        lambda bad, good: identified(good, bad),
        lambda bad, good: anisotropy(bad[None]),
        lambda bad, good: LayerMoments().add(good, bad),
    ],
)
def test_what_is_not_finite_is_refused(call):
    bad = np.ones((2, 3))
    bad[1, 2] = np.nan
    with pytest.raises(ValueError, match=r"features.* entries must be finite"):
        call(bad, np.ones((2, 3)))


def test_moments_of_something_else_are_refused():
    first, second = normal(9, 4), normal(9, 4, seed=1)
    between, own = moments_of(first, second), moments_of(first, first)
    longer = moments_of(normal(10, 4), normal(10, 4))
    with pytest.raises(ValueError, match="the moments are of two features"):
        effective_rank(between)
    with pytest.raises(ValueError, match="of 9, 9 and 10 tokens"):
        linear_cka(between, own, longer)


def test_the_composite_norm_is_that_of_the_norms_of_numpy():
    matrices = normal(3, 5, 8)
    products = [np.linalg.norm(each, 1) * np.linalg.norm(each, np.inf) for each in matrices]
    np.testing.assert_allclose(composite_norm(matrices), np.sqrt(products))


def test_the_residual_by_hand():
    # The mean is (2, 2); columns and rows of what is left sum to 2, those of the whole to 4.
    np.testing.assert_allclose(relative_residual(np.array([[[3.0, 1.0], [1.0, 3.0]]])), [2 / 4])


def test_equal_tokens_leave_no_residual_and_tokens_of_mean_zero_nothing_else():
    equal = np.tile(normal(8), (5, 1))
    centred = normal(5, 8)
    centred -= centred.mean(axis=0)
    np.testing.assert_allclose(relative_residual(np.stack([equal, centred])), [0, 1], atol=1e-15)


def test_rank_one_is_not_enough_if_tokens_differ_in_length():
    assert relative_residual(np.outer([1.0, 2.0], normal(8))[None]) > 0.1


def test_what_is_zero_everywhere_has_no_share():
    assert np.isnan(relative_residual(np.zeros((1, 3, 4))))


def test_size_and_order_of_tokens_and_coordinates_do_not_matter():
    features = normal(2, 6, 4)
    share = relative_residual(features)
    np.testing.assert_allclose(relative_residual(-3 * features), share)
    np.testing.assert_allclose(relative_residual(features[:, ::-1, ::-1]), share)
