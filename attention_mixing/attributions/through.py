"""From the matrices of layers to the whole model: one graph, whose layers are multiplied or flow.

The graph of one text has its tokens as nodes, after every layer; that of an encoder-decoder has
those of source and target (:mod:`attention_mixing.methods.encoder_decoder`). Layers below the first
one that counts pass every token on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention_mixing.capture.text import Text
from attention_mixing.errors import InputError
from attention_mixing.methods.encoder_decoder import joint_layers
from attention_mixing.methods.flow import attention_flow
from attention_mixing.methods.rollout import attention_rollout
from attention_mixing.settings.derived import JOINT, STREAMS

Matrices = NDArray[np.float64]
# What each layer of a stream mixes, [layer, query, key], rows summing to 1.
LayersOf = Callable[[Text], Matrices]


SECTION = "propagation."
SETTINGS = tuple(f"{SECTION}{name}" for name in ("residual", "start_layer", "flow_sources"))


@dataclass(frozen=True)
class ThroughLayers:
    """How attention is followed through the layers.

    Attributes
    ----------
    residual
        Share of the residual connection in each step, 0 to 1; one half in Abnar and Zuidema (2020).
    start_layer
        The first layer that counts, 0-based; below it, a token is its own input.
    flow_sources
        From how many tokens flow is followed; None for all.
    """

    residual: float = 0.5
    start_layer: int = 0
    flow_sources: int | None = None

    def __post_init__(self) -> None:
        """Refuse what no model can be followed by."""
        number, count = Real, Integral
        asked = {
            "residual": (number, lambda share: 0 <= share <= 1, "a number from 0 to 1"),
            "start_layer": (count, lambda layer: layer >= 0, "a layer, counted from 0"),
            "flow_sources": (count, lambda tokens: tokens >= 1, "a number of tokens, or None"),
        }
        for name, (kind, fits, allowed) in asked.items():
            value = getattr(self, name)
            if name == "flow_sources" and value is None:
                continue
            if not isinstance(value, kind) or not fits(value):
                raise InputError(f"{name} is {value!r}; allowed: {allowed}; give that instead.")


def through_layers(settings: Mapping[str, Any]) -> ThroughLayers:
    """Take what a measure is given of :data:`SETTINGS`; what it does not declare is the default."""
    given = {key.removeprefix(SECTION): value for key, value in settings.items() if key in SETTINGS}
    return ThroughLayers(**given)


class Graph(NamedTuple):
    """What the layers of a model mix, as layers of one graph.

    Attributes
    ----------
    steps
        ``[step, node, node]``, rows summing to 1.
    after
        The step behind which each layer of the model ends, ``[layer]``, of those from ``below`` on.
    queries
        The nodes that are followed back.
    below
        Layers of the model that are left out: behind each, a token is its own input.
    """

    steps: Matrices
    after: NDArray[np.int64]
    queries: slice
    below: int = 0


def graph(text: Text, layers_of: LayersOf, start: int) -> Graph:
    """Lay out the layers of a text, or of source and target, as one graph.

    Parameters
    ----------
    text
        Of one text, or of an encoder-decoder as a whole (stream ``joint``), whose target is
        followed back to both.
    layers_of
        What each layer of a stream mixes.
    start
        The first layer that counts, 0-based, of encoder and decoder alike.

    Raises
    ------
    InputError
        If the model has no such layer.
    """
    if text.stream != JOINT:
        layers = layers_of(text)
        require_layer(start, len(layers))
        steps = layers[start:]
        return Graph(steps, np.arange(len(steps)), slice(None), start)
    streams = [text.of(stream) for stream in STREAMS]
    encoder, decoder, _ = streams
    require_layer(start, min(len(encoder.weights), len(decoder.weights)))
    steps = joint_layers(*(from_layer(start, layers_of(stream)) for stream in streams))
    behind = len(encoder.weights) + 1 + 2 * np.arange(len(decoder.weights))
    return Graph(steps, behind, slice(len(encoder.tokens), None))


def rolled_out(graph: Graph) -> Matrices:
    """Multiply the layers of a graph, ``[layer, query, key]``: attention rollout."""
    rolled = multiplied(graph.steps)[graph.after][:, graph.queries]
    return _with_layers_below(graph, rolled, graph.queries)


def multiplied(steps: Matrices) -> Matrices:
    """Multiply layers, ``[layer, node, node]``.

    Not a number from the first layer on in which a node has no shares.
    """
    undefined = np.isnan(steps).any(axis=(1, 2))
    defined = int(undefined.argmax()) if undefined.any() else len(steps)
    rolled = np.full(steps.shape, np.nan)
    if defined:
        rolled[:defined] = attention_rollout(steps[:defined])
    return rolled


def flow_through(graph: Graph, sources: NDArray[np.int64]) -> tuple[Matrices, NDArray[np.bool_]]:
    """Compute the maximum flow from tokens behind every layer, ``[layer, source, key]``.

    ``sources`` are numbers of queries of the graph. Beside it, of the layers that count alone,
    which flows attain their bound (:class:`attention_mixing.methods.flow.AttentionFlow`).
    """
    starts = np.arange(graph.steps.shape[-1])[graph.queries][sources]
    flow = attention_flow(graph.steps, sources=starts, layers="all")
    values = _with_layers_below(graph, flow.values[graph.after], starts)
    return values, flow.tight[graph.after]


def _with_layers_below(
    graph: Graph, matrices: Matrices, queries: NDArray[np.int64] | slice
) -> Matrices:
    """Put the layers that are left out in front, behind which a token is its own input."""
    itself = np.eye(matrices.shape[-1])[queries]
    return np.concatenate([np.broadcast_to(itself, (graph.below, *itself.shape)), matrices])


def from_layer(start: int, mixed: Matrices) -> Matrices:
    """Let layers below the start pass every token on, ``[layer, query, key]``.

    Of attention to a source beside a target, whose tokens are the last keys, too.
    """
    require_layer(start, len(mixed))
    targets, tokens = mixed.shape[1:]
    below = np.broadcast_to(np.eye(targets, tokens, k=tokens - targets), (start, targets, tokens))
    return np.concatenate([below, mixed[start:]])


def require_layer(start: int, layers: int) -> None:
    """Refuse to follow attention from a layer that there is not; layers are counted from 0."""
    if start >= layers:
        raise InputError(
            f"start_layer is {start} but the model has {layers} layers; choose 0 to {layers - 1}."
        )


def spread_sources(tokens: int, limit: int | None) -> NDArray[np.int64]:
    """Choose the tokens that flow starts from: the first, the last, and evenly between.

    There are at most ``limit`` of them; None takes all tokens.
    """
    count = tokens if limit is None else min(limit, tokens)
    return np.unique(np.linspace(0, tokens - 1, count).round().astype(np.int64))
