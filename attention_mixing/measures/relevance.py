"""What the score of the predicted class depends on, by gradients of the fine-tuned model."""

from __future__ import annotations

import numpy as np

from attention_mixing.attributions.catalogue import explanations
from attention_mixing.attributions.of_prediction import SCORED, Readout
from attention_mixing.attributions.passes import PASSES, Predictions
from attention_mixing.capture.token_scores import TokenScores
from attention_mixing.measures.engine.definition import (
    POSITIVE,
    CapturedCorpus,
    Given,
    Measure,
    OfCorpus,
    Values,
    gives,
)
from attention_mixing.measures.model import finetuned
from attention_mixing.settings.derived import predicts


def relevance(corpus: CapturedCorpus, given: Given) -> OfCorpus:
    """Score the tokens of the texts of the panel by passes through the model that predicts.

    By every explanation of the catalogue that has one. Those of attention, layer by layer, are of
    the layers from ``propagation.start_layer`` on. Values: ``completeness_error`` of the integral,
    in logits, and ``logit_margin``, the distance of the classes that it has to be compared with.
    """
    from attention_mixing.models.encode import encode_examples

    state, examples, settings = corpus.states[-1], corpus.examples, given.settings
    model, tokenizer, device = finetuned(corpus, given)
    encoded = encode_examples(examples, tokenizer, settings["experiment.length"])
    targets = examples["prediction"].astype(int).tolist()
    size, steps = settings["faithfulness.batch_size"], settings["faithfulness.steps"]
    asked = Predictions(model, encoded, targets, device, size, steps)
    read, start = state.capture.weights.read, settings["propagation.start_layer"]
    how = Readout(read, start, len(state.weights))
    methods = [(one, one.of_pass) for one in explanations() if one.of_pass]
    # A pass that several methods read is made once.
    passes = {name: PASSES[name](asked) for _, name in methods}
    for text, *passed in zip(examples["id"], *passes.values(), strict=True):
        given_by = dict(zip(passes, passed, strict=True))
        measured: list[Values | TokenScores] = [
            scores for one, name in methods for scores in SCORED[one.name](one, given_by[name], how)
        ]
        slope, integral = given_by["gradients"], given_by["integrated_gradients"]
        measured.append(Values("completeness_error", integral.completeness_error))
        measured.append(Values("logit_margin", np.ptp(slope.logits)))
        yield state.variant, int(text), measured


MEASURES = (
    Measure(
        "relevance",
        relevance,
        gives=gives(("completeness_error", "logit_margin"), range=POSITIVE),
        kind="corpus",
        settings=(
            *("faithfulness.steps", "faithfulness.batch_size"),
            *("device", "experiment.length", "experiment.task", "propagation.start_layer"),
        ),
        panel="faithfulness.examples",
        defined=predicts,
    ),
)
