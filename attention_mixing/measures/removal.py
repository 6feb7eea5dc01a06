"""What a prediction loses without each token of a text, and with other words in their places.

Nothing but the fine-tuned model answers that: no attribution is read, so that one with other
settings is held against the same answers (:mod:`attention_mixing.measures.faithfulness`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attention_mixing.measures.engine.definition import (
    CapturedCorpus,
    Field,
    Given,
    Measure,
    OfCorpus,
)
from attention_mixing.measures.minimal_pairs import changed_words
from attention_mixing.measures.model import finetuned
from attention_mixing.measures.token_kinds import token_kinds
from attention_mixing.settings.derived import predicts
from attention_mixing.settings.measures import Removal

CHANGED = "changed"  # the field of changed words, beside one for every way to remove a token

# Sets of positions of every text, how they are removed -> probabilities ``[set, label]``.
Ask = Callable[[list[list[Any]], Removal], list[NDArray[np.float64]]]


def removal(corpus: CapturedCorpus, given: Given) -> OfCorpus:
    """Ask the fine-tuned model about the texts of the panel without each token.

    Special tokens and [MASK] are not removed, and no token is replaced by one that the tokenizer
    does not have. Fields, in float64: for each way to remove tokens what the probability of the
    predicted class loses without each token, ``[token]``, nan for those that are not removed; and
    of texts with minimal pairs ``changed``, what it loses with another word in the place of each
    that can be changed, ``[word, token]``, nan for tokens that are not of the word.
    """
    from attention_mixing.models.token_ablation import possible

    state, examples = corpus.states[-1], corpus.examples
    model, tokenizer, _ = finetuned(corpus, given)
    ask = asking(corpus, given)
    chosen = [removable(state.text(text).tokens) for text in examples["id"]]
    sets: list[list[Any]] = [
        [[], *([position] for position in np.flatnonzero(of_text))] for of_text in chosen
    ]
    costs: list[dict[str, NDArray[np.float64]]] = [{} for _ in chosen]
    for way in possible(tokenizer, model.config):
        for of_way, of_text, prediction, answers in zip(
            costs, chosen, examples["prediction"].astype(int), ask(sets, way), strict=True
        ):
            full, *without = answers[:, prediction]
            of_way[way] = np.full(len(of_text), np.nan)
            of_way[way][of_text] = full - np.array(without)
    changed = changed_words(corpus, given, examples)
    for example, of_ways, words in zip(examples["id"], costs, changed, strict=True):
        fields = of_ways | ({} if words is None else {CHANGED: words})
        yield state.variant, int(example), [Field(*field) for field in fields.items()]


def removable(tokens: pd.DataFrame) -> NDArray[np.bool_]:
    """Tell which tokens are scored and removed: neither special ones nor [MASK]."""
    kinds = token_kinds(tokens)
    return ~tokens["is_special"].to_numpy(bool) & ~kinds["mask"]


def asking(corpus: CapturedCorpus, given: Given) -> Ask:
    """Load the fine-tuned model, to ask it about the texts of the panel without some tokens."""
    from attention_mixing.models.encode import encode_examples
    from attention_mixing.models.token_ablation import ablate

    model, tokenizer, device = finetuned(corpus, given)
    encoded = encode_examples(corpus.examples, tokenizer, given.settings["experiment.length"])

    def ask(sets: list[list[Any]], removal: Removal) -> list[NDArray[np.float64]]:
        size = given.settings["faithfulness.batch_size"]
        options: dict[str, Any] = {"device": device, "batch_size": size}
        return ablate(model, tokenizer, encoded, sets, removal=removal, **options)

    return ask


MEASURES = (
    Measure(
        "removal",
        removal,
        kind="corpus",
        settings=("faithfulness.batch_size", "device", "experiment.length", "experiment.task"),
        panel="faithfulness.examples",
        defined=predicts,
    ),
)
