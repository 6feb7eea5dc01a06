"""Maximum flow through a layered graph with integer capacities, compiled.

Dinic's algorithm (1970, *Soviet Mathematics Doklady* 11), made for graphs in which every node of a
layer has an arc to nearly every node of the layer below:

- The arcs that a residual graph still has are rows of bits, so that one word operation looks at 64
  of them: a search meets every node once, and no saturated arc is ever looked at.
- The blocking flow is a depth-first search with push limits: a node hands down as much as it was
  offered before it returns, so that each arc on the way is updated once.
- What a flow changes is written down arc by arc, so that taking it back, and finding where it can
  be sent back, touches nothing else.
- A node tries its widest arc first. In a transformer that is the residual connection: wide enough
  for what trickles into most nodes, it carries it down in one piece instead of many.

Here layers count from 0, the matrix of layer 0 leads to the input tokens, and a *node* ``(layer,
token)`` is a token as that layer puts it out. A node of layer 0 has one arc, to the sink: the input
token that is asked about.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from attention_mixing.methods.compiled import compiled

Integers = NDArray[np.int64]

# Sums stop here instead of overflowing: above every bound that is compared with them, and low
# enough that adding one more capacity still fits 64 bits.
LARGEST_SUM = 2**62 - 1

WORD = 64


class Network(NamedTuple):
    """The graph, its residual graph and the working memory of one thread.

    Sets of tokens are rows of bits, 64 a word, written ``[word]`` below. Signed words, because
    numba turns a mixture of signed and unsigned integers into floating point.
    """

    capacity: Integers  # [layer, query, key], shared by all threads and never written
    widest: Integers  # [1, layer, query]: the key with the widest arc
    residual: Integers  # [layer, query, key]: what is left of the capacity; flow is the rest
    down: Integers  # [layer, query, word]: keys below to which something is left
    up: Integers  # [layer, key, word]: queries above from which flow comes in and may be sent back
    logged: Integers  # [layer, key, word]: queries above whose arc is in the log
    log: Integers  # [arc, (layer, query, key, capacity)]: arcs in which there has been flow
    length: Integers  # [1]: of the log
    demand: Integers  # [1, 1, token]: what is left of the arcs to the sink
    level: Integers  # [distance, layer, word]: live nodes so many arcs from the sink; [1, 0] demand
    unreached: (
        Integers  # [1, layer, word]: nodes from which the last search found no way to the sink
    )
    path: Integers  # [depth, (layer, token, left)]: the depth-first search's own stack


def network(capacity: Integers) -> Network:
    """Graph of a stack of capacities ``[layer, query, key]`` with memory for one flow at a time."""
    layers, tokens, _ = capacity.shape
    words = -(-tokens // WORD)
    return Network(
        capacity=capacity,
        widest=capacity.argmax(axis=2)[None],
        residual=capacity.copy(),
        down=_sets(capacity > 0, words),
        up=np.zeros((layers, tokens, words), np.int64),
        logged=np.zeros((layers, tokens, words), np.int64),
        log=np.empty((capacity.size, 4), np.int64),
        length=np.zeros(1, np.int64),
        demand=np.zeros((1, 1, tokens), np.int64),
        # No path visits a node twice, so none is longer than there are nodes.
        level=np.zeros((layers * tokens + 2, layers, words), np.int64),
        unreached=np.zeros((1, layers, words), np.int64),
        path=np.zeros((layers * tokens + 2, 3), np.int64),
    )


def _sets(members: NDArray[np.bool_], words: int) -> Integers:
    """Write the members of sets ``[layer, node, token]`` as bits."""
    packed = np.packbits(members, axis=2, bitorder="little")
    rows = np.zeros((*members.shape[:2], words * WORD // 8), np.uint8)
    rows[:, :, : packed.shape[2]] = packed
    return rows.view("<i8").astype(np.int64, copy=False)


@intrinsic
def _trailing_zeros(typing_context: Any, word: Any) -> Any:
    """Count zeros below the lowest bit that is set, one instruction of the processor."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


@compiled
def _lowest(word: int) -> int:
    """Index of the lowest bit that is set."""
    return _trailing_zeros(word)  # type: ignore[call-arg]


