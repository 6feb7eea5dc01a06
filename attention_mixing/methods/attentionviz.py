r"""AttentionViz: queries and keys of a head in one space, where near means strongly attended.

Yeh et al. (2023), *AttentionViz: A Global View of Transformer Attention*, arXiv 2305.03210. Their
section 5.1.1 in the order of this module:

1. The joint space. Keys are translated and both sides scaled; attention does not notice.
2. Does distance stand for the dot product? Correlations, and ranks of the strongest keys.
3. The plane in which queries and keys of many texts vary most, from their moments.

The scale at which distance stands for the dot product best is chosen in
:mod:`attention_mixing.methods.attentionviz_scale`.

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
from scipy.spatial.distance import cdist
from scipy.stats import rankdata

from attention_mixing.methods.arrays import directions, finite
from attention_mixing.methods.shapes import checked_shapes

Vectors = Float[np.ndarray, "*head token head_dim"]
EachHead = Float[np.ndarray, "*head"]
Sight = Bool[np.ndarray, "token token"] | None  # [query, key]

# Values that are equal on paper may differ by rounding; relative to the vectors they come from.
ROUNDING = 1e-12


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
    return _pearson(visible_pairs(dot, visible), visible_pairs(apart, visible))


@checked_shapes
def visible_pairs(
    values: Float[np.ndarray, "*head query key"], visible: Bool[np.ndarray, "query key"] | None
) -> Float[np.ndarray, "*head pair"]:
    """Lay out the values of the pairs that attention sees in a row, query by query.

    Parameters
    ----------
    values
        One for each pair of a query and a key.
    visible
        Which keys each query may see; None for all.
    """
    return values.reshape((*values.shape[:-2], -1)) if visible is None else values[..., visible]


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


# 3. The plane, from moments, which add up over texts


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


class PrincipalPlane(NamedTuple):
    """First two principal axes of queries and keys together, by head.

    Attributes
    ----------
    mean
        Of all vectors; drawn at the origin.
    axes
        Orthonormal, the axis of the largest variance first.
    share
        Part of the variance that each axis carries, 0 to 1; not a number if all vectors are the
        same.
    """

    mean: Float[np.ndarray, "*head head_dim"]
    axes: Float[np.ndarray, "*head head_dim 2"]
    share: Float[np.ndarray, "*head 2"]


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
