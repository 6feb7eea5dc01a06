"""What goes beyond attention, against its definition, integrals taken numerically and real BERT."""

import numpy as np
import pytest
from hypothesis import given
from random_layers import layer, layers, plain, plain_ratio

from analysis.methods.mixing import AttentionBlock, transformed_values
from analysis.methods.weights import LayerNorm, Linear
from analysis.methods.whole_layer import (
    ACTIVATIONS,
    FEED_FORWARD_SCOPES,
    feed_forward_ratios,
    globenc,
)


def second_norm(width=8, seed=5):
    return LayerNorm(np.random.default_rng(seed).normal(1, 0.3, size=width), np.zeros(width), 1e-12)


def second_input(tokens=7, width=8, seed=6):
    return np.random.default_rng(seed).normal(2, 3, size=(tokens, width))


def network(activation, width=8, hidden=12, seed=9):
    rng = np.random.default_rng(seed)
    return {
        "first": Linear(rng.normal(size=(width, hidden)), rng.normal(size=hidden)),
        "second": Linear(rng.normal(size=(hidden, width)), np.zeros(width)),
        "activation": activation,
        "layer_norm": second_norm(width),
    }


@given(given_layer=layers())
def test_globenc_is_that_of_the_definition(given_layer):
    tokens, width = given_layer["inputs"].shape
    norm = second_norm(width)
    divided = second_input(tokens, width)
    vectors = plain(**given_layer, scope="attnresln_n")
    vectors = vectors - vectors.mean(axis=-1, keepdims=True)
    vectors = vectors * norm.weight / np.sqrt(divided.var(axis=-1) + norm.eps)[:, None, None]
    norms = globenc(AttentionBlock(**given_layer), second_layer_norm=norm, second_input=divided)
    np.testing.assert_allclose(norms, np.linalg.norm(vectors, axis=-1), atol=1e-9, rtol=1e-9)


def derivative(activation, at):
    """Derivative of an activation by torch, which knows them by itself."""
    import torch
    from transformers.activations import ACT2FN

    points = torch.tensor(at, requires_grad=True)
    ACT2FN[activation](points).sum().backward()
    return points.grad.numpy()


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_feed_forward_is_integrated_gradients_of_every_part(activation):
    """The integral is taken numerically, for the vector of every key."""
    arrays, ffn = layer(), network(activation)
    first, second, _, norm = ffn.values()
    vectors = plain(**arrays, scope="attnresln_n")
    block_output = vectors.sum(axis=1) + np.random.default_rng(3).normal(size=(7, 8))
    nodes, shares = np.polynomial.legendre.leggauss(80)
    nodes, shares = (nodes + 1) / 2, shares / 2
    preactivation = block_output @ first.weight + first.bias
    slope = sum(
        share * derivative(activation, node * preactivation)
        for node, share in zip(nodes, shares, strict=True)
    )
    through = (vectors @ first.weight * slope[:, None]) @ second.weight
    kept = through + vectors
    normalised = (kept - kept.mean(axis=-1, keepdims=True)) * norm.weight
    normalised /= np.random.default_rng(4).uniform(1, 9, size=(7, 1, 1))  # any divisor will do
    ratios = feed_forward_ratios(AttentionBlock(**arrays), **ffn, block_output=block_output)
    assert tuple(ratios) == FEED_FORWARD_SCOPES
    for ratio, expected in zip(ratios.values(), (through, kept, normalised), strict=True):
        np.testing.assert_allclose(ratio, plain_ratio(expected), atol=1e-9, rtol=0)


def test_parts_and_biases_add_up_to_what_bert_computes(make_model):
    import torch

    bert = make_model("bert", attn_implementation="eager").double().encoder.layer[1].attention
    torch.manual_seed(3)
    with torch.no_grad():  # new models have no biases and weights of 1 in layer normalisation
        for parameter in bert.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
        hidden = torch.randn(1, 9, 32, dtype=torch.float64)
        computed, attention = (array[0].numpy() for array in bert(hidden)[:2])
        value = bert.self.value(hidden).reshape(9, 4, 8).transpose(0, 1).numpy()
    weights = {name: array.detach().numpy() for name, array in bert.output.named_parameters()}
    bias, gain, eps = weights["dense.bias"], weights["LayerNorm.weight"], bert.output.LayerNorm.eps
    block = AttentionBlock(
        attention,
        transformed_values(value, weights["dense.weight"].T),
        inputs=hidden[0].numpy(),
        output_bias=bias,
        layer_norm=LayerNorm(gain, weights["LayerNorm.bias"], eps),
    )
    variance = (sum(block.vectors("attnres_n")) + bias).var(axis=-1)
    biases = (bias - bias.mean()) * gain / np.sqrt(variance + eps)[:, None]
    parts = sum(block.vectors("attnresln_n"))
    np.testing.assert_allclose(parts + biases + weights["LayerNorm.bias"], computed, atol=1e-12)


def test_an_unknown_activation_is_refused():
    with pytest.raises(ValueError, match="activation is 'swish'; it must be one of gelu, gelu_new"):
        feed_forward_ratios(
            AttentionBlock(**layer()), **network("swish"), block_output=np.ones((7, 8))
        )
