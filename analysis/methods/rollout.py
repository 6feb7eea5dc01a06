"""Attention rollout: following attention through the layers by matrix products.

Abnar and Zuidema (2020), *Quantifying Attention Flow in Transformers*, ACL, sections 3 and 4.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.methods.attention import head_mean, mixing

Attention = NDArray[np.float64]


def with_residual(attention: ArrayLike, residual: float | ArrayLike = 0.5) -> Attention:
    r"""Mix head-averaged attention with the residual connection.

    .. math:: A^{(l)}_{ij} = (1 - r^{(l)}_i)\,\bar{W}^{(l)}_{ij} + r^{(l)}_i\,\delta_{ij}

    Parameters
    ----------
    attention
        Row-stochastic, ``[layer, head, query, key]`` or head-averaged ``[layer, query, key]``.
        Rows are renormalised in float64, so that half-precision storage leaves no drift.
    residual
        Share ``r`` of the residual connection, 0 to 1: one number for all (one half in the paper),
        or ``[layer, token]``, such as :func:`measured_residual` gives.

    Returns
    -------
    NDArray[float64]
        ``[layer, query, key]``, every row summing to 1.

    Raises
    ------
    ValueError
        If the attention is not a stack of square, non-negative, row-stochastic matrices, or
        ``residual`` lies outside 0 to 1 or has another shape.
    """
    mean = head_mean(attention)
    share = np.asarray(residual, dtype=np.float64)
    if share.ndim and share.shape != mean.shape[:2]:
        raise ValueError(
            f"residual has shape {share.shape}; it must be one number or [layer, token], here "
            f"{mean.shape[:2]}"
        )
    outside = ~((share >= 0) & (share <= 1))
    if outside.any():
        given = share if share.ndim == 0 else share[tuple(np.argwhere(outside)[0])]
        raise ValueError(f"residual is {float(given)!r}; it must lie between 0 and 1")
    share = share[..., None]
    return (1 - share) * mean + share * np.eye(mean.shape[-1])


def measured_residual(attention: ArrayLike, ratio: ArrayLike) -> Attention:
    r"""Residual share with which attention mixes as much as was measured.

    .. math:: r^{(l)}_i = 1 - \frac{\rho^{(l)}_i}{1 - \bar{W}^{(l)}_{ii}}

    so that :math:`1 - A^{(l)}_{ii} = \rho^{(l)}_i`: the norms of the vectors say how much is mixed,
    the weights where it comes from. Where even attention without residual mixes less than was
    measured, the share is 0; where a token attends to itself alone, any share gives the same matrix
    and it is 1.

    Parameters
    ----------
    attention
        Row-stochastic, ``[layer, head, query, key]`` or head-averaged ``[layer, query, key]``.
    ratio
        ``[layer, token]``, mixing ratio of each token, 0 to 1
        (:func:`analysis.methods.mixing.mixing_ratio`).

    Returns
    -------
    NDArray[float64]
        ``[layer, token]``, 0 to 1.

    Raises
    ------
    ValueError
        As :func:`with_residual`, and if ``ratio`` has another shape or lies outside 0 to 1.
    """
    others = mixing(head_mean(attention))
    measured = np.asarray(ratio, dtype=np.float64)
    if measured.shape != others.shape:
        raise ValueError(
            f"ratio has shape {measured.shape}; it must be [layer, token], here {others.shape}"
        )
    if not ((measured >= 0) & (measured <= 1)).all():
        raise ValueError("ratio holds a value outside 0 to 1; it must be a mixing ratio")
    share = np.divide(measured, others, out=np.zeros_like(measured), where=others > 0)
    return np.clip(1 - share, 0, 1)


def attention_rollout(
    attention: ArrayLike, *, residual: float | ArrayLike = 0.5, start_layer: int = 0
) -> Attention:
    r"""Trace each token of every layer back to the input tokens.

    .. math:: R^{(1)} = A^{(1)}, \qquad R^{(l)} = A^{(l)} R^{(l-1)}

    with :math:`A^{(l)}` from :func:`with_residual`. Entry ``[l, i, j]`` is the share of token
    ``i`` after layer ``l`` that stems from input token ``j`` if attention weights were all that
    mattered: the probability that a walk down the layers from ``i`` ends in ``j``.

    Parameters
    ----------
    attention
        Row-stochastic, ``[layer, head, query, key]`` or head-averaged ``[layer, query, key]``.
    residual
        Share of the residual connection, 0 to 1, as in :func:`with_residual`. 0 rolls out the
        attention as it is.
    start_layer
        The first layer that counts, 0-based. Layers below it are taken as the identity.

    Returns
    -------
    NDArray[float64]
        ``[layer, query, key]``, every row summing to 1.

    Raises
    ------
    ValueError
        As :func:`with_residual`, and if ``start_layer`` is not a layer.

    Examples
    --------
    >>> swap = [[[0.0, 1.0], [1.0, 0.0]]]
    >>> attention_rollout(swap * 2, residual=0.0)[-1]
    array([[1., 0.],
           [0., 1.]])
    """
    mixed = with_residual(attention, residual)
    layers, tokens, _ = mixed.shape
    if not 0 <= start_layer < layers:
        raise ValueError(
            f"start_layer is {start_layer!r}; the attention has layers 0 to {layers - 1}"
        )
    rollout = np.empty_like(mixed)
    reached = np.eye(tokens)
    for layer in range(layers):
        if layer >= start_layer:
            reached = mixed[layer] @ reached
        rollout[layer] = reached
    return rollout


def row_distance(matrix: ArrayLike) -> NDArray[np.float64]:
    """Mean total-variation distance of the rows from their average row.

    0 if every token has the same row, so that the matrix tells nothing about single tokens any
    more; ``1 - 1/n`` for the identity. A product of many row-stochastic matrices tends to 0.

    Parameters
    ----------
    matrix
        ``[..., query, key]``, rows summing to 1.

    Returns
    -------
    NDArray[float64]
        ``[...]``.
    """
    rows = np.asarray(matrix, dtype=np.float64)
    average = rows.mean(axis=-2, keepdims=True)
    return 0.5 * np.abs(rows - average).sum(axis=-1).mean(axis=-1)
