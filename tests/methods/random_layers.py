"""Random features, attention and layers; what keys of a layer contribute, with nothing saved."""

import numpy as np
from hypothesis import strategies as st

from analysis.methods.weights import LayerNorm

WEIGHT_SCOPES = ("attn_w", "attnres_w")


def normal(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def normalised(weights):
    return weights / weights.sum(axis=-1, keepdims=True)


def stochastic(shape, seed=0, concentration=0.5):
    """Random attention, every row summing to 1; peaked where the concentration is low."""
    return normalised(np.random.default_rng(seed).gamma(concentration, size=shape))


def layer(tokens=7, heads=3, width=8, seed=0, causal=False):
    """Arrays of a random layer as the functions take them."""
    rng = np.random.default_rng(seed)
    attention = rng.gamma(0.5, size=(heads, tokens, tokens)) + 1e-6
    if causal:
        attention = np.tril(attention)
    return {
        "attention": normalised(attention),
        "transformed": rng.normal(size=(heads, tokens, width)),
        "inputs": rng.normal(size=(tokens, width)) + 0.5,
        "output_bias": rng.normal(size=width),
        "layer_norm": LayerNorm(rng.normal(1, 0.3, size=width), np.zeros(width), 1e-12),
    }


def plain(attention, transformed, *, inputs, output_bias, layer_norm, scope):
    """Every contribution as a vector, ``[query, key, model_dim]``: the definition, nothing saved.

    Weights are vectors of one dimension.
    """
    tokens = np.arange(attention.shape[-1])
    if scope in WEIGHT_SCOPES:
        mean = attention.mean(axis=0)
        mixed = mean if scope == "attn_w" else 0.5 * mean + 0.5 * np.eye(len(mean))
        return mixed[:, :, None]
    vectors = (attention[:, :, :, None] * transformed[:, None, :, :]).sum(axis=0)
    if scope != "attn_n":
        vectors[tokens, tokens] += inputs
    if scope == "attnresln_n":
        true_input = vectors.sum(axis=1) + output_bias
        divisor = np.sqrt(np.var(true_input, axis=-1) + layer_norm.eps)
        vectors = vectors - vectors.mean(axis=-1, keepdims=True)
        vectors = vectors / divisor[:, None, None] * layer_norm.weight
    return vectors


def plain_ratio(vectors):
    own = vectors[np.arange(len(vectors)), np.arange(len(vectors))]
    kept = np.linalg.norm(own, axis=-1)
    mixed = np.linalg.norm(vectors.sum(axis=1) - own, axis=-1)
    return mixed / (mixed + kept)


@st.composite
def layers(draw):
    return layer(
        tokens=draw(st.integers(1, 40)),
        heads=draw(st.integers(1, 4)),
        width=draw(st.integers(2, 9)),
        seed=draw(st.integers(0, 10_000)),
        causal=draw(st.booleans()),
    )
