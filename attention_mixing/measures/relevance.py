"""What the score of the predicted class depends on, by gradients of the fine-tuned model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from attention_mixing.attributions.through import require_layer
from attention_mixing.capture.token_scores import TokenScores
from attention_mixing.measures.engine.definition import (
    POSITIVE,
    CapturedCorpus,
    Given,
    Measure,
    Measured,
    OfCorpus,
    Values,
    gives,
)
from attention_mixing.measures.matrices import scores
from attention_mixing.measures.model import finetuned
from attention_mixing.methods.relevance import gradient_weighted, relevance_rollout, relevance_sum
from attention_mixing.params.derived import predicts

if TYPE_CHECKING:
    from attention_mixing.capture.gradients import Gradients, IntegratedGradients

GRADIENTS = ("gradient_x_input", "gradient_norm", "integrated_gradients")
RULES = {"relevance_sum": relevance_sum, "relevance_rollout": relevance_rollout}


def relevance(corpus: CapturedCorpus, given: Given) -> OfCorpus:
    """Score the tokens of the texts of the panel by gradients of the predicted class.

    ``relevance_sum`` and ``relevance_rollout`` are evidence for the class from the input to every
    layer, those below ``propagation.start_layer`` being left out, and from every start layer to the
    last, whatever that says (rows ``from``, from layer 2 on);
    ``METHOD_against`` is evidence against it. ``gradient_x_input``, ``gradient_norm`` and
    ``integrated_gradients`` score input tokens. Values: ``completeness_error`` of the integral, in
    logits, and ``logit_margin``, the distance of the classes that it has to be compared with.
    """
    from attention_mixing.capture.gradients import gradients, integrated_gradients
    from attention_mixing.models.encode import encode_examples

    state = corpus.states[-1]
    examples = corpus.examples
    model, tokenizer, device = finetuned(corpus, given)
    encoded = encode_examples(examples, tokenizer, given.settings["experiment.length"])
    size = given.settings["faithfulness.batch_size"]
    options: dict[str, Any] = {"device": device, "batch_size": size}
    targets = examples["prediction"].astype(int).tolist()
    slopes = gradients(model, encoded, targets=targets, **options)
    steps = given.settings["faithfulness.steps"]
    integrals = integrated_gradients(model, encoded, targets=targets, steps=steps, **options)
    read, first = state.capture.weights.read, given.settings["propagation.start_layer"]
    for text, slope, integral in zip(examples["id"], slopes, integrals, strict=True):
        yield state.variant, int(text), _of_text(slope, integral, read, first)


def _of_text(slope: Gradients, integral: IntegratedGradients, read: int, first: int) -> Measured:
    layers = len(slope.attention)
    require_layer(first, layers)
    inputs = (slope.gradient_x_input, slope.gradient_norm, integral.scores)
    for method, values in zip(GRADIENTS, inputs, strict=True):
        yield TokenScores(method, "input", values[None].astype(np.float32), first_layer=layers)
    for suffix, sign in (("", 1), ("_against", -1)):
        weighted = gradient_weighted(slope.attention, slope.attention_gradient, sign=sign)
        for name, rule in RULES.items():
            method = f"{name}{suffix}"
            yield from scores(method, rule(weighted, start_layer=first), read)
            tops = [rule(weighted, start_layer=start)[-1][read] for start in range(1, layers)]
            if tops:
                from_start = np.stack(tops).astype(np.float32)
                yield TokenScores(method, "from", from_start, first_layer=2)
    yield Values("completeness_error", integral.completeness_error)
    yield Values("logit_margin", np.ptp(slope.logits))


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
