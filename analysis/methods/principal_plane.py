"""Queries and keys of many texts in the plane in which they vary most, one for each head.

Principal component analysis of moments that are gathered text by text, in float64.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.methods.vectors import checked_vectors

Floats = NDArray[np.float64]


class VectorMoments:
    """Mean and covariance of the queries of many texts, or of the keys, text by text.

    Whatever the number of texts, it holds one matrix for each head.

    Attributes
    ----------
    count
        Tokens so far.
    mean
        ``[..., head_dim]``.
    cross
        Sum over tokens of the outer products of deviations from the mean,
        ``[..., head_dim, head_dim]``.

    References
    ----------
    Chan, Golub and LeVeque (1983), *Algorithms for Computing the Sample Variance*.
    """

    def __init__(self) -> None:
        self.count = 0
        self.mean: Floats = np.zeros(0)
        self.cross: Floats = np.zeros((0, 0))

    def add(self, vectors: ArrayLike) -> None:
        """Count the tokens of one more text.

        Parameters
        ----------
        vectors
            Queries or keys, ``[..., token, head_dim]``.

        Raises
        ------
        ValueError
            If the shape does not match those before, or an entry is not finite.
        """
        array = checked_vectors("vectors", vectors)
        text = VectorMoments()
        text.count, text.mean = array.shape[-2], array.mean(axis=-2)
        apart = array - text.mean[..., None, :]
        text.cross = apart.swapaxes(-1, -2) @ apart
        both = text if self.count == 0 else self.merged(text)
        self.count, self.mean, self.cross = both.count, both.mean, both.cross

    def merged(self, other: Self) -> VectorMoments:
        """Moments of the vectors of both.

        Parameters
        ----------
        other
            Of the same heads: keys beside queries, or more texts.

        Returns
        -------
        VectorMoments
            New; neither of the two is changed.

        Raises
        ------
        ValueError
            If the shapes do not match, or there are none of either.
        """
        if self.mean.shape != other.mean.shape or not (self.count and other.count):
            raise ValueError(
                f"there are {self.count} vectors with means of shape {self.mean.shape} and "
                f"{other.count} with {other.mean.shape}; both must be of the same heads and "
                "dimensions, at least one vector"
            )
        result = VectorMoments()
        result.count = self.count + other.count
        step = other.mean - self.mean
        result.mean = self.mean + step * (other.count / result.count)
        weight = self.count * other.count / result.count
        result.cross = self.cross + other.cross + weight * step[..., :, None] * step[..., None, :]
        return result

    def moved(self, shift: ArrayLike = 0, scale: ArrayLike = 1) -> VectorMoments:
        """Moments of ``scale * (vector + shift)``.

        Parameters
        ----------
        shift
            ``[..., head_dim]`` or a number.
        scale
            A number or ``[...]``: ``c`` for queries, ``1 / c`` for keys.

        Returns
        -------
        VectorMoments
            New.
        """
        factor = np.asarray(scale, dtype=np.float64)[..., None]
        result = VectorMoments()
        result.count = self.count
        result.mean = factor * (self.mean + np.asarray(shift, dtype=np.float64))
        result.cross = np.square(factor)[..., None] * self.cross
        return result


class Plane(NamedTuple):
    """Plane of the first two principal axes, one for each head.

    Attributes
    ----------
    mean
        The point of the plane that is drawn at the origin, ``[..., head_dim]``.
    axes
        Orthonormal, ``[..., head_dim, 2]``.
    share
        Share of the variance that each axis carries, ``[..., 2]``; not a number if all vectors are
        the same.
    """

    mean: Floats
    axes: Floats
    share: Floats


def principal_plane(query: VectorMoments, key: VectorMoments) -> Plane:
    """Principal component analysis of queries and keys together.

    Parameters
    ----------
    query, key
        Moments of the vectors to be drawn: :meth:`VectorMoments.moved` translates and scales.

    Returns
    -------
    Plane
        The entry of each axis that is largest in size is positive, so that repeated runs agree.
        Which way an axis points remains arbitrary where two variances are equal.

    Raises
    ------
    ValueError
        As :meth:`VectorMoments.merged`, and if the vectors have one dimension.
    """
    together = query.merged(key)
    if together.mean.shape[-1] < 2:
        raise ValueError(
            f"vectors have means of shape {together.mean.shape}; a plane needs [..., head_dim] "
            "with two dimensions or more"
        )
    variances, directions = np.linalg.eigh(together.cross / together.count)
    axes = directions[..., :-3:-1]
    largest = np.take_along_axis(axes, np.abs(axes).argmax(axis=-2)[..., None, :], axis=-2)
    total = np.trace(together.cross, axis1=-2, axis2=-1)[..., None] / together.count
    first = np.maximum(variances[..., :-3:-1], 0)
    share = np.divide(first, total, out=np.full_like(first, np.nan), where=total > 0)
    return Plane(together.mean, axes * np.sign(largest), share)


def project(vectors: ArrayLike, plane: Plane) -> Floats:
    """Coordinates of vectors in a plane.

    Parameters
    ----------
    vectors
        ``[..., token, head_dim]``, translated and scaled as those the plane was made of.
    plane
        Of the same heads.

    Returns
    -------
    NDArray[float64]
        ``[..., token, 2]``.

    Raises
    ------
    ValueError
        If the shapes do not match or an entry is not finite.
    """
    array = checked_vectors("vectors", vectors)
    if (*array.shape[:-2], array.shape[-1]) != plane.mean.shape:
        raise ValueError(
            f"vectors have shape {array.shape}; the plane is that of heads and dimensions "
            f"{plane.mean.shape}"
        )
    return (array - plane.mean[..., None, :]) @ plane.axes
