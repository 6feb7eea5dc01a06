r"""Hold what attention gives to some keys: an intervention, in training as in evaluation.

In every head and row, keys of a set :math:`S` have the share :math:`s = \sum_{j \in S} w_j` of the
attention. To hold it at :math:`t`, the weights in the set are multiplied with :math:`t / s` and all
others with :math:`(1 - t) / (1 - s)`: what :math:`\operatorname{logit} t - \operatorname{logit} s`
does that is added to the scores of the set. Which keys of the set, and which others, a row attends
to is left to the model, and gradients flow through both.

Several sets are held at once, each at its own share. What a head gives to no token, as in gpt-oss
and Granite SWA, counts with the other keys: it takes part in the softmax as they do, so that a bias
on the scores of the set would change it as it does theirs. A row then sums to 1 with it.

What is held is given by attention: ``[attention][batch, head, query, set]``, in the order of a
pass, which in an encoder or a decoder is that of its layers. Shares of a model on the same texts
are those of :func:`shares`; those of other texts, or their means, are made of them by the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count

import torch
from torch import Tensor
from transformers import PreTrainedModel

from attention_mixing.errors import InputError, require
from attention_mixing.models.attention import AttentionCall, changed_attention
from attention_mixing.models.device import evaluating
from attention_mixing.models.dummy_inputs import structure_of

__all__ = ["biased", "clamped", "shares", "values_zeroed"]

Keys = Tensor | Mapping[str, Tensor]
"""Sets of keys, ``[batch, key]`` or ``[batch, set, key]``, of truth values, no key in two of them;
of an encoder-decoder, of some of its streams ``encoder``, ``decoder`` and ``cross``."""
Shares = Sequence[Tensor | None]
"""``[attention][batch, head, query, set]``; None of attentions whose stream has no sets."""

# How layers name that they are computed again when gradients are asked for.
CHECKPOINTS = "gradient_checkpointing"


@torch.no_grad()
def shares(model: PreTrainedModel, batch: Mapping[str, Tensor], keys: Keys) -> list[Tensor | None]:
    """Compute which share of attention sets of keys have in a model.

    Parameters
    ----------
    model
        Whose attention transformers computes through its interface. Left as it was.
    batch
        What it is given in a pass (:func:`attention_mixing.models.batch.pad`).
    keys
        Sets of keys.

    Returns
    -------
    list
        ``[attention][batch, head, query, set]``, 0 to 1, what :func:`clamped` takes.

    Raises
    ------
    InputError
        As :func:`clamped`.
    """
    found: list[Tensor | None] = []

    def note(number: int, call: AttentionCall, members: Tensor | None) -> AttentionCall:
        found.append(None if members is None else _summed(call, members)[1][..., :-1])
        return call

    with _changed(model, keys, note):
        model(**batch)
    return found


@contextmanager
def clamped(model: PreTrainedModel, keys: Keys, shares: Shares) -> Iterator[None]:
    """Hold the shares of sets of keys inside the block.

    Rows in which no key of a set, or none but those of sets, is seen have nothing to be moved and
    are left as they are; of several sets, one that is not seen is held at 0. Keys that are not seen,
    such as padding, may be in a set.

    Parameters
    ----------
    model
        Whose attention transformers computes through its interface; in training dropout comes after
        what is held.
    keys
        Sets of keys of the texts that are read inside the block.
    shares
        What is held, 0 to 1, of all sets together no more than 1; axes of length 1 are repeated.

    Raises
    ------
    InputError
        If a key is in two sets, keys or shares are not those of the texts or of the model, or the
        model is trained with checkpoints of its gradient, which computes attention a second time.
    """

    def hold(number: int, call: AttentionCall, members: Tensor | None) -> AttentionCall:
        target = _of_attention(shares, number)
        if members is None or target is None:
            return call
        weights, sums = _summed(call, members)
        # What has less has lost its digits, and its square, which gradients divide by, all of them.
        seen = sums > torch.finfo(sums.dtype).tiny ** 0.5
        target = target.to(sums).expand_as(sums[..., :-1])
        target = torch.where(seen[..., :-1], target, 0)
        rest = (1 - target.sum(dim=-1, keepdim=True)).clamp(min=0)
        factors = torch.cat([target, rest], dim=-1) / torch.where(seen, sums, 1)
        held = seen[..., -1:] & seen[..., :-1].any(dim=-1, keepdim=True)
        factors = torch.where(held, factors, 1)
        return call.changed(weights=weights * (factors @ members[:, None].to(factors)))

    with _changed(model, keys, hold):
        yield


@contextmanager
def biased(model: PreTrainedModel, keys: Keys, bias: float | Shares) -> Iterator[None]:
    """Add something to the scores of sets of keys inside the block, before the softmax.

    Parameters
    ----------
    model, keys
        As in :func:`clamped`.
    bias
        What is added, in nats; one number, or ``[attention][batch, head, query, set]``, of which
        axes of length 1 are repeated.

    Raises
    ------
    InputError
        As :func:`clamped`.
    """

    def add(number: int, call: AttentionCall, members: Tensor | None) -> AttentionCall:
        added = bias if isinstance(bias, int | float) else _of_attention(bias, number)
        if members is None or added is None:
            return call
        weights, sums = _summed(call, members)
        added = torch.as_tensor(added).to(sums).expand_as(sums[..., :-1])
        factors = torch.cat([added, torch.zeros_like(sums[..., -1:])], dim=-1).exp()
        total = (sums * factors).sum(dim=-1, keepdim=True)
        whole = sums.sum(dim=-1, keepdim=True)  # 1, but for rounding
        factors = factors * whole / total
        return call.changed(weights=weights * (factors @ members[:, None].to(factors)))

    with _changed(model, keys, add):
        yield


@contextmanager
def values_zeroed(model: PreTrainedModel, keys: Keys) -> Iterator[None]:
    """Have sets of keys bring nothing inside the block: their values are 0, all weights stay.

    Parameters
    ----------
    model, keys
        As in :func:`clamped`.

    Raises
    ------
    InputError
        As :func:`clamped`.
    """

    def zero(number: int, call: AttentionCall, members: Tensor | None) -> AttentionCall:
        if members is None:
            return call
        return call.changed(value=call.value * members[:, -1:, :, None].to(call.value))

    with _changed(model, keys, zero):
        yield


Intervention = Callable[[int, AttentionCall, Tensor | None], AttentionCall]
"""Number of an attention in the pass, its call, and :func:`_members` of its keys, if any."""


@contextmanager
def _changed(model: PreTrainedModel, keys: Keys, change: Intervention) -> Iterator[None]:
    """Have every attention call changed that a pass makes."""
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


def _of_attention(values: Shares, number: int) -> Tensor | None:
    if number >= len(values):
        raise InputError(
            f"what is held is given of {len(values)} attentions but the model computes more in a "
            "pass; give one entry each, in their order."
        )
    return values[number]


def _summed(call: AttentionCall, members: Tensor) -> tuple[Tensor, Tensor]:
    """Give weights, and their sums over each set and over all other keys.

    ``[batch, head, query, key]`` and ``[batch, head, query, set]``. What goes to no token is with
    the other keys.
    """
    mass = call.mass[..., None]
    weights = call.of_heads("attention") * mass
    sums = weights @ members[:, None].transpose(-1, -2).to(weights)
    return weights, torch.cat([sums[..., :-1], sums[..., -1:] + (1 - mass)], dim=-1)
