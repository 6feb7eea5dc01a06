"""Weights of a layer and of a head, as functions take and files give them."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float


class Linear(NamedTuple):
    """``y = x @ weight + bias``; the weight is the transpose of a torch ``Linear.weight``."""

    weight: Float[np.ndarray, "in_dim out_dim"]
    bias: Float[np.ndarray, " out_dim"]


class Classifier(NamedTuple):
    """``output(activation(dense(x)))`` of the last representation of the first token."""

    dense: Linear
    activation: str
    output: Linear
