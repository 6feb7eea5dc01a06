r"""AttentionViz: the scale ``c`` at which distance stands for the dot product best.

Yeh et al. (2023), *AttentionViz: A Global View of Transformer Attention*, arXiv 2305.03210,
section 5.1.1, multiply queries by ``c`` and keys by ``1 / c``, which leaves every dot product as it
is (:func:`attention_mixing.methods.attentionviz.scaled`). In the order of this module:

1. The best scale in closed form, from moments over all pairs of a query and a key.
2. Ways in which ``c`` was chosen in the paper, its data, and a notebook that reproduced it.

Axes, precision, what is undefined and ``visible`` are as in
:mod:`attention_mixing.methods.attentionviz`.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float
from scipy.optimize import minimize_scalar

from attention_mixing.methods.arrays import finite
from attention_mixing.methods.attentionviz import (
    ROUNDING,
    EachHead,
    Moments,
    Sight,
    Vectors,
    own_correlation,
    scaled,
    visible_pairs,
)
from attention_mixing.methods.shapes import checked_shapes

OfAnyLength = Float[np.ndarray, "*head _ head_dim"]
Pairs = Float[np.ndarray, "pair"]

SIDES = "queries and keys"  # as errors name them

# The grid of the notebook; ten steps leave out 0, by which keys could not be divided.
SEED_SHIFTS = np.linspace(-0.5, 0.5, 10)
SEED_SCALES = np.linspace(-2, 2, 10)
# Where the weighted correlation is searched: a factor of 10 either way, ten steps about 3.2.
SCALES = np.geomspace(0.1, 10, 21)
# Pairs nearer than this share of all pairs count in the weighted correlation.
NEAREST = 0.005


# 1. The best scale in closed form


@checked_shapes
def pair_moments(query: Vectors, key: Vectors, visible: Sight = None) -> Moments:
    r"""Moments of :math:`(|q|^2, |k|^2, q \cdot k)` over all pairs, without a matrix of pairs.

    With :math:`q_i = \bar{q} + q'_i` and :math:`k_j = \bar{k} + k'_j` the dot product has four
    parts, :math:`\bar{q} \cdot \bar{k} + q'_i \cdot \bar{k} + \bar{q} \cdot k'_j
    + q'_i \cdot k'_j`, and over the full grid of pairs each of them is uncorrelated with the
    others, so that

    .. math:: \mathrm{var}(q \cdot k) = \bar{k}^\top C_q \bar{k} + \bar{q}^\top C_k \bar{q}
        + \mathrm{tr}(C_q C_k), \qquad
        \mathrm{cov}(|q|^2, q \cdot k) = \mathrm{cov}_i(|q_i|^2,\; q'_i \cdot \bar{k}),

    the same for :math:`|k|^2`, and :math:`\mathrm{cov}(|q|^2, |k|^2) = 0`. Time and memory grow
    with the number of tokens, not of pairs. Over pairs that are not all there are, they are taken
    pair by pair.
    """
    queries, keys = finite(SIDES, query), finite(SIDES, key)
    if visible is not None:
        return _moments_of_pairs(queries, keys, visible)
    tokens = queries.shape[-2]
    query_mean, key_mean = queries.mean(axis=-2, keepdims=True), keys.mean(axis=-2, keepdims=True)
    query_apart, key_apart = queries - query_mean, keys - key_mean
    query_square, key_square = _squares(queries), _squares(keys)
    along_key = (query_apart @ key_mean.swapaxes(-1, -2))[..., 0]
    along_query = (key_apart @ query_mean.swapaxes(-1, -2))[..., 0]
    dot_mean = (query_mean * key_mean).sum(axis=(-2, -1))
    mean = np.stack([query_square.mean(axis=-1), key_square.mean(axis=-1), dot_mean], axis=-1)
    query_square -= mean[..., :1]
    key_square -= mean[..., 1:2]
    query_cross = query_apart.swapaxes(-1, -2) @ query_apart
    key_cross = key_apart.swapaxes(-1, -2) @ key_apart
    covariance = np.zeros((*mean.shape, 3))
    covariance[..., 0, 0] = (query_square**2).mean(axis=-1)
    covariance[..., 1, 1] = (key_square**2).mean(axis=-1)
    covariance[..., 0, 2] = covariance[..., 2, 0] = (query_square * along_key).mean(axis=-1)
    covariance[..., 1, 2] = covariance[..., 2, 1] = (key_square * along_query).mean(axis=-1)
    covariance[..., 2, 2] = (
        (along_key**2).mean(axis=-1)
        + (along_query**2).mean(axis=-1)
        + (query_cross * key_cross).sum(axis=(-2, -1)) / tokens**2
    )
    return Moments(tokens**2, mean, covariance)


@checked_shapes
def correlation_at_scale(moments: Moments, c: float | EachHead) -> EachHead:
    r"""Pearson correlation of dot product and squared Euclidean distance after scaling by ``c``.

    The distance :math:`D^2 = c^2 |q|^2 + |k|^2 / c^2 - 2\,q \cdot k` is linear in the variables of
    :func:`pair_moments`. Undefined where dot products or distances are all the same.

    Parameters
    ----------
    moments
        By head, as :func:`pair_moments` gives them.
    c
        Scale, one number or one for each head.
    """
    return _at(*_standardised(moments), np.square(c))


def optimal_scale(moments: Moments) -> tuple[EachHead, EachHead]:
    r"""Scale at which dot product and squared distance correlate most negatively, and how much.

    No grid: with :math:`x = c^2`, :math:`A = |q|^2`, :math:`B = |k|^2`, :math:`P = q \cdot k` and
    covariances :math:`s` the correlation is

    .. math:: r(x) = \frac{s_{PA} x^2 - 2 s_{PP} x + s_{PB}}{\sqrt{s_{PP}\,(s_{AA} x^4
        - 4 s_{PA} x^3 + (4 s_{PP} + 2 s_{AB}) x^2 - 4 s_{PB} x + s_{BB})}}

    and its derivative has the sign of a quartic without a square term,

    .. math:: (s_{AA} s_{PP} - s_{PA}^2)\,x^4 + (s_{PA} s_{AB} - s_{AA} s_{PB})\,x^3
        + (s_{BB} s_{PA} - s_{AB} s_{PB})\,x - (s_{BB} s_{PP} - s_{PB}^2).

    By the inequality of Cauchy and Schwarz the first coefficient is positive and the last is
    negative: the correlation falls where ``x`` leaves 0 and rises towards infinity, so that the
    minimum is attained in between. Where all scales are alike, it is the one at which both squared
    lengths vary alike. A single scale at which all distances are the same is passed over. Both
    results are not a number where no scale is best: squared lengths of queries, or of keys, or dot
    products are all the same.
    """
    correlation, deviation = _standardised(moments)
    scale = np.full(deviation.shape[:-1], np.nan)
    for head in map(tuple, np.argwhere(deviation.all(axis=-1))):
        scale[head] = _optimum(correlation[head], deviation[head])
    return scale, correlation_at_scale(moments, scale)


# 2. Other ways to choose the scale
#
# Each answers a question of its own, and none looks at the plane that is drawn in the end:
# c = 1 after ``translate_keys``, whether keys lie among queries at all; ``norm_ratio``, whether
# both have the same length; ``seed_search``, whether a token's query is nearer to its own key, by
# angle, where their dot product is larger, over all heads of a layer; ``weighted_scale``, whether
# among the nearest pairs of a head the dot product is larger where the distance is smaller.


class SeedSearch(NamedTuple):
    """What :func:`seed_search` chose; not a number if no correlation is defined.

    Attributes
    ----------
    shift, scale
        The choice, of :data:`SEED_SHIFTS` and :data:`SEED_SCALES`.
    correlation
        That of the choice, -1 to 1.
    grid
        Correlations of all shifts and scales.
    spread
        How far correlations of one shift lie apart over all scales, at most over all shifts:
        rounding, and nothing else.
    """

    shift: float
    scale: float
    correlation: float
    grid: Float[np.ndarray, "shift scale"]
    spread: float


@checked_shapes
def seed_search(query: Vectors, key: Vectors) -> SeedSearch:
    """Search a grid of shifts and scales, over all heads of a layer, as the notebook did.

    The question it answers: which constant, added to every coordinate of every key, makes the dot
    product of a token's query and *its own* key go most closely with their cosine distance? Pairs
    of two tokens never enter. Keys are moved first and scaled after, and a cosine does not notice
    lengths, so the correlation is the same for every scale: that is why the scale hardly seemed to
    matter.

    The largest size of the correlation wins, and of several the first that is strictly larger than
    all before, as in the notebook. So the shift is a finding, and the scale is decided by the last
    bit of the sums: another order of summation, or another precision, chooses another one.
    """
    keys = finite(SIDES, key)
    grid = np.array(
        [[own_correlation(*scaled(query, keys + a, c)) for c in SEED_SCALES] for a in SEED_SHIFTS]
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


@checked_shapes
def norm_ratio(query: Vectors, key: Vectors) -> EachHead:
    r"""Scale from the mean lengths, :math:`c = \sqrt{\overline{|q|} / \overline{|k|}}`.

    As published it does not make them equally long: that takes :math:`c\,\overline{|q|} =
    \overline{|k|} / c`, thus one over this ``c``. Multiplied onto the queries it squares the ratio
    of the lengths instead. Undefined if all queries, or all keys, have length zero.
    """
    query_length, key_length = (
        np.linalg.norm(finite(SIDES, vectors), axis=-1).mean(axis=-1) for vectors in (query, key)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.sqrt(query_length / key_length)
    return np.where((query_length > 0) & (key_length > 0), ratio, np.nan)


@checked_shapes
def weighted_correlation(query_square: Pairs, key_square: Pairs, dot: Pairs, c: float) -> float:
    r"""Correlate dot product and distance of the nearest pairs of a head, the nearer the heavier.

    Distances are Euclidean, of the scaled vectors in the full dimension of the head, from the
    squared lengths and dot products of all pairs. Only those count whose distance :math:`d_i` is
    below :math:`d`, the 0.5th percentile, with the weight :math:`(d - d_i)^2`. Undefined where
    fewer than three pairs count, or their dot products or distances are all the same.
    Yeh et al. (2023), section 5.1.1.

    Parameters
    ----------
    query_square, key_square
        Squared lengths of the query and the key of each pair.
    dot
        Dot product of each pair.
    c
        Scale of the queries.

    Returns
    -------
    float
        -1 to 1, or not a number.
    """
    squared = c**2 * query_square + key_square / c**2 - 2 * dot
    distance = np.sqrt(np.maximum(squared, 0))
    farthest = np.quantile(distance, NEAREST)
    near = distance < farthest
    if np.count_nonzero(near) < 3:
        return np.nan
    distance, dot = distance[near], dot[near]
    weight = (1 - distance / farthest) ** 2
    weight /= weight.sum()
    distance -= weight @ distance
    dot -= weight @ dot
    spread = (weight @ distance**2) * (weight @ dot**2)
    if not spread > 0:
        return np.nan
    return float(np.clip((weight * distance) @ dot / np.sqrt(spread), -1, 1))


class WeightedScale(NamedTuple):
    """What :func:`weighted_scale` chose, by head.

    Attributes
    ----------
    scale
        Not a number if the correlation is undefined at every scale.
    at_edge
        Whether the best of the grid was its first or its last scale, so that a better one may lie
        beyond.
    """

    scale: EachHead
    at_edge: Bool[np.ndarray, "*head"]


def weighted_scale(
    queries: Sequence[OfAnyLength],
    keys: Sequence[OfAnyLength],
    visible: Sequence[Bool[np.ndarray, "_ _"] | None] | None = None,
) -> WeightedScale:
    """Scale at which :func:`weighted_correlation` is most negative, over the pairs of many texts.

    Which pairs count changes with the scale, so the correlation has several minima and no closed
    form: the grid :data:`SCALES` is searched, and then, between the neighbours of its best scale,
    the logarithm of the scale by Brent's bounded method. A narrow minimum between two steps of the
    grid can be missed. In one text of ``n`` tokens about ``n² / 200`` pairs count, so that below
    some 25 tokens there are not three of them.

    The criterion itself is weak. Where one side shrinks, the nearest pairs are those of the few
    shortest vectors of the other, and beside one vector the distance falls strictly as the dot
    product grows: a single text of fewer than 200 tokens runs to -1 at either end. Where few pairs
    count, some scale gives nearly -1 whatever the keys are; see what keys with random signs give
    before making anything of it.

    Parameters
    ----------
    queries, keys
        One array for each text, translated or not. Pairs of two texts do not count.
    visible
        Which keys each query of these texts may see.
    """
    texts = [
        (finite(SIDES, query), finite(SIDES, key)) for query, key in zip(queries, keys, strict=True)
    ]
    sights = [None] * len(texts) if visible is None else visible
    heads = queries[0].shape[:-2]
    scale, at_edge = np.empty(heads), np.empty(heads, dtype=bool)
    for head in np.ndindex(heads):
        pairs = _pairs([(query[head], key[head]) for query, key in texts], sights)
        scale[head], at_edge[head] = _searched(pairs)
    return WeightedScale(scale, at_edge)


# Below: steps of the functions above.


def _squares(vectors: Float[np.ndarray, "*rows dim"]) -> Float[np.ndarray, "*rows"]:
    """Squared lengths of vectors."""
    return np.einsum("...i,...i->...", vectors, vectors)


def _moments_of_pairs(queries: Vectors, keys: Vectors, visible: Sight) -> Moments:
    """Moments of :func:`pair_moments`, over the pairs that are seen."""
    dot = queries @ keys.swapaxes(-1, -2)
    squares = _squares(queries)[..., :, None], _squares(keys)[..., None, :]
    lengths = (np.broadcast_to(square, dot.shape) for square in squares)
    pairs = np.stack([visible_pairs(values, visible) for values in (*lengths, dot)], axis=-2)
    mean = pairs.mean(axis=-1)
    apart = pairs - mean[..., None]
    count = pairs.shape[-1]
    return Moments(count, mean, apart @ apart.swapaxes(-1, -2) / count)


def _standardised(
    moments: Moments,
) -> tuple[Float[np.ndarray, "*head 3 3"], Float[np.ndarray, "*head 3"]]:
    """Correlations and deviations of pair moments, 0 where only rounding varies."""
    query, key = moments.mean[..., 0], moments.mean[..., 1]
    size = np.stack([query, key, np.sqrt(query * key)], axis=-1)
    deviation = np.sqrt(np.einsum("...ii->...i", moments.covariance))
    deviation = np.where(deviation > ROUNDING * size, deviation, 0)
    scale = deviation[..., :, None] * deviation[..., None, :]
    correlation = np.divide(
        moments.covariance, scale, out=np.zeros_like(moments.covariance), where=scale > 0
    )
    return np.clip(correlation, -1, 1), deviation


def _at(
    correlation: Float[np.ndarray, "*head 3 3"],
    deviation: Float[np.ndarray, "*head 3"],
    square: float | Float[np.ndarray, "*scale"],
) -> Float[np.ndarray, "*place"]:
    """Correlation of dot product and distance where the square of the scale is ``square``."""
    query, key, dot = np.moveaxis(deviation, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        # The three parts of the distance.
        parts = np.stack(np.broadcast_arrays(square * query, key / square, -2 * dot), axis=-1)
        parts /= np.abs(parts).max(axis=-1, keepdims=True)
        turned = (correlation @ parts[..., None])[..., 0]
        variance = (turned * parts).sum(axis=-1)
        result = np.clip(turned[..., 2] / np.sqrt(variance), -1, 1)
    return np.where((dot > 0) & (variance > ROUNDING), result, np.nan)


def _optimum(correlation: Float[np.ndarray, "3 3"], deviation: Float[np.ndarray, "3"]) -> float:
    """Scale of the least correlation in one head.

    In units in which both squared lengths vary alike and the dot product by 1, the quartic of
    :func:`optimal_scale` has four numbers in it: three correlations, and ``root``.
    """
    query, key, dot = deviation
    with_query, with_key, between = correlation[0, 2], correlation[1, 2], correlation[0, 1]
    root = np.sqrt(query * key) / dot
    first, last = 1 - with_query**2, 1 - with_key**2
    quartic = [
        first if first > ROUNDING else 0,
        root * (with_query * between - with_key),
        0,
        root * (with_query - with_key * between),
        -last if last > ROUNDING else 0,
    ]
    # 1 as well: where lengths and dot products rise and fall as one, every number is a root.
    roots = np.append(np.roots(quartic).real, 1)
    squares = roots[roots > 0] * np.sqrt(key / query)
    values = np.nan_to_num(_at(correlation, deviation, squares), nan=np.inf)
    return float(np.sqrt(squares[values.argmin()]))


def _pairs(
    texts: list[tuple[OfAnyLength, OfAnyLength]], sights: Sequence[Bool[np.ndarray, "_ _"] | None]
) -> tuple[Pairs, Pairs, Pairs]:
    """Squared lengths of queries and keys, and dot products, of the pairs of one head."""
    of_texts = []
    for (query, key), visible in zip(texts, sights, strict=True):
        dot = query @ key.T
        squares = (query**2).sum(axis=-1)[:, None], (key**2).sum(axis=-1)[None]
        lengths = (np.broadcast_to(square, dot.shape) for square in squares)
        of_texts.append([visible_pairs(values, visible) for values in (*lengths, dot)])
    query_square, key_square, dot = (np.concatenate(parts) for parts in zip(*of_texts, strict=True))
    return query_square, key_square, dot


def _searched(pairs: tuple[Pairs, Pairs, Pairs]) -> tuple[float, bool]:
    """Scale of one head, and whether it lies at the edge of the grid."""

    def at(c: float) -> float:
        return weighted_correlation(*pairs, c)

    grid = np.array([at(c) for c in SCALES])
    if np.isnan(grid).all():
        return np.nan, False
    best, last = int(np.nanargmin(grid)), len(SCALES) - 1
    finer = minimize_scalar(
        lambda logarithm: at(np.exp(logarithm)),
        bounds=np.log(SCALES[[max(best - 1, 0), min(best + 1, last)]]),
        method="bounded",
    )
    scale = np.exp(finer.x) if finer.fun < grid[best] else SCALES[best]
    return scale, best in (0, last)
