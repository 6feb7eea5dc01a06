"""What attention, feed-forward networks and biases write into the logit of the predicted class."""

from __future__ import annotations

import numpy as np

from attention_mixing.attributions.blocks import blocks
from attention_mixing.attributions.through import from_layer
from attention_mixing.attributions.vectors import alti
from attention_mixing.capture.text import Text
from attention_mixing.capture.token_scores import TokenScores
from attention_mixing.measures.engine.definition import (
    LAYER,
    POSITIVE,
    Given,
    Gives,
    Measure,
    Measured,
    Values,
)
from attention_mixing.methods.alti_logit import (
    LayerOfText,
    alti_logit,
    logit_direction,
    logit_terms,
)
from attention_mixing.params.derived import predicts


def logit_contributions(text: Text, given: Given) -> Measured:
    """Take the logit of the predicted class, minus that of the others, apart.

    Token scores ``alti_logit``: what attention brings from each input token, signed. Values:
    ``written``, in logits, of every layer's ``attention``, ``ffn`` and ``bias``, of the
    ``embedding`` (layer 0) and the ``head``'s biases; ``logit``, what they should add up to, and
    ``sum_error``, how far they miss it, as captured arrays are rounded.
    """
    classifier = text.state.capture.weights.classifier
    assert classifier is not None  # the measure is defined for classifiers
    layers, start = layers_of(text, text.read), given.settings["propagation.start_layer"]
    features = text["layer_output"][-1, text.read]
    direction, constant = logit_direction(classifier, features, int(text.example["prediction"]))
    terms = logit_terms(layers, direction, constant, text.read)
    nearer = from_layer(start, alti(text))
    scores = np.full((1, len(text.tokens)), np.nan, np.float32)
    if np.isfinite(nearer).all():
        scores[0] = alti_logit(terms, nearer, text.read, start_layer=start)
    yield TokenScores("alti_logit", "input", scores, first_layer=len(layers))
    written = {
        "attention": terms.attention.sum(axis=1),
        "ffn": terms.ffn,
        "bias": terms.bias,
        "embedding": terms.embedding,
        "head": terms.head,
    }
    for name, logits in written.items():
        yield Values("written", logits, of=name, layer=0 if name == "embedding" else None)
    logit = direction @ features + constant
    yield Values("logit", logit)
    yield Values("sum_error", abs(sum(np.sum(logits) for logits in written.values()) - logit))


def layers_of(text: Text, read: int) -> list[LayerOfText]:
    """Gather what the layers of a model made of a text, as one of its tokens is read.

    ``read`` is the row of the token; all layers of the model have a feed-forward network.
    """
    block_output, ffn_output = text["attention_block"][:, read], text["ffn_output"][:, read]
    networks = [weights.network for weights in text.weights if weights.network is not None]
    return [
        LayerOfText(block, rows, written, network.after)
        for block, rows, written, network in zip(
            blocks(text), block_output, ffn_output, networks, strict=True
        )
    ]


MEASURES = (
    Measure(
        "alti_logit",
        logit_contributions,
        gives=(
            Gives("written", LAYER, of=("attention", "ffn", "bias", "embedding", "head")),
            Gives("logit"),
            Gives("sum_error", range=POSITIVE),
        ),
        settings=("propagation.start_layer",),
        panel="faithfulness.examples",
        predicts=True,
        defined=predicts,
    ),
)
