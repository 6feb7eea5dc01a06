"""Models for measures that run them again: that of a text, and the fine-tuned one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from attention_mixing.capture.text import State, Text
from attention_mixing.measures.definition import CapturedCorpus, Given

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from attention_mixing.models.running import RunningModel


class Finetuned(NamedTuple):
    """The model with the head of its task, its tokenizer, and where it computes."""

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    device: torch.device


def finetuned(corpus: CapturedCorpus, given: Given) -> Finetuned:
    """Load the model, which from now on says the same every time."""
    from attention_mixing.models.device import repeatable, resolve
    from attention_mixing.models.load import load_finetuned
    from attention_mixing.models.tokenizer import load_tokenizer

    def load() -> Finetuned:
        path, task = corpus.states[-1].model, given.params.experiments[given.name].task
        device = resolve(given.params.device)
        repeatable()
        model = load_finetuned(path, task).to(device)  # type: ignore[arg-type]
        return Finetuned(model, load_tokenizer(path), device)

    return corpus.once("model", load)


def network(of: Text | State) -> RunningModel:
    """Give the model that a text or a state is of; loaded once in a process."""
    held: RunningModel | None = getattr(of, "network", None)  # of a text in memory
    if held is not None:
        return held
    from attention_mixing.models.running import running  # torch takes seconds to start

    state = of.state if isinstance(of, Text) else of
    return running(state.model, state.device, state.stream)
