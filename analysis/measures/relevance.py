"""What the score of the predicted class depends on, by gradients of the fine-tuned model."""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis.capture.choice import choose
from analysis.measures.definition import (
    POSITIVE,
    Corpus,
    Field,
    Given,
    Measure,
    OfCorpus,
    Values,
    classified,
    gives,
)
from analysis.measures.finetuned import finetuned
from analysis.measures.matrices import scores
from analysis.methods.relevance import gradient_weighted, relevance_rollout, relevance_sum

GRADIENTS = ("gradient_x_input", "gradient_norm", "integrated_gradients")
RULES = {"relevance_sum": relevance_sum, "relevance_rollout": relevance_rollout}


def relevance(corpus: Corpus, given: Given) -> OfCorpus:
    """Score the tokens of the texts of the panel by gradients of the predicted class.

    ``relevance_sum`` and ``relevance_rollout`` are evidence for the class from the input to every
    layer, and from every start layer to the last (field ``METHOD/from``, from layer 2 on);
    ``METHOD_against`` is evidence against it. ``gradient_x_input``, ``gradient_norm`` and
    ``integrated_gradients`` score input tokens (``METHOD/input``). Values: ``completeness_error``
    of the integral, in logits, and ``logit_margin``, the distance of the classes that it has to be
    compared with.
    """
    from analysis.capture.gradients import gradients, integrated_gradients
    from analysis.models.encode import encode_examples

    settings, experiment = given.params.faithfulness, given.params.experiments[given.name]
    state = corpus.states[-1]
    examples = choose(state.examples, settings.examples)
    model, tokenizer, device = finetuned(corpus, given)
    encoded = encode_examples(examples, tokenizer, experiment.length)
    options: dict[str, Any] = {"device": device, "batch_size": settings.batch_size}
    targets = examples["prediction"].astype(int).tolist()
    slopes = gradients(model, encoded, targets=targets, **options)
    integrals = integrated_gradients(
        model, encoded, targets=targets, steps=settings.steps, **options
    )
    for text, found, integral in zip(examples["id"], slopes, integrals, strict=True):
        scored = (found.gradient_x_input, found.gradient_norm, integral.scores)
        inputs = dict(zip(GRADIENTS, scored, strict=True))
        measured: list[Values | Field] = [
            Field(f"{method}/input", values[None].astype(np.float32))
            for method, values in inputs.items()
        ]
        for suffix, sign in (("", 1), ("_against", -1)):
            weighted = gradient_weighted(found.attention, found.attention_gradient, sign=sign)
            for name, rule in RULES.items():
                measured += scores(f"{name}{suffix}", rule(weighted))
                starts = range(1, len(weighted))
                tops = [rule(weighted, start_layer=start)[-1][0] for start in starts]
                if tops:
                    from_start = np.stack(tops).astype(np.float32)
                    measured.append(Field(f"{name}{suffix}/from", from_start))
        measured.append(Values("completeness_error", integral.completeness_error))
        measured.append(Values("logit_margin", np.ptp(found.logits)))
        yield state.variant, int(text), measured


MEASURES = (
    Measure(
        "relevance",
        relevance,
        gives=gives(("completeness_error", "logit_margin"), range=POSITIVE),
        kind="corpus",
        settings=(
            *("faithfulness.examples", "faithfulness.steps", "faithfulness.batch_size"),
            *("device", "experiment.length", "experiment.task"),
        ),
        defined=classified,
    ),
)
