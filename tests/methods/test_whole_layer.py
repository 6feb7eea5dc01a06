"""What goes beyond attention, against its definition, integrals taken numerically and real BERT."""

import numpy as np
import pytest
from hypothesis import given
from random_layers import layer, layers, plain, plain_ratio

from analysis.methods.mixing import AttentionBlock, transformed_values
from analysis.methods.whole_layer import (
    ACTIVATIONS,
    FEED_FORWARD_SCOPES,
    FeedForward,
    feed_forward_ratios,
    globenc,
)


def second_norm(width=8, seed=5):
    return np.random.default_rng(seed).normal(1, 0.3, size=width), 1e-12


def second_input(tokens=7, width=8, seed=6):
    return np.random.default_rng(seed).normal(2, 3, size=(tokens, width))


def network(activation, width=8, hidden=12, seed=9):
    rng = np.random.default_rng(seed)
    return FeedForward(
        weight_in=rng.normal(size=(width, hidden)),
        bias_in=rng.normal(size=hidden),
        weight_out=rng.normal(size=(hidden, width)),
        activation=activation,
        layer_norm=second_norm(width),
    )


@given(given_layer=layers())
def test_globenc_is_that_of_the_definition(given_layer):
    tokens, width = given_layer["inputs"].shape
    weight, eps = second_norm(width)
    divided = second_input(tokens, width)
    vectors = plain(**given_layer, scope="attnresln_n")
    vectors = vectors - vectors.mean(axis=-1, keepdims=True)
    vectors = vectors * weight / np.sqrt(divided.var(axis=-1) + eps)[:, None, None]
    norms = globenc(
        AttentionBlock(**given_layer), second_layer_norm=(weight, eps), second_input=divided
    )
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
    vectors = plain(**arrays, scope="attnresln_n")
    block_output = vectors.sum(axis=1) + np.random.default_rng(3).normal(size=(7, 8))
    nodes, shares = np.polynomial.legendre.leggauss(80)
    nodes, shares = (nodes + 1) / 2, shares / 2
    preactivation = block_output @ ffn.weight_in + ffn.bias_in
    slope = sum(
        share * derivative(activation, node * preactivation)
        for node, share in zip(nodes, shares, strict=True)
    )
    through = (vectors @ ffn.weight_in * slope[:, None]) @ ffn.weight_out
    kept = through + vectors
    normalised = (kept - kept.mean(axis=-1, keepdims=True)) * ffn.layer_norm[0]
    normalised /= np.random.default_rng(4).uniform(1, 9, size=(7, 1, 1))  # any divisor will do
    ratios = feed_forward_ratios(AttentionBlock(**arrays), ffn, block_output=block_output)
    assert tuple(ratios) == FEED_FORWARD_SCOPES
    for ratio, expected in zip(ratios.values(), (through, kept, normalised), strict=True):
        np.testing.assert_allclose(ratio, plain_ratio(expected), atol=1e-9, rtol=0)


@pytest.fixture(scope="module")
def bert_layer(make_model):
    """The second layer of a tiny BERT in float64, and every array of it for 9 tokens."""
    import torch

    model = make_model("bert", attn_implementation="eager").double()
    bert = model.encoder.layer[1]
    torch.manual_seed(3)
    with torch.no_grad():  # new models have no biases and weights of 1 in layer normalisation
        for parameter in bert.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    hidden = torch.randn(9, 32, dtype=torch.float64)
    seen = {}
    modules = {
        "block_output": bert.attention.output,
        "weights": bert.attention.self,
        "value": bert.attention.self.value,
        "attention_output": bert.attention.output.dense,
    }
    for name, module in modules.items():
        module.register_forward_hook(
            lambda module, inputs, output, name=name: seen.__setitem__(name, output)
        )
    with torch.inference_mode():
        bert(hidden[None])
    attention = seen.pop("weights")[1][0]
    arrays = {name: (x[0] if isinstance(x, tuple) else x) for name, x in seen.items()}
    arrays = {name: x.reshape(9, 32).numpy() for name, x in arrays.items()}
    value = arrays["value"].reshape(9, 4, 8).transpose(1, 0, 2)
    weights = {name: x.detach().numpy() for name, x in bert.named_parameters()}
    first = weights["attention.output.LayerNorm.weight"], bert.attention.output.LayerNorm.eps
    block = AttentionBlock(
        attention.numpy(),
        transformed_values(value, weights["attention.output.dense.weight"].T),
        inputs=hidden.numpy(),
        output_bias=weights["attention.output.dense.bias"],
        layer_norm=first,
    )
    return block, arrays, weights


def test_parts_and_biases_add_up_to_what_bert_computes(bert_layer):
    block, arrays, weights = bert_layer
    bias = weights["attention.output.dense.bias"]
    np.testing.assert_allclose(
        sum(block.vectors("attn_n")) + bias, arrays["attention_output"], atol=1e-12
    )
    true_input = arrays["attention_output"] + block.inputs
    weight, eps = block.layer_norm
    biases = (bias - bias.mean()) * weight / np.sqrt(true_input.var(axis=-1) + eps)[:, None]
    biases = biases + weights["attention.output.LayerNorm.bias"]
    np.testing.assert_allclose(
        sum(block.vectors("attnresln_n")) + biases, arrays["block_output"], atol=1e-12
    )


def test_an_unknown_activation_is_refused():
    with pytest.raises(ValueError, match="activation is 'swish'; it must be one of gelu, gelu_new"):
        feed_forward_ratios(
            AttentionBlock(**layer()), network("swish"), block_output=np.ones((7, 8))
        )
