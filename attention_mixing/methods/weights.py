"""Weights of a layer and of a head, as functions take and files give them."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from attention_mixing.methods.norm import Norm


class Linear(NamedTuple):
    """``y = x @ weight + bias``; the weight is the transpose of a torch ``Linear.weight``."""

    weight: Float[np.ndarray, "in_dim out_dim"]
    bias: Float[np.ndarray, " out_dim"]


class Classifier(NamedTuple):
    """``output(activation(dense(norm(x))))`` of the last representation of one token.

    BERT has no normalisation there, GPT-2 no ``dense`` and no activation; what is None is left out.
    """

    norm: Norm | None
    dense: Linear | None
    activation: str | None
    output: Linear
