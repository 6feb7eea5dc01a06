"""Maximum flow through a layered graph with integer capacities, compiled.

Dinic's algorithm (1970, *Soviet Mathematics Doklady* 11), made for graphs in which every node of a
layer has an arc to nearly every node of the layer below:

- The arcs that a residual graph still has are rows of bits, so that one word operation looks at 64
  of them: a search meets every node once, and no saturated arc is ever looked at.
- The blocking flow is a depth-first search with push limits: a node hands down as much as it was
  offered before it returns, so that each arc on the way is updated once.
- A node tries its widest arc first. In a transformer that is the residual connection: wide enough
  for what trickles into most nodes, it carries it down in one piece instead of many.

Here layers count from 0, the matrix of layer 0 leads to the input tokens, and a *node* ``(layer,
token)`` is a token as that layer puts it out. A node of layer 0 has one arc, to the sink: the input
token that is asked about.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

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
    fed: Integers  # [1, layer, word]: nodes into which flow comes
    demand: Integers  # [1, 1, token]: what is left of the arcs to the sink
    level: Integers  # [distance, layer, word]: live nodes so many arcs from the sink; [1, 0] demand
    unreached: (
        Integers  # [1, layer, word]: nodes from which the last search found no way to the sink
    )
    path: Integers  # [depth, (layer, token, limit, pushed)]: the depth-first search's own stack


def network(capacity: Integers) -> Network:
    """Graph of a stack of capacities ``[layer, query, key]`` with memory for one flow at a time."""
    layers, tokens, _ = capacity.shape
    words = -(-tokens // WORD)
    graph = Network(
        capacity=capacity,
        widest=capacity.argmax(axis=2)[None],
        residual=capacity.copy(),
        down=np.zeros((layers, tokens, words), np.int64),
        up=np.zeros((layers, tokens, words), np.int64),
        fed=np.zeros((1, layers, words), np.int64),
        demand=np.zeros((1, 1, tokens), np.int64),
        # No path visits a node twice, so none is longer than there are nodes.
        level=np.zeros((layers * tokens + 2, layers, words), np.int64),
        unreached=np.zeros((1, layers, words), np.int64),
        path=np.zeros((layers * tokens + 2, 4), np.int64),
    )
    _mark_positive(capacity, graph.down)
    return graph


@intrinsic
def _trailing_zeros(typing_context, word):
    """Count zeros below the lowest bit that is set, one instruction of the processor."""

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


@njit(cache=True, nogil=True)
def _lowest(word):
    """Index of the lowest bit that is set."""
    return _trailing_zeros(word)  # type: ignore[call-arg]


# Whatever is read or changed for single arcs and nodes goes through the next functions. Their
# indices are unsigned: a signed one could count from the end, and testing each time that it does
# not takes a quarter of the running time. They are given single arrays, as handing over the whole
# network would cost more than what they do.


@njit(cache=True, nogil=True)
def _get(values, first, second, third):
    return values[np.uintp(first), np.uintp(second), np.uintp(third)]


@njit(cache=True, nogil=True)
def _put(values, first, second, third, value):
    values[np.uintp(first), np.uintp(second), np.uintp(third)] = value


@njit(cache=True, nogil=True)
def _add(sets, layer, node, token):
    sets[np.uintp(layer), np.uintp(node), np.uintp(token >> 6)] |= 1 << (token & 63)


@njit(cache=True, nogil=True)
def _remove(sets, layer, node, token):
    sets[np.uintp(layer), np.uintp(node), np.uintp(token >> 6)] &= ~(1 << (token & 63))


@njit(cache=True, nogil=True)
def _both_have(sets, layer, node, others, distance, beside, token):
    word = token >> 6
    both = _get(sets, layer, node, word) & _get(others, distance, beside, word)
    return (both >> (token & 63)) & 1 != 0


@njit(cache=True, nogil=True)
def _first_common(sets, layer, node, others, distance, beside):
    """Lowest token of two sets, or -1."""
    for word in range(sets.shape[2]):
        common = _get(sets, layer, node, word) & _get(others, distance, beside, word)
        if common != 0:
            return (word << 6) + _lowest(common)
    return -1


@njit(cache=True, nogil=True)
def _mark_positive(values, sets):
    """Make the sets hold the keys of the positive values of each row."""
    for layer in range(values.shape[0]):
        for query in range(values.shape[1]):
            for key in range(values.shape[2]):
                if values[layer, query, key] > 0:
                    _add(sets, layer, query, key)


@njit(cache=True, nogil=True)
def _fill(sets, distance, layer, tokens):
    """Make a set hold every token."""
    for word in range(sets.shape[2]):
        sets[distance, layer, word] = -1
    if tokens & 63:
        sets[distance, layer, sets.shape[2] - 1] = (1 << (tokens & 63)) - 1


@njit(cache=True, nogil=True)
def saturating_sum(values):
    """Sum of non-negative integers below 2^62, no more than :data:`LARGEST_SUM`."""
    total = 0
    for value in values:
        total = min(total + value, LARGEST_SUM)
    return total


@njit(cache=True, nogil=True)
def _attach_sink(graph, target):
    """Give every node of layer 0 its arc to the sink."""
    graph.level[1, 0] = 0
    for token in range(graph.demand.shape[2]):
        graph.demand[0, 0, token] = graph.capacity[0, token, target]
        if graph.demand[0, 0, token] > 0:
            _add(graph.level, 1, 0, token)


@njit(cache=True, nogil=True)
def _first_levels(graph, source_layer):
    """Level graph before any flow: every way leads straight down, dead ends show in the search."""
    for layer in range(1, source_layer):
        _fill(graph.level, layer + 1, layer, graph.demand.shape[2])
    return source_layer + 1


@njit(cache=True, nogil=True)
def _levels(graph, source_layer, source):
    """Breadth-first search up from the sink; the source's distance, or 0 if out of reach.

    Searching from the sink leaves no dead ends in the level graph.
    """
    level, unreached, down, up = graph.level, graph.unreached, graph.down, graph.up
    for layer in range(source_layer):
        _fill(unreached, 0, layer, graph.demand.shape[2])
    unreached[0, 0] &= ~level[1, 0]
    distance = 1
    found = True
    while found:
        distance += 1
        if (
            distance & 1 != source_layer & 1
            and _first_common(down, source_layer, source, level, distance - 1, source_layer - 1)
            >= 0
        ):
            return distance
        found = False
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
                found = found or reached != 0
    return 0


@njit(cache=True, nogil=True)
def _blocking_flow(graph, source_layer, source, distance, wanted):
    """Send up to ``wanted`` along shortest paths until each of them has a saturated arc.

    Depth-first. A node returns when it has passed on all it was offered, or leaves the level graph.
    """
    capacity, residual, widest, demand = graph.capacity, graph.residual, graph.widest, graph.demand
    level, down, up, fed, path = graph.level, graph.down, graph.up, graph.fed, graph.path
    depth = 0
    layer, token, limit, pushed = source_layer, source, wanted, 0
    while True:
        onward = -1
        if pushed < limit:
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
            amount = min(limit - pushed, room, wanting)
            _put(demand, 0, 0, onward, wanting - amount)
            if wanting == amount:
                _remove(level, 1, 0, onward)
            _put(residual, 1, token, onward, room - amount)
            if room == amount:
                _remove(down, 1, token, onward)
            _add(up, 0, onward, token)
            _add(fed, 0, 0, onward)
            pushed += amount
            continue
        if onward >= 0:
            path[depth, 0], path[depth, 1] = layer, token
            path[depth, 2], path[depth, 3] = limit, pushed
            depth += 1
            if beside < layer:
                room = _get(residual, layer, token, onward)
            else:
                room = _get(capacity, beside, onward, token) - _get(residual, beside, onward, token)
            limit = min(limit - pushed, room)
            layer, token, pushed = beside, onward, 0
            distance -= 1
            continue
        if depth == 0:
            return pushed
        depth -= 1
        distance += 1
        above, parent = path[depth, 0], path[depth, 1]
        if pushed > 0:
            if layer < above:
                room = _get(residual, above, parent, token) - pushed
                _put(residual, above, parent, token, room)
                if room == 0:
                    _remove(down, above, parent, token)
                _add(up, layer, token, parent)
                _add(fed, 0, layer, token)
            else:
                room = _get(residual, layer, token, parent) + pushed
                _put(residual, layer, token, parent, room)
                if room == _get(capacity, layer, token, parent):
                    _remove(up, above, parent, token)
                _add(down, layer, token, parent)
        layer, token, limit = above, parent, path[depth, 2]
        pushed += path[depth, 3]


@njit(cache=True, nogil=True)
def solve(graph, layer, source, target, bound):
    """Maximum flow from node ``(layer, source)``, ``layer >= 1``, to an input token.

    Stops at ``bound``. If that is out of reach, ``graph.unreached`` is the source's side of a
    minimum cut. The flow stays in the graph until :func:`clear`.
    """
    _attach_sink(graph, target)
    total = 0
    distance = _first_levels(graph, layer)
    while distance > 0 and total < bound:
        total += _blocking_flow(graph, layer, source, distance, bound - total)
        if total < bound:
            distance = _levels(graph, layer, source)
    return total


@njit(cache=True, nogil=True)
def clear(graph, source_layer):
    """Take all flow back: the flow itself is the list of arcs to restore."""
    capacity, residual = graph.capacity, graph.residual
    down, up, fed = graph.down, graph.up, graph.fed
    for layer in range(source_layer):
        for word in range(fed.shape[2]):
            keys = fed[0, layer, word]
            fed[0, layer, word] = 0
            while keys != 0:
                key = (word << 6) + _lowest(keys)
                keys &= keys - 1
                for above in range(up.shape[2]):
                    queries = _get(up, layer, key, above)
                    _put(up, layer, key, above, 0)
                    while queries != 0:
                        query = (above << 6) + _lowest(queries)
                        queries &= queries - 1
                        whole = _get(capacity, layer + 1, query, key)
                        _put(residual, layer + 1, query, key, whole)
                        _add(down, layer + 1, query, key)


@njit(cache=True, nogil=True)
def _assured(row, below, bound):
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


@njit(cache=True, nogil=True)
def flow_to_target(graph, target, sources, lowest, flows, tight):
    """Flow to one input token from each source of each layer from ``lowest`` to the top.

    Writes ``flows`` and ``tight``, ``[layer - lowest, source]``.
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
                clear(graph, layer)
            flows[layer - lowest, index] = flow
            tight[layer - lowest, index] = flow == bound
