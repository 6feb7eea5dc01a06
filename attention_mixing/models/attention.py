"""One attention function for every model that transformers routes through its interface.

Registered with ``AttentionInterface``, it calls the function by which the model's own file computes
attention by definition, so that whatever that does to scores is done, and hands what went in and
came out to a recorder, without a line of a modelling file edited.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from transformers import AttentionInterface, PreTrainedModel
from transformers.masking_utils import AttentionMaskInterface, eager_mask

NAME = "recording"
# Rows of attention whose sums are nearer to 1 than this are meant to sum to 1; float32 rounds less.
WHOLE = 1e-4


@dataclass(frozen=True)
class AttentionCall:
    """What one attention saw and did.

    Attributes
    ----------
    module
        That called it.
    query
        ``[batch, head, query, head_dim]``.
    key, value
        ``[batch, group, key, head_dim]``; one head or several share a group.
    mask
        What was added to the scores, ``[batch, 1 or head, query, key]``; None if nothing was.
    attention
        ``[batch, head, query, key]``.
    context
        ``[batch, query, head, head_dim]``, values in the mean of the attention.
    options
        What else the function was given, such as ``scaling``.
    """

    module: nn.Module
    query: Tensor
    key: Tensor
    value: Tensor
    mask: Tensor | None
    attention: Tensor
    context: Tensor
    options: dict[str, Any]

    @property
    def visible(self) -> Tensor:
        """Whether some head may see a key, ``[batch, query, key]``."""
        batch, _, queries, keys = self.attention.shape
        if self.mask is None:
            return torch.ones(batch, queries, keys, dtype=torch.bool, device=self.attention.device)
        # Biases of positions are added as well; what is hidden has the lowest number there is.
        hidden = self.mask[..., :keys] <= torch.finfo(self.mask.dtype).min / 2
        return ~hidden.all(dim=1).expand(batch, queries, keys)

    @property
    def mass(self) -> Tensor:
        """Share of each row that goes to tokens, ``[batch, head, query]``; 1 but for sinks.

        They take their part in the softmax, as in gpt-oss, or from what the head makes of it, as in
        Granite SWA.
        """
        sums = self.attention.sum(dim=-1)
        expected = self.attention @ self.of_heads("value").to(self.attention)
        context = self.context.transpose(1, 2).to(expected)
        rounding = max(WHOLE, torch.finfo(self.context.dtype).eps)
        if (expected - context).abs().max() > rounding * expected.abs().max():
            scale = (expected * context).sum(dim=-1) / (expected * expected).sum(dim=-1)
            sums = sums * torch.nan_to_num(scale, nan=1.0)
        whole = bool(((sums - 1).abs() < WHOLE).all())
        return torch.ones_like(sums) if whole else sums

    @property
    def weights(self) -> Tensor:
        """By what values are multiplied, ``[batch, head, query, key]``: attention by its mass."""
        return self.of_heads("attention") * self.mass[..., None]

    def of_heads(self, name: str) -> Tensor:
        """Give an array of the call, such as ``query`` or ``mass``, for every head.

        Queries, keys and values are ``[batch, head, token, head_dim]``; ``attention`` is that among
        tokens, ``[batch, head, query, key]``, every row summing to 1, and ``mass``, ``[batch, head,
        query]``, what they are of all.
        """
        if name == "attention":
            sums = self.attention.sum(dim=-1, keepdim=True)
            whole = bool(((sums - 1).abs() < WHOLE).all())
            return self.attention if whole else self.attention / sums
        tensor: Tensor = getattr(self, name)
        if name not in ("key", "value"):
            return tensor
        return tensor.repeat_interleave(self.query.shape[1] // tensor.shape[1], dim=1)


def _attention(
    note: Callable[[AttentionCall], None],
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    **options: Any,
) -> tuple[Tensor, Tensor]:
    """Compute attention as the file of the module does where nothing faster is asked for.

    The signature after ``note`` is that of ``transformers``' attention functions.
    """
    eager = sys.modules[type(module).__module__].eager_attention_forward
    # Whatever the model's precision, scores are float32 from the first product on: rounded to
    # bfloat16, they move the weights that are kept by up to .03.
    exact = torch.promote_types(query.dtype, torch.float32)
    with torch.autocast(query.device.type, enabled=False):
        projected = (query.to(exact), key.to(exact), value.to(exact))
        context, attention = eager(module, *projected, attention_mask, **options)
    context = context.to(query.dtype)
    note(AttentionCall(module, query, key, value, attention_mask, attention, context, options))
    return context, attention


@contextmanager
def using(model: PreTrainedModel, implementation: str) -> Iterator[None]:
    """Compute attention by another of the registered implementations inside the block.

    ``implementation`` is its name in ``transformers``, such as ``eager``. Afterwards the model
    computes as before.
    """
    before = model.config._attn_implementation
    model.set_attn_implementation(implementation)
    try:
        yield
    finally:
        model.set_attn_implementation(before)


@contextmanager
def record_attention(
    model: PreTrainedModel, note: Callable[[AttentionCall], None] | None = None
) -> Iterator[list[AttentionCall]]:
    """Record every attention call of ``model`` inside the block.

    ``note`` is called with each. None keeps them in the list that is yielded, which grows by one
    entry an attention and forward pass; clear it between passes.
    """
    calls: list[AttentionCall] = []
    AttentionInterface.register(NAME, partial(_attention, note or calls.append))
    try:
        with using(model, NAME):
            yield calls
    finally:  # the registry outlives the block, and would hold the tensors of its last pass
        AttentionInterface.register(NAME, partial(_attention, lambda call: None))


AttentionMaskInterface.register(NAME, eager_mask)
