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

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.methods.rollout import with_residual

# The largest row sums to about 2^60. A row of flow, one more arc and one more row fit 63 bits.
ROW_BITS = 60


@dataclass(frozen=True)
class AttentionFlow:
    r"""Maximum flow from tokens after some layer down to input tokens.

    Attributes
    ----------
    values : NDArray[float64]
        ``[source, token]`` of the last layer, or ``[layer, source, token]``.
    tight : NDArray[bool]
        Same shape: whether the flow equals the upper bound
        :math:`\min(\sum_v A^{(l)}_{iv}, \sum_v A^{(1)}_{vj})`, all that leaves the source or all
        that enters the input token. A tight flow says nothing about the layers between.
    """

    values: NDArray[np.float64]
    tight: NDArray[np.bool_]


@dataclass(frozen=True)
class MinimumCut:
    """Certificate of a maximum flow: no flow is larger than a cut, and these two are equal.

    Attributes
    ----------
    flow : int
        Flow, in units.
    capacity : int
        Capacity of all arcs that lead from the source's side to the other, in units.
    source_side : NDArray[bool]
        ``[layer, token]``: nodes on the source's side, layer 1 first and the source's layer last;
        input tokens are on the other.
    unit : float
        What one unit is worth, a power of two.
    """

    flow: int
    capacity: int
    source_side: NDArray[np.bool_]
    unit: float


def attention_flow(
    attention: ArrayLike,
    *,
    residual: float | ArrayLike | None = 0.5,
    sources: Sequence[int] | NDArray[np.integer] | None = None,
    layers: Literal["last", "all"] = "last",
    threads: int | None = None,
) -> AttentionFlow:
    r"""Maximum flow from tokens of a layer to every input token.

    The flow of layer 1 is its matrix, that of layer 2 is
    :math:`\sum_v \min(A^{(2)}_{iv}, A^{(1)}_{vj})`; above, a maximum flow is solved for each pair.
    The first call after installation compiles for some seconds.

    Parameters
    ----------
    attention
        Row-stochastic, ``[layer, head, query, key]`` or head-averaged ``[layer, query, key]``.
    residual
        Share of the residual connection, as :func:`analysis.methods.rollout.with_residual` takes
        it. ``None`` takes ``[layer, query, key]`` as capacities as they are: any that are finite
        and not negative, whatever their rows sum to.
    sources
        Tokens from which to follow the flow; ``None`` for all.
    layers
        ``"last"`` for the flow from the last layer, ``"all"`` for that from each layer.
    threads
        Number of threads, ``None`` for all usable cores; results are the same to the bit. Each
        takes ``8 * layers * tokens**2`` bytes for its residual graph.

    Returns
    -------
    AttentionFlow
        ``[source, token]`` for ``"last"``, ``[layer, source, token]`` for ``"all"``.

    Raises
    ------
    ValueError
        If the attention is not a stack of square, non-negative, finite matrices, with a residual
        also row-stochastic; if a source is no token, ``layers`` is neither name, or ``threads`` is
        below 1.

    Examples
    --------
    >>> lower = [[0.5, 0.5], [0.0, 1.0]]
    >>> upper = [[0.2, 0.8], [0.6, 0.4]]
    >>> attention_flow([lower, upper], residual=None).values
    array([[0.2, 1. ],
           [0.5, 0.9]])
    """
    if layers not in ("last", "all"):
        raise ValueError(f"layers is {layers!r}; it must be 'last' or 'all'")
    if threads is not None and threads < 1:
        raise ValueError(f"threads is {threads!r}; it must be at least 1, or None for all cores")
    capacity, exponent = _integer_capacities(attention, residual)
    depth, tokens, _ = capacity.shape
    starts = _source_tokens(sources, tokens)
    lowest = depth - 1 if layers == "last" else 0
    flows = np.zeros((depth - lowest, tokens, len(starts)), np.int64)
    tight = np.zeros(flows.shape, np.bool_)
    _solve_all(capacity, starts, lowest, flows, tight, threads or _usable_cores())
    values = np.ldexp(flows.transpose(0, 2, 1).astype(np.float64), -exponent)
    tight = np.ascontiguousarray(tight.transpose(0, 2, 1))
    return (
        AttentionFlow(values[-1], tight[-1]) if layers == "last" else AttentionFlow(values, tight)
    )


