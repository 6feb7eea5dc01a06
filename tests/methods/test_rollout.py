"""Rollout against hand-solved graphs, brute force, and another implementation."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from jaxtyping import TypeCheckError

from analysis.methods.attention import head_mean
from analysis.methods.rollout import (
    attention_rollout,
    measured_residual,
    row_distance,
    with_residual,
)


def stochastic(shape, seed=0):
    """Random attention, every row summing to 1."""
    weights = np.random.default_rng(seed).gamma(0.5, size=shape)
    return weights / weights.sum(axis=-1, keepdims=True)


@st.composite
def attentions(draw, heads=True):
    """Attention of up to 4 layers, 3 heads and 6 tokens, zeros and one-hot rows among the rows."""
    shape = draw(array_shapes(min_dims=2 if heads else 1, max_dims=2 if heads else 1, max_side=4))
    tokens = draw(st.integers(1, 6))
    logits = draw(arrays(float, (*shape, tokens, tokens), elements=st.floats(-30, 30)))
    weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
    weights[weights < 1e-9] = 0
    return weights / weights.sum(axis=-1, keepdims=True)


def by_paths(layers):
    """Sum the weights of every walk from the top layer down to the input."""
    depth, tokens, _ = layers.shape
    total = np.zeros((tokens, tokens))
    for path in itertools.product(range(tokens), repeat=depth + 1):
        # path[0] is the token at the top; the step below layer l uses layer l's matrix.
        steps = zip(range(depth - 1, -1, -1), path, path[1:], strict=False)
        total[path[0], path[-1]] += np.prod([layers[layer, i, j] for layer, i, j in steps])
    return total


def test_two_layers_solved_by_hand():
    layers = np.array([[[0.5, 0.5], [0.0, 1.0]], [[0.2, 0.8], [0.6, 0.4]]])
    rollout = attention_rollout(layers, residual=0.5)
    # With the residual: A1 = [[.75, .25], [0, 1]], A2 = [[.6, .4], [.3, .7]].
    np.testing.assert_allclose(rollout[0], [[0.75, 0.25], [0, 1]])
    np.testing.assert_allclose(rollout[1], [[0.45, 0.55], [0.225, 0.775]])


def test_the_layer_above_multiplies_from_the_left():
    to_first = np.array([[1.0, 0.0], [1.0, 0.0]])
    swap = np.array([[0.0, 1.0], [1.0, 0.0]])
    # First everything becomes token 0, then places are swapped: still token 0 everywhere.
    np.testing.assert_array_equal(
        attention_rollout(np.stack([to_first, swap]), residual=0.0)[-1], [[1, 0], [1, 0]]
    )
    # First the places are swapped, then everything reads place 0, where token 1 now is.
    np.testing.assert_array_equal(
        attention_rollout(np.stack([swap, to_first]), residual=0.0)[-1], [[0, 1], [0, 1]]
    )


@given(attentions(), st.floats(0, 1))
def test_rows_sum_to_one_and_nothing_is_negative(attention, residual):
    rollout = attention_rollout(attention, residual=residual)
    assert rollout.dtype == np.float64
    assert rollout.shape == (attention.shape[0], *attention.shape[2:])
    assert (rollout >= 0).all()
    np.testing.assert_allclose(rollout.sum(axis=-1), 1, atol=1e-12)


@given(attentions())
def test_residual_of_one_is_the_identity(attention):
    rollout = attention_rollout(attention, residual=1)
    identity = np.broadcast_to(np.eye(attention.shape[-1]), rollout.shape)
    np.testing.assert_allclose(rollout, identity, atol=1e-15)


@given(attentions())
def test_first_layer_without_residual_is_the_head_mean(attention):
    rollout = attention_rollout(attention, residual=0)
    np.testing.assert_allclose(rollout[0], attention[0].mean(axis=0), atol=1e-12)


@given(attentions(), st.floats(0, 1))
def test_averaging_heads_first_changes_nothing(attention, residual):
    np.testing.assert_allclose(
        attention_rollout(attention, residual=residual),
        attention_rollout(attention.mean(axis=1), residual=residual),
        atol=1e-12,
    )


@given(st.data(), attentions())
def test_renaming_tokens_renames_the_result(data, attention):
    order = np.array(data.draw(st.permutations(range(attention.shape[-1]))))
    renamed = attention[..., order, :][..., order]
    rollout = attention_rollout(attention)
    np.testing.assert_allclose(
        attention_rollout(renamed), rollout[..., order, :][..., order], atol=1e-12
    )


@given(attentions(), st.floats(0, 1))
def test_renaming_heads_changes_nothing(attention, residual):
    np.testing.assert_allclose(
        attention_rollout(attention[:, ::-1], residual=residual),
        attention_rollout(attention, residual=residual),
        atol=1e-12,
    )


@pytest.mark.parametrize("residual", [0.0, 0.3, 0.5])
def test_rollout_is_the_sum_over_all_paths(residual):
    attention = stochastic((3, 2, 3, 3))
    mixed = (1 - residual) * attention.mean(axis=1) + residual * np.eye(3)
    rollout = attention_rollout(attention, residual=residual)
    for layer in range(3):
        np.testing.assert_allclose(rollout[layer], by_paths(mixed[: layer + 1]), atol=1e-14)


def test_top_layer_equals_one_product_of_all_matrices():
    attention = stochastic((6, 12, 20, 20), seed=1)
    mixed = 0.5 * attention.mean(axis=1) + 0.5 * np.eye(20)
    np.testing.assert_allclose(
        attention_rollout(attention)[-1], np.linalg.multi_dot(mixed[::-1]), atol=1e-14
    )


def test_published_implementation_agrees():
    """The authors' code adds the identity and divides the rows by their sums."""
    attention = stochastic((4, 3, 7, 7), seed=2)
    summed = attention.mean(axis=1) + np.eye(7)
    augmented = summed / summed.sum(axis=-1)[..., None]
    joint = [augmented[0]]
    for layer in augmented[1:]:
        joint.append(layer @ joint[-1])
    np.testing.assert_allclose(attention_rollout(attention), joint, atol=1e-14)


