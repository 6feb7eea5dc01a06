"""Attention sinks; and attention through the layers: raw, with residual, rolled out, as a flow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention_mixing.capture.text import Text
from attention_mixing.errors import InputError
from attention_mixing.measures.definition import (
    HEAD,
    LAYER,
    POSITIVE,
    SHARE,
    SIGNED,
    Given,
    Gives,
    Measure,
    Measured,
    Values,
    each_of,
    gives,
    over_layers,
)
from attention_mixing.measures.matrices import matrix_quantities, of_matrices, scores
from attention_mixing.methods.attention import head_mean, key_importance
from attention_mixing.methods.effective_attention import (
    correlation,
    effective_attention,
    remaining_share,
)
from attention_mixing.methods.flow import AttentionFlow, attention_flow
from attention_mixing.methods.mixing import transformed_values
from attention_mixing.methods.rollout import (
    absorption_bound,
    attention_rollout,
    beside_uniform,
    measured_residual,
    with_residual,
    without_first,
)
from attention_mixing.params.sections import Propagation

Matrices = dict[str, NDArray[np.float64]]

LENGTHS = ("longer", "shorter")  # of a text, beside the dimensions of a head
# Methods that score tokens; the others are references for them.
SCORED = ("raw", "rollout", "rollout_measured", "flow", "flow_measured")
ROLLED, FLOWS = ("rollout", "rollout_measured"), ("flow", "flow_measured")
# Rollout of causal attention beyond what the mask makes of it.
BEYOND_MASK = ("rollout_beside_uniform", "rollout_without_first")
# Methods whose share on the first token is told of causal texts.
ABSORBED = ("raw", "rollout", "uniform", *BEYOND_MASK)


class Propagated(NamedTuple):
    """What every method makes of one text.

    Attributes
    ----------
    matrices
        Method -> ``[layer, query, key]``: ``raw``, the head mean of each layer; ``residual``, with
        that of ``propagation.residual``; ``rollout`` and ``flow`` of that; ``rollout_measured`` and
        ``flow_measured``, with the residual share of every token measured instead; ``uniform``,
        rollout of attention that is uniform over what it may see: no model at all. Of a causal text
        also ``rollout_beside_uniform``, rollout divided by that, and ``rollout_without_first``, of
        attention without the weight on the first token.
    flows
        ``flow`` and ``flow_measured``, with what bounds them.
    layers
        ``rollout`` and ``rollout_measured`` -> what is multiplied, layer by layer.
    """

    matrices: Matrices
    flows: dict[str, AttentionFlow]
    layers: Matrices


def propagation(text: Text, given: Given) -> Measured:
    """Measures of every method's matrices, rows of flow being divided by their sums.

    ``tight`` is the share of pairs whose flow attains its upper bound, by kind of source. What
    holds exactly is measured too: how far sums of rows of rollout are from 1 (``row_sum``), how far
    residual, rollout and flow differ in the first layer (``first_layer``), and how much more
    rollout keeps of a token on itself than the product of what its layers keep, the smallest of all
    tokens (``kept``; never below 0, but for rounding).

    Of a causal text, ``first_share`` is the share that stems from the first token, mean over the
    others, and what bounds it from below
    (:func:`attention_mixing.methods.rollout.absorption_bound`).

    Token scores of every method of ``SCORED``.
    """
    settings = given.params.propagation
    start = settings.start_layer
    tokens = len(text.tokens)
    sources = spread_sources(tokens, settings.flow_sources)
    propagated = propagate(text, text.field("mixing")["ratio"], sources, settings)
    for method, matrix in propagated.matrices.items():
        shares = matrix / matrix.sum(axis=-1, keepdims=True)
        rows = sources if method in propagated.flows else None
        visible = text.visible if method in ("raw", "residual") else text.reached
        yield from of_matrices(shares, text, of=method, seen=visible, sources=rows)
    for method, flow in propagated.flows.items():
        yield from _tight(method, flow, sources, text.special, start)
    yield from _exact(propagated, sources, start)
    if text.causal and len(text.tokens) > 1:
        yield from _absorbed(propagated, start)
    for method in SCORED:
        yield from scores(method, propagated.matrices[method], text.read)


def spread_sources(tokens: int, limit: int | None) -> NDArray[np.int64]:
    """Choose the tokens that flow starts from: the first, the last, and evenly between.

    There are at most ``limit`` of them; None takes all tokens.
    """
    count = tokens if limit is None else min(limit, tokens)
    return np.unique(np.linspace(0, tokens - 1, count).round().astype(np.int64))


def propagate(
    text: Text,
    ratio: NDArray[np.float64],
    sources: NDArray[np.int64],
    settings: Propagation,
) -> Propagated:
    """Follow the attention of one text, with the residual and from the first layer of ``settings``.

    ``ratio`` is ``[layer, token]``, the measured mixing ratio of the attention block; flow starts
    from the tokens ``sources``. A first layer that the model does not have is refused.
    """
    start = settings.start_layer
    raw = head_mean(text["attention"])
    require_layer(start, len(raw))
    shares: dict[str, Any] = {"": settings.residual, "_measured": measured_residual(raw, ratio)}
    matrices, flows, layers = {"raw": raw}, {}, {}
    for suffix, share in shares.items():
        mixed = layers[f"rollout{suffix}"] = with_residual(raw, share)
        matrices[f"rollout{suffix}"] = attention_rollout(mixed, start_layer=start)
        flow = flows[f"flow{suffix}"] = attention_flow(mixed[start:], sources=sources, layers="all")
        matrices[f"flow{suffix}"] = from_input(flow, sources, start)
    matrices["residual"] = layers["rollout"]
    every = np.ones(raw.shape, bool) if text.visible is None else text.visible
    uniform = with_residual(every / every.sum(axis=-1, keepdims=True), settings.residual)
    matrices["uniform"] = attention_rollout(uniform, start_layer=start)
    if text.causal:
        mixed = with_residual(without_first(raw), settings.residual)
        matrices |= {
            "rollout_beside_uniform": beside_uniform(matrices["rollout"], matrices["uniform"]),
            "rollout_without_first": attention_rollout(mixed, start_layer=start),
        }
    return Propagated(matrices, flows, layers)


def from_input(flow: AttentionFlow, sources: NDArray[np.int64], start: int) -> NDArray[np.float64]:
    """Give flow of every layer, ``[layer, source, token]``, where layers below ``start`` have none.

    They are left out of the graph: below, a token is its own input.
    """
    below = np.broadcast_to(np.eye(flow.values.shape[-1])[sources], (start, *flow.values.shape[1:]))
    return np.concatenate([below, flow.values])


def from_layer(start: int, mixed: NDArray[np.float64]) -> NDArray[np.float64]:
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
            f"propagation.start_layer is {start} but the model has {layers} layers; choose "
            f"0 to {layers - 1}."
        )


def _exact(propagated: Propagated, sources: NDArray[np.int64], start: int) -> Iterator[Values]:
    for method, layers in propagated.layers.items():
        rollout = propagated.matrices[method]
        flow = propagated.matrices[method.replace("rollout", "flow")]
        sums = np.abs(rollout.sum(axis=-1) - 1).max()
        first = max(
            np.abs(rollout[start] - layers[start]).max(),
            np.abs(flow[start] - layers[start][sources]).max(),
        )
        bound = np.diagonal(layers[start:], axis1=1, axis2=2).prod(axis=0)
        margin = (np.diagonal(rollout[-1]) - bound).min()
        yield from each_of({"row_sum": sums, "first_layer": first, "kept": margin}, of=method)


def _absorbed(propagated: Propagated, start: int) -> Iterator[Values]:
    """Share that stems from the first token, mean over the others, and its bound (``bound``)."""
    for method in ABSORBED:
        yield Values("first_share", propagated.matrices[method][:, 1:, 0].mean(axis=-1), of=method)
    bound = absorption_bound(propagated.layers["rollout"][start:])
    yield Values("first_share", bound, of="bound", layer=start + 1)


def _tight(
    method: str,
    flow: AttentionFlow,
    sources: NDArray[np.int64],
    special: NDArray[np.bool_],
    start: int,
) -> Iterator[Values]:
    """Share of pairs that attain their upper bound, for each layer and kind of source."""
    first, other = sources == 0, special[sources]
    kinds = {"cls": first, "special": other & ~first, "text": ~other & ~first}
    for kind, rows in kinds.items():
        if rows.any():
            tight = [layer[rows].mean() for layer in flow.tight]
            yield Values("tight", tight, of=method, kind=kind, layer=start + 1)


def sinks(text: Text, given: Given) -> Measured:
    """Weight on a key, mean over the queries that see it, of every head (``sink``).

    ``kind``: on the ``first`` token, and on ``any``, the key with the largest; of a model that lets
    a part of its attention go to no token, that part is on ``none``.
    """
    importance = key_importance(text["attention"], text.visible)
    yield Values("sink", importance[..., 0], kind="first")
    yield Values("sink", importance.max(axis=-1), kind="any")
    if not (text["mass"] == 1).all():
        yield Values("sink", 1 - text["mass"].mean(axis=-1), kind="none")


def effective_weights(text: Text, given: Given) -> Measured:
    """Effective attention of every head, ``kind`` being ``longer`` or ``shorter``.

    That is whether the text has more tokens than a head has dimensions. ``null_space`` has the
    dimensions of what may be added to a row unseen, mean over rows; ``effective_share`` is the
    share of a row's length that remains, ``effective_correlation`` that of effective attention with
    the weights. What holds exactly is measured too: how far what was removed moves the output,
    beside the largest entry of the output (``null_output``).
    """
    attention, value = text["attention"], text["value"]
    _, _, tokens, head_dim = value.shape
    of_layers, moved = [], []
    for layer, weights in enumerate(text.weights):
        maps, projection = attention[layer].astype(np.float64), weights.projection.weight
        visible = text.sight(layer)
        visible_keys = tokens if visible is None else visible.sum(axis=-1)
        effective, rank = effective_attention(maps, value[layer], projection, visible)
        gate = 1.0 if text.gate is None else text.gate[layer].astype(np.float64)
        whole, removed = (
            np.abs(transformed_values(matrix @ value[layer] * gate, projection)).max()
            for matrix in (maps, maps - effective)
        )
        moved.append(removed / whole)
        of_layers.append(
            {
                "null_space": (visible_keys - rank).mean(axis=-1),
                "effective_share": remaining_share(maps, effective),
                "effective_correlation": correlation(maps, effective),
            }
        )
    kind = LENGTHS[tokens <= head_dim]
    yield from each_of(over_layers(of_layers), kind=kind)
    yield Values("null_output", max(moved), kind=kind)


MEASURES = (
    Measure("sinks", sinks, gives=(Gives("sink", HEAD, SHARE, kind=("first", "any", "none")),)),
    Measure(
        "effective_attention",
        effective_weights,
        gives=(
            Gives("null_space", HEAD, POSITIVE, kind=LENGTHS),
            Gives("effective_share", HEAD, SHARE, kind=LENGTHS),
            Gives("effective_correlation", HEAD, SIGNED, kind=LENGTHS),
            Gives("null_output", range=POSITIVE, kind=LENGTHS),
        ),
    ),
    Measure(
        "propagation",
        propagation,
        gives=(
            *matrix_quantities((*SCORED, "residual", "uniform", *BEYOND_MASK)),
            Gives("first_share", LAYER, SHARE, of=(*ABSORBED, "bound")),
            Gives("tight", LAYER, SHARE, FLOWS, ("cls", "special", "text"), saturates=True),
            *gives(("row_sum", "first_layer"), range=POSITIVE, of=ROLLED),
            Gives("kept", range=SIGNED, of=ROLLED),
        ),
        settings=("propagation.flow_sources", "propagation.residual", "propagation.start_layer"),
        after=("mixing",),
    ),
)
