r"""Choose keys that weigh as much as others: a placebo for what is done to those.

An intervention on some keys, such as holding the attention that special tokens have, is compared
with the same on keys :math:`S` of which :func:`summed` is alike,

.. math:: f(S) = \Bigl\langle \Bigl| \sum_{j \in S} x_{ij} \Bigr| \Bigr\rangle_i ,

the mean over the rows :math:`i` of all layers and heads. With attention weights :math:`x` it is the
mean share of the keys; with the change of the weights between two models on the same text, by how
much their share moves, in either direction.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float

from attention_mixing.methods.arrays import finite
from attention_mixing.methods.shapes import checked_shapes

Keys = Bool[np.ndarray, " key"]


@checked_shapes
def summed(rows: Float[np.ndarray, "*axes key"], keys: Keys) -> float:
    """Return the mean absolute sum of each row over some keys.

    Parameters
    ----------
    rows
        Attention weights, or their change, such as ``[layer, head, query, key]``.
    keys
        Which are summed over.
    """
    return float(np.abs(rows[..., keys].sum(axis=-1, dtype=np.float64)).mean())


@checked_shapes
def matched_keys(
    rows: Float[np.ndarray, "*axes key"], matched: Keys, allowed: Keys, most: float = 1 / 3
) -> Keys:
    """Choose keys whose :func:`summed` is near to that of others.

    Keys are added, taken out and exchanged one for one as long as any of this comes nearer, always
    what comes nearest. Where even the heaviest keys weigh less, these are chosen.

    Parameters
    ----------
    rows
        As in :func:`summed`.
    matched
        The keys that are to be matched, such as special tokens.
    allowed
        The keys that can be chosen, such as ordinary tokens.
    most
        Share of these that is chosen at most; one can always be.

    Returns
    -------
    Keys
        At least one.

    Raises
    ------
    ValueError
        If rows hold anything but finite numbers, a key is both matched and allowed, or none is
        allowed.
    """
    if (matched & allowed).any() or not allowed.any():
        raise ValueError("matched and allowed have keys in common, or no key is allowed")
    flat = finite("rows", rows, np.float64).reshape(-1, rows.shape[-1])
    target = summed(flat, matched)
    if flat.min(initial=0) >= 0:  # then the mean of sums is the sum of means
        flat = flat.mean(axis=0, keepdims=True)
    limit = max(1, int(most * allowed.sum()))
    chosen = np.zeros(len(allowed), bool)
    distance = np.inf
    while (move := _nearest(flat, target, chosen, allowed & ~chosen, limit))[0] < distance:
        distance, key_in, key_out = move
        chosen[[key for key in (key_in, key_out) if key is not None]] ^= True
    return chosen


def _nearest(
    rows: Float[np.ndarray, "row key"], target: float, chosen: Keys, others: Keys, limit: int
) -> tuple[float, int | None, int | None]:
    """Find the best of all moves: how far it leaves from the target, what comes in and goes out."""
    sums = rows[:, chosen].sum(axis=-1)
    incoming = np.flatnonzero(others)
    moves: list[tuple[float, int | None, int | None]] = []
    for key_out in [None, *np.flatnonzero(chosen).tolist()]:
        left = sums if key_out is None else sums - rows[:, key_out]
        if key_out is not None and chosen.sum() > 1:
            moves.append((abs(np.abs(left).mean() - target), None, key_out))
        if len(incoming) and (key_out is not None or chosen.sum() < limit):
            distances = np.abs(np.abs(left[:, None] + rows[:, incoming]).mean(axis=0) - target)
            best = int(distances.argmin())
            moves.append((distances[best], int(incoming[best]), key_out))
    return min(moves, key=lambda move: move[0], default=(np.inf, None, None))