def test_layers_below_the_start_are_the_identity():
    attention = stochastic((4, 2, 5, 5), seed=3)
    rollout = attention_rollout(attention, start_layer=2)
    np.testing.assert_array_equal(rollout[:2], np.broadcast_to(np.eye(5), (2, 5, 5)))
    np.testing.assert_allclose(rollout[2:], attention_rollout(attention[2:]), atol=1e-15)


def test_half_precision_rows_are_renormalised():
    attention = stochastic((6, 4, 50, 50), seed=4).astype(np.float16)
    assert not np.allclose(attention.sum(axis=-1, dtype=np.float64), 1, atol=1e-5)
    rollout = attention_rollout(attention)
    np.testing.assert_allclose(rollout.sum(axis=-1), 1, atol=1e-12)
    exact = attention_rollout(stochastic((6, 4, 50, 50), seed=4))
    np.testing.assert_allclose(rollout, exact, atol=1e-3)


@given(attentions(), st.floats(0, 1))
def test_causal_attention_stays_causal(attention, residual):
    causal = np.tril(attention + 1e-3)
    causal /= causal.sum(axis=-1, keepdims=True)
    assert (np.triu(attention_rollout(causal, residual=residual), 1) == 0).all()


@given(attentions(heads=False), st.floats(0, 1))
def test_a_shared_stationary_row_is_kept(attention, residual):
    """Uniform attention mixes fully: with no residual every token becomes the average token."""
    uniform = np.full_like(attention, 1 / attention.shape[-1])
    rollout = attention_rollout(uniform, residual=residual)
    layers, tokens = rollout.shape[:2]
    for layer in range(layers):
        kept = residual ** (layer + 1)
        expected = kept * np.eye(tokens) + (1 - kept) / tokens
        np.testing.assert_allclose(rollout[layer], expected, atol=1e-12)


def test_one_token_attends_to_itself():
    assert attention_rollout(np.ones((2, 1, 1))).tolist() == [[[1.0]], [[1.0]]]


