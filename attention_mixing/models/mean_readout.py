"""A classifier that reads the mean of the ordinary tokens, so that what it reads is no sink."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PreTrainedConfig, PreTrainedModel
from transformers.modeling_outputs import SequenceClassifierOutput

from attention_mixing.errors import InputError

__all__ = ["MeanReadout", "mean_readout"]


class MeanReadout(PreTrainedModel):
    """An encoder and a linear map of the mean of its last vectors, special tokens left out.

    Attributes
    ----------
    score
        From the mean to a logit a label.
    special
        Ids of special tokens.
    """

    score: nn.Linear
    special: Tensor

    def __init__(
        self, config: PreTrainedConfig, encoder: PreTrainedModel, special: Iterable[int]
    ) -> None:
        super().__init__(config)
        setattr(self, self.base_model_prefix, encoder)
        self.score = nn.Linear(config.hidden_size, config.num_labels or 0)
        self.register_buffer("special", torch.tensor(sorted({*special})))

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, **others: Any
    ) -> SequenceClassifierOutput:
        """Classify each text: ``logits`` are ``[text, label]``, the mask is 0 on padding.

        ``hidden_states`` has the last vectors alone, ``[text, token, model_dim]``.
        """
        last = self.base_model(input_ids=input_ids, attention_mask=attention_mask, **others)[0]
        ordinary = self.ordinary(input_ids, attention_mask)[..., None].to(last)
        mean = (last * ordinary).sum(dim=1) / ordinary.sum(dim=1).clamp(min=1)
        return SequenceClassifierOutput(logits=self.score(mean), hidden_states=(last,))

    def ordinary(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Tell which tokens are read, ``[text, token]``: all but padding and special ones."""
        return attention_mask.bool() & ~torch.isin(input_ids, self.special)


def mean_readout(
    encoder: PreTrainedModel, labels: int, special: Iterable[int], *, seed: int
) -> MeanReadout:
    """Put a new head on a copy of an encoder.

    Parameters
    ----------
    encoder
        Without a head; of one text.
    labels
        How many there are.
    special
        Ids of the tokens that are not read.
    seed
        Of the head.

    Raises
    ------
    InputError
        If the model is an encoder-decoder.
    """
    config = copy.deepcopy(encoder.config)
    if config.is_encoder_decoder:
        raise InputError(
            f"the model is a {type(encoder).__name__}, which reads a text and its target; allowed: "
            "a model of one text; choose an encoder."
        )
    config.num_labels = labels
    *_, family, _ = (kind for kind in type(encoder).__mro__ if issubclass(kind, PreTrainedModel))
    # What a family supports, transformers looks up in the file of its classes.
    kind = type("MeanReadout", (MeanReadout, family), {"__module__": family.__module__})
    torch.manual_seed(seed)
    model: MeanReadout = kind(config, copy.deepcopy(encoder), special)
    return model.to(encoder.device).eval()  # type: ignore[arg-type]
