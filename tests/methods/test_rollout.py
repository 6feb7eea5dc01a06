"""Rollout of heads and in half precision; shares of the residual."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from random_layers import stochastic

from analysis.methods.rollout import (
    attention_rollout,
    measured_residual,
    row_distance,
    with_residual,
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
