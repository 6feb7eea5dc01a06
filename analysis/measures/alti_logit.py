"""What attention, feed-forward networks and biases write into the logit of the predicted class."""

from __future__ import annotations

import numpy as np

from analysis.capture.choice import choose
from analysis.capture.text import Text
from analysis.measures.definition import (
    LAYER,
    POSITIVE,
    Corpus,
    Field,
    Given,
    Gives,
    Measure,
    OfCorpus,
    Values,
    classified,
)
from analysis.measures.mixing import blocks
from analysis.methods.alti import alti
from analysis.methods.alti_logit import Layer, alti_logit, logit_direction, logit_terms


def logit_contributions(corpus: Corpus, given: Given) -> OfCorpus:
    """Take the logit of the predicted class, minus that of the others, apart; texts of the panel.

    Field ``alti_logit/input``: what attention brings from each input token, signed. Values:
    ``written``, in logits, of every layer's ``attention``, ``ffn`` and ``bias``, of the
    ``embedding`` (layer 0) and the ``head``'s biases; ``logit``, what they should add up to, and
    ``sum_error``, how far they miss it, as captured arrays are rounded.
    """
    state = corpus.states[-1]
    classifier = state.capture.weights.classifier
    assert classifier is not None  # the measure is defined for classifiers
    for example in choose(state.examples, given.params.faithfulness.examples).itertuples():
        text = state.text(example.id)
        layers = layers_of(text)
        features = text["layer_output"][-1, 0]
        direction, constant = logit_direction(classifier, features, int(example.prediction))
        terms = logit_terms(layers, direction, constant)
        block_output = text["attention_block"]
        mixed = [alti(each.block, rows) for each, rows in zip(layers, block_output, strict=True)]
        scores = alti_logit(terms, np.stack(mixed))
        written = {
            "attention": terms.attention.sum(axis=1),
            "ffn": terms.ffn,
            "bias": terms.bias,
            "embedding": terms.embedding,
            "head": terms.head,
        }
        logit = direction @ features + constant
        error = abs(sum(np.sum(part) for part in written.values()) - logit)
        yield (
            state.variant,
            text.id,
            [
                Field("alti_logit/input", scores[None].astype(np.float32)),
                *(
                    Values("written", part, of=name, layer=0 if name == "embedding" else None)
                    for name, part in written.items()
                ),
                Values("logit", logit),
                Values("sum_error", error),
            ],
        )


def layers_of(text: Text) -> list[Layer]:
    """Gather what the layers of a model made of a text."""
    block_output, ffn_output = text["attention_block"][:, 0], text["ffn_output"][:, 0]
    return [
        Layer(block, rows, written, weights.ffn_norm)
        for block, rows, written, weights in zip(
            blocks(text), block_output, ffn_output, text.weights, strict=True
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
        kind="corpus",
        settings=("faithfulness.examples",),
        defined=classified,
    ),
)
