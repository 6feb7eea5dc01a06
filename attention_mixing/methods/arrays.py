"""Checks of arrays and means of what is defined in them, and the directions of vectors."""

import numpy as np
from jaxtyping import Float, Float64
from numpy.typing import DTypeLike

from attention_mixing.methods.shapes import checked_shapes


@checked_shapes
def finite(
    name: str, given: Float[np.ndarray, "*shape"], dtype: DTypeLike = np.float64
) -> Float[np.ndarray, "*shape"]:
    """Take an array in a precision, finite throughout.

    Raises
    ------
    ValueError
        If an entry is not finite; ``name`` says of what.
    """
    array = given.astype(dtype, copy=False)
    # Minimum and maximum, because a mask would be as large as a quarter of the array.
    if not (np.isfinite(array.min()) and np.isfinite(array.max())):
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name}{list(where)} is {array[where]}; entries must be finite")
    return array


@checked_shapes
def not_negative(
    name: str, given: Float[np.ndarray, "*shape"], dtype: DTypeLike = np.float64
) -> Float[np.ndarray, "*shape"]:
    """Take an array in a precision, finite and nowhere negative.

    Raises
    ------
    ValueError
        If an entry is negative or not finite; ``name`` says of what.
    """
    array = finite(name, given, dtype)
    if array.min() < 0:
        where = tuple(int(i) for i in np.argwhere(array < 0)[0])
        raise ValueError(f"{name}{list(where)} is {array[where]}; entries must not be negative")
    return array


@checked_shapes
def defined_mean(
    values: Float[np.ndarray, "*axes"], axis: int = -1
) -> Float64[np.ndarray, "*other_axes"]:
    """Mean along an axis of what is defined; not a number where nothing is.

    Parameters
    ----------
    values
        Not a number where they are not defined.
    axis
        That is left out of the result.
    """
    defined = ~np.isnan(values)
    count = defined.sum(axis=axis)
    total = np.where(defined, values, 0).sum(axis=axis)
    return np.divide(total, count, out=np.full(count.shape, np.nan), where=count > 0)


@checked_shapes
def directions(vectors: Float[np.ndarray, "*rows dim"]) -> Float[np.ndarray, "*rows dim"]:
    """Divide vectors by their lengths; not a number where the length is zero."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.divide(vectors, lengths, out=np.full_like(vectors, np.nan), where=lengths > 0)
