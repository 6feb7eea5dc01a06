"""The fine-tuned model, loaded once for all measures that ask it again."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from analysis.measures.measure import Corpus, Given

if TYPE_CHECKING:
    from transformers import PreTrainedModel


def finetuned(corpus: Corpus, given: Given) -> PreTrainedModel:
    """Load the model with the head of its task."""
    from analysis.models.load import load_finetuned

    experiment = given.params.experiments[given.name]
    return corpus.once("model", partial(load_finetuned, corpus.states[-1].model, experiment.task))
