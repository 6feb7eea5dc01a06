r"""AttentionViz: queries and keys of a head in one space, where near means strongly attended.

Yeh et al. (2023), *AttentionViz: A Global View of Transformer Attention*, arXiv 2305.03210. Their
section 5.1.1 in the order of this module:

1. The joint space. Keys are translated and both sides scaled; attention does not notice.
2. Does distance stand for the dot product? Correlations, and ranks of the strongest keys.
3. The scale ``c`` at which it does so best, in closed form, from moments over all pairs.
4. Ways in which ``c`` was chosen in the paper, its data, and a notebook that reproduced it.
5. The plane in which queries and keys of many texts vary most.

Queries and keys are those of one text; axes before them, such as layer and head, are worked through
alike. All is computed in float64. A correlation that is undefined is not a number, never 0. Where
some keys are hidden from a query, as later ones are in a decoder, only pairs count that attention
sees: ``visible`` says which, None that it sees all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.optimize import minimize_scalar
from scipy.spatial.distance import cdist
from scipy.stats import rankdata

from attention_mixing.methods.shapes import checked_shapes
from attention_mixing.methods.vectors import directions, finite

Vectors = Float[np.ndarray, "*head token head_dim"]
OfAnyLength = Float[np.ndarray, "*head _ head_dim"]
EachHead = Float[np.ndarray, "*head"]
Sight = Bool[np.ndarray, "token token"] | None  # [query, key]
Pairs = Float[np.ndarray, "pair"]

# Values that are equal on paper may differ by rounding; relative to the vectors they come from.
ROUNDING = 1e-12
# The grid of the notebook; ten steps leave out 0, by which keys could not be divided.
SEED_SHIFTS = np.linspace(-0.5, 0.5, 10)
SEED_SCALES = np.linspace(-2, 2, 10)
# Where the weighted correlation is searched: a factor of 10 either way, ten steps about 3.2.
SCALES = np.geomspace(0.1, 10, 21)
# Pairs nearer than this share of all pairs count in the weighted correlation.
NEAREST = 0.005


# 1. The joint space


@checked_shapes
def translate_keys(query: Vectors, key: Vectors) -> Vectors:
    r"""Move the keys of each head so that their centroid is that of the queries.

    Attention stays as it is: :math:`q_i \cdot (k_j + \Delta)` adds the same
    :math:`q_i \cdot \Delta` to all of row ``i``, which softmax does not notice.
    Yeh et al. (2023), section 5.1.1.
    """
    queries, keys = _checked(query, key)
    return keys + (queries.mean(axis=-2) - keys.mean(axis=-2))[..., None, :]


@checked_shapes
def scaled(query: Vectors, key: Vectors, c: float | EachHead) -> tuple[Vectors, Vectors]:
    """Scale queries by ``c`` and keys by ``1 / c``; every dot product stays as it is.

    A negative ``c`` turns both around. Yeh et al. (2023), section 5.1.1.

    Parameters
    ----------
    query, key
        Vectors of every head.
    c
        Finite and not 0: one number, or one for each head.

    Returns
    -------
    query, key
        The vectors ``c * query`` and ``key / c``.

    Raises
    ------
    ValueError
        If a ``c`` is 0 or not finite.
    """
    factor = np.asarray(c, dtype=np.float64)[..., None, None]
    if not (np.isfinite(factor) & (factor != 0)).all():
        raise ValueError(f"c is {c}; it must be finite and not 0")
    return factor * query, key / factor


# 2. Does distance stand for the dot product?


@checked_shapes
def rank_correlations(
    query: Vectors, key: Vectors, visible: Sight = None
) -> Float[np.ndarray, "*head token"]:
    """Spearman correlation of dot product and cosine distance over the keys, query by query.

    -1 says that the nearer a key is by angle, the more the query attends to it. Ties, up to
    rounding, have average ranks. Undefined with fewer than three keys, whose ranks correlate by
    plus or minus 1 whatever they are; where dot products or distances are all the same; beside a
    query of length zero; and in a head with a key of length zero, which has no angle.
    Yeh et al. (2023), section 5.1.1 and figure 4.
    """
    queries, keys = _checked(query, key)
    undefined = np.full(queries.shape[:-1], np.nan)
    if keys.shape[-2] < 3:
        return undefined
    every = np.ones((keys.shape[-2],) * 2, bool) if visible is None else visible
    lengths = np.linalg.norm(keys, axis=-1)
    # Divided by the length of its query, a row of dot products has the same ranks.
    dot = directions(queries) @ keys.swapaxes(-1, -2)
    cosine = dot / np.where(lengths > 0, lengths, np.nan)[..., None, :]
    by_dot = _centred_ranks(dot, ROUNDING * lengths, visible)
    by_cosine = _centred_ranks(cosine, np.full_like(lengths, ROUNDING), visible)
    spread = np.sqrt(_products(by_dot, by_dot) * _products(by_cosine, by_cosine))
    defined = ~np.isnan(cosine.sum(axis=-1)) & (spread > 0) & (every.sum(axis=-1) >= 3)
    # The distance 1 - cosine ranks the other way round.
    correlation = np.divide(-_products(by_dot, by_cosine), spread, out=undefined, where=defined)
    return np.clip(correlation, -1, 1)


@checked_shapes
def pooled_correlation(query: Vectors, key: Vectors, visible: Sight = None) -> EachHead:
    """Pearson correlation of dot product and cosine distance over all pairs of a query and a key.

    Undefined where dot products or distances are all the same, or a vector has length zero.
    """
    queries, keys = _checked(query, key)
    dot = _shortened(queries) @ _shortened(keys).swapaxes(-1, -2)
    apart = 1 - directions(queries) @ directions(keys).swapaxes(-1, -2)
    return _pearson(_seen(dot, visible), _seen(apart, visible))


@checked_shapes
def own_correlation(query: Vectors, key: Vectors) -> float:
    """Pearson correlation of dot product and cosine distance of tokens with themselves.

    The pairs of all axes given, such as all heads of a layer, are pooled. Pairs of two different
    tokens, between which attention moves something, do not count. Undefined as
    :func:`pooled_correlation`.
    """
    queries, keys = (vectors.reshape(-1, vectors.shape[-1]) for vectors in _checked(query, key))
    dot = (_shortened(queries) * _shortened(keys)).sum(axis=-1)
    apart = 1 - (directions(queries) * directions(keys)).sum(axis=-1)
    return float(_pearson(dot, apart))


@checked_shapes
def distances(
    query: Vectors, key: Vectors, *, distance: Literal["cosine", "euclidean"]
) -> Float[np.ndarray, "*head token token"]:
    """Distances of all queries from all keys, in a unit that no common scale of both changes.

    Cosine distances are their own unit. Euclidean ones are in radii: the root mean square distance
    of the vectors from the mean of their own kind, which translation leaves as it is. Undefined
    beside a vector of length zero, and where the vectors of each kind are all the same.
    """
    queries, keys = _checked(query, key)
    if distance == "cosine":
        return 1 - directions(queries) @ directions(keys).swapaxes(-1, -2)
    radius = np.sqrt((queries.var(axis=-2) + keys.var(axis=-2)).sum(axis=-1) / 2)
    apart = np.empty((*queries.shape[:-1], keys.shape[-2]))
    for head in np.ndindex(radius.shape):
        apart[head] = cdist(queries[head], keys[head])
    return apart / np.where(radius > 0, radius, np.nan)[..., None, None]


@checked_shapes
def neighbour_rank(
    distances: Float[np.ndarray, "*head token token"],
    strongest: Int[np.ndarray, "*head token"],
    visible: Sight = None,
) -> Float[np.ndarray, "*head token"]:
    """Where the strongest key of each query stands among all keys, by distance from the query.

    The share of the other keys that are nearer, 0 (it is the nearest) to 1 (the farthest); a key as
    far away, up to rounding, counts half. Undefined if there is one key alone, or a distance of the
    query is undefined.

    Parameters
    ----------
    distances
        Of :func:`distances`, in the full dimension of the head or projected to a plane.
    strongest
        The key with the largest dot product of each query, before anything is projected.
    visible
        Which keys each query may see.
    """
    others: int | Int[np.ndarray, " token"] = distances.shape[-1] - 1
    farthest = distances.max(axis=-1, keepdims=True)
    if visible is not None:
        others = visible.sum(axis=-1) - 1
        farthest = np.where(visible, distances, -np.inf).max(axis=-1, keepdims=True)
        distances = np.where(visible, distances, np.inf)
    rounding = ROUNDING * np.maximum(farthest, 1)
    to_strongest = np.take_along_axis(distances, strongest[..., None], axis=-1)
    nearer = np.count_nonzero(distances < to_strongest - rounding, axis=-1)
    # The strongest key itself is among those not farther.
    not_farther = np.count_nonzero(distances <= to_strongest + rounding, axis=-1)
    undefined = np.isnan(distances).any(axis=-1) | (np.asarray(others) == 0)
    share = (nearer + not_farther - 1) / (2 * np.maximum(others, 1))
    return np.where(undefined, np.nan, share)


# 3. The best scale in closed form


@dataclass(frozen=True)
class Moments:
    r"""Mean and covariance (of the population, divided by ``count``) of some variables.

    Of :math:`(|q|^2, |k|^2, q \cdot k)` over pairs of a query and a key, or of the coordinates of
    queries, or of keys, over tokens. They add up over texts, heads and layers.

    Attributes
    ----------
    count
        Number of observations.
    mean, covariance
        Of each variable, and of every two.
    """

    count: int
    mean: Float[np.ndarray, "*head variable"]
    covariance: Float[np.ndarray, "*head variable variable"]


def pooled(moments: Sequence[Moments]) -> Moments:
    """Moments of several texts together, each with the weight of its count.

    Pairs of a query and a key of different texts do not count. Chan, Golub and LeVeque (1983),
    *Algorithms for Computing the Sample Variance*.
    """
    return _combined(
        np.array([one.count for one in moments]),
        np.stack([one.mean for one in moments]),
        np.stack([one.covariance for one in moments]),
    )


def stacked(layers: Sequence[Moments]) -> Moments:
    """Moments of several layers, each with its own pairs, with an axis of layers in front.

    The count is that of a layer, in the mean.
    """
    return Moments(
        round(float(np.mean([layer.count for layer in layers]))),
        np.stack([layer.mean for layer in layers]),
        np.stack([layer.covariance for layer in layers]),
    )


def joint(moments: Moments) -> Moments:
    """Moments of all heads of each layer together; applied again, of all layers."""
    mean = np.moveaxis(moments.mean, -2, 0)
    covariance = np.moveaxis(moments.covariance, -3, 0)
    return _combined(np.full(len(mean), moments.count), mean, covariance)


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
    queries, keys = _checked(query, key)
    if visible is not None:
        return _moments_of_pairs(queries, keys, visible)
    tokens = queries.shape[-2]
    query_mean, key_mean = queries.mean(axis=-2, keepdims=True), keys.mean(axis=-2, keepdims=True)
    query_apart, key_apart = queries - query_mean, keys - key_mean
    query_square, key_square = _products(queries, queries), _products(keys, keys)
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


# 4. Other ways to choose the scale
#
# Each answers a question of its own, and none looks at the plane that is drawn in the end:
# c = 1 after ``translate_keys``, whether keys lie among queries at all; ``norm_ratio``, whether
# both have the same length; ``seed_search``, whether a token's query is nearer to its own key, by
# angle, where their dot product is larger, over all heads of a layer; ``weighted_scale``, whether
# among the nearest pairs of a head the dot product is larger where the distance is smaller.


class SeedSearch(NamedTuple):
    """What :func:`seed_search` found; not a number if no correlation is defined.

    ``shift`` and ``scale`` are the choice and ``correlation`` its signed correlation; ``grid`` has
    those of all. ``spread`` is how far correlations of one shift lie apart over all scales, at most
    over all shifts: rounding, and nothing else.
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
    (keys,) = _checked(key)
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
        np.linalg.norm(vectors, axis=-1).mean(axis=-1) for vectors in _checked(query, key)
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
    """What :func:`weighted_scale` found.

    ``scale`` is not a number if the correlation is undefined at every scale. ``at_edge`` says
    whether the best of the grid was its first or its last scale, so that a better one may lie
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
    texts = [_checked(query, key) for query, key in zip(queries, keys, strict=True)]
    sights = [None] * len(texts) if visible is None else visible
    heads = queries[0].shape[:-2]
    scale, at_edge = np.empty(heads), np.empty(heads, dtype=bool)
    for head in np.ndindex(heads):
        pairs = _pairs([(query[head], key[head]) for query, key in texts], sights)
        scale[head], at_edge[head] = _searched(pairs)
    return WeightedScale(scale, at_edge)


# 5. The plane


class PrincipalPlane(NamedTuple):
    """First two principal axes: orthonormal ``axes``, and ``mean``, which is drawn at the origin.

    ``share`` is the part of the variance that each axis carries, not a number if all vectors are
    the same.
    """

    mean: Float[np.ndarray, "*head head_dim"]
    axes: Float[np.ndarray, "*head head_dim 2"]
    share: Float[np.ndarray, "*head 2"]


@checked_shapes
def vector_moments(vectors: Vectors) -> Moments:
    """Moments of the queries of one text, or of its keys, over its tokens."""
    (array,) = _checked(vectors)
    mean = array.mean(axis=-2)
    apart = array - mean[..., None, :]
    tokens = array.shape[-2]
    return Moments(tokens, mean, apart.swapaxes(-1, -2) @ apart / tokens)


@checked_shapes
def moved(
    moments: Moments,
    shift: float | Float[np.ndarray, "*head head_dim"] = 0.0,
    scale: float | EachHead = 1.0,
) -> Moments:
    """Moments of ``scale * (vector + shift)``: ``c`` scales queries, and ``1 / c`` keys.

    Parameters
    ----------
    moments
        Of vectors, as :func:`vector_moments` gives them.
    shift
        What is added to each vector before it is scaled.
    scale
        One number, or one for each head.
    """
    factor = np.asarray(scale, dtype=np.float64)[..., None]
    covariance = np.square(factor)[..., None] * moments.covariance
    return Moments(moments.count, factor * (moments.mean + shift), covariance)


def principal_plane(query: Moments, key: Moments) -> PrincipalPlane:
    """Principal component analysis of queries and keys together, from their moments.

    The entry of each axis that is largest in size is positive, so that repeated runs agree. Which
    way an axis points remains arbitrary where two variances are equal.

    Parameters
    ----------
    query, key
        Moments of all queries and of all keys, by head.
    """
    # scikit-learn's PCA takes vectors, not moments; those of all texts do not fit in memory.
    together = pooled([query, key])
    variances, directions = np.linalg.eigh(together.covariance)
    axes = directions[..., :-3:-1]
    largest = np.take_along_axis(axes, np.abs(axes).argmax(axis=-2)[..., None, :], axis=-2)
    total = np.trace(together.covariance, axis1=-2, axis2=-1)[..., None]
    first = np.maximum(variances[..., :-3:-1], 0)
    varies = total > np.square(ROUNDING * np.linalg.norm(together.mean, axis=-1, keepdims=True))
    share = np.divide(first, total, out=np.full_like(first, np.nan), where=varies)
    return PrincipalPlane(together.mean, axes * np.sign(largest), share)


@checked_shapes
def project(vectors: Vectors, plane: PrincipalPlane) -> Float[np.ndarray, "*head token 2"]:
    """Coordinates in a plane of vectors translated and scaled as those it was made of."""
    return (vectors - plane.mean[..., None, :]) @ plane.axes


# Below: steps of the functions above.


def _checked(*vectors: Vectors) -> tuple[Vectors, ...]:
    """Take queries and keys in float64."""
    return tuple(finite("queries and keys", array) for array in vectors)


def _products(
    first: Float[np.ndarray, "*rows dim"], second: Float[np.ndarray, "*rows dim"]
) -> Float[np.ndarray, "*rows"]:
    return np.einsum("...i,...i->...", first, second)


def _seen(
    values: Float[np.ndarray, "*head query key"], visible: Sight
) -> Float[np.ndarray, "*head pair"]:
    """Lay out the pairs that are seen in a row."""
    return values.reshape((*values.shape[:-2], -1)) if visible is None else values[..., visible]


def _moments_of_pairs(queries: Vectors, keys: Vectors, visible: Sight) -> Moments:
    """Moments of :func:`pair_moments`, over the pairs that are seen."""
    dot = queries @ keys.swapaxes(-1, -2)
    squares = _products(queries, queries)[..., :, None], _products(keys, keys)[..., None, :]
    lengths = (np.broadcast_to(square, dot.shape) for square in squares)
    pairs = np.stack([_seen(values, visible) for values in (*lengths, dot)], axis=-2)
    mean = pairs.mean(axis=-1)
    apart = pairs - mean[..., None]
    count = pairs.shape[-1]
    return Moments(count, mean, apart @ apart.swapaxes(-1, -2) / count)


def _shortened(vectors: Vectors) -> Vectors:
    """Divide the vectors of a head by the length of the longest: no correlation notices."""
    longest = np.linalg.norm(vectors, axis=-1, keepdims=True).max(axis=-2, keepdims=True)
    return np.divide(vectors, longest, out=np.zeros_like(vectors), where=longest > 0)


def _centred_ranks(
    values: Float[np.ndarray, "*head query key"],
    noise: Float[np.ndarray, "*head key"],
    visible: Sight,
) -> Float[np.ndarray, "*head query key"]:
    """Ranks along the last axis less their mean; neighbours within rounding's ``noise`` are ties.

    Of the keys that are seen; 0 for the others. ``scipy.stats.rankdata`` knows of no rounding, so
    it ranks what numbers tied values alike.
    """
    length = values.shape[-1]
    if visible is not None:  # the others rank behind them, no two of them alike
        step = 1 + 2 * noise.max(initial=0)
        behind = np.nanmax(np.abs(values), initial=0) + step * np.arange(1, length + 1)
        values = np.where(visible, values, behind)
    order = values.argsort(axis=-1)
    # Sorting once more takes less time than gathering by the order.
    steps = np.diff(np.sort(values, axis=-1), axis=-1)
    places = np.arange(1.0, length + 1)
    # Ties are rare, and looking for each of them takes longer than all the rest.
    if not (steps > noise.max(axis=-1)[..., None, None]).all():
        noise = np.broadcast_to(noise[..., None, :], values.shape)
        noise = np.take_along_axis(noise, order, axis=-1)
        number = np.zeros_like(order)
        parted = steps > np.maximum(noise[..., 1:], noise[..., :-1])
        parted.cumsum(axis=-1, out=number[..., 1:])
        places = rankdata(number, axis=-1)
    ranks = np.empty_like(values)
    np.put_along_axis(ranks, order, np.broadcast_to(places, values.shape), axis=-1)
    if visible is None:
        return ranks - (length + 1) / 2
    return np.where(visible, ranks - (visible.sum(axis=-1, keepdims=True) + 1) / 2, 0)


def _pearson(
    first: Float[np.ndarray, "*head pair"], second: Float[np.ndarray, "*head pair"]
) -> EachHead:
    """Correlate values of order 1; not a number where either is constant up to rounding.

    ``scipy.stats.pearsonr`` would correlate that rounding, and refuses a single pair.
    """
    first_apart, first_varies = _apart(first)
    second_apart, second_varies = _apart(second)
    with np.errstate(invalid="ignore"):
        scale = np.sqrt((first_apart**2).sum(axis=-1) * (second_apart**2).sum(axis=-1))
        correlation = np.clip((first_apart * second_apart).sum(axis=-1) / scale, -1, 1)
    return np.where(first_varies & second_varies, correlation, np.nan)


def _apart(
    values: Float[np.ndarray, "*head pair"],
) -> tuple[Float[np.ndarray, "*head pair"], Bool[np.ndarray, "*head"] | np.bool_]:
    """Deviations from the mean, the largest of them 1 in size, and whether there are any."""
    apart = values - values.mean(axis=-1, keepdims=True)
    largest = np.abs(apart).max(axis=-1, keepdims=True)
    varies = largest > ROUNDING
    return np.divide(apart, largest, out=np.zeros_like(apart), where=varies), varies[..., 0]


def _combined(
    counts: Int[np.ndarray, "part"],
    mean: Float[np.ndarray, "part *head variable"],
    covariance: Float[np.ndarray, "part *head variable variable"],
) -> Moments:
    """Pool the parts; what differs between their means is part of the covariance."""
    shares = counts / counts.sum()
    total = np.tensordot(shares, mean, axes=1)
    between = mean - total
    spread = covariance + between[..., :, None] * between[..., None, :]
    return Moments(int(counts.sum()), total, np.tensordot(shares, spread, axes=1))


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
        of_texts.append([_seen(values, visible) for values in (*lengths, dot)])
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
