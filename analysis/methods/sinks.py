r"""Attention sinks: keys that a head gives much weight to whatever the query (Gu et al. 2025).

Gu et al., *When Attention Sink Emerges in Language Models: An Empirical View*, ICLR 2025, section
3.2: the importance of key :math:`k` is its mean weight over the queries that see it,

.. math:: \alpha_k = \frac{1}{|Q_k|} \sum_{i \in Q_k} A_{ik},

and a key is a sink of a head if :math:`\alpha_k > 0.3`. :math:`Q_k` are all queries, or those from
:math:`k` on where a causal mask hides later keys.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Float64

from analysis.methods.shapes import checked_shapes


@checked_shapes
def key_importance(
    attention: Float[np.ndarray, "*map token token"],
) -> Float64[np.ndarray, "*map token"]:
    """Mean weight of every key over the queries that see it.

    Parameters
    ----------
    attention
        ``[..., query, key]`` of one text, rows summing to 1. A map without any weight above its
        diagonal is taken for a causal one.

    Returns
    -------
    NDArray[float64]
        ``[..., key]``, 0 to 1. Without a mask it sums to 1 over the keys.
    """
    weights = attention.astype(np.float64)
    tokens = weights.shape[-1]
    causal = np.logical_not(np.triu(weights, 1).any(axis=(-2, -1), keepdims=True))
    seen_by = np.where(causal[..., 0], np.arange(tokens, 0, -1), tokens)
    return weights.sum(axis=-2) / seen_by
