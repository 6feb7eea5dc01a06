"""One attention function for all architectures that transformers routes through its interface.

Registered with ``AttentionInterface``, it computes what the eager implementation computes and hands
query, key, value, weights and context of every attention layer to a recorder, without a line of a
modelling file edited.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor, nn
from transformers import AttentionInterface, PreTrainedModel
from transformers.masking_utils import AttentionMaskInterface, eager_mask

NAME = "recording"


@dataclass(frozen=True)
class AttentionCall:
    """What one attention layer saw and did, in the order of the forward pass.

    Attributes
    ----------
    query, key, value
        ``[batch, head, token, head_dim]``.
    attention
        ``[batch, head, query, key]``, rows sum to 1.
    context
        ``[batch, token, head * head_dim]``, the input of the output projection.
    """

    query: Tensor
    key: Tensor
    value: Tensor
    attention: Tensor
    context: Tensor


def _attention(
    calls: list[AttentionCall],
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    **options: object,
) -> tuple[Tensor, Tensor]:
    """Scaled dot-product attention, written out: softmax(Q Kᵀ · scaling + mask) V.

    The signature after ``calls`` is that of ``transformers``' attention functions. What else some
    decoders do to scores or keys, no encoder of :mod:`analysis.models.architecture` does; that this
    is what the model itself computes, :func:`analysis.models.self_check.deviations` checks.
    """
    # Whatever the model's precision, scores are float32 from the first product on: rounded to
    # bfloat16, they move the weights that are kept by up to .03.
    exact = torch.promote_types(query.dtype, torch.float32)
    with torch.autocast(query.device.type, enabled=False):
        products = query.to(exact) @ key.to(exact).transpose(-1, -2)
    scores = products * (query.shape[-1] ** -0.5 if scaling is None else scaling)
    if attention_mask is not None:
        scores = scores + attention_mask
    attention = torch.softmax(scores, dim=-1)
    dropped = nn.functional.dropout(attention.to(value.dtype), dropout, module.training)
    context = (dropped @ value).transpose(1, 2).contiguous()
    calls.append(AttentionCall(query, key, value, attention, context.flatten(2)))
    return context, attention


@contextmanager
def using(model: PreTrainedModel, implementation: str) -> Iterator[None]:
    """Compute attention by another of the registered implementations inside the block."""
    before = model.config._attn_implementation
    model.set_attn_implementation(implementation)
    try:
        yield
    finally:
        model.set_attn_implementation(before)


@contextmanager
def record_attention(model: PreTrainedModel) -> Iterator[list[AttentionCall]]:
    """Record every attention call of ``model`` inside the block.

    Yields
    ------
    list of AttentionCall
        Grows by one entry an attention layer and forward pass; clear it between passes.
    """
    calls: list[AttentionCall] = []
    AttentionInterface.register(NAME, partial(_attention, calls))
    try:
        with using(model, NAME):
            yield calls
    finally:  # the registry outlives the block, and would hold the tensors of its last pass
        AttentionInterface.register(NAME, partial(_attention, []))


AttentionMaskInterface.register(NAME, eager_mask)
