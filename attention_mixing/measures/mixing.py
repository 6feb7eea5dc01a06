"""How much of a token's vector comes from other tokens, by the norms of what is added up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attention_mixing.attributions.blocks import blocks
from attention_mixing.attributions.catalogue import contributions
from attention_mixing.attributions.matrices import of_layers, of_model
from attention_mixing.attributions.of_prediction import of_rows
from attention_mixing.attributions.through import through_layers
from attention_mixing.capture.network import network
from attention_mixing.capture.text import Text
from attention_mixing.measures.engine.definition import (
    LAYER,
    SHARE,
    Given,
    Gives,
    Measure,
    Measured,
    Values,
    over_layers,
)
from attention_mixing.measures.matrices import matrix_quantities, of_matrices
from attention_mixing.measures.token_kinds import KINDS, token_kinds
from attention_mixing.methods.mixing import SCOPES
from attention_mixing.methods.whole_layer import FEED_FORWARD_SCOPES, feed_forward_ratios


def mixing(text: Text, given: Given) -> Measured:
    """Mixing ratios of every scope by kind of token, and what rollout makes of each contribution.

    Token scores of the rolled-out matrices, and of layers where the catalogue says so.
    """
    settings = through_layers(given.settings)
    kinds = token_kinds(text.tokens)
    for scope, ratio in ratios(text).items():
        for kind, chosen in kinds.items():
            if chosen.any():
                yield Values("ratio", ratio[:, chosen].mean(axis=1), subject=scope, facet=kind)
    for one in contributions():
        if not one.defined(text):
            continue
        if one.scores_layers:
            yield from of_rows(one.name, of_layers(one, text, settings).values, text.read)
        rolled, label = of_model(one, text, settings).values, one.label(whole=True)
        yield from of_matrices(rolled, text, subject=label, seen=text.reached)
        yield from of_rows(label, rolled, text.read)


def ratios(text: Text) -> dict[str, NDArray[np.float64]]:
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


RATIO = Gives("ratio", LAYER, SHARE, subject=(*SCOPES, *FEED_FORWARD_SCOPES), facet=KINDS)
MEASURES = (
    Measure(
        "mixing",
        mixing,
        gives=lambda: (
            RATIO,
            *matrix_quantities(one.label(whole=True) for one in contributions()),
        ),
        settings=("device", "propagation.start_layer"),
    ),
)
