"""Rows that are clustered: what may be given, and how far they are from centres."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]

# A column whose values differ by less, relative to the largest, is constant but for rounding.
ROUNDING = 1e-12


def checked_rows(features: ArrayLike) -> Floats:
    """Take features of rows that can be clustered.

    Parameters
    ----------
    features
        ``[row, dim]``.

    Returns
    -------
    NDArray[float64]
        The same.

    Raises
    ------
    ValueError
        If the shape is another, a feature is not finite, or no two rows differ.
    """
    rows = np.asarray(features, dtype=np.float64)
    if rows.ndim != 2 or 0 in rows.shape:
        raise ValueError(
            f"features have shape {rows.shape}; they must be [row, dim], nothing empty"
        )
    if not np.isfinite(rows).all():
        where = [int(i) for i in np.argwhere(~np.isfinite(rows))[0]]
        raise ValueError(f"features{where} is {rows[tuple(where)]}; they must be finite")
    if (np.ptp(rows, axis=0) <= ROUNDING * np.abs(rows).max(axis=0)).all():
        raise ValueError(f"all {len(rows)} maps are identical; there is nothing to cluster")
    return rows


def check_number(rows: Floats, name: str, number: int, least: int) -> None:
    """Refuse a number of clusters, or of rows in one, that the rows cannot have.

    Parameters
    ----------
    rows
        ``[row, dim]``.
    name, number
        Of the parameter, for the message, and its value. ``k`` is a number of clusters, of which
        there cannot be more than different rows.
    least
        What it must be at least.

    Raises
    ------
    ValueError
        If it is less, or more than there are rows.
    """
    if not least <= number <= len(rows):
        raise ValueError(
            f"{name} is {number!r}; of {len(rows)} maps it must be {least} to {len(rows)}"
        )
    different = len(np.unique(rows, axis=0))
    if name == "k" and number > different:
        raise ValueError(f"k is {number}; of the {len(rows)} maps only {different} are different")


def squared_distances(rows: Floats, centres: Floats) -> Floats:
    """Squared Euclidean distance of every row, ``[row, dim]``, to every centre, ``[cluster, dim]``.

    Returns
    -------
    NDArray[float64]
        ``[row, cluster]``.
    """
    return np.stack([((rows - centre) ** 2).sum(axis=1) for centre in centres], axis=1)


def nearest_centre(rows: Floats, centres: Floats) -> Labels:
    """Give every row, ``[row, dim]``, to the nearest centre, the first of equals.

    Returns
    -------
    NDArray[int64]
        ``[row]``, numbers of centres.
    """
    return squared_distances(rows, centres).argmin(axis=1)
