"""The fine-tuned model, for measures that ask it again."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from attention_mixing.capture.network import load_repeatable
from attention_mixing.measures.engine.definition import CapturedCorpus, Given

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


class Finetuned(NamedTuple):
    """The model with the head of its task, its tokenizer, and where it computes."""

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    device: torch.device


def finetuned(corpus: CapturedCorpus, given: Given) -> Finetuned:
    """Load the fine-tuned model of a corpus, that of its last state, once for all measures."""
    from attention_mixing.models.load import load_finetuned
    from attention_mixing.models.tokenizer import load_tokenizer

    def load() -> Finetuned:
        path, task = corpus.states[-1].model, given.settings["experiment.task"]
        model = load_repeatable(partial(load_finetuned, task=task), path, given.settings["device"])
        return Finetuned(model, load_tokenizer(path), model.device)

    return corpus.once("model", load)
