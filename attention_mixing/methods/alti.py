"""Contributions of keys by how much nearer each brings a token's new vector: ALTI.

Ferrando et al. (2022), *Measuring the Mixing of Contextual Information in the Transformer*, EMNLP,
section 3. Arrays are of one layer and one text.
"""

import numpy as np
from jaxtyping import Float

from attention_mixing.methods.arrays import finite
from attention_mixing.methods.layer import norm_numerator
from attention_mixing.methods.mixing import AttentionBlock, row_normalised
from attention_mixing.methods.shapes import checked_shapes


@checked_shapes
def alti(
    block: AttentionBlock, output: Float[np.ndarray, "query model_dim"]
) -> Float[np.ndarray, "query key"]:
    r"""Contributions by how much nearer each brings the output, ALTI.

    .. math:: c_{ij} \propto
        \max(0, \lVert y_i \rVert_1 - \lVert y_i - T_i(x_j) \rVert_1)

    with :math:`T_i(x_j)` the vector whose norm ``attnresln_n`` measures. A Gram matrix knows no
    distance by absolute values, so each vector is needed: those of one key to all queries at a
    time.

    Every row sums to 1; one in which no key brings the token nearer has no shares, and is not a
    number. Ferrando et al. (2022), section 3.

    Parameters
    ----------
    block
        The attention of the layer.
    output
        :math:`y`, true output of the attention block, biases included.

    Raises
    ------
    ValueError
        If an entry is not finite.
    """
    rows = finite("output", output, block.own.dtype)
    scale = block.divisor[:, None]
    residual = norm_numerator(block.inputs, block.residual.after) / block.after_divisor[:, None]
    distance = np.empty_like(block.attention[0])
    for keys, vectors, weights in block.keys_through(block.through):
        for key, key_vectors, key_weights in zip(
            range(*keys.indices(distance.shape[1])), vectors, weights, strict=True
        ):
            remainder = key_weights.T @ key_vectors
            remainder /= scale
            if (query := key - block.before) >= 0:
                remainder[query] += residual[query]
            remainder -= rows
            distance[:, key] = np.abs(remainder, out=remainder).sum(axis=-1)
    nearer = np.maximum(0, np.abs(rows).sum(axis=-1)[:, None] - distance)
    defined = nearer.any(axis=-1)
    shares = np.full(nearer.shape, np.nan)
    shares[defined] = row_normalised(nearer[defined])
    return shares
