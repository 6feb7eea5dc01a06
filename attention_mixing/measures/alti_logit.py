"""What attention, feed-forward networks and biases write into the logit of the predicted class."""

from __future__ import annotations

import numpy as np

from attention_mixing.attributions.alti_logit import written_terms
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
from attention_mixing.methods.alti_logit import alti_logit
from attention_mixing.settings.derived import predicts


def logit_contributions(text: Text, given: Given) -> Measured:
    """Take the logit of the predicted class, minus that of the others, apart.

    Token scores ``alti_logit``: what attention brings from each input token, signed. Values:
    ``written``, in logits, of every layer's ``attention``, ``ffn`` and ``bias``, of the
    ``embedding`` (layer 0) and the ``head``'s biases; ``logit``, what they should add up to, and
    ``sum_error``, how far they miss it, as captured arrays are rounded.
    """
    classifier = text.state.capture.weights.classifier
    assert classifier is not None  # the measure is defined for classifiers
    start, label = given.settings["propagation.start_layer"], int(text.example["prediction"])
    terms, logit = written_terms(text, classifier, query=text.read, label=label)
    nearer = from_layer(start, alti(text))
    scores = np.full((1, len(text.tokens)), np.nan, np.float32)
    if np.isfinite(nearer).all():
        scores[0] = alti_logit(terms, nearer, text.read, start_layer=start)
    yield TokenScores("alti_logit", "input", scores, first_layer=len(nearer))
    written = {
        "attention": terms.attention.sum(axis=1),
        "ffn": terms.ffn,
        "bias": terms.bias,
        "embedding": terms.embedding,
        "head": terms.head,
    }
    for name, logits in written.items():
        yield Values("written", logits, subject=name, layer=0 if name == "embedding" else None)
    yield Values("logit", logit)
    yield Values("sum_error", abs(sum(np.sum(logits) for logits in written.values()) - logit))


MEASURES = (
    Measure(
        "alti_logit",
        logit_contributions,
        gives=(
            Gives("written", LAYER, subject=("attention", "ffn", "bias", "embedding", "head")),
            Gives("logit"),
            Gives("sum_error", range=POSITIVE),
        ),
        settings=("propagation.start_layer",),
        panel="faithfulness.examples",
        predicts=True,
        defined=predicts,
    ),
)
