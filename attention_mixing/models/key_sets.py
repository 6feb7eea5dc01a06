"""Change what attention makes of sets of keys, attention by attention of a pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import count

import torch
from torch import Tensor
from transformers import PreTrainedModel

from attention_mixing.errors import InputError, require
from attention_mixing.models.attention import AttentionCall, changed_attention
from attention_mixing.models.device import evaluating
from attention_mixing.models.dummy_inputs import structure_of

Keys = Tensor | Mapping[str, Tensor]
"""Sets of keys, ``[batch, key]`` or ``[batch, set, key]``, of truth values, no key in two of them;
of an encoder-decoder, of some of its streams ``encoder``, ``decoder`` and ``cross``."""

# How layers name that they are computed again when gradients are asked for.
CHECKPOINTS = "gradient_checkpointing"

ChangeOfSets = Callable[[int, AttentionCall, Tensor | None], AttentionCall]
"""From the number of an attention in the pass, its call, and which keys are in each set, the last
of all others, ``[batch, set, key]``, or None if its stream has none, to what the call becomes."""


@contextmanager
def changed_by_sets(model: PreTrainedModel, keys: Keys, change: ChangeOfSets) -> Iterator[None]:
    """Have ``change`` rewrite every attention call of a pass inside the block.

    Refused are keys that are not of the texts or the model, or of which one is in two sets, and
    training that computes attention again behind the block.
    """
    if any(part.training and getattr(part, CHECKPOINTS, False) for part in model.modules()):
        raise InputError(
            "the model is trained with checkpoints of its gradient, which computes attention again "
            "outside the block; train it without them."
        )
    two = model.config.is_encoder_decoder
    if two != isinstance(keys, Mapping):
        allowed = "a mapping from streams to masks" if two else "a mask"
        raise InputError(
            f"keys are of type {type(keys).__name__}; allowed with {type(model).__name__}: "
            f"{allowed}; give that."
        )
    streams = _streams(model) if two else {}
    by_stream = keys if isinstance(keys, Mapping) else {"": keys}
    for stream in by_stream:
        require(stream, "streams of the model", [*dict.fromkeys(streams.values())] or [""])
    members = {stream: _members(sets) for stream, sets in by_stream.items()}
    numbers = count()

    def begin(*_: object) -> None:
        nonlocal numbers
        numbers = count()

    def changed(call: AttentionCall) -> AttentionCall:
        number = next(numbers)
        of_call = members.get(streams.get(number, ""))
        if of_call is not None:
            _require_length(of_call, call)
        return change(number, call, of_call)

    # A head may be left out, or called by itself.
    hooks = [part.register_forward_pre_hook(begin) for part in {model, model.base_model}]
    try:
        with changed_attention(model, changed):
            yield
    finally:
        for hook in hooks:
            hook.remove()


def _streams(model: PreTrainedModel) -> dict[int, str]:
    """Tell of which stream each attention of a pass is."""
    with evaluating(model, model.device):
        layers = structure_of(model).layers
    return {n: layer.stream for layer in layers if (n := layer.attention.attention) is not None}


def _members(keys: Tensor) -> Tensor:
    """Lay out sets of keys and behind them all others, ``[batch, set, key]``, of truth values."""
    sets = keys.bool() if keys.ndim == 3 else keys.bool()[:, None]
    every = sets.sum(dim=1, keepdim=True)
    if bool((every > 1).any()):
        raise InputError("a key is in several sets, of which none could be held; give it to one.")
    return torch.cat([sets, every == 0], dim=1)


def _require_length(members: Tensor, call: AttentionCall) -> None:
    batch, keys = call.attention.shape[0], call.attention.shape[-1]
    if members.shape[-1] != keys or members.shape[0] not in (1, batch):
        raise InputError(
            f"keys are {list(members[:, 0].shape)} but the model reads {batch} texts of {keys} "
            "keys; allowed: a row a text, a column a key; give the sets of the texts that are read."
        )


def summed(call: AttentionCall, members: Tensor) -> tuple[Tensor, Tensor]:
    """Give weights, and their sums over each set and over all other keys.

    ``[batch, head, query, key]`` and ``[batch, head, query, set]``. What goes to no token is with
    the other keys.
    """
    mass = call.mass[..., None]
    weights = call.of_heads("attention") * mass
    sums = weights @ members[:, None].transpose(-1, -2).to(weights)
    return weights, torch.cat([sums[..., :-1], sums[..., -1:] + (1 - mass)], dim=-1)


def multiplied(
    call: AttentionCall, weights: Tensor, factors: Tensor, members: Tensor
) -> AttentionCall:
    """Multiply weights with the factors of their sets, ``[batch, head, query, set]``."""
    return call.changed(weights=weights * (factors @ members[:, None].to(factors)))
