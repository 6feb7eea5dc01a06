"""Descriptors of attention maps: word by word, and what must not change them."""

import itertools
import math

import numpy as np
import pytest

from attention_mixing.methods.attention import ROW_SUM_TOLERANCE
from attention_mixing.methods.head_descriptors import (
    DESCRIPTORS,
    FEWEST_TOKENS,
    descriptors,
    kept_within,
    resized,
)


def random_maps(tokens, seed=0, shape=(), concentration=0.5):
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.full(tokens, concentration), size=(*shape, tokens))


def mask(tokens, *positions):
    return np.isin(np.arange(tokens), positions)


def all_splits(tokens):
    """Every way to cut a text into contiguous blocks, as the block of each token."""
    for cuts in itertools.product([0, 1], repeat=tokens - 1):
        yield np.cumsum([0, *cuts])


def plain(attention, cls, sep, special, punctuation):
    """Each descriptor as its sentence says, weight by weight."""
    tokens = len(attention)
    pairs = [(i, j, attention[i][j]) for i in range(tokens) for j in range(tokens)]
    columns = [sum(attention[i][j] for i in range(tokens)) / tokens for j in range(tokens)]
    entropy = sum(-w * math.log(w) for _, _, w in pairs if w > 0) / tokens

    def on(keys):
        return sum(w for _, j, w in pairs if keys[j]) / tokens

    def at(offset):
        weights = [w for i, j, w in pairs if j - i == offset]
        return sum(weights) / len(weights)

    band = [w for i, j, w in pairs if abs(i - j) <= 1]
    within = []
    for block in all_splits(tokens):
        inside = [w - columns[j] for i, j, w in pairs if block[i] == block[j] and abs(i - j) > 1]
        within.append(sum(inside) / tokens)
    gini = sum(abs(a - b) for a in columns for b in columns) / (2 * tokens * sum(columns))
    return {
        "entropy": entropy,
        "relative_entropy": entropy / math.log(tokens),
        "distance": sum(w * abs(i - j) for i, j, w in pairs) / tokens / (tokens - 1),
        "previous": at(-1),
        "self": at(0),
        "next": at(1),
        "cls": on(cls),
        "sep": on(sep),
        "special": on(special & ~cls & ~sep),
        "punctuation": on(punctuation),
        "diagonal": sum(band) / tokens - len(band) / tokens**2,
        "vertical": sum(abs(c - 1 / tokens) for c in columns) / 2,
        "column": max(columns),
        "concentration": gini,
        "block": max(within),
        "maximum": max(w for _, _, w in pairs),
        "confidence": sum(max(row) for row in attention) / tokens,
    }


@pytest.mark.parametrize(("tokens", "concentration"), [(3, 0.05), (4, 5), (7, 0.5), (9, 0.05)])
def test_every_descriptor_word_by_word(tokens, concentration):
    attention = random_maps(tokens, seed=tokens, concentration=concentration)
    attention[0] = np.eye(tokens)[1]
    masks = {
        "cls": mask(tokens, 0),
        "sep": mask(tokens, tokens - 1),
        "special": mask(tokens, 0, 1, tokens - 1),
        "punctuation": mask(tokens, *range(3, tokens - 1, 2)),
    }
    expected = plain(attention, **masks)
    assert tuple(expected) == DESCRIPTORS
    np.testing.assert_allclose(
        descriptors(attention, **masks), list(expected.values()), rtol=0, atol=1e-12
    )


def test_a_map_is_described_by_itself():
    """Other heads, their order and how many are worked on at a time change nothing."""
    attention = random_maps(24, shape=(3, 40))
    together = descriptors(attention)
    assert together.shape == (3, 40, len(DESCRIPTORS))
    order = np.random.default_rng(1).permutation(40)
    np.testing.assert_allclose(descriptors(attention[:, order]), together[:, order], atol=1e-14)
    for layer, head in [(0, 0), (1, 17), (2, 39)]:
        alone = descriptors(attention[layer, head])
        np.testing.assert_allclose(alone, together[layer, head], rtol=0, atol=1e-14)


def test_half_precision_is_renormalised():
    attention = random_maps(40, concentration=1)
    half = attention.astype(np.float16)
    before = half.copy()
    exact = half.astype(np.float64) / half.astype(np.float64).sum(-1, keepdims=True)
    np.testing.assert_allclose(descriptors(half), descriptors(exact), rtol=0, atol=1e-14)
    np.testing.assert_array_equal(half, before)
    np.testing.assert_allclose(descriptors(half), descriptors(attention), atol=2e-3)


def image_by_sampling(attention, side):
    """Mean over a grid of points fine enough to meet every border of pixels and tokens."""
    tokens = len(attention)
    points = math.lcm(tokens, side)
    token = np.arange(points) * tokens // points
    fine = attention[np.ix_(token, token)] / attention.max()
    step = points // side
    return fine.reshape(side, step, side, step).mean(axis=(1, 3))


@pytest.mark.parametrize("tokens, side", [(1, 4), (4, 2), (6, 4), (5, 7)])
def test_images_are_area_means(tokens, side):
    attention = random_maps(tokens, shape=(2, 3))
    images = resized(attention, side)
    assert images.shape == (2, 3, side, side)
    for index in np.ndindex(2, 3):
        expected = image_by_sampling(attention[index], side)
        np.testing.assert_allclose(images[index], expected, atol=1e-12)


@pytest.mark.parametrize("function", [descriptors, lambda a: resized(a, 4)])
def test_what_is_no_attention_is_refused(function):
    good = random_maps(60, shape=(4, 10))
    function(good * (1 + 0.9 * ROW_SUM_TOLERANCE))
    for index, value, said in [
        ((3, 6, 59, 1), np.nan, r"attention\[3, 6, 59, 1\] is nan; weights must be finite, >= 0"),
        ((0, 1, 0, 0), -0.25, r"attention\[0, 1, 0, 0\] is -0.25; weights must be finite"),
        ((1, 0, 2, slice(None)), 0.1, r"attention\[1, 0, 2\] sums to 6; rows must sum to 1"),
    ]:
        bad = good.copy()
        bad[index] = value
        with pytest.raises(ValueError, match=said):
            function(bad)


def test_other_bad_input():
    with pytest.raises(ValueError, match=r"has 2 token\(s\); descriptors need at least 3"):
        descriptors(np.eye(FEWEST_TOKENS - 1))
    with pytest.raises(ValueError, match=r"token 1 is in special and .*; a token is in one"):
        descriptors(np.eye(3), special=mask(3, 1), punctuation=mask(3, 1))
    with pytest.raises(ValueError, match="side is 0; an image has at least 1 pixel a side"):
        resized(np.eye(3), 0)


def test_kept_within_by_hand():
    attention = np.array([[0.5, 0.25, 0.25], [0.1, 0.2, 0.7], [0.0, 0.4, 0.6]])
    assert kept_within(attention, mask(3, 1)) == pytest.approx(0.2)
    assert kept_within(attention, mask(3, 0, 2)) == pytest.approx((0.75 + 0.6) / 2)
    assert np.isnan(kept_within(attention, mask(3)))
    both = kept_within(np.stack([np.eye(3), attention]), mask(3, 1))
    assert both == pytest.approx([1, 0.2])
