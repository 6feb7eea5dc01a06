r"""Attention sinks: keys that a head gives much weight to whatever the query (Gu et al. 2025).

Gu et al., *When Attention Sink Emerges in Language Models: An Empirical View*, ICLR 2025, section
3.2: the importance of key :math:`k` is its mean weight over the queries that see it,

.. math:: \alpha_k = \frac{1}{|Q_k|} \sum_{i \in Q_k} A_{ik},

and a key is a sink of a head if :math:`\alpha_k > 0.3`. :math:`Q_k` are all queries of an encoder,
and those from :math:`k` on where a causal mask hides later keys. The bound is applied where it is
asked about, in ``report/rules.yaml``.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float, Float64

from attention_mixing.methods.shapes import checked_shapes


@checked_shapes
def key_importance(
    attention: Float[np.ndarray, "layer head token token"],
    visible: Bool[np.ndarray, "layer token token"] | None = None,
) -> Float64[np.ndarray, "layer head token"]:
    """Mean weight of every key over the queries that see it.

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
    return weights / (attention.shape[-1] if visible is None else visible.sum(axis=-2)[:, None])
