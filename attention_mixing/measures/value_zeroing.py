"""How far a layer moves each token without the value of another, alone and rolled out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attention_mixing.capture.text import Text
from attention_mixing.measures.attention_blocks import blocks, row_attention
from attention_mixing.measures.definition import Given, Measure, Measured
from attention_mixing.measures.matrices import matrix_quantities, of_matrices, scores
from attention_mixing.measures.model import network
from attention_mixing.measures.propagation import from_layer
from attention_mixing.methods.rollout import attention_rollout
from attention_mixing.methods.value_zeroing import divisor_ratio
from attention_mixing.methods.value_zeroing import value_zeroing as value_zeroing_of_layer


def value_zeroing(text: Text, given: Given) -> Measured:
    """Measures of value zeroing layer by layer, and rolled out (``value_zeroing_rollout``).

    Token scores of both.
    """
    matrices = without_values(text)
    # As in the authors' code, without a residual.
    rolled = attention_rollout(from_layer(given.params.propagation.start_layer, matrices))
    yield from of_matrices(matrices, text, of="value_zeroing", seen=text.visible)
    yield from of_matrices(rolled, text, of="value_zeroing_rollout", seen=text.reached)
    for method, matrix in {"value_zeroing": matrices, "value_zeroing_rollout": rolled}.items():
        yield from scores(method, matrix, text.read)


def without_values(text: Text) -> NDArray[np.float64]:
    """Zero the value of each token in turn, ``[layer, query, key]``, rows summing to 1."""
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


def ratios_without_keys(text: Text, layer: int) -> NDArray[np.float64] | None:
    """Tell what zeroing a value does to the divisor of the context of a layer (0-based).

    None where the context is not normalised.
    """
    if (norm := text.weights[layer].context) is None:
        return None
    weights = row_attention(text)[layer] * text["mass"][layer][..., None]
    return divisor_ratio(weights, text["value"][layer], norm)


MEASURES = (
    Measure(
        "value_zeroing",
        value_zeroing,
        gives=matrix_quantities(("value_zeroing", "value_zeroing_rollout")),
        settings=("device", "propagation.start_layer"),
        panel="propagation.value_zeroing",
    ),
)
