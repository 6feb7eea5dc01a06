"""Attention matrices as they come out of a model: validation, head mean, what a row tells."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Half-precision storage moves the sum of a row by at most 2^-8 (bfloat16) or 2^-11 (float16).
ROW_SUM_TOLERANCE = 0.01


def head_mean(attention: ArrayLike) -> NDArray[np.float64]:
    """Average attention over heads, in float64, with rows renormalised to 1.

    Parameters
    ----------
    attention
        ``[layer, head, query, key]`` or, already averaged, ``[layer, query, key]``.

    Returns
    -------
    NDArray[float64]
        ``[layer, query, key]``, every row summing to 1.

    Raises
    ------
    ValueError
        If there is no layer, head or token, a matrix is not square, an entry is negative, infinite
        or not a number, or a row does not sum to 1.
    """
    array = np.asarray(attention)
    if array.ndim not in (3, 4) or array.shape[-1] != array.shape[-2] or 0 in array.shape:
        raise ValueError(
            f"attention has shape {array.shape}; it must be [layer, head, query, key] or "
            "[layer, query, key] with as many queries as keys and nothing empty"
        )
    mean = np.empty((len(array), *array.shape[-2:]))
    # A layer at a time: a copy of all heads in float64 would be four times what the cache holds.
    for layer, matrices in enumerate(array):
        rows = matrices.astype(np.float64)
        _check_rows(rows, layer)
        rows /= rows.sum(axis=-1, keepdims=True)
        if array.ndim == 4:
            rows = rows.mean(axis=0)
            rows /= rows.sum(axis=-1, keepdims=True)
        mean[layer] = rows
    return mean


def _check_rows(rows: NDArray[np.float64], layer: int) -> None:
    if not (rows.min() >= 0 and rows.max() < np.inf):  # false for nan as well
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(rows) | (rows < 0))[0])
        raise ValueError(
            f"attention{[layer, *where]} is {rows[where]}; weights must be finite, >= 0"
        )
    sums = rows.sum(axis=-1)
    if (np.abs(sums - 1) > ROW_SUM_TOLERANCE).any():
        where = tuple(int(i) for i in np.argwhere(np.abs(sums - 1) > ROW_SUM_TOLERANCE)[0])
        raise ValueError(
            f"attention{[layer, *where]} sums to {sums[where]:.6g}; rows must sum to 1"
        )


def mixing(attention: ArrayLike) -> NDArray[np.float64]:
    r"""Share of each row that goes to other tokens, :math:`1 - A_{ii}`.

    Parameters
    ----------
    attention
        ``[..., query, key]``, rows summing to 1.

    Returns
    -------
    NDArray[float64]
        ``[..., token]``, 0 (nothing mixed in) to 1 (nothing kept).
    """
    return 1 - np.diagonal(np.asarray(attention, dtype=np.float64), axis1=-2, axis2=-1)


def entropy(attention: ArrayLike) -> NDArray[np.float64]:
    """Shannon entropy of each row, in nats; ``ln n`` for a row that is uniform over n tokens.

    Parameters
    ----------
    attention
        ``[..., query, key]``, rows summing to 1.

    Returns
    -------
    NDArray[float64]
        ``[..., query]``.
    """
    rows = np.asarray(attention, dtype=np.float64)
    return -np.sum(rows * np.log(rows, where=rows > 0, out=np.zeros_like(rows)), axis=-1)


def row_scores(matrix: ArrayLike, aggregation: Literal["cls", "max"]) -> NDArray[np.float64]:
    """Turn a matrix of sources and targets into one score a target.

    Parameters
    ----------
    matrix
        ``[..., query, key]``: attention, rollout, flow, relevance, contributions.
    aggregation
        ``cls`` takes the first row, what the classification token draws from each token; ``max``
        the largest entry of each column, what any token draws from it. With a residual in
        ``matrix`` that is mostly the token itself.

    Returns
    -------
    NDArray[float64]
        ``[..., key]``.
    """
    array = np.asarray(matrix, dtype=np.float64)
    match aggregation:
        case "cls":
            return array[..., 0, :]
        case "max":
            return array.max(axis=-2)
    raise ValueError(f"aggregation is {aggregation!r}; allowed: cls, max")
