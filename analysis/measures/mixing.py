"""How much of a token's vector comes from other tokens, by the norms of what is added up."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.capture.text import Text
from analysis.measures.definition import Field, Given, Measure, Measured, Values, over_layers
from analysis.measures.matrices import of_matrices, scores
from analysis.methods.alti import alti
from analysis.methods.mixing import SCOPES, AttentionBlock, row_normalised, transformed_values
from analysis.methods.rollout import attention_rollout
from analysis.methods.whole_layer import feed_forward_ratios, globenc

# The measured residual of the propagation: the whole attention block.
MEASURED_SCOPE = "attnresln_n"
# The weights with half a residual are rolled out by the propagation.
MATRICES = ("attn_w", "attn_n", "attnres_n", "attnresln_n", "globenc", "alti")
# Matrices that score tokens layer by layer as well as rolled out.
SINGLE = ("attn_n", "attnresln_n")
MASKS = ("[MASK]", "<mask>")

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
        yield from scores(method, matrices[method])
    for method, matrix in matrices.items():
        rolled = attention_rollout(matrix)
        yield from of_matrices(rolled, text.special, of=method)
        yield from scores(f"{method}_rollout", rolled)


def contributions(text: Text) -> tuple[Arrays, Arrays]:
    """Ratios ``[layer, token]`` of every scope, matrices ``[layer, query, key]`` of every kind."""
    block_output, ffn_output = text["attention_block"], text["ffn_output"]
    ratios, matrices = [], []
    nearer = alti_contributions(text)
    for layer, (block, weights) in enumerate(zip(blocks(text), text.weights, strict=True)):
        beyond = feed_forward_ratios(
            block,
            first=weights.ffn_input,
            second=weights.ffn_output,
            activation=weights.activation,
            layer_norm=weights.ffn_norm,
            block_output=block_output[layer],
        )
        ratios.append({scope: block.ratio(scope) for scope in SCOPES} | beyond)
        norms = {scope: block.norms(scope) for scope in SCOPES if scope in MATRICES}
        norms["globenc"] = globenc(
            block,
            second_layer_norm=weights.ffn_norm,
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


def blocks(text: Text) -> list[AttentionBlock]:
    """Attention block of every layer, as it read the text."""

    def make() -> list[AttentionBlock]:
        attention, value = text["attention"], text["value"]
        # Half-precision storage moves the sums of the rows.
        attention = attention / attention.sum(axis=-1, keepdims=True)
        inputs = np.concatenate([text["embedding"][None], text["layer_output"][:-1]])
        return [
            AttentionBlock(
                attention[layer],
                transformed_values(value[layer], weights.attention_output.weight),
                inputs=inputs[layer],
                output_bias=weights.attention_output.bias,
                layer_norm=weights.attention_norm,
            )
            for layer, weights in enumerate(text.weights)
        ]

    return text.once("blocks", make)


def token_kinds(tokens: pd.DataFrame) -> dict[str, NDArray[np.bool_]]:
    """Tokens of each kind: all, the first, other special ones, the mask, other text."""
    special = tokens["is_special"].to_numpy(bool)
    mask = tokens["token"].isin(MASKS).to_numpy()
    first = np.arange(len(tokens)) == 0
    return {
        "all": np.ones(len(tokens), bool),
        "cls": first,
        "special": special & ~first,
        "mask": mask & ~special,
        "text": ~special & ~mask & ~first,
    }


MEASURES = (Measure("mixing", mixing),)
