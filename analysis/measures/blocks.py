"""Attention blocks of a text, which several measures take apart."""

from __future__ import annotations

import numpy as np

from analysis.capture.text import Text
from analysis.methods.mixing import AttentionBlock, transformed_values


def blocks(text: Text) -> list[AttentionBlock]:
    """Attention block of every layer, as it read the text."""

    def make() -> list[AttentionBlock]:
        attention, value, mass = text["attention"], text["value"], text["mass"]
        # Half-precision storage moves the sums of the rows.
        attention = attention / attention.sum(axis=-1, keepdims=True)
        inputs = np.concatenate([text["embedding"][None], text["layer_output"][:-1]])
        return [
            AttentionBlock(
                attention[layer],
                transformed_values(value[layer], weights.projection.weight),
                inputs=inputs[layer],
                output_bias=weights.projection.bias,
                residual=weights.attention,
                mass=None if (mass[layer] == 1).all() else mass[layer],
            )
            for layer, weights in enumerate(text.weights)
        ]

    return text.once("blocks", make)