# Whatever is read or changed for single arcs and nodes goes through the next functions. Their
# indices are unsigned: a signed one could count from the end, and testing each time that it does
# not takes a quarter of the running time. They are given single arrays, as handing over the whole
# network would cost more than what they do.


@compiled
def _get(values: Integers, first: int, second: int, third: int) -> int:
    return values[np.uintp(first), np.uintp(second), np.uintp(third)]


@compiled
def _put(values: Integers, first: int, second: int, third: int, value: int) -> None:
    values[np.uintp(first), np.uintp(second), np.uintp(third)] = value


@compiled
def _add(sets: Integers, layer: int, node: int, token: int) -> None:
    sets[np.uintp(layer), np.uintp(node), np.uintp(token >> 6)] |= 1 << (token & 63)


@compiled
def _remove(sets: Integers, layer: int, node: int, token: int) -> None:
    sets[np.uintp(layer), np.uintp(node), np.uintp(token >> 6)] &= ~(1 << (token & 63))


@compiled
def _both_have(
    sets: Integers, layer: int, node: int, others: Integers, distance: int, beside: int, token: int
) -> bool:
    word = token >> 6
    both = _get(sets, layer, node, word) & _get(others, distance, beside, word)
    return (both >> (token & 63)) & 1 != 0


@compiled
def _first_common(
    sets: Integers, layer: int, node: int, others: Integers, distance: int, beside: int
) -> int:
    """Lowest token of two sets, or -1."""
    for word in range(sets.shape[2]):
        common = _get(sets, layer, node, word) & _get(others, distance, beside, word)
        if common != 0:
            return (word << 6) + _lowest(common)
    return -1


@compiled
def _log(
    logged: Integers, log: Integers, length: int, layer: int, query: int, key: int, room: int
) -> int:
    """Write down an arc, with what it holds without flow, unless that was done; the new length."""
    word = query >> 6
    before = _get(logged, layer - 1, key, word)
    after = before | 1 << (query & 63)
    if after == before:
        return length
    _put(logged, layer - 1, key, word, after)
    arc = np.uintp(length)
    log[arc, 0], log[arc, 1], log[arc, 2], log[arc, 3] = layer, query, key, room
    return length + 1


@compiled
def _fill(sets: Integers, distance: int, layer: int, tokens: int) -> None:
    """Make a set hold every token."""
    for word in range(sets.shape[2]):
        sets[distance, layer, word] = -1
    if tokens & 63:
        sets[distance, layer, sets.shape[2] - 1] = (1 << (tokens & 63)) - 1


@compiled
def saturating_sum(values: Integers) -> int:
    """Sum of non-negative integers below 2^62, no more than :data:`LARGEST_SUM`."""
    total = 0
    for value in values:
        total = min(total + value, LARGEST_SUM)
    return total


@compiled
def _attach_sink(graph: Network, target: int) -> None:
    """Give every node of layer 0 its arc to the sink."""
    capacity, demand, level = graph.capacity, graph.demand, graph.level
    _fill(level, 1, 0, demand.shape[2])
    for token in range(demand.shape[2]):
        inflow = _get(capacity, 0, token, target)
        _put(demand, 0, 0, token, inflow)
        if inflow == 0:
            _remove(level, 1, 0, token)


@compiled
def _first_levels(graph: Network, source_layer: int) -> int:
    """Level graph before any flow: every way leads straight down, dead ends show in the search."""
    for layer in range(1, source_layer):
        _fill(graph.level, layer + 1, layer, graph.demand.shape[2])
    return source_layer + 1


