"""Queries and keys as the methods of geometry take them: their shapes and sizes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

# Values that are equal on paper may differ by rounding; relative to the vectors they come from.
ROUNDING = 1e-12
# The variance of a squared length holds fourth powers, which must stay finite.
LARGEST = 1e70


def checked_vectors(name: str, given: ArrayLike) -> Floats:
    """Take queries or keys, in float64.

    Parameters
    ----------
    name
        Of the parameter, for the message.
    given
        ``[..., token, head_dim]``.

    Returns
    -------
    NDArray[float64]
        The same.

    Raises
    ------
    ValueError
        If the shape is another or an entry is not finite or above ``LARGEST``.
    """
    array = np.asarray(given, dtype=np.float64)
    if array.ndim < 2 or 0 in array.shape:
        raise ValueError(
            f"{name} has shape {array.shape}; it must be [..., token, head_dim] with nothing empty"
        )
    if not np.abs(array).max() <= LARGEST:  # false for nan as well
        where = tuple(int(i) for i in np.argwhere(~(np.abs(array) <= LARGEST))[0])
        raise ValueError(
            f"{name}{list(where)} is {array[where]}; entries must be finite, at most {LARGEST:g} "
            "in size"
        )
    return array


def checked_pair(query: ArrayLike, key: ArrayLike) -> tuple[Floats, Floats]:
    """Take the queries and keys of one text, in float64.

    Parameters
    ----------
    query, key
        ``[..., token, head_dim]``.

    Returns
    -------
    tuple of NDArray[float64]
        The same.

    Raises
    ------
    ValueError
        As :func:`checked_vectors`, and if the shapes do not match.
    """
    queries, keys = checked_vectors("query", query), checked_vectors("key", key)
    if queries.shape != keys.shape:
        raise ValueError(
            f"query has shape {queries.shape} and key {keys.shape}; they must be the same, "
            "[..., token, head_dim]"
        )
    return queries, keys


def one_for_each_head(name: str, given: ArrayLike, heads: tuple[int, ...]) -> Floats:
    """Take one number for each head, or one for all of them.

    Parameters
    ----------
    name
        Of the parameter, for the message.
    given
        A number or ``[...]``.
    heads
        Shape of the axes before the tokens.

    Returns
    -------
    NDArray[float64]
        ``[...]``, read-only.

    Raises
    ------
    ValueError
        If the shape is another.
    """
    array = np.asarray(given, dtype=np.float64)
    if array.ndim and array.shape != heads:
        raise ValueError(
            f"{name} has shape {array.shape}; it must be one number or one for each head, {heads}"
        )
    return np.broadcast_to(array, heads)
