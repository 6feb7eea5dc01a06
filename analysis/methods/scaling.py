r"""Published ways to choose how queries and keys are scaled against each other.

Queries are multiplied by ``c`` and keys divided by it, which leaves every dot product as it is and
changes distances. Yeh et al. (2023), *AttentionViz*, arXiv 2305.03210, section 5.1.1, ask for the
``c`` at which dot products and distances correlate best, by a weighted correlation; their public
data of language models and of vision transformers, and the notebook that reproduced the paper, did
three other things. Each answers a question of its own:

================  ==================================================================================
``centroid``      Do keys lie among queries at all? ``c = 1`` after
                  :func:`analysis.methods.joint_space.translate_keys`.
``norm-ratio``    Are queries and keys of the same length? :func:`norm_ratio`.
``seed``          Is a token's query nearer to its own key, by angle, where their dot product is
                  larger, over all heads of a layer? :func:`seed_search`.
``weighted``      Among the nearest pairs of a head in its full dimension, is the dot product larger
                  where the distance is smaller? :func:`weighted_scale`.
================  ==================================================================================

None of them looks at the plane that is drawn in the end. That every pair of a head counts alike is
:func:`analysis.methods.geometry.optimal_scale`, which needs no search.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar

from analysis.methods.geometry import own_correlation
from analysis.methods.joint_space import scaled

Floats = NDArray[np.float64]

# The seed's grid; ten steps leave out 0, by which keys could not be divided.
SEED_SHIFTS = np.linspace(-0.5, 0.5, 10)
SEED_SCALES = np.linspace(-2, 2, 10)
# Where a search for the weighted correlation looks: a factor of 10 either way, ten steps a factor
# of about 3.2.
SCALES = np.geomspace(0.1, 10, 21)
# Pairs nearer than this share of all pairs count in the weighted correlation.
NEAREST = 0.005


class SeedSearch(NamedTuple):
    """Result of :func:`seed_search`.

    Attributes
    ----------
    shift, scale
        What was chosen: added to every coordinate of every key, and ``c``. Not a number if no
        correlation is defined.
    correlation
        Signed, at that choice.
    grid
        Correlations, ``[shift, scale]``, of :data:`SEED_SHIFTS` and :data:`SEED_SCALES`.
    spread
        How far correlations of one shift lie apart over all scales, at most over all shifts:
        rounding, and nothing else.
    """

    shift: float
    scale: float
    correlation: float
    grid: Floats
    spread: float


def seed_search(query: ArrayLike, key: ArrayLike) -> SeedSearch:
    """Search a grid of shifts and scales as the notebook did.

    The question it answers: which constant, added to every coordinate of every key, makes the dot
    product of a token's query and *its own* key go most closely with their cosine distance, over
    all tokens and heads of a layer? Pairs of two tokens never enter. Keys are moved first and
    scaled after, and a cosine does not notice lengths, so the correlation is the same for every
    scale: that is why the scale hardly seemed to matter.

    The largest size of the correlation wins, and of several the first that is strictly larger than
    all before, as in the notebook. So the shift is a finding, and the scale is decided by the last
    bit of the sums: another order of summation, or another precision, chooses another one.

    Parameters
    ----------
    query, key
        All heads of one layer, ``[head, token, head_dim]``.

    Returns
    -------
    SeedSearch
        Shift, scale, correlation, the whole grid and its spread over scales.

    Raises
    ------
    ValueError
        If the shapes do not match or an entry is not finite.
    """
    keys = np.asarray(key, dtype=np.float64)
    grid = np.array(
        [
            [own_correlation(*scaled(query, keys + a, c), distance="cosine") for c in SEED_SCALES]
            for a in SEED_SHIFTS
        ]
    )
    size = np.where(np.isnan(grid), -1, np.abs(grid))
    shift, scale = np.unravel_index(size.argmax(), grid.shape)  # the first of equals
    if np.isnan(grid[shift, scale]):
        return SeedSearch(np.nan, np.nan, np.nan, grid, np.nan)
    varied = grid[~np.isnan(grid).any(axis=1)]
    return SeedSearch(
        float(SEED_SHIFTS[shift]),
        float(SEED_SCALES[scale]),
        float(grid[shift, scale]),
        grid,
        float(np.ptp(varied, axis=1).max()),
    )


def norm_ratio(query: ArrayLike, key: ArrayLike) -> Floats:
    r"""Scale from the mean lengths, :math:`c = \sqrt{\overline{|q|} / \overline{|k|}}`.

    The question it answers: by how much are queries longer than keys? As printed it does not make
    them equally long: that takes :math:`c\,\overline{|q|} = \overline{|k|} / c`, thus one over this
    ``c``. It does so if queries are *divided* by ``c`` and keys multiplied. Multiplied onto the
    queries it squares the ratio of the lengths instead.

    Parameters
    ----------
    query, key
        ``[..., token, head_dim]``, translated or not.

    Returns
    -------
    NDArray[float64]
        A number or ``[...]``; not a number if all queries, or all keys, have length zero.
    """
    query_length, key_length = (
        np.linalg.norm(np.asarray(vectors, dtype=np.float64), axis=-1).mean(axis=-1)
        for vectors in (query, key)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.sqrt(query_length / key_length)
    return np.where((query_length > 0) & (key_length > 0), ratio, np.nan)[()]


def weighted_correlation(
    queries: Sequence[ArrayLike], keys: Sequence[ArrayLike], c: ArrayLike
) -> Floats:
    r"""Correlate dot product and distance of the nearest pairs, the nearer the heavier.

    The question it answers: do pairs that lie close together attend to each other the more, the
    closer they are? Distances are Euclidean, of the scaled vectors in the full dimension of the
    head. Of all pairs of a query and a key of the same text only those count whose distance
    :math:`d_i` is below :math:`d`, the 0.5th percentile, with the weight :math:`(d - d_i)^2`.

    Parameters
    ----------
    queries, keys
        One array for each text, ``[..., token, head_dim]``, translated or not. Pairs of several
        texts are pooled before the percentile is taken: in one text of ``n`` tokens about
        ``n² / 200`` pairs count, so that below some 25 tokens there are not three of them.
    c
        One number, or one for each head, ``[...]``. Not 0.

    Returns
    -------
    NDArray[float64]
        A number or ``[...]``, -1 to 1. Not a number where fewer than three pairs count, or where
        their dot products or distances are all the same.

    Raises
    ------
    ValueError
        If there is no text, the shapes do not match, an entry is not finite, or ``c`` is 0, not
        finite or of another shape.

    References
    ----------
    Yeh et al. (2023), section 5.1.1.
    """
    texts = _texts(queries, keys)
    heads = texts[0][0].shape[:-2]
    scale = np.asarray(c, dtype=np.float64)
    if scale.ndim and scale.shape != heads:
        raise ValueError(
            f"c has shape {scale.shape}; it must be one number or one for each head, {heads}"
        )
    if not (np.isfinite(scale) & (scale != 0)).all():
        raise ValueError(f"c is {scale.tolist()!r}; it must be finite and not 0")
    scale = np.broadcast_to(scale, heads)
    result = np.empty(heads)
    for head in np.ndindex(heads):
        result[head] = _weighted(_pairs(texts, head), float(scale[head]))
    return result[()]


class WeightedScale(NamedTuple):
    """Result of :func:`weighted_scale`: a number, or an array ``[...]``, for each head.

    Attributes
    ----------
    scale
        ``c`` > 0, not a number where the correlation is undefined at every scale.
    correlation
        Weighted correlation at that scale.
    at_edge
        Whether the best of the grid was its first or its last scale, so that a better one may lie
        beyond.
    """

    scale: Floats
    correlation: Floats
    at_edge: NDArray[np.bool_]


def weighted_scale(queries: Sequence[ArrayLike], keys: Sequence[ArrayLike]) -> WeightedScale:
    """Scale at which the weighted correlation is most negative.

    Which pairs count changes with the scale, so the correlation has several minima and no closed
    form: the grid :data:`SCALES` is searched, and then, between the neighbours of its best scale,
    the logarithm of the scale by Brent's bounded method. A narrow minimum between two steps of the
    grid can be missed.

    The criterion itself is weak. Where one side shrinks, the nearest pairs are those of the few
    shortest vectors of the other, and beside one vector the distance falls strictly as the dot
    product grows: a single text of fewer than 200 tokens runs to -1 at either end. Where few pairs
    count, some scale gives nearly -1 whatever the keys are; see what keys with random signs give
    before making anything of it.

    Parameters
    ----------
    queries, keys
        As in :func:`weighted_correlation`.

    Returns
    -------
    WeightedScale
        Scale, correlation, and whether the optimum lies at the edge of the grid.

    Raises
    ------
    ValueError
        If there is no text, the shapes do not match, or an entry is not finite.
    """
    texts = _texts(queries, keys)
    heads = texts[0][0].shape[:-2]
    scale, correlation = np.full(heads, np.nan), np.full(heads, np.nan)
    at_edge = np.zeros(heads, dtype=bool)
    for head in np.ndindex(heads):
        pairs = _pairs(texts, head)
        grid = np.array([_weighted(pairs, c) for c in SCALES])
        if np.isnan(grid).all():
            continue
        best = int(np.nanargmin(grid))
        scale[head], correlation[head] = SCALES[best], grid[best]
        at_edge[head] = best in (0, len(SCALES) - 1)
        around = SCALES[[max(best - 1, 0), min(best + 1, len(SCALES) - 1)]]
        finer = minimize_scalar(
            lambda logarithm, pairs=pairs: _weighted(pairs, np.exp(logarithm)),
            bounds=np.log(around),
            method="bounded",
        )
        if finer.fun < grid[best]:
            scale[head], correlation[head] = np.exp(finer.x), finer.fun
    return WeightedScale(scale[()], correlation[()], at_edge[()])


class _Pairs(NamedTuple):
    """Squared lengths and dot products of all pairs of one head, ``[pair]``."""

    query: Floats
    key: Floats
    dot: Floats


def _texts(queries: Sequence[ArrayLike], keys: Sequence[ArrayLike]) -> list[tuple[Floats, Floats]]:
    if not len(queries) or len(queries) != len(keys):
        raise ValueError(
            f"there are queries of {len(queries)} texts and keys of {len(keys)}; there must be as "
            "many of either, at least one"
        )
    # Scaling by 1 checks shapes and entries.
    texts = [scaled(query, key, 1) for query, key in zip(queries, keys, strict=True)]
    shapes = sorted({(*query.shape[:-2], query.shape[-1]) for query, _ in texts})
    if len(shapes) > 1:
        raise ValueError(f"texts have heads and dimensions {shapes}; they must be the same")
    return texts


def _pairs(texts: list[tuple[Floats, Floats]], head: tuple[int, ...]) -> _Pairs:
    parts = []
    for query, key in texts:
        dot = query[head] @ key[head].T
        squares = (query[head] ** 2).sum(axis=-1)[:, None], (key[head] ** 2).sum(axis=-1)
        parts.append([np.broadcast_to(part, dot.shape).ravel() for part in (*squares, dot)])
    return _Pairs(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def _weighted(pairs: _Pairs, c: float) -> float:
    squared = c**2 * pairs.query + pairs.key / c**2 - 2 * pairs.dot
    distance = np.sqrt(np.maximum(squared, 0))
    farthest = np.quantile(distance, NEAREST)
    near = distance < farthest
    if np.count_nonzero(near) < 3:
        return np.nan
    distance, dot = distance[near], pairs.dot[near]
    weight = (1 - distance / farthest) ** 2
    weight /= weight.sum()
    distance -= weight @ distance
    dot = dot - weight @ dot
    spread = (weight @ distance**2) * (weight @ dot**2)
    if not spread > 0:
        return np.nan
    return float(np.clip((weight * distance) @ dot / np.sqrt(spread), -1, 1))
