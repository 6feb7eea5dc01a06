"""One attention function for every model that transformers routes through its interface.

Registered with ``AttentionInterface``, it calls the function by which the model's own file computes
attention by definition, so that whatever that does to scores is done, and hands what went in and
came out to a recorder, without a line of a modelling file edited. What came out may be changed
before the model goes on with it (:func:`changed_attention`); recorders then see what it became.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout
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
    unchanged
        The call as the model alone makes it, of one that was changed; else None.
    """

    module: nn.Module
    query: Tensor
    key: Tensor
    value: Tensor
    mask: Tensor | None
    attention: Tensor
    context: Tensor
    options: dict[str, Any]
    unchanged: AttentionCall | None = None

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

    def changed(
        self, *, weights: Tensor | None = None, value: Tensor | None = None
    ) -> AttentionCall:
        """Return the call with other :attr:`weights` or other values, and the context they make.

        Both are of the shapes that they have in the call; gradients flow through them.
        """
        call = replace(
            self,
            attention=self.weights if weights is None else weights,
            value=self.value if value is None else value,
            unchanged=self.unchanged or self,
        )
        context = call.attention @ call.of_heads("value").to(call.attention)
        return replace(call, context=context.transpose(1, 2).to(self.query.dtype).contiguous())


Change = Callable[[AttentionCall], AttentionCall]
"""What a call becomes, such as :meth:`AttentionCall.changed`, before the model goes on with it."""

# Of every module of a model; not of the registry of transformers, which knows no models.
_NOTES: WeakKeyDictionary[nn.Module, Callable[[AttentionCall], None]] = WeakKeyDictionary()
_CHANGES: WeakKeyDictionary[nn.Module, tuple[Change, ...]] = WeakKeyDictionary()


def _attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    **options: Any,
) -> tuple[Tensor, Tensor]:
    """Compute attention as the file of the module does where nothing faster is asked for.

    The signature is that of ``transformers``' attention functions.
    """
    changes = _CHANGES.get(module, ())
    # Dropout leaves out some of the weights that are held, not some of those that are to be.
    dropped = options.get("dropout", 0.0) if changes and module.training else 0.0
    if dropped:
        options["dropout"] = 0.0
    eager = sys.modules[type(module).__module__].eager_attention_forward
    # Whatever the model's precision, scores are float32 from the first product on: rounded to
    # bfloat16, they move the weights that are kept by up to .03.
    exact = torch.promote_types(query.dtype, torch.float32)
    with torch.autocast(query.device.type, enabled=False):
        projected = (query.to(exact), key.to(exact), value.to(exact))
        context, attention = eager(module, *projected, attention_mask, **options)
        context = context.to(query.dtype)
        call = AttentionCall(module, query, key, value, attention_mask, attention, context, options)
        for change in changes:
            call = change(call)
        if dropped:
            call = call.changed(weights=dropout(call.weights, dropped))
    if note := _NOTES.get(module):
        note(call)
    return call.context, call.attention


Around = Callable[[Mapping[str, Tensor]], AbstractContextManager[Any]]
"""Opens an intervention around the passes of a model over a batch, of which it is given all that
the model is (:func:`attention_mixing.models.batch.pad`)."""


def unchanged(batch: Mapping[str, Tensor]) -> AbstractContextManager[None]:
    """Open no intervention."""
    return nullcontext()


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
    modules = list(model.modules())
    outer = {module: _NOTES[module] for module in modules if module in _NOTES}
    _NOTES.update(dict.fromkeys(modules, note or calls.append))
    try:
        with using(model, NAME):
            yield calls
    finally:
        for module in modules:
            _NOTES.pop(module, None)
        _NOTES.update(outer)


@contextmanager
def changed_attention(model: PreTrainedModel, change: Change) -> Iterator[None]:
    """Have ``change`` rewrite every attention call of ``model`` inside the block, in training too.

    Blocks within one another change what the outer ones have made.
    """
    modules = list(model.modules())
    outer = {module: _CHANGES.get(module, ()) for module in modules}
    _CHANGES.update({module: (*changes, change) for module, changes in outer.items()})
    try:
        with using(model, NAME):
            yield
    finally:
        _CHANGES.update(outer)


AttentionInterface.register(NAME, _attention)
AttentionMaskInterface.register(NAME, eager_mask)
