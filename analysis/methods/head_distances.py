"""Distances between heads by what they attend to, and their layout in a plane.

The baseline of every clustering by features: Clark et al. (2019), *What Does BERT Look At?*,
BlackboxNLP, section 6.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Float64

from analysis.methods.attention import entropy, head_mean

Maps = Float[np.ndarray, "... _ _"]  # of a text, which are of different lengths
Distances = Float64[np.ndarray, "head head"]

# Weights worked on at a time: 2 MB in float64.
_BLOCK = 2**18
# Distances that are equal on paper may differ by rounding; relative to the largest.
_ROUNDING = 1e-9


class Layout(NamedTuple):
    """Result of :func:`classical_mds`.

    Attributes
    ----------
    coordinates
        Centred; dimensions from the widest to the narrowest.
    share
        Of a dimension: its part of the sum of the positive eigenvalues.
    """

    coordinates: Float64[np.ndarray, "row dimension"]
    share: Float64[np.ndarray, " dimension"]


def jensen_shannon_distances(texts: Iterable[Maps], *, queries: int | None = None) -> Distances:
    r"""Distance of every head to every other over the queries of all texts.

    .. math:: d(a, b)^2 = \frac{1}{|Q|} \sum_{i \in Q}
        H\Big(\frac{a_i + b_i}{2}\Big) - \frac{H(a_i) + H(b_i)}{2}

    Clark et al. take the sum itself. Its root is a distance that points in a space have (Endres and
    Schindelin 2003; Fuglede and Topsoe 2004), and the mean does not grow with the texts.

    Parameters
    ----------
    texts
        For each text ``[..., query, key]``, rows summing to 1, such as ``[layer, head, query,
        key]``. The same heads in every text; read once, one at a time.
    queries
        At most so many of a text, evenly spread from the first to the last; None for all.

    Returns
    -------
    NDArray[float64]
        ``[head, head]``, heads of all layers one after the other, 0 to the root of ln 2.

    Raises
    ------
    ValueError
        If there is no text, the heads of a text are not those of the first, ``queries`` is below 1,
        or as :func:`analysis.methods.attention.head_mean`.
    """
    if queries is not None and queries < 1:
        raise ValueError(f"queries is {queries!r}; it must be at least 1")
    total, compared = np.zeros((0, 0)), 0
    for number, text in enumerate(texts):
        # Without a head axis, head_mean checks and renormalises.
        heads = head_mean(text.reshape(-1, *text.shape[-2:]))
        if number == 0:
            total = np.zeros((len(heads), len(heads)))
        elif len(heads) != len(total):
            raise ValueError(
                f"text {number} has {len(heads)} heads; those before it have {len(total)}"
            )
        if queries is not None and queries < heads.shape[1]:
            heads = heads[:, np.linspace(0, heads.shape[1] - 1, queries).round().astype(int)]
        total += _divergences(heads)
        compared += heads.shape[1]
    if not compared:
        raise ValueError("there is no text; distances need at least one")
    return np.sqrt(total / compared)


def classical_mds(distances: Float[np.ndarray, "row row"]) -> Layout:
    """Lay points out so that their distances are as given, exactly and without a random start.

    Distances that no points in any space have are met as closely as they can be.

    Parameters
    ----------
    distances
        Symmetric, 0 on the diagonal.

    Returns
    -------
    Layout
        As many dimensions as rows. The largest coordinate of each is positive.

    Raises
    ------
    ValueError
        If the distances are not symmetric, finite and non-negative with a diagonal of 0, or all are
        0.

    References
    ----------
    Torgerson (1952), *Multidimensional scaling: I. Theory and method*, Psychometrika 17.
    """
    far = distances.astype(np.float64)
    if not np.isfinite(far).all() or far.min() < 0:
        raise ValueError("a distance is negative or not finite")
    if not far.max() > 0:
        raise ValueError(f"all {len(far)} heads are identical; there is nothing to lay out")
    if np.abs(far - far.T).max() > _ROUNDING * far.max() or np.diagonal(far).any():
        raise ValueError("distances must be symmetric and 0 on the diagonal")
    squares = far**2
    means = squares.mean(axis=0)
    products = -(squares - means - means[:, None] + means.mean()) / 2
    values, vectors = np.linalg.eigh(products)
    positive = np.maximum(values[::-1], 0)
    coordinates = vectors[:, ::-1] * np.sqrt(positive)
    # An eigenvector is known up to its sign.
    largest = coordinates[np.abs(coordinates).argmax(axis=0), np.arange(len(far))]
    return Layout(coordinates * np.where(largest < 0, -1, 1), positive / positive.sum())


def _divergences(heads: Float64[np.ndarray, "head query key"]) -> Distances:
    """Sum over the queries of a text."""
    own = entropy(heads).sum(axis=-1)
    result = np.zeros((len(heads), len(heads)))
    step = max(1, _BLOCK // heads[0].size)
    for first, head in enumerate(heads):
        for start in range(first + 1, len(heads), step):
            others = slice(start, start + step)
            between = entropy((heads[others] + head) / 2).sum(axis=-1)
            # Of equal heads, rounding may leave less than nothing.
            result[first, others] = np.maximum(between - (own[others] + own[first]) / 2, 0)
    return result + result.T
