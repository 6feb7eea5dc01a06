"""What the layers of a model write into one logit of a text, and from which tokens it came."""

from __future__ import annotations

from attention_mixing.attributions.blocks import blocks
from attention_mixing.capture.text import Text
from attention_mixing.methods.alti_logit import (
    LayerOfText,
    LogitTerms,
    logit_direction,
    logit_terms,
)
from attention_mixing.methods.layer import Classifier


def written_terms(
    text: Text, classifier: Classifier, *, query: int, label: int
) -> tuple[LogitTerms, float]:
    """Take the logit of a label, minus that of the others, apart by what wrote it.

    ``query`` is the token from which the classifier reads; all layers of the model have a
    feed-forward network. Gives the terms, and the logit that they add up to.
    """
    features = text["layer_output"][-1, query]
    direction, constant = logit_direction(classifier, features, label)
    terms = logit_terms(layers_of(text, query), direction, constant, query)
    return terms, float(direction @ features + constant)


def layers_of(text: Text, read: int) -> list[LayerOfText]:
    """Gather what the layers of a model made of a text, as one of its tokens is read.

    ``read`` is the row of the token; all layers of the model have a feed-forward network.
    """

    def make() -> list[LayerOfText]:
        block_output, ffn_output = text["attention_block"][:, read], text["ffn_output"][:, read]
        networks = [weights.network for weights in text.weights if weights.network is not None]
        return [
            LayerOfText(block, rows, written, network.after)
            for block, rows, written, network in zip(
                blocks(text), block_output, ffn_output, networks, strict=True
            )
        ]

    return text.once(f"layers read at {read}", make)
