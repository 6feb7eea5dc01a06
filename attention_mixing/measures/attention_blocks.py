"""Attention blocks of a text, which several measures take apart, and what keys contribute there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attention_mixing.capture.text import Text
from attention_mixing.measures.definition import over_layers
from attention_mixing.methods.alti import alti
from attention_mixing.methods.encoder_decoder import beside_target
from attention_mixing.methods.layer import norm_divisor
from attention_mixing.methods.mixing import SCOPES, AttentionBlock, row_normalised
from attention_mixing.methods.whole_layer import globenc

# The weights with half a residual are rolled out by the propagation.
MATRICES = ("attn_w", "attn_n", "attnres_n", "attnresln_n", "globenc", "alti")

Arrays = dict[str, NDArray[np.float64]]


def blocks(text: Text) -> list[AttentionBlock]:
    """Attention block of every layer, as it read the text."""

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
    """Give the stream that enters each layer, ``[layer, token, model_dim]``."""
    if text.stream == "cross":
        return text["entered"]
    return np.concatenate([text["embedding"][None], text["layer_output"][:-1]])


def row_attention(text: Text) -> NDArray[np.float32]:
    """Attention of which every row sums to 1; half-precision storage moves the sums."""
    attention = text["attention"]
    return attention / attention.sum(axis=-1, keepdims=True)


def contributions(text: Text) -> Arrays:
    """Matrices of contributions of every kind, ``[layer, query, key]``, rows summing to 1.

    Without ``globenc`` where no network follows the attention.
    """
    nearer, matrices = alti_contributions(text), []
    networks = text["attention_block"] + text["ffn_output"]
    for layer, (block, weights) in enumerate(zip(blocks(text), text.weights, strict=True)):
        norms = {scope: block.norms(scope) for scope in SCOPES if scope in MATRICES}
        if weights.network is not None:
            norms["globenc"] = globenc(
                block, after_network=weights.network.after, second_input=networks[layer]
            )
        shares = {kind: row_normalised(norm) for kind, norm in norms.items()}
        matrices.append(shares | {"alti": nearer[layer]})
    return over_layers(matrices)


def alti_contributions(text: Text) -> NDArray[np.float64]:
    """Contributions by ALTI of every layer, ``[layer, query, key]``."""

    def make() -> NDArray[np.float64]:
        outputs = text["attention_block"]
        return np.stack([alti(*layer) for layer in zip(blocks(text), outputs, strict=True)])

    return text.once("alti", make)