def test_what_is_given_is_left_as_it_is():
    attention = stochastic((2, 2, 3, 3))
    before = attention.copy()
    attention_rollout(attention)
    np.testing.assert_array_equal(attention, before)


@pytest.mark.parametrize("residual", [-0.1, 1.1, float("nan"), float("inf")])
@pytest.mark.parametrize("function", [with_residual, attention_rollout])
def test_residual_outside_zero_to_one_is_refused(function, residual):
    with pytest.raises(ValueError, match=r"residual is .*between 0 and 1"):
        function(stochastic((2, 2, 3, 3)), residual=residual)


@pytest.mark.parametrize("start_layer", [-1, 2, 100])
def test_start_layer_outside_the_model_is_refused(start_layer):
    with pytest.raises(ValueError, match=rf"start_layer is {start_layer}; there are layers 0 to 1"):
        attention_rollout(stochastic((2, 2, 3, 3)), start_layer=start_layer)


@pytest.mark.parametrize("function", [head_mean, with_residual, attention_rollout])
@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([np.nan, 1], r"attention\[0, 1, 0\] is nan"),
        ([np.inf, 0], r"attention\[0, 1, 0\] is inf"),
        ([1.5, -0.5], r"attention\[0, 1, 1\] is -0.5"),
        ([0, 0], r"attention\[0, 1\] sums to 0"),
        ([2, 2], r"attention\[0, 1\] sums to 4"),
    ],
)
def test_what_is_no_attention_is_refused(function, row, message):
    with pytest.raises(ValueError, match=message):
        function(np.array([[[0.5, 0.5], row]]))


@pytest.mark.parametrize("shape", [(1, 2, 3), (2, 2), (1, 1, 1, 1, 1)])
def test_other_shapes_are_refused(shape):
    with pytest.raises(TypeCheckError):
        head_mean(np.ones(shape) / shape[-1])


def test_a_share_of_its_own_for_each_token():
    attention = stochastic((2, 3, 4, 4), seed=5)
    share = np.random.default_rng(5).uniform(size=(2, 4))
    mixed = with_residual(attention, share)
    for layer, token in np.ndindex(2, 4):
        expected = with_residual(attention, share[layer, token])[layer, token]
        np.testing.assert_array_equal(mixed[layer, token], expected)
    np.testing.assert_allclose(
        attention_rollout(attention, residual=share)[-1], mixed[1] @ mixed[0], atol=1e-15
    )


@given(attentions(heads=False), st.floats(0, 1))
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


@pytest.mark.parametrize("value", [1.5, -0.5, np.nan])
def test_what_is_no_ratio_is_refused(value):
    with pytest.raises(ValueError, match="outside 0 to 1"):
        measured_residual(np.array([[[0.6, 0.4], [0.0, 1.0]]]), np.array([[value, 0.0]]))


def test_a_share_of_another_shape_is_refused():
    with pytest.raises(TypeCheckError):
        with_residual(stochastic((2, 2, 3, 3)), np.full(3, 0.5))


def test_rows_of_the_identity_are_as_far_apart_as_can_be():
    assert row_distance(np.eye(5)) == pytest.approx(1 - 1 / 5)


def test_equal_rows_have_no_distance():
    assert row_distance(np.tile(stochastic((1, 6)), (6, 1))) == pytest.approx(0, abs=1e-15)


@settings(max_examples=50)
@given(attentions(heads=False), attentions(heads=False))
def test_another_layer_of_mixing_never_parts_rows(first, second):
    """A row-stochastic product contracts the total variation between any two rows."""
    if first.shape[-1] != second.shape[-1]:
        return
    tokens = first.shape[-1]
    pairs = [(i, j) for i in range(tokens) for j in range(tokens)]

    def widest(matrix):
        return max(np.abs(matrix[i] - matrix[j]).sum() for i, j in pairs)

    rollout = attention_rollout(np.stack([first[0], second[0]]), residual=0)
    assert widest(rollout[1]) <= widest(rollout[0]) + 1e-12
