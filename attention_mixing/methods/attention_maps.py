"""Measures on maps of attention: where their weights lie, and how much maps differ.

Rows of a map are queries and sum to 1; all is computed in float64.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from jaxtyping import Bool, Float, Float64

from attention_mixing.methods.shapes import checked_shapes

# What the key with the largest weight of a query can be. The first that fits counts: a special
# token is not called a neighbour as well.
KEY_KINDS = ("special", "self", "previous", "next", "other")


@checked_shapes
def largest_weight_kinds(
    attention: Float[np.ndarray, "*maps token token"], special: Bool[np.ndarray, " token"]
) -> dict[str, float]:
    """Count to what kind of key queries give their largest weight, the first of equal ones.

    Returns each of ``KEY_KINDS`` -> share of the queries, together 1.
    """
    largest = attention.argmax(axis=-1)
    offset = largest - np.arange(len(special))
    kind = np.select(
        [special[largest], offset == 0, offset == -1, offset == 1], KEY_KINDS[:-1], KEY_KINDS[-1]
    )
    return {name: float((kind == name).mean()) for name in KEY_KINDS}


@checked_shapes
def mean_total_variation(attention: Float[np.ndarray, "head query key"]) -> float:
    r"""Share of its weight that a query places differently in another head, on average.

    The total variation distance of two rows, :math:`\frac{1}{2} \sum_j |A_{ij} - B_{ij}|`, mean
    over the queries and over all pairs of heads: 0 (all heads alike, or only one) to 1 (no key
    shared by any two heads).
    """
    maps = attention.astype(np.float64)
    distances = [np.abs(a - b).sum(axis=-1).mean() / 2 for a, b in combinations(maps, 2)]
    return float(np.mean(distances)) if distances else 0.0


@checked_shapes
def later_weight(attention: Float[np.ndarray, "*maps token token"]) -> float:
    """Weight of a query on the tokens after it, in the mean.

    0 under a causal mask, always less than 1: the last token has none after it.
    """
    return float(np.triu(attention.astype(np.float64), k=1).sum(axis=-1).mean())


@checked_shapes
def mirrored_weight(attention: Float[np.ndarray, "*maps token token"]) -> float:
    """Weight of query i on key n - 1 - i, in the mean: the diagonal from the upper right.

    What is given may be part of a map, so that rows need not sum to 1.
    """
    mirrored = attention.astype(np.float64)[..., ::-1]
    return float(np.diagonal(mirrored, axis1=-2, axis2=-1).mean())


@checked_shapes
def row_sum_deviation(attention: Float[np.ndarray, "*maps query key"]) -> float:
    """Largest difference of the sum of a row from 1."""
    return float(np.abs(attention.astype(np.float64).sum(axis=-1) - 1).max())


@checked_shapes
def key_importance(
    attention: Float[np.ndarray, "layer head query key"],
    visible: Bool[np.ndarray, "layer query key"] | None = None,
) -> Float64[np.ndarray, "layer head key"]:
    r"""Mean weight of every key over the queries that see it, by which sinks are told.

    .. math:: \alpha_k = \frac{1}{|Q_k|} \sum_{i \in Q_k} A_{ik},

    where :math:`Q_k` are all queries of an encoder, and those from :math:`k` on where a causal mask
    hides later keys: Gu et al. (2025), *When Attention Sink Emerges in Language Models*, ICLR,
    section 3.2. There, key :math:`k` is a sink if :math:`\alpha_k > 0.3`; here, that number is one
    of ``report/rules.yaml``.

    Parameters
    ----------
    attention
        Of one text, rows summing to 1.
    visible
        Which keys each query may see; None for all.

    Returns
    -------
    NDArray[float64]
        0 to 1. Without a mask it sums to 1 over the keys.
    """
    weights = attention.astype(np.float64).sum(axis=-2)
    return weights / (attention.shape[-2] if visible is None else visible.sum(axis=-2)[:, None])
