"""Random features, attention and layers; what keys of a layer contribute, with nothing saved."""

import numpy as np
from hypothesis import strategies as st

from attention_mixing.methods.layer import Norm, Residual

WEIGHT_SCOPES = ("attn_w", "attnres_w")


def normal(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def normalised(weights):
    return weights / weights.sum(axis=-1, keepdims=True)


def stochastic(shape, seed=0, concentration=0.5):
    """Random attention, every row summing to 1; peaked where the concentration is low."""
    return normalised(np.random.default_rng(seed).gamma(concentration, size=shape))


def norm(width, seed=0, centring=True):
    rng = np.random.default_rng(seed)
    return Norm(rng.normal(1, 0.3, size=width), rng.normal(size=width), 1e-12, centring)


# Where a layer normalises: as BERT, GPT-2, OLMo 2, Gemma 2, Granite and CaiT.
PLACEMENTS = {
    "after": lambda width, centring: Residual(after=norm(width, 1, centring)),
    "before": lambda width, centring: Residual(before=norm(width, 2, centring)),
    "of output": lambda width, centring: Residual(of_output=norm(width, 3, centring)),
    "both": lambda width, centring: Residual(
        before=norm(width, 4, centring), of_output=norm(width, 5, centring)
    ),
    "of output and after": lambda width, centring: Residual(
        of_output=norm(width, 6, centring), after=norm(width, 7, centring)
    ),
    "scaled": lambda width, centring: Residual(before=norm(width, 8, centring), scale=0.3),
    "scaled by coordinate": lambda width, centring: Residual(
        after=norm(width, 9, centring), scale=normal(width, seed=10)
    ),
}


def layer(tokens=7, heads=3, width=8, seed=0, causal=False, placement="after", centring=True):
    """Arrays of a random layer as the functions take them.

    Values are as wide as the model, and the projection adds up those of all heads.
    """
    rng = np.random.default_rng(seed)
    attention = rng.gamma(0.5, size=(heads, tokens, tokens)) + 1e-6
    if causal:
        attention = np.tril(attention)
    return {
        "attention": normalised(attention),
        "value": rng.normal(size=(heads, tokens, width)),
        "projection": np.tile(np.eye(width), (heads, 1)),
        "inputs": rng.normal(size=(tokens, width)) + 0.5,
        "output_bias": rng.normal(size=width),
        "residual": PLACEMENTS[placement](width, centring),
    }


def plain(
    attention, value, projection, *, inputs, output_bias, residual, scope, scale=None, gate=None
):
    """Every contribution as a vector, ``[query, key, model_dim]``: the definition, nothing saved.

    Weights are vectors of one dimension.
    """
    tokens = np.arange(attention.shape[-1])
    if scope in WEIGHT_SCOPES:
        mean = attention.mean(axis=0)
        mixed = mean if scope == "attn_w" else 0.5 * mean + 0.5 * np.eye(len(mean))
        return mixed[:, :, None]
    parts = attention[:, :, :, None] * value[:, None, :, :]
    if scale is not None:
        parts = parts * scale[:, :, None, None]
    if gate is not None:
        parts = parts * gate[:, :, None, :]
    vectors = sum(parts[head] @ rows for head, rows in enumerate(np.split(projection, len(value))))
    whole = vectors.sum(axis=1) + output_bias
    vectors, whole = plain_norm(vectors, whole, residual.of_output)
    vectors, whole = vectors * residual.scale, whole * residual.scale
    if scope != "attn_n":
        vectors[tokens, tokens] += inputs
    if scope == "attnresln_n":
        vectors, _ = plain_norm(vectors, whole + inputs, residual.after)
    return vectors


def plain_norm(vectors, whole, given):
    """Parts of what is normalised, and the whole."""
    if given is None:
        return vectors, whole
    mean = whole.mean(axis=-1, keepdims=True) if given.centring else 0
    divisor = np.sqrt(((whole - mean) ** 2).mean(axis=-1, keepdims=True) + given.eps)
    parts = vectors - vectors.mean(axis=-1, keepdims=True) if given.centring else vectors
    normal = (whole - mean) / divisor * given.gain + given.offset
    return parts / divisor[:, None] * given.gain, normal


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
        placement=draw(st.sampled_from(list(PLACEMENTS))),
        centring=draw(st.booleans()),
    )
