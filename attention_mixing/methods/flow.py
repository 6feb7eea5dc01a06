r"""Attention flow: attention as a network of pipes, and how much can run from token to token.

Abnar and Zuidema (2020), *Quantifying Attention Flow in Transformers*, ACL, section 4. Node
``(l, i)`` is token ``i`` after layer ``l``; a pipe of capacity :math:`A^{(l)}_{ij}` leads from it
to node ``(l-1, j)``. The attention flow from ``i`` after layer ``l`` to input token ``j`` is the
maximum flow between the two nodes. Unlike rollout it does not thin out with depth: what counts is
the narrowest place on the way, not the product of all.

Flows are exact. Capacities are taken as integers, multiples of a power of two so small that
rounding stays below 1e-15; among integers the maximum is one number, whatever the order of the
search, and equals the capacity of a cut to the last unit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float, Float64, Int, Int64

from attention_mixing.methods.arrays import not_negative
from attention_mixing.methods.shapes import checked_shapes

# The largest row sums to about 2^60. A row of flow, one more arc and one more row fit 63 bits.
ROW_BITS = 60

# Of one core, for each layer, source and square of the tokens: measured between 1.9e-7 and 4.7e-7,
# for 32 to 512 tokens of English in 6 and 12 layers.
SECONDS = 3e-7


@dataclass(frozen=True)
class AttentionFlow:
    r"""Maximum flow from tokens after some layer down to input tokens.

    Attributes
    ----------
    values
        Of the last layer, or of every layer.
    tight
        Whether the flow equals the upper bound
        :math:`\min(\sum_v A^{(l)}_{iv}, \sum_v A^{(1)}_{vj})`, all that leaves the source or all
        that enters the input token. A tight flow says nothing about the layers between.
    """

    values: Float64[np.ndarray, "*layer source token"]
    tight: Bool[np.ndarray, "*layer source token"]


@checked_shapes
def attention_flow(
    capacities: Float[np.ndarray, "layer token token"],
    *,
    sources: Int[np.ndarray, " source"] | None = None,
    layers: Literal["last", "all"] = "last",
) -> AttentionFlow:
    r"""Maximum flow from tokens of a layer to every input token.

    The flow of layer 1 is its matrix, that of layer 2 is
    :math:`\sum_v \min(A^{(2)}_{iv}, A^{(1)}_{vj})`; above, a maximum flow is solved for each pair,
    in one thread; the residual graph takes ``16 * layers * tokens**2`` bytes, and the arcs in which
    there is flow 32 each.
    The first call after installation compiles for some seconds. networkx and OR-tools solve the
    same graphs, slower by the factors that ``benchmarks/flow.py`` measures.

    Parameters
    ----------
    capacities
        Finite and not negative, whatever their rows sum to; attention averaged over heads, with its
        residual connection, is what :func:`attention_mixing.methods.rollout.with_residual` gives.
    sources
        Tokens from which to follow the flow; ``None`` for all.
    layers
        ``"last"`` for the flow from the last layer, ``"all"`` for that from each layer.

    Raises
    ------
    ValueError
        If there are no capacities, or one is negative or not finite; if a source is no token.

    Examples
    --------
    >>> lower = [[0.5, 0.5], [0.0, 1.0]]
    >>> upper = [[0.2, 0.8], [0.6, 0.4]]
    >>> attention_flow(np.array([lower, upper])).values
    array([[0.2, 1. ],
           [0.5, 0.9]])
    """
    depth, tokens, _ = capacities.shape
    starts = np.arange(tokens) if sources is None else sources.astype(np.int64, order="C")
    outside = starts[(starts < 0) | (starts >= tokens)]
    if outside.size:
        raise ValueError(f"token {outside[0]} is no source; the text has tokens 0 to {tokens - 1}")
    integers, exponent = integer_capacities(capacities)
    lowest = depth - 1 if layers == "last" else 0
    # By target, so that compiled code is made for arrays in one order.
    flows = np.zeros((tokens, depth - lowest, len(starts)), np.int64)
    tight = np.zeros(flows.shape, np.bool_)
    # numba takes longer to import than small texts to solve, and most of a run needs no flow.
    from attention_mixing.methods.maximum_flow import flow_to_target, network

    graph = network(integers)
    for target in range(tokens):
        flow_to_target(graph, target, starts, lowest, flows[target], tight[target])
    values = np.ldexp(flows.transpose(1, 2, 0).astype(np.float64, order="C"), -exponent)
    tight = np.ascontiguousarray(tight.transpose(1, 2, 0))
    return (
        AttentionFlow(values[-1], tight[-1]) if layers == "last" else AttentionFlow(values, tight)
    )


def predicted_seconds(layers: int, tokens: int, sources: int) -> float:
    """Tell about how long the flow from some tokens of every layer takes, on one core.

    Parameters
    ----------
    layers, tokens
        Size of the graph.
    sources
        Tokens of each layer from which flow starts.

    Returns
    -------
    float
        Seconds.
    """
    return SECONDS * layers * sources * tokens**2


@checked_shapes
def integer_capacities(
    capacities: Float[np.ndarray, "layer token token"],
) -> tuple[Int64[np.ndarray, "layer token token"], int]:
    """Capacities in units of ``2**-exponent``, so that the largest row sums to about 2^60.

    Parameters
    ----------
    capacities
        Finite and not negative.

    Returns
    -------
    capacities, exponent
        Whole numbers, and the power of 2 that they were multiplied with.

    Raises
    ------
    ValueError
        As :func:`attention_flow`.
    """
    matrices = not_negative("capacities", capacities)
    exponent = ROW_BITS - _power_of_largest_row(matrices)
    # Compiled code is made for arrays in this order.
    scaled = np.ldexp(matrices, exponent)
    return np.rint(scaled, out=scaled).astype(np.int64, order="C"), exponent


def _power_of_largest_row(matrices: Float64[np.ndarray, "layer token token"]) -> int:
    """Find the power of two next to the largest sum of a row, 0 if there is nothing to sum."""
    largest = matrices.max()
    if largest == 0:
        return 0
    # The sum itself could be too large for a floating-point number.
    power = int(np.frexp(largest)[1]) - 1
    sums = (matrices / np.ldexp(1.0, power)).sum(axis=2)
    return power + round(float(np.log2(sums.max())))
