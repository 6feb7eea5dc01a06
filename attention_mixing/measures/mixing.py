"""How much of a token's vector comes from other tokens, by the norms of what is added up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attention_mixing.capture.text import Text
from attention_mixing.measures.attention_blocks import MATRICES, Arrays, blocks, contributions
from attention_mixing.measures.definition import (
    LAYER,
    SHARE,
    Field,
    Given,
    Gives,
    Measure,
    Measured,
    Values,
    over_layers,
)
from attention_mixing.measures.matrices import matrix_quantities, of_matrices, scores
from attention_mixing.measures.model import network
from attention_mixing.measures.propagation import from_layer
from attention_mixing.measures.token_kinds import KINDS, token_kinds
from attention_mixing.methods.mixing import SCOPES
from attention_mixing.methods.rollout import attention_rollout
from attention_mixing.methods.whole_layer import FEED_FORWARD_SCOPES, feed_forward_ratios

# The measured residual of the propagation: the whole attention block.
MEASURED_SCOPE = "attnresln_n"
# Matrices that score tokens layer by layer as well as rolled out.
SINGLE = ("attn_n", "attnresln_n")


def mixing(text: Text, given: Given) -> Measured:
    """Mixing ratios of every scope by kind of token, and what rollout makes of each contribution.

    Field ``ratio``: the measured one of every token. Token scores of ``SINGLE`` and of the
    rolled-out matrices (``METHOD_rollout``).
    """
    start = given.params.propagation.start_layer
    measured, matrices = ratios(text), contributions(text)
    kinds = token_kinds(text.tokens)
    for scope, ratio in measured.items():
        for kind, chosen in kinds.items():
            if chosen.any():
                yield Values("ratio", ratio[:, chosen].mean(axis=1), of=scope, kind=kind)
    yield Field("ratio", measured[MEASURED_SCOPE])
    for method in SINGLE:
        yield from scores(method, matrices[method], text.read)
    for method, matrix in matrices.items():
        rolled = rolled_out(matrix, start)
        yield from of_matrices(rolled, text, of=method, seen=text.reached)
        yield from scores(f"{method}_rollout", rolled, text.read)


def rolled_out(matrices: NDArray[np.float64], start_layer: int = 0) -> NDArray[np.float64]:
    """Roll contributions out, not a number from the first layer on in which a token has none.

    Layers below ``start_layer`` are left out.
    """
    followed = from_layer(start_layer, matrices)
    undefined = np.isnan(followed).any(axis=(1, 2))
    if not undefined.any():
        return attention_rollout(followed)
    rolled, defined = np.full_like(followed, np.nan), int(undefined.argmax())
    if defined:
        rolled[:defined] = attention_rollout(followed[:defined])
    return rolled


def ratios(text: Text) -> Arrays:
    """Ratios ``[layer, token]`` of every scope.

    Scopes with the feed-forward network are left out where it cannot be divided among parts
    (:meth:`attention_mixing.models.interventions.RunningModel.shares`).
    """
    block_output, model = text["attention_block"], network(text)
    of_layers = []
    for layer, (block, weights) in enumerate(zip(blocks(text), text.weights, strict=True)):
        read, beyond = block.inputs if weights.beside else block_output[layer], {}
        if weights.network is not None and model.can_share():
            normalised = weights.network.of_output is not None
            beyond = feed_forward_ratios(
                block,
                shares=model.shares(layer, read),
                residual=weights.network,
                block_output=block_output[layer],
                network_output=model.network_output(layer, read) if normalised else None,
                beside=weights.beside,
            )
        of_layers.append({scope: block.ratio(scope) for scope in SCOPES} | beyond)
    return over_layers(of_layers)


RATIO = Gives("ratio", LAYER, SHARE, of=(*SCOPES, *FEED_FORWARD_SCOPES), kind=KINDS)
MEASURES = (
    Measure(
        "mixing",
        mixing,
        gives=(RATIO, *matrix_quantities(MATRICES)),
        settings=("device", "propagation.start_layer"),
    ),
)
