"""Rules of relevance: their formulas term by term, what they conserve, gradients in their place."""

import numpy as np
import pytest
from random_layers import norm, normal

from attention_mixing.methods.attn_lrp import (
    epsilon_rule,
    matrix_product_rule,
    normalisation_rule,
    softmax_rule,
)
from attention_mixing.methods.layer import Linear, apply_norm, norm_divisor, norm_numerator

TOKENS, INNER, WIDTH = 5, 4, 6


def softmax(scores):
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def slopes(function, rows, step=1e-6):
    """Derivatives of what a function makes of one row, ``[out, in]``, by differences."""
    return np.stack(
        [
            (function(rows + step * direction) - function(rows - step * direction)) / (2 * step)
            for direction in np.eye(rows.shape[-1])
        ],
        axis=-1,
    )


# --- linear maps ----------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.0, 0.3])
def test_each_input_has_its_share_of_every_output(epsilon):
    inputs, relevance = normal(TOKENS, INNER), normal(TOKENS, WIDTH, seed=1)
    linear = Linear(normal(INNER, WIDTH, seed=2), normal(WIDTH, seed=3))
    expected = np.zeros((TOKENS, INNER))
    for token, i, j in np.ndindex(TOKENS, INNER, WIDTH):
        output = inputs[token] @ linear.weight[:, j] + linear.bias[j]
        share = inputs[token, i] * linear.weight[i, j] / (output + epsilon * np.sign(output))
        expected[token, i] += share * relevance[token, j]
    found = epsilon_rule(inputs, linear, relevance, epsilon=epsilon)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_linear_map_conserves_relevance_but_for_its_bias():
    inputs, relevance = normal(TOKENS, INNER), normal(TOKENS, WIDTH, seed=1)
    weight, bias = normal(INNER, WIDTH, seed=2), normal(WIDTH, seed=3)
    without = epsilon_rule(inputs, Linear(weight, np.zeros(WIDTH)), relevance)
    np.testing.assert_allclose(without.sum(axis=1), relevance.sum(axis=1), rtol=1e-12)
    found = epsilon_rule(inputs, Linear(weight, bias), relevance)
    held = (bias / (inputs @ weight + bias) * relevance).sum(axis=1)
    np.testing.assert_allclose(found.sum(axis=1) + held, relevance.sum(axis=1), rtol=1e-12)


def test_an_output_of_nothing_passes_nothing_on():
    linear = Linear(np.array([[1.0], [-1.0]]), np.zeros(1))
    found = epsilon_rule(np.array([[2.0, 2.0]]), linear, np.array([[0.0]]))
    assert found.tolist() == [[0.0, 0.0]]


# --- products -------------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.0, 0.3])
def test_both_factors_have_half_of_every_term_of_a_matrix_product(epsilon):
    heads = 2
    first, second = normal(heads, TOKENS, INNER), normal(heads, INNER, WIDTH, seed=1)
    relevance = normal(heads, TOKENS, WIDTH, seed=2)
    expected = np.zeros(first.shape), np.zeros(second.shape)
    for head, i, j, p in np.ndindex(heads, TOKENS, INNER, WIDTH):
        output = first[head, i] @ second[head, :, p]
        term = first[head, i, j] * second[head, j, p] * relevance[head, i, p]
        half = term / (2 * (output + epsilon * np.sign(output)))
        expected[0][head, i, j] += half
        expected[1][head, j, p] += half
    found = matrix_product_rule(first, second, relevance, epsilon=epsilon)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-10)
        if not epsilon:
            assert ours.sum() == pytest.approx(relevance.sum() / 2, rel=1e-10)


# --- softmax --------------------------------------------------------------------------------------


def test_scores_have_their_product_with_the_gradient_of_what_is_made_of_the_weights():
    scores, gradient = normal(WIDTH), normal(WIDTH, seed=1)
    slope = gradient @ slopes(softmax, scores)
    found = softmax_rule(scores[None], (softmax(scores) * gradient)[None])
    np.testing.assert_allclose(found[0], scores * slope, atol=1e-9)


def test_a_softmax_keeps_what_its_expansion_is_at_scores_of_nothing():
    """The linear part of the expansion is what leads from there to the weights."""
    scores, gradient = normal(WIDTH), normal(WIDTH, seed=1)
    weights = softmax(scores)
    found = softmax_rule(scores[None], (weights * gradient)[None])
    at_nothing = weights - slopes(softmax, scores) @ scores
    assert found.sum() == pytest.approx((weights - at_nothing) @ gradient, abs=1e-9)


def test_hidden_keys_have_no_relevance_and_change_none():
    scores, relevance = normal(3, WIDTH), normal(3, WIDTH, seed=1)
    hidden = np.concatenate([scores, np.full((3, 2), -np.inf)], axis=1)
    found = softmax_rule(hidden, np.pad(relevance, ((0, 0), (0, 2))))
    np.testing.assert_allclose(found[:, :WIDTH], softmax_rule(scores, relevance), rtol=1e-12)
    assert not found[:, WIDTH:].any()


def test_a_token_that_sees_one_alone_passes_nothing_through_the_softmax():
    assert softmax_rule(np.array([[3.0]]), np.array([[2.0]])).tolist() == [[0.0]]


# --- normalisations -------------------------------------------------------------------------------


@pytest.mark.parametrize("centring", [True, False])
def test_a_normalisation_is_linear_once_it_has_divided(centring):
    rows, gradient = normal(TOKENS, WIDTH) + 0.5, normal(TOKENS, WIDTH, seed=1)
    layer = norm(WIDTH, centring=centring)
    relevance = apply_norm(rows, layer) * gradient
    found = normalisation_rule(rows, layer, relevance)
    divisors = norm_divisor(rows, layer)
    for token in range(TOKENS):
        slope = slopes(lambda row, t=token: norm_numerator(row, layer) / divisors[t], rows[token])
        np.testing.assert_allclose(found[token], rows[token] * (gradient[token] @ slope), atol=1e-8)


@pytest.mark.parametrize("centring", [True, False])
def test_a_normalisation_conserves_relevance_but_for_its_offset(centring):
    rows, relevance = normal(TOKENS, WIDTH) + 0.5, normal(TOKENS, WIDTH, seed=1)
    layer = norm(WIDTH, centring=centring)
    without = normalisation_rule(rows, layer._replace(offset=np.zeros(WIDTH)), relevance)
    np.testing.assert_allclose(without.sum(axis=1), relevance.sum(axis=1), rtol=1e-10)
    held = (layer.offset / apply_norm(rows, layer) * relevance).sum(axis=1)
    found = normalisation_rule(rows, layer, relevance)
    np.testing.assert_allclose(found.sum(axis=1) + held, relevance.sum(axis=1), rtol=1e-10)


def test_epsilon_takes_from_all_that_is_passed_on():
    rows, relevance = normal(TOKENS, WIDTH), normal(TOKENS, WIDTH, seed=1)
    layer = norm(WIDTH, centring=False)._replace(offset=np.zeros(WIDTH))
    outputs = apply_norm(rows, layer)
    damped = relevance * outputs / (outputs + 0.3 * np.sign(outputs))
    found = normalisation_rule(rows, layer, relevance, epsilon=0.3)
    np.testing.assert_allclose(found, normalisation_rule(rows, layer, damped), rtol=1e-12)


def test_arrays_that_do_not_belong_together_are_refused():
    with pytest.raises(ValueError, match=r"relevance is float64 \[4, 6\]"):
        epsilon_rule(
            normal(TOKENS, INNER), Linear(normal(INNER, WIDTH), np.zeros(WIDTH)), normal(4, WIDTH)
        )
