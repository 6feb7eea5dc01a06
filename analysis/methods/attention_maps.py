"""Measures on maps of attention: where their weights lie, and how much maps differ.

Maps are ``[..., query, key]`` with rows summing to 1; all is computed in float64.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

# What the key with the largest weight of a query can be. The first that fits counts: a special
# token is not called a neighbour as well.
KEY_KINDS = ("special", "self", "previous", "next", "other")


def largest_weight_kinds(attention: ArrayLike, special: ArrayLike) -> dict[str, float]:
    """Count to what kind of key queries give their largest weight.

    Parameters
    ----------
    attention
        ``[..., token, token]``. Of equal weights the first one counts.
    special
        ``[token]``, true for special tokens.

    Returns
    -------
    dict
        Each of ``KEY_KINDS`` -> share of the queries, together 1.

    Raises
    ------
    ValueError
        If a map is not square, or ``special`` does not have one value a token.
    """
    maps, is_special = _square(attention), np.asarray(special, dtype=bool)
    tokens = maps.shape[-1]
    if is_special.shape != (tokens,):
        raise ValueError(
            f"special has shape {is_special.shape} for {tokens} tokens; it must have one value "
            "a token"
        )
    largest = maps.argmax(axis=-1)
    offset = largest - np.arange(tokens)
    kind = np.select(
        [is_special[largest], offset == 0, offset == -1, offset == 1], KEY_KINDS[:-1], KEY_KINDS[-1]
    )
    return {name: float((kind == name).mean()) for name in KEY_KINDS}


def mean_total_variation(attention: ArrayLike) -> float:
    r"""Share of its weight that a query places differently in another head, on average.

    The total variation distance of two rows, :math:`\frac{1}{2} \sum_j |A_{ij} - B_{ij}|`, mean
    over the queries and over all pairs of heads.

    Parameters
    ----------
    attention
        ``[head, query, key]``.

    Returns
    -------
    float
        0 (all heads alike, or only one) to 1 (no key shared by any two heads).
    """
    maps = np.asarray(attention, dtype=np.float64)
    distances = [np.abs(a - b).sum(axis=-1).mean() / 2 for a, b in combinations(maps, 2)]
    return float(np.mean(distances)) if distances else 0.0


def later_weight(attention: ArrayLike) -> float:
    """Weight of a query on the tokens after it, in the mean.

    Parameters
    ----------
    attention
        ``[..., token, token]``.

    Returns
    -------
    float
        0 (under a causal mask) to less than 1: the last token has none after it.

    Raises
    ------
    ValueError
        If a map is not square.
    """
    return float(np.triu(_square(attention), k=1).sum(axis=-1).mean())


def mirrored_weight(attention: ArrayLike) -> float:
    """Weight of query i on key n - 1 - i, in the mean: the diagonal from the upper right.

    Parameters
    ----------
    attention
        ``[..., n, n]``; may be part of a map, so that rows need not sum to 1.

    Returns
    -------
    float
        0 to 1.

    Raises
    ------
    ValueError
        If it is not square.
    """
    mirrored = _square(attention)[..., ::-1]
    return float(np.diagonal(mirrored, axis1=-2, axis2=-1).mean())


def row_sum_deviation(attention: ArrayLike) -> float:
    """Largest difference of the sum of a row from 1, over all rows of ``[..., query, key]``."""
    return float(np.abs(np.asarray(attention, dtype=np.float64).sum(axis=-1) - 1).max())


def _square(attention: ArrayLike) -> Floats:
    maps = np.asarray(attention, dtype=np.float64)
    if maps.ndim < 2 or maps.shape[-1] != maps.shape[-2]:
        raise ValueError(
            f"attention has shape {maps.shape}; it must be [..., token, token] with as many "
            "queries as keys"
        )
    return maps
