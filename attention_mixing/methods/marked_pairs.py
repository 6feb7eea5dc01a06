r"""How much more a head gives to pairs of tokens that somebody has marked than chance would.

Of a head with attention :math:`A` and a pair of a query :math:`q` and a key :math:`k`, the weight
:math:`A_{qk}` alone says little: a sink gets it from every query. So it is held against what the
same key gets from the other queries that see it,

.. math:: A_{qk} - \operatorname{mean}_{q' \in Q_k} A_{q'k},

where :math:`Q_k` leaves out the queries that are marked with the same key. It is the weight that a
query would give if the head did not know which query it is: 0 for a head that is uniform or has a
sink, whatever is marked, and 1 for one that gives the pair all, and nobody else anything of the
key. What the query gives to *other keys* is no such yardstick, as it is one minus the weight, so
that a sink would win; nor is a quotient one, as it grows without bound where a key gets almost
nothing.

Either end of a pair may be several tokens, as the pieces of a word are: weights on the keys are
added, those of the queries averaged, as in :mod:`attention_mixing.methods.words`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Float64

from attention_mixing.methods.arrays import defined_mean
from attention_mixing.methods.shapes import checked_shapes

Pair = tuple[Sequence[int], Sequence[int]]
"""Places of the tokens that read, and of those that are read."""


class PairWeights(NamedTuple):
    """Weight of every head on marked pairs, means over those for which both are defined.

    Attributes
    ----------
    weight, chance
        ``[layer, head]``, of the marked queries, and of the others that see the key; not a number
        where no pair has both.
    """

    weight: Float64[np.ndarray, "layer head"]
    chance: Float64[np.ndarray, "layer head"]

    @property
    def advantage(self) -> Float64[np.ndarray, "layer head"]:
        """Weight beyond chance, from -1 to 1."""
        return self.weight - self.chance


@checked_shapes
def pair_weights(
    attention: Float[np.ndarray, "layer head query key"],
    pairs: Sequence[Pair],
    visible: Bool[np.ndarray, "layer query key"] | None = None,
) -> PairWeights:
    """Weight that every head gives to marked pairs, and what it gives their keys by chance.

    Parameters
    ----------
    attention
        Weights, rows over keys.
    pairs
        At least one. Of those exchanged, queries for keys, it is the other direction.
    visible
        Which keys a query may see; None if it sees all. In a layer where a query of a pair sees
        none of its keys, or no other does, the pair has no number.

    Returns
    -------
    PairWeights
        Of each layer and head.

    Raises
    ------
    ValueError
        If there is no pair, or one has no query or no key.

    Examples
    --------
    A head in which token 2 reads token 0, and a sink on it.

    >>> reads, sink = np.eye(3), np.eye(3)[[0, 0, 0]]
    >>> reads[2] = [1, 0, 0]
    >>> pair_weights(np.stack([reads, sink])[None], [([2], [0])]).advantage
    array([[0.5, 0. ]])
    """
    if not pairs or not all(len(queries) and len(keys) for queries, keys in pairs):
        raise ValueError("there must be a pair, and each must have a query and a key")
    numbers = []
    for queries, keys in pairs:
        onto = attention[..., list(keys)].sum(axis=-1, dtype=np.float64)
        if visible is not None:
            sees = np.any(visible[..., list(keys)], axis=-1, keepdims=True)
            onto = np.where(np.moveaxis(sees, -1, 1), onto, np.nan)
        # Queries that are marked with a key of these are no chance.
        marked = [query for of, others in pairs if {*others} & {*keys} for query in of]
        others = np.setdiff1d(np.arange(onto.shape[-1]), marked)
        both = np.stack([defined_mean(onto[..., list(queries)]), defined_mean(onto[..., others])])
        numbers.append(np.where(np.isnan(both).any(axis=0), np.nan, both))
    return PairWeights(*defined_mean(np.stack(numbers, axis=-1)))
