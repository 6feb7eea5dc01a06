"""Relevance of the tokens of a text for the logit of a class, by the rules of AttnLRP.

As gradients, it is computed in the precision of the model's weights, without autocast.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from transformers import PreTrainedModel

from attention_mixing.capture.gradients import batches, replaced_embeddings
from attention_mixing.models.attention import AttentionCall, record_attention
from attention_mixing.models.device import evaluating
from attention_mixing.models.encode import Encoded
from attention_mixing.models.relevance_rules import RelevanceRules


@dataclass(frozen=True)
class AttnLRP:
    """Relevance for the logit of one class in one text, without padding.

    Attributes
    ----------
    scores
        ``[token]``, relevance of its word embedding, summed over dimensions: signed.
    logit
        Of the class. What ``scores`` do not add up to of it is held by biases, by embeddings of
        positions and types, and by the softmax of attention
        (:func:`attention_mixing.methods.attn_lrp.softmax_rule`).
    """

    scores: NDArray[np.floating]
    logit: float


def attn_lrp(
    model: PreTrainedModel,
    encoded: Sequence[Encoded],
    *,
    device: torch.device,
    batch_size: int,
    targets: Sequence[int],
) -> Iterator[AttnLRP]:
    r"""Pass the logit of one class back to the tokens of every text, in the order of ``encoded``.

    Achtibat et al. (2024), *AttnLRP: Attention-Aware Layer-Wise Relevance Propagation for
    Transformers*, ICML; the rules are in :mod:`attention_mixing.methods.attn_lrp`, with
    :math:`\varepsilon = 0`. One pass forward and one back a batch.

    Parameters
    ----------
    model
        With a classification head, or a language model that chooses among words
        (:func:`attention_mixing.models.next_word.choosing`). Its weights and settings are left as
        they were.
    encoded, device, batch_size, targets
        As in :func:`attention_mixing.capture.gradients.gradients`.

    Yields
    ------
    AttnLRP
        Of each text.

    Raises
    ------
    InputError
        If the model does something to its words through which no relevance is passed, or a text
        comes out of a padded batch otherwise than alone.
    """
    rules = RelevanceRules(model)
    words: list[Tensor] = []

    def as_leaf(embedding: Tensor) -> Tensor:
        words[:] = [embedding.detach().requires_grad_()]
        return words[0]

    def forget(call: AttentionCall) -> None:
        pass

    with evaluating(model, device):
        for rows, batch, classes in batches(model, encoded, targets, device, batch_size):
            # The model's own attention by definition, of which torch keeps every product.
            with (
                replaced_embeddings(model, as_leaf),
                record_attention(model, forget),
                rules.applied(),
            ):
                chosen = model(**batch).logits.gather(1, classes[:, None])[:, 0]
                (embedding,) = words
                slope = rules.gradient(chosen.sum(), embedding)
            relevance = (slope * embedding.detach()).sum(dim=-1).cpu().numpy()
            for text, scores, logit in zip(rows, relevance, chosen.tolist(), strict=True):
                yield AttnLRP(scores[: len(text.input_ids)], logit)
