"""What each layer mixes by its vectors: by their lengths, and by distance.

Matrices are ``[layer, query, key]``, rows summing to 1, with the residual connection where the
method has one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attention_mixing.attributions.blocks import blocks
from attention_mixing.capture.text import Text
from attention_mixing.methods.alti import alti as alti_of_layer
from attention_mixing.methods.mixing import row_normalised
from attention_mixing.methods.whole_layer import globenc as globenc_of_layer

Matrices = NDArray[np.float64]


def norms(text: Text, scope: str) -> Matrices:
    """Return shares of the lengths of what each key brings, in a scope of the attention block.

    Scopes are those of :data:`attention_mixing.methods.mixing.SCOPES`.
    """

    def make() -> Matrices:
        return np.array([row_normalised(block.norms(scope)) for block in blocks(text)], np.float64)

    return text.once(scope, make)


def globenc(text: Text) -> Matrices:
    """Return shares of lengths after the second normalization of each layer, GlobEnc."""
    networks = text["attention_block"] + text["ffn_output"]
    of_layers = []
    for layer, (block, weights) in enumerate(zip(blocks(text), text.weights, strict=True)):
        assert weights.network is not None  # the method is defined where a network follows
        lengths = globenc_of_layer(
            block, after_network=weights.network.after, second_input=networks[layer]
        )
        of_layers.append(row_normalised(lengths))
    return np.array(of_layers, np.float64)


def alti(text: Text) -> Matrices:
    """Return contributions by ALTI, not a number where nothing brings a token nearer."""

    def make() -> Matrices:
        outputs = text["attention_block"]
        return np.stack([alti_of_layer(*one) for one in zip(blocks(text), outputs, strict=True)])

    return text.once("alti", make)
