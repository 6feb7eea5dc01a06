"""How far a map in the plane can be trusted, and how two maps compare.

Trust is a matter of neighbours: whether those on the map are neighbours in full dimension
(trustworthiness), whether those in full dimension are neighbours on the map (continuity), and how
many of the nearest are the same (overlap). All three (:func:`map_trust`) are functions of ranks,
which :func:`neighbour_ranks` finds once for the features and once for each map.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Float64, Int
from numpy.typing import NDArray
from scipy.linalg import orthogonal_procrustes
from scipy.stats import rankdata

from attention_mixing.methods.projection import distances
from attention_mixing.methods.shapes import checked_shapes

# Neighbours that are compared, the usual choice; fewer with few points.
NEIGHBORS = 5
# Of distances, the largest being 1: what is equal up to there is a tie.
_DIGITS = 9


@checked_shapes
def neighbour_ranks(
    vectors: Float[np.ndarray, "token dim"], metric: str = "euclidean"
) -> Int[np.ndarray, "token token"]:
    """Rank every token among the neighbours of every other: 1 for the nearest, 0 for itself.

    A map is seen, and so its metric is Euclidean. Of others at the same distance up to rounding,
    such as a word that comes twice before positions are added, the earlier comes first.

    Raises
    ------
    ValueError
        As :func:`attention_mixing.methods.projection.distances`.
    """
    far = distances(vectors, metric)
    # The same word twice has the same place up to rounding, which must not be what orders it: on a
    # map by PCA of word embeddings it moved trustworthiness by 0.03.
    far = np.round(far / max(far.max(), np.finfo(float).tiny), _DIGITS)
    np.fill_diagonal(far, -1)  # the token itself before its equals
    # SciPy gives ordinal ranks as whole numbers, or as floats, by its version.
    return rankdata(far, method="ordinal", axis=1).astype(np.intp) - 1


@checked_shapes
def trustworthiness(
    ranks: Int[np.ndarray, "token token"], on_map: Int[np.ndarray, "token token"], k: int
) -> float:
    r"""Penalise neighbours on the map by how far they are from being neighbours.

    .. math:: 1 - \frac{2}{n k (2n - 3k - 1)} \sum_i \sum_{j \in U_k(i)} (r(i, j) - k)

    :math:`U_k(i)` are tokens among the k nearest of i on the map, but not in full dimension, where
    their rank is :math:`r(i, j) > k`. 1 if all neighbours on the map are true, about 1/2 for a map
    drawn at random. Venna and Kaski (2001), *Neighborhood Preservation in Nonlinear Projection
    Methods*, ICANN, equation 2.

    Parameters
    ----------
    ranks
        In full dimension, as :func:`neighbour_ranks` gives them.
    on_map
        Likewise, on the map.
    k
        How many neighbours of each token are compared.

    Raises
    ------
    ValueError
        If ``k`` is below 1, or not below half of the tokens.
    """
    # scikit-learn has it of vectors: it ranks the features anew for each map, and ties by rounding.
    tokens = len(ranks)
    _require_neighbours(k, tokens, below=tokens / 2)
    near = (on_map > 0) & (on_map <= k)
    excess = np.maximum(ranks[near] - k, 0).sum()
    return float(1 - 2 * excess / (tokens * k * (2 * tokens - 3 * k - 1)))


@checked_shapes
def continuity(
    ranks: Int[np.ndarray, "token token"], on_map: Int[np.ndarray, "token token"], k: int
) -> float:
    """Penalise neighbours that the map tears apart by how far it puts them.

    :func:`trustworthiness` with the roles of the features and the map exchanged. Venna and Kaski
    (2006), *Local multidimensional scaling*, Neural Networks 19, section 3.

    Parameters
    ----------
    ranks
        In full dimension, as :func:`neighbour_ranks` gives them.
    on_map
        Likewise, on the map.
    k
        How many neighbours of each token are compared.

    Raises
    ------
    ValueError
        As :func:`trustworthiness`.
    """
    return trustworthiness(on_map, ranks, k)


@checked_shapes
def neighbour_overlap(
    ranks: Int[np.ndarray, "token token"], others: Int[np.ndarray, "token token"], k: int
) -> Float64[np.ndarray, " token"]:
    """Share of the k nearest neighbours of each token that are the same in both.

    In full dimension and on a map, or at two feature points; ``k / (tokens - 1)`` on average if one
    has nothing to do with the other.

    Parameters
    ----------
    ranks, others
        As :func:`neighbour_ranks` gives them.
    k
        How many neighbours of each token are compared.

    Raises
    ------
    ValueError
        If ``k`` is below 1, or not below the number of tokens.
    """
    _require_neighbours(k, len(ranks), below=float(len(ranks)))
    both = (ranks > 0) & (ranks <= k) & (others <= k)
    return both.sum(axis=1) / k


def compared_neighbours(points: int) -> int:
    """Count the nearest neighbours that are compared on maps of so many points.

    Parameters
    ----------
    points
        On a map.
    """
    return min(NEIGHBORS, (points - 1) // 2)


@checked_shapes
def same_neighbours(
    ranks: Int[np.ndarray, "token token"], others: Int[np.ndarray, "token token"]
) -> float:
    """Mean :func:`neighbour_overlap` of as many neighbours as :func:`compared_neighbours` counts.

    Parameters
    ----------
    ranks, others
        As :func:`neighbour_ranks` gives them.
    """
    return float(neighbour_overlap(ranks, others, compared_neighbours(len(ranks))).mean())


class Trust(NamedTuple):
    """How far a map keeps the neighbours that tokens have in full dimension.

    Attributes
    ----------
    trustworthiness, continuity
        As the functions of these names give them.
    overlap
        As :func:`same_neighbours` gives it.
    """

    trustworthiness: float
    continuity: float
    overlap: float


@checked_shapes
def map_trust(
    ranks: Int[np.ndarray, "token token"], layout: Float[np.ndarray, "token dim"]
) -> Trust:
    """Say how far a map keeps the neighbours that tokens have in full dimension.

    Parameters
    ----------
    ranks
        In full dimension, as :func:`neighbour_ranks` gives them.
    layout
        The map.
    """
    on_map, k = neighbour_ranks(layout), compared_neighbours(len(layout))
    return Trust(
        trustworthiness(ranks, on_map, k),
        continuity(ranks, on_map, k),
        same_neighbours(ranks, on_map),
    )


class Alignment(NamedTuple):
    """How a layout lies closest to another one, and what remains between them.

    Attributes
    ----------
    rotation
        ``[2, 2]``, orthogonal, maybe with a reflection: a centred layout times it is turned and
        keeps its size.
    disparity
        Sum of squared distances that remains, as a share of that of the other layout about its
        mean: 0 if they have the same shape, 1 if they have nothing in common.
    """

    rotation: NDArray[np.float64]
    disparity: float


@checked_shapes
def procrustes(
    layout: Float[np.ndarray, "token dim"], onto: Float[np.ndarray, "token dim"]
) -> Alignment:
    """Turn, mirror, scale and move a layout to where it lies closest to another one.

    No neighbourhood changes. The disparity is the same with the roles exchanged. Gower (1975),
    *Generalized Procrustes analysis*, Psychometrika 40, section 2.

    Raises
    ------
    ValueError
        If a number is not finite, or all points of one layout are the same.
    """
    # scipy.spatial.procrustes keeps neither the frame nor the rotation.
    units = []
    for name, points in (("layout", layout), ("onto", onto)):
        centred = points.astype(np.float64) - points.mean(axis=0, dtype=np.float64)
        size = np.linalg.norm(centred)
        if not 0 < size < np.inf:  # false for nan as well
            raise ValueError(f"all points of {name} are the same or not finite; there is no shape")
        units.append(centred / size)
    rotation, scale = orthogonal_procrustes(*units)
    remaining = scale * units[0] @ rotation - units[1]
    return Alignment(rotation, disparity=float((remaining**2).sum()))


def seed_spread(layouts: Sequence[Float[np.ndarray, "token dim"]]) -> float:
    """Mean Procrustes disparity between every two maps that differ in nothing but their seed.

    0 if every seed gives the same map.

    Raises
    ------
    ValueError
        With fewer than two layouts, and as :func:`procrustes`.
    """
    if len(layouts) < 2:
        raise ValueError(f"there are {len(layouts)} layouts; a spread needs at least 2")
    pairs = combinations(layouts, 2)
    return float(np.mean([procrustes(one, other).disparity for one, other in pairs]))


def _require_neighbours(k: int, tokens: int, *, below: float) -> None:
    if not 1 <= k < below:
        raise ValueError(f"k is {k}; for {tokens} tokens it must be at least 1 and below {below:g}")
