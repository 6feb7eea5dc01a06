"""Arithmetic that printed numbers have to obey."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike


def weighted_mean(parts: ArrayLike, weights: ArrayLike) -> float:
    """Mean of ``[part]`` with ``[part]`` weights, such as scores of groups by their sizes."""
    return float(np.average(np.asarray(parts, float), weights=np.asarray(weights, float)))


def total(parts: ArrayLike) -> float:
    """Sum, exact to the last digit of a float."""
    return math.fsum(np.ravel(parts))


def product(factors: ArrayLike) -> float:
    """Product of ``[factor]``."""
    return float(np.prod(np.asarray(factors, float)))


def feature_points(at_input: float, a_layer: float, layers: float) -> float:
    """How many feature points a model has: some at its input and as many in every layer."""
    return at_input + a_layer * layers
