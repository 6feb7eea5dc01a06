r"""Value zeroing: how far a layer moves a token when it no longer receives the value of another.

The value vectors of token :math:`j` are set to zero in every head of one layer; the attention
weights and all other inputs stay. With :math:`\tilde{x}_i^{\neg j}` the output of the layer at
token :math:`i` that this gives,

.. math:: c_{ij} \propto 1 - \cos(\tilde{x}_i^{\neg j}, \tilde{x}_i).

The whole layer is computed: residual connections, normalisations and the feed-forward network,
which is not linear and has to be evaluated for every pair of tokens. The diagonal holds what the
token's own value does; what its residual connection keeps is never zeroed.

Mohebbi et al. (2023), *Quantifying Context Mixing in Transformers*, EACL. What is zeroed (the value
with its bias, of the token itself as of any other), the distance and the sums of the rows are those
of the authors' code (``scoring/value_zeroing.py`` and ``modeling/customized_modeling_bert.py`` in
https://github.com/hmohebbi/ValueZeroing). Arrays are of one layer and one text.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from jaxtyping import Float, Float64

from attention_mixing.methods.layer import Norm, Rows
from attention_mixing.methods.mixing import AttentionBlock, row_normalised
from attention_mixing.methods.shapes import checked_shapes


@checked_shapes
def divisor_ratio(
    weights: Float[np.ndarray, "head query key"],
    value: Float[np.ndarray, "head key head_dim"],
    norm: Norm,
) -> Float64[np.ndarray, "query key"]:
    r"""Divide what a normalisation of the context divides by as it is and without each key.

    With the context :math:`c_i` of a query in all heads, the part :math:`u_{ij}` of it that is of a
    key, and :math:`s` the divisor, :math:`s(c_i) / s(c_i - u_{ij})`; of the latter, square and mean
    follow from inner products.

    Parameters
    ----------
    weights
        As values are summed with them.
    value
        Of every head and key.
    norm
        The normalisation of the context.
    """
    weights, value = weights.astype(np.float64), value.astype(np.float64)
    context = weights @ value
    size = len(value) * value.shape[-1]
    together = np.einsum("hqk,hqk->qk", weights, context @ value.swapaxes(1, 2))
    of_key = np.einsum("hqk,hk->qk", weights**2, (value**2).sum(axis=-1))
    whole = (context**2).sum(axis=(0, 2))[:, None]
    square, without = whole / size, (whole - 2 * together + of_key) / size
    if norm.centring:
        mean = context.sum(axis=(0, 2))[:, None] / size
        key_mean = np.einsum("hqk,hk->qk", weights, value.sum(axis=-1)) / size
        square, without = square - mean**2, without - (mean - key_mean) ** 2
    return np.sqrt((square + norm.eps) / (np.maximum(without, 0) + norm.eps))


@checked_shapes
def value_zeroing(
    block: AttentionBlock,
    rest: Callable[[Rows], Rows],
    ratio: Float64[np.ndarray, "query key"] | None = None,
) -> Float64[np.ndarray, "query key"]:
    """Compute the share of each key in what all keys change of each query's output.

    Without the value of a key, the output of the attention lacks exactly the vector that this key
    contributes to each query; where the context is normalised, what is left is divided anew. Keys
    are taken a few at a time, so that memory grows with the number of tokens and not with its
    square. Every row sums to 1.

    Parameters
    ----------
    block
        The attention of the layer.
    rest
        What the layer makes of the output of its attention, ``[..., token, model_dim]``, with the
        stream that entered it.
    ratio
        :func:`divisor_ratio`, where the context of the heads is normalised.

    Raises
    ------
    ValueError
        If no key changes the output of some query.
    """

    def output(attended: Rows) -> Rows:
        rows = rest(attended)
        return rows / np.linalg.norm(rows, axis=-1, keepdims=True)

    original = output(block.attended[None])[0]
    distance = np.empty_like(block.attention[0])
    for keys, vectors, weights in block.keys_through(lambda rows: rows):
        contributions = weights.transpose(0, 2, 1) @ vectors  # [key, query, model_dim]
        without = block.attended - contributions
        if ratio is not None:
            bias = block.output_bias
            without = (without - bias) * ratio[:, keys].T[..., None].astype(without.dtype) + bias
        altered = output(without)
        # Of unit vectors, 1 - cos is half of the squared distance; unlike the cosine itself, that
        # loses no digits where it is small.
        distance[:, keys] = ((altered - original) ** 2).sum(axis=-1).T / 2
    return row_normalised(distance)
