"""What each word of a target depends on in its source, by gradients of what tells it."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_mixing.attributions.selections import LINKED_BY_GRADIENTS
from attention_mixing.capture.network import load_repeatable
from attention_mixing.measures.alignment import ERRORS, known_links, link_errors
from attention_mixing.measures.engine.definition import (
    LAYER,
    SHARE,
    CapturedCorpus,
    Given,
    Measure,
    OfCorpus,
    gives,
)
from attention_mixing.settings.experiment import Experiment


def target_gradients(corpus: CapturedCorpus, given: Given) -> OfCorpus:
    """Link words by gradients of the logit of each target token, ``[target, source]``.

    ``gradient_norm`` is that with respect to the embedding of a source token, ``gradient_x_input``
    the magnitude of its product with the embedding. A logit is that of a row which tells a token,
    so that there is no other step to read at.
    """
    from attention_mixing.capture.gradients import gradients_of_targets
    from attention_mixing.models.encode import encode_examples
    from attention_mixing.models.load import load_translator
    from attention_mixing.models.tokenizer import load_tokenizer

    state = corpus.states[-1]
    model = load_repeatable(load_translator, state.model, given.settings["device"])
    tokenizer = load_tokenizer(state.model)
    length = given.settings["experiment.length"]
    # As they were captured.
    examples = corpus.examples.reset_index(drop=True)
    encoded = encode_examples(examples, tokenizer, length, model.config)
    slopes = gradients_of_targets(model, encoded, device=model.device)
    for example, gradients in zip(examples["id"], slopes, strict=True):
        text = state.text(int(example))
        if (links := known_links(text)) is None:
            continue
        matrices: dict[str, Any] = dict(zip(LINKED_BY_GRADIENTS, gradients, strict=True))
        measured = [
            values
            for method, matrix in matrices.items()
            for values in link_errors(np.abs(matrix)[None], links, subject=method, steps=("told",))
        ]
        yield state.variant, int(example), measured


def learned_targets(experiment: Experiment) -> bool:
    """Define a measure where a model was trained to write targets."""
    return experiment.task == "sequence_to_sequence"


MEASURES = (
    Measure(
        "target_gradients",
        target_gradients,
        gives=gives(ERRORS, LAYER, SHARE, subject=LINKED_BY_GRADIENTS, facet=("told",)),
        kind="corpus",
        settings=("device", "experiment.length", "experiment.task"),
        defined=learned_targets,
        joint=True,
    ),
)
