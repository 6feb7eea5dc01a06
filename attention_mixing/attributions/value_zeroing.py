"""How far each token moves without the value of another, by running each layer again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attention_mixing.attributions.blocks import blocks, row_attention
from attention_mixing.capture.network import network
from attention_mixing.capture.text import Text
from attention_mixing.methods.value_zeroing import divisor_ratio
from attention_mixing.methods.value_zeroing import value_zeroing as value_zeroing_of_layer

Matrices = NDArray[np.float64]


def value_zeroing(text: Text) -> Matrices:
    """Return shares of how far zeroing each value moves a token, ``[layer, query, key]``."""

    def make() -> Matrices:
        return np.stack(
            [
                value_zeroing_of_layer(
                    block,
                    network(text).rest(layer, block.inputs),
                    ratios_without_keys(text, layer),
                )
                for layer, block in enumerate(blocks(text))
            ]
        )

    return text.once("value zeroing", make)


def ratios_without_keys(text: Text, layer: int) -> NDArray[np.float64] | None:
    """Return what zeroing a value does to the divisor of the context of a layer (0-based).

    None where the context is not normalised.
    """
    if (norm := text.weights[layer].context) is None:
        return None
    weights = row_attention(text)[layer] * text["mass"][layer][..., None]
    return divisor_ratio(weights, text["value"][layer], norm)
