"""Rollout of heads and in half precision; shares of the residual."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from random_layers import stochastic

from attention_mixing.methods.rollout import (
    absorption_bound,
    attention_rollout,
    beside_uniform,
    measured_residual,
    row_distance,
    with_residual,
    without_first,
)


@st.composite
def attentions(draw):
    """Attention of up to 4 layers and 6 tokens, zeros and one-hot rows among the rows."""
    layers, tokens = draw(st.integers(1, 4)), draw(st.integers(1, 6))
    logits = draw(arrays(float, (layers, tokens, tokens), elements=st.floats(-30, 30)))
    weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
    weights[weights < 1e-9] = 0
    return weights / weights.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize("residual", [-0.1, 1.1, np.nan])
def test_residual_outside_zero_to_one_is_refused(residual):
    with pytest.raises(ValueError, match=r"residual is .*between 0 and 1"):
        with_residual(stochastic((2, 2, 3, 3)), residual=residual)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([np.nan, 1], r"attention\[0, 1, 0\] is nan"),
        ([np.inf, 0], r"attention\[0, 1, 0\] is inf"),
        ([1.5, -0.5], r"attention\[0, 1, 1\] is -0.5"),
        ([0, 0], r"attention\[0, 1\] sums to 0"),
    ],
)
def test_what_is_no_attention_is_refused(row, message):
    with pytest.raises(ValueError, match=message):
        attention_rollout(np.array([[[0.5, 0.5], row]]))


def test_a_share_of_its_own_for_each_token():
    attention = stochastic((2, 3, 4, 4), seed=5)
    share = np.random.default_rng(5).uniform(size=(2, 4))
    mixed = with_residual(attention, share)
    for layer, token in np.ndindex(2, 4):
        expected = with_residual(attention, share[layer, token])[layer, token]
        np.testing.assert_array_equal(mixed[layer, token], expected)
    np.testing.assert_array_equal(attention_rollout(mixed)[-1], mixed[1] @ mixed[0])


@given(attentions(), st.floats(0, 1))
def test_the_measured_share_gives_the_measured_mixing(attention, part):
    others = 1 - np.diagonal(attention, axis1=1, axis2=2)
    ratio = part * others
    mixed = with_residual(attention, measured_residual(attention, ratio))
    np.testing.assert_allclose(1 - np.diagonal(mixed, axis1=1, axis2=2), ratio, atol=1e-12)


def test_the_measured_share_by_hand():
    attention = np.array([[[0.6, 0.4], [0.0, 1.0]]])
    # Token 0 gives 0.4 to the other; halved to 0.2. Token 1 has nobody to share with.
    np.testing.assert_allclose(measured_residual(attention, np.array([[0.2, 0.0]])), [[0.5, 1.0]])
    # More mixing than the weights could give without any residual: the share is 0.
    np.testing.assert_allclose(measured_residual(attention, np.array([[0.9, 0.0]])), [[0.0, 1.0]])
    for no_ratio in (1.5, -0.5, np.nan):
        with pytest.raises(ValueError, match="outside 0 to 1"):
            measured_residual(attention, np.array([[no_ratio, 0.0]]))


def test_the_distance_of_rows_lies_between_equal_ones_and_the_identity():
    assert row_distance(np.tile(stochastic((1, 6)), (6, 1))) == pytest.approx(0, abs=1e-15)
    assert row_distance(np.eye(5)) == pytest.approx(1 - 1 / 5)


# --- under a causal mask --------------------------------------------------------------------------


def causal(layers=4, tokens=6, seed=0, least=0.0):
    """Random causal attention with at least so much on the first token."""
    weights = np.tril(stochastic((layers, tokens, tokens), seed))
    weights /= weights.sum(axis=-1, keepdims=True)
    first = np.eye(tokens)[0]
    return (1 - least) * weights + least * first


@given(st.integers(1, 5), st.integers(1, 8), st.integers(0, 1000), st.floats(0, 1))
def test_rollout_is_absorbed_by_the_first_token_at_least_as_fast_as_the_bound(
    layers, tokens, seed, least
):
    attention = causal(layers, tokens, seed, least)
    share = attention_rollout(attention)[:, :, 0].min(axis=-1)
    bound = absorption_bound(attention)
    assert (share >= bound - 1e-12).all()
    assert (bound >= 1 - (1 - least) ** np.arange(1, layers + 1) - 1e-12).all()


def test_two_tokens_are_absorbed_at_the_bound():
    """There is one token to lose, and one to lose to."""
    attention = np.array([[[1.0, 0.0], [0.25, 0.75]], [[1.0, 0.0], [0.5, 0.5]]])
    np.testing.assert_allclose(absorption_bound(attention), [0.25, 1 - 0.75 * 0.5])
    np.testing.assert_allclose(attention_rollout(attention)[:, 1, 0], [0.25, 1 - 0.75 * 0.5])


def test_the_bound_is_for_a_first_token_that_sees_only_itself():
    with pytest.raises(ValueError, match="first token sees others"):
        absorption_bound(stochastic((2, 3, 3)))


def test_rollout_beside_uniform_attention_is_even_where_the_model_is_uniform():
    visible = np.tril(np.ones((3, 5, 5)))
    uniform = attention_rollout(visible / visible.sum(axis=-1, keepdims=True))
    even = visible / visible.sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(beside_uniform(uniform, uniform), even)
    other = beside_uniform(attention_rollout(causal(3, 5)), uniform)
    np.testing.assert_allclose(other.sum(axis=-1), 1)
    assert (np.triu(other, 1) == 0).all()


def test_without_the_first_token_the_others_keep_their_proportions():
    attention = causal()
    left = without_first(attention)
    np.testing.assert_allclose(left.sum(axis=-1), 1)
    assert (left[:, 1:, 0] == 0).all()
    np.testing.assert_array_equal(left[:, 0], attention[:, 0])
    np.testing.assert_allclose(
        left[:, 1:, 1:] * attention[:, 1:, 1:].sum(axis=-1, keepdims=True), attention[:, 1:, 1:]
    )
    only = np.eye(4)[[0, 0, 0, 0]][None]
    np.testing.assert_array_equal(without_first(only)[0], np.eye(4))
