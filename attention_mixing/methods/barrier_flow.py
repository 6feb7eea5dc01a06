r"""Flow with a log barrier: of all maximum flows through the layers, one that is unique.

Attention flow (:mod:`attention_mixing.methods.flow`) is how much can run from a token down to one
input token. Asked what runs to all input tokens at once, a maximum flow can be divided among them
in many ways, and which one a search happens to find says nothing. Azarkhalili and Libbrecht (2025),
*Generalized Attention Flow: Feature Attribution for Transformer Models via Maximum Flow*, ACL, keep
every pipe away from both its ends by a barrier (their eq. 12),

.. math:: \max_f\; F + \mu \sum_e \big( \log f_e + \log (u_e - f_e) \big),

with :math:`F` what leaves the source, :math:`f_e` and :math:`u_e` flow and capacity of arc
:math:`e`, and as much leaving every node in between as enters it. The solution is unique. For
:math:`m` arcs its flow :math:`F` is within :math:`2 m \mu` of the maximum, to which it tends as
:math:`\mu` vanishes. What runs into an input token is its score.

The source is one token behind the last layer here, whose row is asked for; the paper joins all
tokens of the last layer in one source. It has barriers at the arcs that join sources and sinks,
too, as wide as all others together; here these arcs are without end. Arrays are of one text.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Float64, Int
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from attention_mixing.methods.arrays import not_negative
from attention_mixing.methods.shapes import checked_shapes

# An arc that is narrower than this share of the widest is none: in double precision, what it adds
# to a sum of others is lost.
NARROW = 1e-12
# From a barrier to the next; and Newton decrements, from which on a step is made in full, and from
# which on a flow is the best behind a barrier.
FALL, NEAR, SOLVED = 30.0, 0.25, 1e-5
# Of Newton's method at a barrier; a few dozen are usual.
STEPS = 500


@dataclass(frozen=True)
class BarrierFlow:
    """A flow from one token behind the last layer down to input tokens.

    Attributes
    ----------
    arcs
        Flow from each query down to each key; 0 where no way from the source to a target leads.
    """

    arcs: Float64[np.ndarray, "layer query key"]

    @property
    def scores(self) -> Float64[np.ndarray, " token"]:
        """What runs into each input token."""
        return self.arcs[0].sum(axis=0)

    @property
    def value(self) -> float:
        """What leaves the source."""
        return float(self.arcs[-1].sum())


@checked_shapes
def barrier_flow(
    capacities: Float[np.ndarray, "layer token token"],
    source: int,
    *,
    targets: Int[np.ndarray, " target"] | None = None,
    gap: float = 1e-3,
) -> BarrierFlow:
    r"""Find the flow from one token to input tokens that a log barrier makes unique.

    Newton's method on the barrier problem, with ever lower barriers; in each step, a system of as
    many equations as there are nodes between source and targets is solved.

    Parameters
    ----------
    capacities
        Finite and not negative; the paper takes attention averaged over heads, without a residual
        connection.
    source
        Token behind the last layer.
    targets
        Input tokens, joined in one sink; None for all.
    gap
        How far the flow may be from the maximum, as a share of all that may leave the source:
        :math:`\mu` is that divided by :math:`2 m`. More than 0.

    Raises
    ------
    ValueError
        If a capacity is negative or not finite, source or target is no token, or the gap is not
        above 0.

    Examples
    --------
    Two of the input tokens can be reached by all that leaves the source, in many ways.

    >>> half = np.full((2, 2, 2), 0.5)
    >>> flow = barrier_flow(half, 0, gap=1e-6)
    >>> flow.scores.round(6), round(flow.value, 6)
    (array([0.5, 0.5]), 1.0)
    """
    matrices = not_negative("capacities", capacities)
    layers, tokens, _ = matrices.shape
    sinks = np.arange(tokens) if targets is None else targets
    outside = [token for token in (source, *sinks.tolist()) if not 0 <= token < tokens]
    if outside:
        raise ValueError(
            f"token {outside[0]} is no source or target; the text has tokens 0 to {tokens - 1}"
        )
    if not gap > 0:
        raise ValueError(f"gap is {gap!r}; it must be above 0")
    arcs = np.zeros_like(matrices)
    there = _on_the_way(matrices > NARROW * matrices.max(), source, sinks)
    if there.any():
        width = matrices[there]
        scale = float(matrices[-1, source][there[-1, source]].sum())
        layer, query, key = there.nonzero()
        # Conserved at the tokens between layers: in from the query above, out to the key below.
        upper, lower = layer * tokens + query, (layer - 1) * tokens + key
        between, node = np.unique(upper[layer < layers - 1], return_inverse=True)
        balance = np.zeros((len(between), len(width)))
        balance[node, np.flatnonzero(layer < layers - 1)] = -1
        balance[np.searchsorted(between, lower[layer > 0]), np.flatnonzero(layer > 0)] = 1
        leaving = (layer == layers - 1).astype(np.float64)
        start = _through_all(matrices, there, source)[there]
        arcs[there] = scale * _solved(width / scale, balance, leaving, start / scale, gap)
    return BarrierFlow(arcs)


def _on_the_way(arcs: NDArray[np.bool_], source: int, sinks: NDArray[np.integer]) -> NDArray:
    """Keep the arcs through which a way leads from the source to a sink."""
    kept = arcs.copy()
    reached = np.zeros(arcs.shape[1], bool)
    reached[source] = True
    for layer in kept[::-1]:
        layer &= reached[:, None]
        reached = layer.any(axis=0)
    leads = np.zeros(arcs.shape[1], bool)
    leads[sinks] = True
    for layer in kept:
        layer &= leads
        leads = layer.any(axis=1)
    return kept


def _through_all(
    matrices: Float64[np.ndarray, "layer token token"], there: NDArray[np.bool_], source: int
) -> Float64[np.ndarray, "layer token token"]:
    """Send something through every arc, no more than half of what fits."""
    flow = np.where(there, matrices, 0)
    entering = np.zeros(flow.shape[1])
    entering[source] = 1
    fullest = 0.0
    for layer in flow[::-1]:
        sums = layer.sum(axis=1)
        share = np.divide(entering, sums, out=np.zeros_like(sums), where=sums > 0)
        fullest = max(fullest, share.max())
        layer *= share[:, None]
        entering = layer.sum(axis=0)
    return flow / (2 * fullest)


def _solved(
    width: Float64[np.ndarray, " arc"],
    balance: Float64[np.ndarray, "node arc"],
    leaving: Float64[np.ndarray, " arc"],
    flow: Float64[np.ndarray, " arc"],
    gap: float,
) -> Float64[np.ndarray, " arc"]:
    """Solve the barrier problem with ever lower barriers, from a flow that none is in the way of.

    ``balance`` says what enters and leaves each node, and ``leaving`` which arcs leave the source,
    from which 1 can run at most.
    """
    lowest = gap / (2 * len(width))
    barrier = max(1.0, lowest)
    while True:
        flow = _behind(barrier, width, balance, leaving, flow)
        if barrier == lowest:
            return flow
        barrier = max(barrier / FALL, lowest)


def _behind(
    barrier: float,
    width: Float64[np.ndarray, " arc"],
    balance: Float64[np.ndarray, "node arc"],
    leaving: Float64[np.ndarray, " arc"],
    flow: Float64[np.ndarray, " arc"],
) -> Float64[np.ndarray, " arc"]:
    """Solve the problem at one barrier by Newton's method, from a flow within it."""
    left = width - flow  # kept beside it: a difference of all but equal numbers would lose digits
    for _ in range(STEPS):
        slope = -leaving / barrier - 1 / flow + 1 / left
        bent = 1 / (1 / flow**2 + 1 / left**2)
        step = -bent * slope
        if len(balance):
            # What nodes would gain or lose is taken back by their potentials.
            over = balance * bent
            gained = balance @ (flow + step)
            step -= over.T @ cho_solve(cho_factor(over @ balance.T), gained)
        decrement = np.sqrt(((step / flow) ** 2 + (step / left) ** 2).sum())
        # A logarithm is self-concordant: so short a step stays within the barriers and gets nearer.
        length = 1 if decrement <= NEAR else 1 / (1 + decrement)
        flow, left = flow + length * step, left - length * step
        if decrement <= SOLVED:
            return flow
    raise ArithmeticError(f"no flow was found behind a barrier of {barrier:g}")
