"""How far apart two versions of a model are: their attention, their features, their weights.

Every measure is exactly 0 where nothing differs, and is computed in float64. What is undefined is
not a number, never 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def jensen_shannon(p: ArrayLike, q: ArrayLike) -> Floats:
    r"""Jensen-Shannon divergence of two rows of attention, in bits.

    .. math:: \tfrac12 \sum_j p_j \log_2 \frac{2 p_j}{p_j + q_j}
        + \tfrac12 \sum_j q_j \log_2 \frac{2 q_j}{p_j + q_j}, \qquad 0 \log 0 = 0

    Its root is a distance, with a triangle inequality. Where weights change by little of themselves
    the divergence grows with the square of the change, and the root in proportion, as a norm does.

    Parameters
    ----------
    p, q
        ``[..., key]``, of one shape. Rows are divided by their sums in float64, so that
        half-precision storage leaves no drift.

    Returns
    -------
    NDArray[float64]
        ``[...]``: 0 for equal rows, 1 if no key has weight in both.

    Raises
    ------
    ValueError
        If the shapes differ or are empty, an entry is negative or not finite, or a row sums to 0.

    References
    ----------
    Lin (1991), *Divergence Measures Based on the Shannon Entropy*, IEEE Transactions on Information
    Theory 37(1), section IV. Endres and Schindelin (2003), *A New Metric for Probability
    Distributions*, IEEE Transactions on Information Theory 49(7), on the root.
    """
    first, second = _pair("p", p, "q", q, axes=1)
    first, second = _distribution("p", first), _distribution("q", second)
    total = first + second
    divergence = (_bits(first, total) + _bits(second, total)).sum(axis=-1) / 2
    # Rounding leaves nearly equal rows a little below 0, disjoint ones a little above 1.
    return np.clip(divergence, 0, 1)


def relative_change(before: ArrayLike, after: ArrayLike) -> Floats:
    r"""Size of what was added to a matrix, :math:`\lVert B - A \rVert_F / \lVert A \rVert_F`.

    Parameters
    ----------
    before, after
        ``[..., row, column]``, of one shape: weights, or features ``[..., token, dim]``.

    Returns
    -------
    NDArray[float64]
        ``[...]``, 0 or more; not a number where ``before`` is zero.

    Raises
    ------
    ValueError
        If the shapes differ or are empty, or an entry is not finite.
    """
    old, new = _pair("before", before, "after", after, axes=2)
    added, size = (np.linalg.norm(matrix, axis=(-2, -1)) for matrix in (new - old, old))
    return np.divide(added, size, out=np.full_like(size, np.nan), where=size > 0)


def cosine_distance(before: ArrayLike, after: ArrayLike) -> Floats:
    r"""How far a vector turned, ``1 - cosine``, whatever became of its length.

    Computed from unit vectors as :math:`\lVert u - v \rVert^2 / 2`, which is the same and keeps the
    digits of small angles.

    Parameters
    ----------
    before, after
        ``[..., dim]``, of one shape: features ``[..., token, dim]``.

    Returns
    -------
    NDArray[float64]
        ``[...]``: 0 same direction, 1 at a right angle, 2 opposite; not a number beside a vector of
        length zero.

    Raises
    ------
    ValueError
        If the shapes differ or are empty, or an entry is not finite.
    """
    old, new = _pair("before", before, "after", after, axes=1)
    turned = _directions(new) - _directions(old)
    return np.minimum((turned**2).sum(axis=-1) / 2, 2)


def _pair(
    name: str, given: ArrayLike, other_name: str, other_given: ArrayLike, *, axes: int
) -> tuple[Floats, Floats]:
    first = np.asarray(given, dtype=np.float64)
    second = np.asarray(other_given, dtype=np.float64)
    if first.shape != second.shape or first.ndim < axes or 0 in first.shape:
        raise ValueError(
            f"{name} has shape {first.shape} and {other_name} {second.shape}; they must have the "
            f"same shape of at least {axes} {'axis' if axes == 1 else 'axes'} and nothing empty"
        )
    for label, array in ((name, first), (other_name, second)):
        if not np.isfinite(array).all():
            where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
            raise ValueError(f"{label}{list(where)} is {array[where]}; entries must be finite")
    return first, second


def _distribution(name: str, rows: Floats) -> Floats:
    if rows.min() < 0:
        where = tuple(int(i) for i in np.argwhere(rows < 0)[0])
        raise ValueError(f"{name}{list(where)} is {rows[where]}; weights must be >= 0")
    sums = rows.sum(axis=-1, keepdims=True)
    if not sums.all():
        where = tuple(int(i) for i in np.argwhere(sums[..., 0] == 0)[0])
        raise ValueError(f"{name}{list(where)} sums to 0; a row must have some weight")
    return rows / sums


def _bits(part: Floats, total: Floats) -> Floats:
    """Weight times logarithm of the ratio of a row to the mean of both, ``[..., key]``."""
    ratio = np.divide(2 * part, total, out=np.ones_like(part), where=part > 0)
    return part * np.log2(ratio)


def _directions(vectors: Floats) -> Floats:
    """Divide vectors by their lengths; not a number where the length is zero."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.divide(vectors, lengths, out=np.full_like(vectors, np.nan), where=lengths > 0)
