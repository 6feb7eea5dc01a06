r"""Value zeroing: how far a layer moves a token when it no longer receives the value of another.

The value vectors of token :math:`j` are set to zero in every head of one layer; the attention
weights and all other inputs stay. With :math:`\tilde{x}_i^{\neg j}` the output of the layer at
token :math:`i` that this gives,

.. math:: c_{ij} \propto 1 - \cos(\tilde{x}_i^{\neg j}, \tilde{x}_i).

The whole layer is computed: both residual connections, both layer normalisations and the
feed-forward network, which is not linear and has to be evaluated for every pair of tokens. The
diagonal holds what the token's own value does; what its residual connection keeps is never zeroed.

Mohebbi et al. (2023), *Quantifying Context Mixing in Transformers*, EACL. What is zeroed (the value
with its bias, of the token itself as of any other), the distance and the sums of the rows are those
of the authors' code (``scoring/value_zeroing.py`` and ``modeling/customized_modeling_bert.py`` in
https://github.com/hmohebbi/ValueZeroing). Arrays are of one layer and one text.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float64

from analysis.methods.layer_norm import Rows, layer_norm_divisor, layer_norm_numerator
from analysis.methods.mixing import AttentionBlock, row_normalised
from analysis.methods.weights import LayerNorm, Linear
from analysis.methods.whole_layer import ACTIVATIONS


def value_zeroing(
    block: AttentionBlock,
    *,
    first: Linear,
    second: Linear,
    activation: str,
    layer_norm: LayerNorm,
) -> Float64[np.ndarray, "token token"]:
    """Compute the share of each key in what all keys change of each query's output.

    Without the value of a key, the attention block lacks exactly the vector that this key
    contributes to each query. Keys are taken a few at a time, so that memory grows with the number
    of tokens and not with its square. Every row sums to 1.

    Parameters
    ----------
    block
        The attention of the layer.
    first, second
        Linear layers of the feed-forward network.
    activation
        Between them; one of ``ACTIVATIONS``.
    layer_norm
        The layer normalisation after the network.

    Raises
    ------
    ValueError
        If no key changes the output of some query.
    """

    def output(summed: Rows) -> Rows:
        rows = _normalised(summed, block.layer_norm)
        hidden = rows @ first.weight
        hidden += first.bias
        hidden *= ACTIVATIONS[activation](hidden)
        rows += hidden @ second.weight
        rows += second.bias
        rows = _normalised(rows, layer_norm)
        return rows / np.linalg.norm(rows, axis=-1, keepdims=True)

    original = output(block.summed)
    distance = np.empty_like(block.attention[0])
    for keys, vectors, weights in block.keys_through(lambda rows: rows):
        contributions = weights.transpose(0, 2, 1) @ vectors  # [key, query, model_dim]
        altered = output(block.summed - contributions)
        # Of unit vectors, 1 - cos is half of the squared distance; unlike the cosine itself, that
        # loses no digits where it is small.
        distance[:, keys] = ((altered - original) ** 2).sum(axis=-1).T / 2
    return row_normalised(distance)


def _normalised(rows: Rows, layer_norm: LayerNorm) -> Rows:
    weight, bias, eps = layer_norm
    normalised = layer_norm_numerator(rows, weight)
    normalised /= layer_norm_divisor(rows, eps)[..., None]
    normalised += bias
    return normalised
