"""Vectors, in float64: that they are finite, and where they point."""

import numpy as np
from jaxtyping import Float, Float64


def finite(given: Float[np.ndarray, "*axes"], name: str) -> Float64[np.ndarray, "*axes"]:
    """Take an array that is finite throughout.

    Raises
    ------
    ValueError
        If an entry is not; ``name`` says of what.
    """
    array = given.astype(np.float64)
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite")
    return array


def directions(vectors: Float[np.ndarray, "*rows dim"]) -> Float[np.ndarray, "*rows dim"]:
    """Divide vectors by their lengths; not a number where the length is zero."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.divide(vectors, lengths, out=np.full_like(vectors, np.nan), where=lengths > 0)