def minimum_cut(
    attention: ArrayLike,
    source: int,
    target: int,
    *,
    residual: float | ArrayLike | None = 0.5,
) -> MinimumCut:
    """Solve one pair of :func:`attention_flow` from the last layer and prove it.

    The flow is augmented until a search up from the input token no longer meets the source. The
    nodes that it did not meet are the source's side of the cut; what leaves them is counted afresh
    from the capacities.

    Parameters
    ----------
    attention, residual
        As in :func:`attention_flow`.
    source
        Token after the last layer.
    target
        Input token.

    Returns
    -------
    MinimumCut

    Raises
    ------
    ValueError
        As :func:`attention_flow`.
    """
    capacity, exponent = _integer_capacities(attention, residual)
    depth, tokens, _ = capacity.shape
    _source_tokens([source, target], tokens)
    source_side = np.zeros((depth, tokens), np.bool_)
    source_side[-1, source] = True
    flow = int(capacity[0, source, target])
    if depth > 1:
        from analysis.methods import maximum_flow

        graph = maximum_flow.network(capacity)
        flow = int(maximum_flow.solve(graph, depth - 1, source, target, maximum_flow.LARGEST_SUM))
        source_side[:-1] = maximum_flow.members(graph.unreached[0], tokens)[: depth - 1]
    # Python's integers: a wrong cut could be too large for 64 bits.
    cut = sum(int(amount) for amount in capacity[0, source_side[0], target])
    for layer in range(1, depth):
        crossing = capacity[layer][np.ix_(source_side[layer], ~source_side[layer - 1])]
        cut += sum(int(amount) for amount in crossing.ravel())
    return MinimumCut(flow, cut, source_side, float(np.ldexp(1.0, -exponent)))


def _integer_capacities(
    attention: ArrayLike, residual: float | ArrayLike | None
) -> tuple[NDArray[np.int64], int]:
    """Capacities in units of ``2**-exponent``, so that the largest row sums to about 2^60.

    With a residual every row sums to 1: the exponent is 60, and a row's largest entry takes up the
    rounding of the others, less than its own precision in floating point, so that rows sum to 1 in
    the integers as well.
    """
    if residual is None:
        matrices = _capacities(attention)
        exponent = ROW_BITS - _power_of_largest_row(matrices)
    else:
        matrices, exponent = with_residual(attention, residual), ROW_BITS
    scaled = np.ldexp(matrices, exponent)
    # Compiled code is made for arrays in this order.
    capacity = np.rint(scaled, out=scaled).astype(np.int64, order="C")
    if residual is not None:
        widest = capacity.argmax(axis=2)[..., None]
        missing = 2**ROW_BITS - capacity.sum(axis=2, keepdims=True)
        largest = np.take_along_axis(capacity, widest, axis=2)
        np.put_along_axis(capacity, widest, largest + missing, axis=2)
    return capacity, exponent


def _power_of_largest_row(matrices: NDArray[np.float64]) -> int:
    """Find the power of two next to the largest sum of a row, 0 if there is nothing to sum."""
    largest = matrices.max()
    if largest == 0:
        return 0
    # The sum itself could be too large for a floating-point number.
    power = int(np.frexp(largest)[1])
    return power + round(float(np.log2(np.ldexp(matrices, -power).sum(axis=2).max())))


def _capacities(matrices: ArrayLike) -> NDArray[np.float64]:
    """Check matrices that are a graph as they are."""
    array = np.asarray(matrices, dtype=np.float64)
    if array.ndim != 3 or array.shape[1] != array.shape[2] or 0 in array.shape:
        raise ValueError(
            f"attention has shape {array.shape}; without a residual it must be [layer, query, key] "
            "with as many queries as keys and nothing empty"
        )
    wrong = ~(np.isfinite(array) & (array >= 0))
    if wrong.any():
        where = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise ValueError(
            f"attention{list(where)} is {array[where]}; capacities must be finite, >= 0"
        )
    return array


def _source_tokens(sources: Sequence[int] | NDArray[np.integer] | None, tokens: int) -> NDArray:
    """Check sources and number them."""
    if sources is None:
        return np.arange(tokens)
    starts = np.asarray(sources)
    if starts.ndim != 1 or not (starts.size == 0 or np.issubdtype(starts.dtype, np.integer)):
        raise ValueError(f"sources is {sources!r}; it must be a sequence of token numbers")
    starts = starts.astype(np.int64, order="C")
    outside = (starts < 0) | (starts >= tokens)
    if outside.any():
        raise ValueError(
            f"token {starts[outside][0]} is no source or target; the text has tokens 0 to "
            f"{tokens - 1}"
        )
    return starts


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _solve_all(
    capacity: NDArray[np.int64],
    sources: NDArray[np.int64],
    lowest: int,
    flows: NDArray[np.int64],
    tight: NDArray[np.bool_],
    threads: int,
) -> None:
    """Fill ``flows`` and ``tight``, ``[layer, target, source]``, one target after the other.

    Targets differ in cost by far more than a factor of two, so each thread takes the next one when
    it is done with the last.
    """
    # numba takes longer to import than small texts to solve, and most of a run needs no flow.
    from analysis.methods import maximum_flow

    # Drawing from an iterator of a range is one step for Python's threads: nobody draws twice.
    targets = iter(range(capacity.shape[1]))

    def work() -> None:
        graph = maximum_flow.network(capacity)
        for target in targets:
            maximum_flow.flow_to_target(
                graph, target, sources, lowest, flows[:, target], tight[:, target]
            )

    with ThreadPoolExecutor(min(threads, capacity.shape[1])) as pool:
        for future in [pool.submit(work) for _ in range(min(threads, capacity.shape[1]))]:
            future.result()
