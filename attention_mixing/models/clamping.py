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

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor
from transformers import PreTrainedModel

from attention_mixing.errors import InputError
from attention_mixing.models.attention import AttentionCall
from attention_mixing.models.key_sets import Keys, changed_by_sets, multiplied, summed

__all__ = ["biased", "clamped", "shares", "shares_of_passes", "values_zeroed"]

Shares = Sequence[Tensor | None]
"""``[attention][batch, head, query, set]``; None of attentions whose stream has no sets."""


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
        Sets of keys, ``[batch, key]`` or ``[batch, set, key]``, of truth values, no key in two of
        them; a batch of 1 is repeated. Of an encoder-decoder these by the names of its streams
        ``encoder``, ``decoder`` and ``cross``, or of some of them.

    Returns
    -------
    list
        ``[attention][batch, head, query, set]``, 0 to 1, what :func:`clamped` takes.

    Raises
    ------
    InputError
        As :func:`clamped`.
    """
    with shares_of_passes(model, keys) as found:
        model(**batch)
    return found


@contextmanager
def shares_of_passes(model: PreTrainedModel, keys: Keys) -> Iterator[list[Tensor | None]]:
    """Collect shares as :func:`shares` gives them, of what the model reads inside the block.

    What is done around the block to its attention has been done to them.
    """
    found: list[Tensor | None] = []

    def note(number: int, call: AttentionCall, members: Tensor | None) -> AttentionCall:
        found.append(None if members is None else summed(call, members)[1][..., :-1])
        return call

    with changed_by_sets(model, keys, note):
        yield found


@contextmanager
def clamped(model: PreTrainedModel, keys: Keys, shares: Shares) -> Iterator[None]:
    """Hold the shares of sets of keys inside the block.

    Rows in which no key of a set, or nothing else, is seen have nothing to be moved and are left as
    they are; of several sets, one that is not seen is held at 0. Padding may be in a set.

    Parameters
    ----------
    model
        Whose attention transformers computes through its interface; in training dropout comes after
        what is held.
    keys
        As in :func:`shares`, of the texts that are read inside the block.
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
        weights, sums = summed(call, members)
        # What has less has lost its digits, and its square, which gradients divide by, all of them.
        seen = sums > torch.finfo(sums.dtype).tiny ** 0.5
        target = target.to(sums).expand_as(sums[..., :-1])
        target = torch.where(seen[..., :-1], target, 0)
        rest = (1 - target.sum(dim=-1, keepdim=True)).clamp(min=0)
        factors = torch.cat([target, rest], dim=-1) / torch.where(seen, sums, 1)
        held = seen[..., -1:] & seen[..., :-1].any(dim=-1, keepdim=True)
        factors = torch.where(held, factors, 1)
        return multiplied(call, weights, factors, members)

    with changed_by_sets(model, keys, hold):
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
        weights, sums = summed(call, members)
        added = torch.as_tensor(added).to(sums).expand_as(sums[..., :-1])
        factors = torch.cat([added, torch.zeros_like(sums[..., -1:])], dim=-1).exp()
        total = (sums * factors).sum(dim=-1, keepdim=True)
        whole = sums.sum(dim=-1, keepdim=True)  # 1, but for rounding
        factors = factors * whole / total
        return multiplied(call, weights, factors, members)

    with changed_by_sets(model, keys, add):
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
        others = members[:, -1:, :, None]
        return call.changed(value=call.value * others.to(call.value))

    with changed_by_sets(model, keys, zero):
        yield


def _of_attention(values: Shares, number: int) -> Tensor | None:
    if number >= len(values):
        raise InputError(
            f"what is held is given of {len(values)} attentions but the model computes more in a "
            "pass; give one entry each, in their order."
        )
    return values[number]
