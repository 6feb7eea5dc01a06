"""Every step of attention by hand, by invariances, and against torch."""

import numpy as np
import pytest
import torch
from random_layers import normal
from scipy.special import softmax
from torch.nn import functional

from attention_mixing.methods.layer import Norm, Residual
from attention_mixing.methods.scaled_dot_product import (
    attention_layer,
    heads_of,
    joined_context,
    relative_length,
    scaled_scores,
    scaling_effect,
)

HEADS, TOKENS, WIDTH, DIM = 3, 5, 4, 7


def test_two_tokens_attended_to_by_hand():
    query = np.array([[2.0, 0.0], [0.0, 0.0]])
    key = np.array([[np.log(3) / np.sqrt(2), 5.0], [0.0, 1.0]])
    scores = scaled_scores(query, key)
    np.testing.assert_allclose(scores, [[np.log(3), 0], [0, 0]], atol=1e-15)
    attention = softmax(scores, axis=-1)
    np.testing.assert_allclose(attention, [[0.75, 0.25], [0.5, 0.5]])
    context = joined_context(attention[None], np.diag([4.0, 8.0])[None])
    np.testing.assert_allclose(context, [[3, 2], [2, 4]])


def test_every_step_of_a_layer_is_that_of_torch():
    inputs = torch.tensor(normal(TOKENS, DIM, seed=20))
    into = {
        name: (normal(DIM, HEADS * WIDTH, seed=place), normal(HEADS * WIDTH, seed=place + 10))
        for place, name in enumerate(("query", "key", "value"))
    }
    output = normal(HEADS * WIDTH, DIM, seed=4), normal(DIM, seed=14)
    gain, shift = normal(DIM, seed=5), normal(DIM, seed=15)
    residual = Residual(after=Norm(gain, shift, 1e-5))
    ours = {name: heads_of(inputs.numpy(), *linear, HEADS) for name, linear in into.items()}
    ours |= attention_layer(inputs.numpy(), **ours, output=output, residual=residual)
    steps = {}
    for name, (weight, bias) in into.items():
        projected = inputs @ torch.tensor(weight) + torch.tensor(bias)
        steps[name] = projected.view(TOKENS, HEADS, WIDTH).transpose(0, 1)
    query, key, value = steps.values()
    steps["scores"] = query @ key.mT / WIDTH**0.5
    steps["attention"] = steps["scores"].softmax(-1)
    context = functional.scaled_dot_product_attention(query, key, value)
    steps["context"] = context.transpose(0, 1).reshape(TOKENS, HEADS * WIDTH)
    weight, bias = map(torch.tensor, output)
    steps["output"] = steps["context"] @ weight + bias
    added = inputs + steps["output"]
    steps["block"] = functional.layer_norm(added, (DIM,), *map(torch.tensor, (gain, shift)), 1e-5)
    assert set(ours) == set(steps)
    for name, step in steps.items():
        np.testing.assert_allclose(ours[name], step, atol=1e-12)


def test_hidden_keys_get_nothing():
    query, key, value = (normal(HEADS, TOKENS, WIDTH, seed=seed) for seed in range(3))
    output = normal(HEADS * WIDTH, DIM, seed=4), normal(DIM, seed=14)
    visible = np.tril(np.ones((TOKENS, TOKENS), bool))
    heads = {"query": query, "key": key, "value": value}
    found = attention_layer(
        normal(TOKENS, DIM), **heads, output=output, residual=Residual(), visible=visible
    )
    assert (found["attention"][:, ~visible] == 0).all()
    theirs = functional.scaled_dot_product_attention(
        *map(torch.tensor, (query, key, value)), is_causal=True
    )
    np.testing.assert_allclose(
        found["context"], theirs.transpose(0, 1).reshape(TOKENS, -1), atol=1e-12
    )
    np.testing.assert_allclose(found["block"], normal(TOKENS, DIM) + found["output"])
    effect = scaling_effect(found["scores"], WIDTH)
    assert effect["score_std_scaled"] == pytest.approx(
        np.mean([head[visible].std() for head in found["scores"]])
    )


@pytest.mark.parametrize("heads", [0, 5])
def test_columns_that_cannot_be_divided_are_refused(heads):
    with pytest.raises(ValueError, match=f"12 columns for {heads} heads"):
        heads_of(normal(TOKENS, DIM), normal(DIM, 12), normal(12), heads)


def test_the_effect_of_scaling_by_hand():
    # Divided by two: 0 and ln 3, that is weights of 1/4 and 3/4; undivided 1/10 and 9/10.
    scores = np.stack([(1 - np.eye(2)) * np.log(3), np.zeros((2, 2))])
    assert scaling_effect(scores, 4) == pytest.approx(
        {
            "score_std_unscaled": np.log(3) / 2,
            "score_std_scaled": np.log(3) / 4,
            "largest_weight_unscaled": (0.9 + 0.5) / 2,
            "largest_weight_scaled": (0.75 + 0.5) / 2,
        }
    )


def test_relative_length_is_a_mean_of_ratios():
    inputs, output = np.array([[3.0, 4.0], [0.0, 2.0]]), np.array([[0.0, 10.0], [0.0, 0.0]])
    assert relative_length(output, inputs) == 1.0
    assert relative_length(inputs, inputs) == 1.0
    # Directions do not matter, and neither does a common factor.
    added, residual = normal(2, TOKENS, DIM), normal(2, TOKENS, DIM, seed=1)
    rotation, _ = np.linalg.qr(normal(DIM, DIM, seed=2))
    length = relative_length(added, residual)
    assert relative_length(3 * added @ rotation, 3 * residual) == pytest.approx(length)


def test_a_residual_without_length_is_refused():
    with pytest.raises(ValueError, match=r"inputs\[0, 1\] is zero"):
        relative_length(normal(1, 2, 2), np.array([[[1.0, 0.0], [0.0, 0.0]]]))
