"""The attention blocks of a text, and how much each moves a token."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attention_mixing.capture.text import Text
from attention_mixing.methods.encoder_decoder import beside_target
from attention_mixing.methods.layer import norm_divisor
from attention_mixing.methods.mixing import AttentionBlock

# The mixing ratio of the whole attention block, with its residual and layer normalization.
WHOLE_BLOCK = "attnresln_n"


def blocks(text: Text) -> list[AttentionBlock]:
    """Return the attention block of every layer, as it read the text."""

    def make() -> list[AttentionBlock]:
        attention, value, mass = row_attention(text), text["value"], text["mass"]
        inputs = entered(text)
        if text.stream == "cross":
            attention = beside_target(attention)
            value = np.pad(value, ((0, 0), (0, 0), (0, inputs.shape[1]), (0, 0)))
        of_layers = []
        for layer, weights in enumerate(text.weights):
            scale = mass[layer]
            if weights.context is not None:
                summed = (attention[layer] * scale[..., None]) @ value[layer]
                context = summed.transpose(1, 0, 2).reshape(len(inputs[layer]), -1)
                scale = scale / norm_divisor(context, weights.context)
            block = AttentionBlock(
                attention[layer],
                value[layer],
                weights.projection.weight,
                inputs=inputs[layer],
                output_bias=weights.projection.bias,
                residual=weights.attention,
                scale=None if (scale == 1).all() else scale,
                gate=None if text.gate is None else text.gate[layer],
            )
            of_layers.append(block)
        return of_layers

    return text.once("blocks", make)


def entered(text: Text) -> NDArray[np.float32]:
    """Return the stream that enters each layer, ``[layer, token, model_dim]``."""
    if text.stream == "cross":
        return text["entered"]
    return np.concatenate([text["embedding"][None], text["layer_output"][:-1]])


def row_attention(text: Text) -> NDArray[np.float32]:
    """Return attention of which every row sums to 1; half-precision storage moves the sums."""
    attention = text["attention"]
    return attention / attention.sum(axis=-1, keepdims=True)


def measured_ratio(text: Text) -> NDArray[np.float64]:
    """Return the mixing ratio of the whole attention block of every token, ``[layer, token]``."""
    return text.once(
        "measured ratio",
        lambda: np.stack([block.ratio(WHOLE_BLOCK) for block in blocks(text)]).astype(np.float64),
    )
