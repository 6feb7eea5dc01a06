r"""Massive activations: very few coordinates that are far larger than all others of their layer.

Sun, Chen, Kolter and Liu (2024), *Massive Activations in Large Language Models*, COLM:
a coordinate of a hidden state is one if its magnitude exceeds 100 and is at least about 1,000 times
the median magnitude, that of all tokens and coordinates of the layer (``main_llm.py`` in
https://github.com/locuslab/massive-activations).
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float, Float64, Int

from attention_mixing.methods.shapes import checked_shapes

Layers = Float[np.ndarray, "layer token dim"]

MAGNITUDE = 100
TIMES_THE_MEDIAN = 1000


@checked_shapes
def over_median(features: Layers) -> Float64[np.ndarray, "layer token dim"]:
    """Magnitude of every coordinate, divided by the median magnitude of its layer.

    Infinite, or for 0 not a number, where more than half of a layer is 0.
    """
    magnitudes = np.abs(features.astype(np.float64))
    with np.errstate(divide="ignore", invalid="ignore"):
        return magnitudes / np.median(magnitudes, axis=(-2, -1), keepdims=True)


@checked_shapes
def massive(features: Layers) -> Bool[np.ndarray, "layer token dim"]:
    """Tell which coordinates are massive activations."""
    return (np.abs(features) > MAGNITUDE) & (over_median(features) >= TIMES_THE_MEDIAN)


@checked_shapes
def token_of_largest(features: Layers) -> Int[np.ndarray, " layer"]:
    """Position of the token with the largest coordinate of each layer; of several, the first."""
    return np.abs(features).max(axis=-1).argmax(axis=-1)
