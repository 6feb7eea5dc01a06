"""How much of a token's vector comes from other tokens, by the norms of what is added up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analysis.capture.text import Text
from analysis.measures.blocks import blocks
from analysis.measures.definition import (
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
from analysis.measures.matrices import matrix_quantities, of_matrices, scores
from analysis.measures.token_kinds import KINDS, token_kinds
from analysis.methods.alti import alti
from analysis.methods.mixing import SCOPES, row_normalised
from analysis.methods.rollout import attention_rollout
from analysis.methods.whole_layer import FEED_FORWARD_SCOPES, feed_forward_ratios, globenc

# The measured residual of the propagation: the whole attention block.
MEASURED_SCOPE = "attnresln_n"
# The weights with half a residual are rolled out by the propagation.
MATRICES = ("attn_w", "attn_n", "attnres_n", "attnresln_n", "globenc", "alti")
# Matrices that score tokens layer by layer as well as rolled out.
SINGLE = ("attn_n", "attnresln_n")

Arrays = dict[str, NDArray[np.float64]]


def mixing(text: Text, given: Given) -> Measured:
    """Mixing ratios of every scope by kind of token, and what rollout makes of each contribution.

    Field ``ratio``: the measured one of every token. Token scores of ``SINGLE`` and of the
    rolled-out matrices (``METHOD_rollout``).
    """
    ratios, matrices = contributions(text)
    kinds = token_kinds(text.tokens)
    for scope, ratio in ratios.items():
        for kind, chosen in kinds.items():
            if chosen.any():
                yield Values("ratio", ratio[:, chosen].mean(axis=1), of=scope, kind=kind)
    yield Field("ratio", ratios[MEASURED_SCOPE])
    for method in SINGLE:
        yield from scores(method, matrices[method], text.read)
    for method, matrix in matrices.items():
        rolled = attention_rollout(matrix)
        yield from of_matrices(rolled, text, of=method, seen=text.reached)
        yield from scores(f"{method}_rollout", rolled, text.read)


def contributions(text: Text) -> tuple[Arrays, Arrays]:
    """Ratios ``[layer, token]`` of every scope, matrices ``[layer, query, key]`` of every kind.

    Scopes with the feed-forward network are left out where it cannot be divided among parts
    (:meth:`analysis.models.running.RunningModel.shares`).
    """
    block_output, ffn_output = text["attention_block"], text["ffn_output"]
    ratios, matrices = [], []
    nearer = alti_contributions(text)
    for layer, (block, weights) in enumerate(zip(blocks(text), text.weights, strict=True)):
        read, beyond = block.inputs if weights.beside else block_output[layer], {}
        if text.network.can_share():
            beyond = feed_forward_ratios(
                block,
                shares=text.network.shares(layer, read),
                residual=weights.network,
                block_output=block_output[layer],
                network_output=text.network.network_output(layer, read),
                beside=weights.beside,
            )
        ratios.append({scope: block.ratio(scope) for scope in SCOPES} | beyond)
        norms = {scope: block.norms(scope) for scope in SCOPES if scope in MATRICES}
        norms["globenc"] = globenc(
            block,
            after_network=weights.network.after,
            second_input=block_output[layer] + ffn_output[layer],
        )
        shares = {kind: row_normalised(each) for kind, each in norms.items()}
        matrices.append(shares | {"alti": nearer[layer]})
    return over_layers(ratios), over_layers(matrices)


def alti_contributions(text: Text) -> NDArray[np.float64]:
    """Contributions by ALTI of every layer, ``[layer, query, key]``."""

    def make() -> NDArray[np.float64]:
        outputs = text["attention_block"]
        return np.stack([alti(*layer) for layer in zip(blocks(text), outputs, strict=True)])

    return text.once("alti", make)


RATIO = Gives("ratio", LAYER, SHARE, of=(*SCOPES, *FEED_FORWARD_SCOPES), kind=KINDS)
MEASURES = (Measure("mixing", mixing, gives=(RATIO, *matrix_quantities(MATRICES))),)
