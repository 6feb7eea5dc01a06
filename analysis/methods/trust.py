"""How far a map in the plane can be trusted, and how two maps compare.

Trust is a matter of neighbours: whether those on the map are neighbours in full dimension
(trustworthiness), whether those in full dimension are neighbours on the map (continuity), and how
many of the nearest are the same (overlap). All three are functions of ranks, which
:func:`neighbour_ranks` finds once for the features and once for each map.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.methods.projection import distances

Floats = NDArray[np.float64]
Ranks = NDArray[np.intp]

# Of distances, the largest being 1: what is equal up to there is a tie.
_DIGITS = 9


def neighbour_ranks(vectors: ArrayLike, metric: str = "euclidean") -> Ranks:
    """Rank every token among the neighbours of every other.

    Parameters
    ----------
    vectors
        ``[token, dim]``: features, or the layout of a map.
    metric
        As in :func:`analysis.methods.projection.distances`. A map is seen, and so Euclidean.

    Returns
    -------
    NDArray[intp]
        ``[token, other]``: 1 for the nearest other, 0 for the token itself. Of others at the same
        distance up to rounding, such as a word that comes twice before positions are added, the
        earlier comes first.

    Raises
    ------
    ValueError
        As :func:`analysis.methods.projection.distances`.
    """
    far = distances(vectors, metric)
    # The same word twice has the same place up to rounding, which must not be what orders it: on a
    # map by PCA of word embeddings it moved trustworthiness by 0.03.
    far = np.round(far / max(far.max(), np.finfo(float).tiny), _DIGITS)
    np.fill_diagonal(far, -1)  # the token itself before its equals
    order = far.argsort(axis=1, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(len(far))[None], axis=1)
    return ranks


def trustworthiness(ranks: Ranks, on_map: Ranks, k: int) -> float:
    r"""Penalise neighbours on the map by how far they are from being neighbours.

    .. math:: 1 - \frac{2}{n k (2n - 3k - 1)} \sum_i \sum_{j \in U_k(i)} (r(i, j) - k)

    :math:`U_k(i)` are tokens among the k nearest of i on the map, but not in full dimension, where
    their rank is :math:`r(i, j) > k`.

    Parameters
    ----------
    ranks
        ``[token, other]`` in full dimension, of :func:`neighbour_ranks`.
    on_map
        The same on the map.
    k
        Neighbours, fewer than half of the tokens.

    Returns
    -------
    float
        0 to 1; 1 if all neighbours on the map are true, about 1/2 for a map drawn at random.

    Raises
    ------
    ValueError
        If the ranks are not of the same tokens, or ``k`` is out of range.

    References
    ----------
    Venna and Kaski (2001), *Neighborhood Preservation in Nonlinear Projection Methods*, ICANN,
    equation 2.
    """
    _check(ranks, on_map, k, below=len(ranks) / 2)
    tokens = len(ranks)
    near = (on_map > 0) & (on_map <= k)
    excess = np.maximum(ranks[near] - k, 0).sum()
    return float(1 - 2 * excess / (tokens * k * (2 * tokens - 3 * k - 1)))


def continuity(ranks: Ranks, on_map: Ranks, k: int) -> float:
    """Penalise neighbours that the map tears apart by how far it puts them.

    Trustworthiness with the roles of the features and the map exchanged.

    Parameters
    ----------
    ranks, on_map, k
        As in :func:`trustworthiness`.

    Returns
    -------
    float
        0 to 1; 1 if all neighbours are neighbours on the map.

    Raises
    ------
    ValueError
        As :func:`trustworthiness`.

    References
    ----------
    Venna and Kaski (2006), *Local multidimensional scaling*, Neural Networks 19, section 3.
    """
    return trustworthiness(on_map, ranks, k)


def neighbour_overlap(ranks: Ranks, others: Ranks, k: int) -> Floats:
    """Share of the k nearest neighbours of each token that are the same in both.

    Parameters
    ----------
    ranks, others
        ``[token, other]``, of :func:`neighbour_ranks`: full dimension and map, or two feature
        points.
    k
        Neighbours, at most tokens - 1.

    Returns
    -------
    NDArray[float64]
        ``[token]``, 0 to 1; ``k / (tokens - 1)`` on average if one has nothing to do with the
        other.

    Raises
    ------
    ValueError
        If the ranks are not of the same tokens, or ``k`` is out of range.
    """
    _check(ranks, others, k, below=len(ranks))
    both = (ranks > 0) & (ranks <= k) & (others <= k)
    return both.sum(axis=1) / k


def overlap_between(before: ArrayLike, after: ArrayLike, *, k: int, metric: str) -> Floats:
    """Share of the k nearest neighbours that each token keeps from one feature point to another.

    Movement measured without a map.

    Parameters
    ----------
    before, after
        ``[token, dim]`` of the same tokens; the dimensions may differ.
    k
        Neighbours, at most tokens - 1.
    metric
        As in :func:`analysis.methods.projection.distances`.

    Returns
    -------
    NDArray[float64]
        ``[token]``, 0 to 1.

    Raises
    ------
    ValueError
        As :func:`neighbour_overlap`.
    """
    return neighbour_overlap(neighbour_ranks(before, metric), neighbour_ranks(after, metric), k)


class Alignment(NamedTuple):
    """A layout moved onto another one, and what remains between them.

    Attributes
    ----------
    layout
        ``[token, 2]``, in the frame of the other one.
    rotation
        ``[2, 2]``, orthogonal, maybe with a reflection: a centred layout times it is turned and
        keeps its size.
    disparity
        Sum of squared distances that remains, as a share of that of the other layout about its
        mean: 0 if they have the same shape, 1 if they have nothing in common.
    """

    layout: Floats
    rotation: Floats
    disparity: float


def procrustes(layout: ArrayLike, onto: ArrayLike) -> Alignment:
    """Turn, mirror, scale and move a layout so that it lies as close to another as it can.

    No neighbourhood changes. The disparity is the same with the roles exchanged.

    Parameters
    ----------
    layout, onto
        ``[token, 2]``, or of any dimension, of the same tokens.

    Returns
    -------
    Alignment
        ``layout``, ``rotation`` and ``disparity``.

    Raises
    ------
    ValueError
        If the shapes differ, a number is not finite, or all points of one layout are the same.

    References
    ----------
    Gower (1975), *Generalized Procrustes analysis*, Psychometrika 40, section 2.
    """
    moved, fixed = np.asarray(layout, np.float64), np.asarray(onto, np.float64)
    if moved.ndim != 2 or moved.shape != fixed.shape or not moved.size:
        raise ValueError(
            f"layout has shape {moved.shape} and onto {fixed.shape}; they must be [token, 2] of "
            "the same tokens"
        )
    units, sizes = [], []
    for name, points in (("layout", moved), ("onto", fixed)):
        centred = points - points.mean(axis=0)
        size = np.linalg.norm(centred)
        if not 0 < size < np.inf:  # false for nan as well
            raise ValueError(f"all points of {name} are the same or not finite; there is no shape")
        units.append(centred / size)
        sizes.append(size)
    left, overlap, right = np.linalg.svd(units[0].T @ units[1])
    rotation = left @ right
    fitted = overlap.sum() * units[0] @ rotation
    return Alignment(
        layout=fitted * sizes[1] + fixed.mean(axis=0),
        rotation=rotation,
        disparity=float(((fitted - units[1]) ** 2).sum()),
    )


def seed_spread(layouts: Sequence[ArrayLike]) -> float:
    """Mean Procrustes disparity between every two maps of the same features.

    Parameters
    ----------
    layouts
        ``[token, 2]`` each, at least two: maps that differ in nothing but their seed.

    Returns
    -------
    float
        0 to 1; 0 if every seed gives the same map.

    Raises
    ------
    ValueError
        With fewer than two layouts, and as :func:`procrustes`.
    """
    if len(layouts) < 2:
        raise ValueError(f"there are {len(layouts)} layouts; a spread needs at least 2")
    pairs = combinations(layouts, 2)
    return float(np.mean([procrustes(one, other).disparity for one, other in pairs]))


def _check(ranks: Ranks, others: Ranks, k: int, *, below: float) -> None:
    if ranks.ndim != 2 or ranks.shape[0] != ranks.shape[1] or ranks.shape != others.shape:
        raise ValueError(
            f"ranks have shapes {ranks.shape} and {others.shape}; both must be [token, other] of "
            "the same tokens"
        )
    if not 1 <= k < below:
        raise ValueError(
            f"k is {k}; for {len(ranks)} tokens it must be at least 1 and below {below:g}"
        )
