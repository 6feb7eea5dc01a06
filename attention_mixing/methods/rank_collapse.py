r"""Rank collapse: how near the tokens of a text are to being one and the same vector.

If all rows of :math:`X` are equal, :math:`X = \mathbf{1} x^\top` has rank 1. The distance from the
nearest such matrix is that of its residual,

.. math:: \operatorname{res}(X) = X - \mathbf{1} x^\top, \qquad
    x = \operatorname{argmin}_x \lVert X - \mathbf{1} x^\top \rVert,

in the composite norm :math:`\lVert X \rVert_{1,\infty} = \sqrt{\lVert X \rVert_1 \lVert X
\rVert_\infty}`. Attention alone takes it to 0 at a cubic rate from layer to layer, because
tokens that are alike attend alike; skip connections prevent it.

Dong, Cordonnier and Loukas (2021), *Attention is Not All You Need: Pure Attention Loses Rank Doubly
Exponentially with Depth*, ICML; the mean as :math:`x` is that of the authors' code for their
experiments with BERT (``paper-plotting`` in
https://github.com/twistedcubic/attention-rank-collapse).
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Float64

from attention_mixing.methods.shapes import checked_shapes

Layers = Float[np.ndarray, "layer token dim"]


@checked_shapes
def composite_norm(matrices: Layers) -> Float64[np.ndarray, " layer"]:
    """Geometric mean of the largest absolute column sum and the largest absolute row sum."""
    absolute = np.abs(matrices.astype(np.float64))
    return np.sqrt(absolute.sum(axis=-2).max(axis=-1) * absolute.sum(axis=-1).max(axis=-1))


@checked_shapes
def relative_residual(features: Layers) -> Float64[np.ndarray, " layer"]:
    r"""Share of the features that is not common to all tokens, in the composite norm.

    :math:`x` is the mean of the tokens. It minimises the Frobenius norm; in the composite norm,
    whose minimum has no closed form, the share can exceed 1 a little. 0 if all tokens are the same,
    not a number if all are zero.
    """
    rows = features.astype(np.float64)
    norm = composite_norm(rows)
    residual = composite_norm(rows - rows.mean(axis=-2, keepdims=True))
    return np.divide(residual, norm, out=np.full_like(norm, np.nan), where=norm > 0)
