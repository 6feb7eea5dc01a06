r"""One space for queries and keys: what may be done to them without attention noticing.

Yeh et al. (2023), *AttentionViz: A Global View of Transformer Attention*, arXiv 2305.03210,
section 5.1.1: keys are translated, and queries and keys are scaled against each other.

Queries and keys are ``[..., token, head_dim]`` of one text, as many of the one as of the other;
axes before them, such as layer and head, are worked through alike. All is computed in float64.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.methods.scaled_dot_product import softmax_rows
from analysis.methods.vectors import checked_pair, one_for_each_head

Floats = NDArray[np.float64]
Order = Literal["translate-scale", "scale-translate"]


def attention_weights(query: ArrayLike, key: ArrayLike, scaling: float) -> Floats:
    r"""Attention as the model computes it, :math:`\mathrm{softmax}_j(s\, q_i \cdot k_j)`.

    Parameters
    ----------
    query, key
        ``[..., token, head_dim]``.
    scaling
        Factor ``s`` of the dot products, one over the root of ``head_dim`` in most models.

    Returns
    -------
    NDArray[float64]
        ``[..., query, key]``, every row summing to 1.

    Raises
    ------
    ValueError
        If the shapes do not match or an entry is not finite.
    """
    queries, keys = checked_pair(query, key)
    return softmax_rows(scaling * (queries @ keys.swapaxes(-1, -2)))


def centroid_shift(query: ArrayLike, key: ArrayLike) -> Floats:
    """Step from the centroid of the keys to that of the queries.

    Parameters
    ----------
    query, key
        ``[..., token, head_dim]``.

    Returns
    -------
    NDArray[float64]
        ``[..., head_dim]``.

    Raises
    ------
    ValueError
        As :func:`attention_weights`.
    """
    queries, keys = checked_pair(query, key)
    return queries.mean(axis=-2) - keys.mean(axis=-2)


def translate_keys(query: ArrayLike, key: ArrayLike) -> Floats:
    r"""Move the keys of each head so that their centroid is that of the queries.

    Attention stays as it is: :math:`q_i \cdot (k_j + \Delta)` adds the same
    :math:`q_i \cdot \Delta` to all of row ``i``, which softmax does not notice.

    Parameters
    ----------
    query, key
        ``[..., token, head_dim]``.

    Returns
    -------
    NDArray[float64]
        The keys, ``[..., token, head_dim]``.

    Raises
    ------
    ValueError
        As :func:`attention_weights`.

    References
    ----------
    Yeh et al. (2023), section 5.1.1.
    """
    return np.asarray(key, dtype=np.float64) + centroid_shift(query, key)[..., None, :]


def scaled(query: ArrayLike, key: ArrayLike, c: ArrayLike) -> tuple[Floats, Floats]:
    """Scale queries by ``c`` and keys by ``1 / c``; every dot product stays as it is.

    Parameters
    ----------
    query, key
        ``[..., token, head_dim]``.
    c
        One number, or one for each head, ``[...]``. Not 0; a negative one turns both around.

    Returns
    -------
    tuple of NDArray[float64]
        Queries and keys, ``[..., token, head_dim]``.

    Raises
    ------
    ValueError
        As :func:`attention_weights`, and if ``c`` is 0 or not finite, or has another shape.
    """
    queries, keys = checked_pair(query, key)
    factor = _scale(c, queries.shape[:-2])[..., None, None]
    return factor * queries, keys / factor


def normalised(
    query: ArrayLike, key: ArrayLike, c: ArrayLike, *, order: Order
) -> tuple[Floats, Floats]:
    r"""Translate and scale, in one order or the other.

    The order matters. ``translate-scale`` gives :math:`c\,q` and :math:`(k + \Delta) / c`: a cosine
    does not notice lengths, so no correlation with cosine distance depends on ``c``.
    ``scale-translate`` moves the scaled keys onto the scaled queries, by
    :math:`c\,\bar{q} - \bar{k} / c`: the step depends on ``c``, and so do the cosines. Softmax is
    unchanged by either.

    Parameters
    ----------
    query, key
        ``[..., token, head_dim]``.
    c
        As in :func:`scaled`.
    order
        ``translate-scale`` or ``scale-translate``.

    Returns
    -------
    tuple of NDArray[float64]
        Queries and keys, ``[..., token, head_dim]``.

    Raises
    ------
    ValueError
        As :func:`scaled`, and if ``order`` is another.
    """
    match order:
        case "translate-scale":
            return scaled(query, translate_keys(query, key), c)
        case "scale-translate":
            queries, keys = scaled(query, key, c)
            return queries, translate_keys(queries, keys)
    raise ValueError(f"order is {order!r}; allowed: translate-scale, scale-translate")


def _scale(c: ArrayLike, heads: tuple[int, ...]) -> Floats:
    scale = one_for_each_head("c", c, heads)
    wrong = ~np.isfinite(scale) | (scale == 0)
    if wrong.any():
        raise ValueError(f"c is {float(scale[wrong][0])!r}; it must be finite and not 0")
    return scale
