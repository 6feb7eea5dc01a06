"""Arithmetic that printed numbers have to obey, and a formula that published code computes with."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Float64, Int
from scipy.stats import rankdata

from attention_mixing.methods.faithfulness import rank_correlation
from attention_mixing.methods.shapes import checked_shapes

Number = int | float


def weighted_mean(parts: Sequence[Number], weights: Sequence[Number]) -> float:
    """Mean of parts by their weights, such as scores of groups by their sizes."""
    return float(np.average(parts, weights=weights))


def total(parts: Sequence[Number]) -> float:
    """Sum, exact to the last digit of a float."""
    return math.fsum(parts)


def product(factors: Sequence[Number]) -> float:
    """Product of all factors."""
    return float(math.prod(factors))


def feature_points(at_input: Number, a_layer: Number, layers: Number) -> Number:
    """Count the feature points of a model: some at its input and as many in every layer."""
    return at_input + a_layer * layers


@checked_shapes
def dense_rank_correlation(
    a: Float[np.ndarray, "list value"] | Int[np.ndarray, "list value"],
    b: Float[np.ndarray, "list value"] | Int[np.ndarray, "list value"],
) -> Float64[np.ndarray, " list"]:
    """``1 - 6 Σd² / (n³ - n)`` of dense ranks: equal values share one, and the next is one more.

    Two published code bases have it. Without ties it is Spearman's. With ties dense ranks end
    before n, so that differences of ranks are small whatever the order is, and the formula moves
    towards 1.
    """
    first, second = (rankdata(values, method="dense", axis=-1) for values in (a, b))
    count = first.shape[-1]
    return 1 - 6 * ((first - second) ** 2).sum(axis=-1) / (count**3 - count)


def dense_rank_error(
    ties: Number, correlation: Number, values: Number, samples: Number, seed: Number
) -> float:
    """Mean of what the short formula on dense ranks gives above Spearman's correlation.

    ``samples`` pairs of lists of ``values`` are drawn from a normal distribution of that
    correlation, and neighbours in rank are made equal until only a share ``1 - ties`` of the values
    is left.

    Raises
    ------
    ValueError
        If fewer than two different values would be left.
    """
    distinct = round((1 - ties) * values)
    if distinct < 2:
        raise ValueError(
            f"ties is {ties}, which leaves {distinct} of {values} values; at least 2 must be left"
        )
    rng = np.random.default_rng(int(seed))
    first, noise = rng.standard_normal((2, int(samples), int(values)))
    second = correlation * first + np.sqrt(1 - correlation**2) * noise
    a, b = ((rankdata(x, axis=-1) - 1) * distinct // values for x in (first, second))
    return float((dense_rank_correlation(a, b) - rank_correlation(a, b)).mean())