@compiled
def _levels(graph: Network, source_layer: int, source: int) -> int:
    """Breadth-first search up from the sink; the source's distance, or 0 if out of reach.

    Searching from the sink leaves no dead ends in the level graph.
    """
    level, unreached, down, up = graph.level, graph.unreached, graph.down, graph.up
    for layer in range(source_layer):
        _fill(unreached, 0, layer, graph.demand.shape[2])
    unreached[0, 0] &= ~level[1, 0]
    distance = 1
    grew = True
    while grew:
        distance += 1
        if (
            distance & 1 != source_layer & 1
            and _first_common(down, source_layer, source, level, distance - 1, source_layer - 1)
            >= 0
        ):
            return distance
        grew = False
        # Every arc leads to a neighbouring layer, so that distance and layer change together: even
        # distances hold odd layers.
        for layer in range((distance + 1) & 1, source_layer, 2):
            for word in range(level.shape[2]):
                waiting = unreached[0, layer, word]
                reached = 0
                while waiting != 0:
                    bit = waiting & -waiting
                    waiting ^= bit
                    token = (word << 6) + _lowest(bit)
                    if (
                        layer > 0
                        and _first_common(down, layer, token, level, distance - 1, layer - 1) >= 0
                    ) or (
                        layer + 1 < source_layer
                        and _first_common(up, layer, token, level, distance - 1, layer + 1) >= 0
                    ):
                        reached |= bit
                level[distance, layer, word] = reached
                unreached[0, layer, word] ^= reached
                grew = grew or reached != 0
    return 0


@compiled
def _blocking_flow(
    graph: Network, source_layer: int, source: int, distance: int, limit: int
) -> int:
    """Send up to ``limit`` along shortest paths until each of them has a saturated arc.

    Depth-first. A node returns when it has passed on all it was offered, or leaves the level graph.
    """
    capacity, residual, widest, demand = graph.capacity, graph.residual, graph.widest, graph.demand
    level, down, up, path = graph.level, graph.down, graph.up, graph.path
    logged, log, length = graph.logged, graph.log, graph.length[0]
    depth = 0
    layer, token, remaining = source_layer, source, limit
    while True:
        onward = -1
        if remaining > 0:
            beside = layer - 1
            if layer > 0:
                onward = _get(widest, 0, layer, token)
                if not _both_have(down, layer, token, level, distance - 1, beside, onward):
                    onward = _first_common(down, layer, token, level, distance - 1, beside)
            # A node as near to the sink as its layer allows has nobody above it who is nearer, and
            # nothing is gained by going back to the source.
            if onward < 0 and layer + 1 < min(distance, source_layer):
                beside = layer + 1
                onward = _first_common(up, layer, token, level, distance - 1, beside)
            if onward < 0:
                _remove(level, distance, layer, token)
        if onward >= 0 and distance == 2:
            # A node of layer 0 with demand: no need to enter it.
            room, wanting = _get(residual, 1, token, onward), _get(demand, 0, 0, onward)
            length = _log(logged, log, length, 1, token, onward, room)
            amount = min(remaining, room, wanting)
            _put(demand, 0, 0, onward, wanting - amount)
            if wanting == amount:
                _remove(level, 1, 0, onward)
            _put(residual, 1, token, onward, room - amount)
            if room == amount:
                _remove(down, 1, token, onward)
            remaining -= amount
            continue
        step = np.uintp(depth)
        if onward >= 0:
            path[step, 0], path[step, 1], path[step, 2] = layer, token, remaining
            depth += 1
            if beside < layer:
                room = _get(residual, layer, token, onward)
            else:
                room = _get(capacity, beside, onward, token) - _get(residual, beside, onward, token)
            remaining = min(remaining, room)
            layer, token = beside, onward
            distance -= 1
            continue
        if depth == 0:
            graph.length[0] = length
            return limit - remaining
        depth -= 1
        distance += 1
        step -= np.uintp(1)
        above, parent, parent_remaining = path[step, 0], path[step, 1], path[step, 2]
        if layer < above:
            room = _get(residual, above, parent, token)
            pushed = min(parent_remaining, room) - remaining
            if pushed > 0:
                length = _log(logged, log, length, above, parent, token, room)
                _put(residual, above, parent, token, room - pushed)
                if room == pushed:
                    _remove(down, above, parent, token)
        else:
            rest = _get(residual, layer, token, parent)
            room = _get(capacity, layer, token, parent) - rest
            pushed = min(parent_remaining, room) - remaining
            if pushed > 0:
                _put(residual, layer, token, parent, rest + pushed)
                if room == pushed:
                    _remove(up, above, parent, token)
                _add(down, layer, token, parent)
        layer, token, remaining = above, parent, parent_remaining - pushed


