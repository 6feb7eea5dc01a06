r"""Effective attention: the part of the weights that can change the output of a head.

A head turns its weights into :math:`A T` with :math:`T = X W_V H`, the values brought to the
model's dimension; :math:`H` is the head's part of the output projection. A row may be changed by
any vector of the left null space of :math:`T`, :math:`\operatorname{LN}(T) = \{u : u T = 0\}`,
without any change of the output, so the weights cannot be told from what they do. What can is

.. math:: A^\perp = A - \operatorname{Projection}_{\operatorname{LN}(T)} A .

With n tokens the null space has :math:`n - \operatorname{rank} T` dimensions. The rank is at most
the dimension of the head, so longer texts always have one. Rows of :math:`A^\perp` may have
negative entries and any sum. A row that may see some keys only can be changed at these only: its
null space is that of their values.

Brunner et al. (2020), *On Identifiability in Transformers*, ICLR.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Float64, Int

from attention_mixing.methods.shapes import checked_shapes

Maps = Float[np.ndarray, "head query key"]


class Effective(NamedTuple):
    """Effective attention, and the rank of the values that each of its rows can be made of.

    Attributes
    ----------
    attention
        Weights without what lies in the null space; they may be negative.
    rank
        Dimension that the values of the keys that a query sees span, at most their number.
    """

    attention: Float64[np.ndarray, "head query key"]
    rank: Int[np.ndarray, "head query"]


@checked_shapes
def effective_attention(
    attention: Maps,
    value: Float[np.ndarray, "head key head_dim"],
    projection: Float[np.ndarray, "head*head_dim model_dim"],
    visible: Bool[np.ndarray, "query key"] | None = None,
) -> Effective:
    r"""Remove from every row what lies in the left null space of the values.

    With the QR decomposition :math:`H^\top = Q R`, :math:`T = (V R^\top)\, Q^\top` has the left
    singular vectors of :math:`V R^\top`, which is as narrow as the head. Those of singular values
    above rounding, the columns of :math:`U`, span what is left: :math:`A^\perp = A\, U U^\top`.

    Of a row that sees the keys :math:`S` only, the rows :math:`U_S` of these keys span it. With
    :math:`U_S^\top U_S = E \Lambda E^\top`, a matrix as small as the head, an orthonormal basis is
    :math:`U_S E \Lambda^{-1/2}`, without eigenvalues (of at most 1) that are 0 but for rounding.

    A gate between the heads and the projection that is nowhere 0 changes nothing where the
    projection loses nothing of a head.

    Parameters
    ----------
    attention
        Of one layer.
    value
        As the weights sum them, :math:`V = X W_V + b_V`: with the bias, which rows that sum to 1
        pass on whole and others do not.
    projection
        :math:`W_O`, the transpose of a torch ``Linear.weight``.
    visible
        Which keys each query may see; None for all.

    Returns
    -------
    Effective
        ``attention`` is the given one, unchanged, where there is no null space.
    """
    heads, tokens, head_dim = value.shape
    outward = projection.astype(np.float64).reshape(heads, head_dim, -1).swapaxes(-1, -2)
    _, triangle = np.linalg.qr(outward)
    narrow = value.astype(np.float64) @ triangle.swapaxes(-1, -2)
    effective = attention.astype(np.float64)
    rank = np.empty(attention.shape[:2], int)
    vectors, singular, _ = np.linalg.svd(narrow, full_matrices=False)
    rounding = max(tokens, head_dim) * np.finfo(np.float64).eps
    vectors *= (singular > rounding * singular.max(axis=-1, keepdims=True))[:, None, :]
    every = np.ones((attention.shape[1], tokens), bool) if visible is None else visible
    # Rows that see the same keys share a null space: all of an encoder do.
    for keys in np.unique(every, axis=0):
        rows = (every == keys).all(axis=1)
        restricted = vectors[:, keys]
        eigenvalues, axes = np.linalg.eigh(restricted.swapaxes(-1, -2) @ restricted)
        spanning = eigenvalues > rounding
        scale = np.sqrt(eigenvalues, out=np.ones_like(eigenvalues), where=spanning)
        basis = restricted @ (axes * (spanning / scale)[:, None, :])
        rank[:, rows] = spanning.sum(axis=-1)[:, None]
        block = np.ix_(range(heads), rows, keys)
        weights = effective[block]
        projected = (weights @ basis) @ basis.swapaxes(-1, -2)
        whole = spanning.sum(axis=-1) == keys.sum()
        effective[block] = np.where(whole[:, None, None], weights, projected)
    return Effective(effective, rank)


@checked_shapes
def remaining_share(attention: Maps, effective: Maps) -> Float64[np.ndarray, " head"]:
    """Length of the rows of effective attention beside that of the weights, mean over the queries.

    0 to 1; 1 where every weight counts.
    """
    lengths, remaining = (
        np.linalg.norm(a.astype(np.float64), axis=-1) for a in (attention, effective)
    )
    return (remaining / lengths).mean(axis=-1)


@checked_shapes
def correlation(attention: Maps, effective: Maps) -> Float64[np.ndarray, " head"]:
    """Pearson correlation of the weights with effective attention, over all entries of a map.

    Not a number where either has no spread.
    """
    first, second = (
        maps.astype(np.float64).reshape(len(maps), -1) for maps in (attention, effective)
    )
    first, second = (maps - maps.mean(axis=-1, keepdims=True) for maps in (first, second))
    scale = np.linalg.norm(first, axis=-1) * np.linalg.norm(second, axis=-1)
    product = (first * second).sum(axis=-1)
    return np.divide(product, scale, out=np.full_like(scale, np.nan), where=scale > 0)
