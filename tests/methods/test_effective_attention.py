"""Effective attention: what it must leave and what it must remove, and the definition as it is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_layers import normal, stochastic
from scipy.linalg import null_space

from attention_mixing.methods.effective_attention import (
    correlation,
    effective_attention,
    remaining_share,
)
from attention_mixing.methods.mixing import transformed_values

HEADS, HEAD_DIM, MODEL_DIM = 3, 4, 10


def a_layer(tokens, seed=0):
    return (
        stochastic((HEADS, tokens, tokens), seed),
        normal(HEADS, tokens, HEAD_DIM, seed=seed + 1),
        normal(HEADS * HEAD_DIM, MODEL_DIM, seed=seed + 2),
    )


@given(st.integers(1, 14), st.integers(0, 1000))
def test_it_is_the_definition_with_a_null_space_from_the_full_values(tokens, seed):
    """Of any rows, also of such as are no shares."""
    _, value, projection = a_layer(tokens, seed)
    attention = normal(HEADS, tokens, tokens, seed=seed + 3)
    found = effective_attention(attention, value, projection)
    for head, outward in enumerate(transformed_values(value, projection)):
        null = null_space(outward.T)  # its columns u have u T = 0
        np.testing.assert_allclose(
            found.attention[head], attention[head] - attention[head] @ null @ null.T, atol=1e-10
        )
        rank = min(tokens, HEAD_DIM)
        assert (found.rank[head] == rank).all()
        assert rank == tokens - null.shape[1]


@pytest.mark.parametrize("window", [3, 20])
def test_a_row_is_changed_only_where_it_sees(window):
    """Row by row: the null space is that of the values of the keys that the row sees."""
    tokens = 12
    attention, value, projection = a_layer(tokens)
    visible = np.tril(np.ones((tokens, tokens), bool)) & ~np.tril(
        np.ones((tokens, tokens), bool), -window
    )
    attention = attention * visible
    attention /= attention.sum(axis=-1, keepdims=True)
    found = effective_attention(attention, value, projection, visible)
    assert (found.attention[:, ~visible] == 0).all()
    for head, outward in enumerate(transformed_values(value, projection)):
        for query, seen in enumerate(visible):
            row, null = attention[head, query, seen], null_space(outward[seen].T)
            np.testing.assert_allclose(
                found.attention[head, query, seen], row - row @ null @ null.T, atol=1e-10
            )
            assert found.rank[head, query] == seen.sum() - null.shape[1]


def test_no_shorter_row_gives_the_same_output():
    """Of all rows with the output of the weights, the pseudo-inverse gives the shortest."""
    attention, value, projection = a_layer(tokens=9)
    outward = transformed_values(value, projection)
    shortest = attention @ outward @ np.linalg.pinv(outward)
    found = effective_attention(attention, value, projection)
    np.testing.assert_allclose(found.attention, shortest, atol=1e-12)


def test_texts_no_longer_than_a_head_is_wide_keep_their_weights_exactly():
    attention, value, projection = a_layer(tokens=HEAD_DIM)
    found = effective_attention(attention, value, projection)
    np.testing.assert_array_equal(found.attention, attention)
    np.testing.assert_array_equal(remaining_share(attention, found.attention), 1)
    np.testing.assert_allclose(correlation(attention, found.attention), 1)


def test_values_of_lower_rank_have_a_null_space_even_in_short_texts():
    attention, value, projection = a_layer(tokens=4)
    value[:, 3] = value[:, 2]
    found = effective_attention(attention, value, projection)
    assert (found.rank == 3).all()
    # Of two keys with one value, the output tells only the sum of the weights: each gets half.
    both = attention[:, :, 2:].mean(axis=-1)
    np.testing.assert_allclose(found.attention[:, :, 2:], np.stack([both, both], -1), atol=1e-12)


def test_share_and_correlation_by_hand():
    attention = np.array([[[0.6, 0.8], [1.0, 0.0]]])
    effective = np.array([[[0.6, 0.0], [1.0, 0.0]]])
    np.testing.assert_allclose(remaining_share(attention, effective), [0.8])
    expected = np.corrcoef(attention.ravel(), effective.ravel())[0, 1]
    assert correlation(attention, effective) == pytest.approx([expected])
    assert np.isnan(correlation(np.full((1, 2, 2), 0.5), effective))