@compiled
def _open_ways_back(graph: Network) -> None:
    """Let the next search send flow back along every arc that has some.

    The search that brought the flow had no use for these ways: they lead away from the sink.
    """
    log = graph.log
    graph.up[:] = 0
    for arc in range(graph.length[0]):
        layer, query, key = log[arc, 0], log[arc, 1], log[arc, 2]
        if _get(graph.residual, layer, query, key) < log[arc, 3]:
            _add(graph.up, layer - 1, key, query)


@compiled
def solve(graph: Network, layer: int, source: int, target: int, bound: int) -> int:
    """Maximum flow from node ``(layer, source)``, ``layer >= 1``, to an input token.

    Stops at ``bound``. If that is out of reach, ``graph.unreached`` is the source's side of a
    minimum cut. The flow stays in the graph until :func:`clear`.

    Parameters
    ----------
    graph
        Without flow.
    layer, source
        Node from which flow is sent.
    target
        Input token that it reaches.
    bound
        The most that is sent.

    Returns
    -------
    int
        The flow, ``bound`` at most.
    """
    _attach_sink(graph, target)
    total = 0
    distance = _first_levels(graph, layer)
    while distance > 0 and total < bound:
        total += _blocking_flow(graph, layer, source, distance, bound - total)
        if total < bound:
            _open_ways_back(graph)
            distance = _levels(graph, layer, source)
    return total


@compiled
def clear(graph: Network) -> None:
    """Take all flow back."""
    residual, down, logged, log = graph.residual, graph.down, graph.logged, graph.log
    for arc in range(graph.length[0]):
        layer, query, key = log[arc, 0], log[arc, 1], log[arc, 2]
        _put(residual, layer, query, key, log[arc, 3])
        _add(down, layer, query, key)
        _put(logged, layer - 1, key, query >> 6, 0)
    graph.length[0] = 0


@compiled
def _assured(row: Integers, below: Integers, bound: int) -> bool:
    """Whether flows of the layer below already show that ``bound`` can be reached.

    Let the nodes below from which at least ``bound`` flows to the target get together at least
    ``bound`` from the source. Each of their flows, cut down to ``bound`` and weighted with the
    node's share of what they get, fits the capacities, as the shares sum to 1; together they bring
    ``bound``.
    """
    total = 0
    for token in range(row.size):
        if below[token] >= bound:
            total = min(total + row[token], LARGEST_SUM)
    return total >= bound


@compiled
def flow_to_target(
    graph: Network,
    target: int,
    sources: Integers,
    lowest: int,
    flows: Integers,
    tight: NDArray[np.bool_],
) -> None:
    """Flow to one input token from each source of each layer from ``lowest`` to the top.

    Writes ``flows`` and ``tight``, ``[layer - lowest, source]``.

    Parameters
    ----------
    graph
        Of all layers, without flow.
    target
        Input token.
    sources
        Tokens of each layer from which flow starts.
    lowest
        Layer, from 0, of the first sources.
    flows
        Where the flow of each source is written.
    tight
        Where it is written whether a flow equals its upper bound.
    """
    capacity = graph.capacity
    layers, tokens, _ = capacity.shape
    below = np.empty(tokens, np.int64)
    inflow = saturating_sum(capacity[0, :, target])
    for layer in range(lowest, layers):
        below[:] = -1  # not known
        if layer > lowest:
            for index in range(sources.size):
                below[sources[index]] = flows[layer - 1 - lowest, index]
        for index in range(sources.size):
            source = sources[index]
            row = capacity[layer, source]
            bound = min(saturating_sum(row), inflow)
            if layer == 0:
                flow = row[target]
            elif layer == 1:
                # Each token between the two layers is a path of its own.
                flow = 0
                for token in range(tokens):
                    flow += min(row[token], capacity[0, token, target])
            elif _assured(row, below, bound):
                flow = bound
            else:
                flow = solve(graph, layer, source, target, bound)
                clear(graph)
            flows[layer - lowest, index] = flow
            tight[layer - lowest, index] = flow == bound
