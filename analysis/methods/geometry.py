r"""Geometry of queries and keys: where they lie, and whether near means strongly attended.

Yeh et al. (2023), *AttentionViz: A Global View of Transformer Attention*, arXiv 2305.03210,
section 5.1.1. Queries and keys are drawn in one space, after two changes that attention does not
notice: keys are translated, and queries and keys are scaled against each other.

Queries and keys are ``[..., token, head_dim]`` of one text, as many of the one as of the other;
axes before them, such as layer and head, are worked through alike. All is computed in float64. A
correlation lies in -1 to 1; where it is undefined, it is not a number, never 0. Functions take the
vectors as they are given, and say so where they translate or scale.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Order = Literal["translate-scale", "scale-translate"]

# Values that are equal on paper may differ by rounding; relative to the vectors they come from.
_ROUNDING = 1e-12
# The variance of a squared length holds fourth powers, which must stay finite.
_LARGEST = 1e70
# Pairs worked on at a time: 0.5 MB in float64, which stays in a core's cache.
_BLOCK = 2**16


def attention_weights(query: ArrayLike, key: ArrayLike, scaling: float) -> Floats:
    r"""Attention as the model computes it, :math:`\mathrm{softmax}_j(s\, q_i \cdot k_j)`.

    Parameters
    ----------
    query, key
        ``[..., token, head_dim]``.
    scaling
        Factor ``s`` of the dot products, one over the root of ``head_dim`` in most models.

    Returns
    -------
    NDArray[float64]
        ``[..., query, key]``, every row summing to 1.

    Raises
    ------
    ValueError
        If the shapes do not match or an entry is not finite.
    """
    queries, keys = _pair(query, key)
    weights = scaling * (queries @ keys.swapaxes(-1, -2))
    weights -= weights.max(axis=-1, keepdims=True)
    np.exp(weights, out=weights)
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights


def centroid_shift(query: ArrayLike, key: ArrayLike) -> Floats:
    """Step from the centroid of the keys to that of the queries.

    Parameters
    ----------
    query, key
        ``[..., token, head_dim]``.

    Returns
    -------
    NDArray[float64]
        ``[..., head_dim]``.

    Raises
    ------
    ValueError
        As :func:`attention_weights`.
    """
    queries, keys = _pair(query, key)
    return queries.mean(axis=-2) - keys.mean(axis=-2)


def translate_keys(query: ArrayLike, key: ArrayLike) -> Floats:
    r"""Move the keys of each head so that their centroid is that of the queries.

    Attention stays as it is: :math:`q_i \cdot (k_j + \Delta)` adds the same
    :math:`q_i \cdot \Delta` to all of row ``i``, which softmax does not notice.

    Parameters
    ----------
    query, key
        ``[..., token, head_dim]``.

    Returns
    -------
    NDArray[float64]
        The keys, ``[..., token, head_dim]``.

    Raises
    ------
    ValueError
        As :func:`attention_weights`.

    References
    ----------
    Yeh et al. (2023), section 5.1.1.
    """
    return np.asarray(key, dtype=np.float64) + centroid_shift(query, key)[..., None, :]


def scaled(query: ArrayLike, key: ArrayLike, c: ArrayLike) -> tuple[Floats, Floats]:
    """Scale queries by ``c`` and keys by ``1 / c``; every dot product stays as it is.

    Parameters
    ----------
    query, key
        ``[..., token, head_dim]``.
    c
        One number, or one for each head, ``[...]``. Not 0; a negative one turns both around.

    Returns
    -------
    tuple of NDArray[float64]
        Queries and keys, ``[..., token, head_dim]``.

    Raises
    ------
    ValueError
        As :func:`attention_weights`, and if ``c`` is 0 or not finite, or has another shape.
    """
    queries, keys = _pair(query, key)
    factor = _scale(c, queries.shape[:-2])[..., None, None]
    return factor * queries, keys / factor


def normalised(
    query: ArrayLike, key: ArrayLike, c: ArrayLike, *, order: Order
) -> tuple[Floats, Floats]:
    r"""Translate and scale, in one order or the other.

    The order matters. ``translate-scale`` gives :math:`c\,q` and :math:`(k + \Delta) / c`: a cosine
    does not notice lengths, so no correlation with cosine distance depends on ``c``.
    ``scale-translate`` moves the scaled keys onto the scaled queries, by
    :math:`c\,\bar{q} - \bar{k} / c`: the step depends on ``c``, and so do the cosines. Softmax is
    unchanged by either.

    Parameters
    ----------
    query, key
        ``[..., token, head_dim]``.
    c
        As in :func:`scaled`.
    order
        ``translate-scale`` or ``scale-translate``.

    Returns
    -------
    tuple of NDArray[float64]
        Queries and keys, ``[..., token, head_dim]``.

    Raises
    ------
    ValueError
        As :func:`scaled`, and if ``order`` is another.
    """
    match order:
        case "translate-scale":
            return scaled(query, translate_keys(query, key), c)
        case "scale-translate":
            queries, keys = scaled(query, key, c)
            return queries, translate_keys(queries, keys)
    raise ValueError(f"order is {order!r}; allowed: translate-scale, scale-translate")


def rank_correlations(query: ArrayLike, key: ArrayLike) -> Floats:
    """Spearman correlation of dot product and cosine distance over the keys, query by query.

    -1 says that the nearer a key is by angle, the more a query attends to it. Ties have average
    ranks; values that differ by no more than rounding are ties.

    Parameters
    ----------
    query, key
        ``[..., token, head_dim]``.

    Returns
    -------
    NDArray[float64]
        ``[..., query]``, -1 to 1. Not a number with fewer than three keys, whose ranks correlate by
        plus or minus 1 whatever they are; where dot products or distances are all the same; beside
        a query of length zero; and for all queries of a head with a key of length zero, which has
        no angle.

    Raises
    ------
    ValueError
        As :func:`attention_weights`.

    References
    ----------
    Yeh et al. (2023), section 5.1.1.
    """
    queries, keys = _pair(query, key)
    tokens = queries.shape[-2]
    result = np.full(queries.shape[:-1], np.nan)
    if tokens < 3:
        return result
    flat = result.reshape(-1, tokens)
    for heads, some_queries, some_keys in _blocks(queries, keys):
        lengths = np.linalg.norm(some_keys, axis=-1)
        # Divided by the length of its query, a row of dot products has the same ranks.
        dot = _directions(some_queries) @ some_keys.swapaxes(-1, -2)
        cosine = dot / np.where(lengths > 0, lengths, np.nan)[:, None, :]
        by_dot = _centred_ranks(dot, _ROUNDING * lengths)
        by_cosine = _centred_ranks(cosine, np.full_like(lengths, _ROUNDING))
        spread = np.sqrt(_products(by_dot, by_dot) * _products(by_cosine, by_cosine))
        defined = ~np.isnan(cosine.sum(axis=-1)) & (spread > 0)
        # The distance 1 - cosine ranks the other way round.
        np.divide(-_products(by_dot, by_cosine), spread, out=flat[heads], where=defined)
    np.clip(result, -1, 1, out=result)
    return result


def rank_correlation(query: ArrayLike, key: ArrayLike) -> Floats:
    """Mean over queries of the Spearman correlation of dot product and cosine distance.

    Keys are translated first (:func:`translate_keys`).

    Parameters
    ----------
    query, key
        ``[..., token, head_dim]``.

    Returns
    -------
    NDArray[float64]
        A number, or ``[...]`` if there are axes before the tokens. Queries for which
        :func:`rank_correlations` is undefined are left out; not a number if it is for all.

    Raises
    ------
    ValueError
        As :func:`attention_weights`.

    References
    ----------
    Yeh et al. (2023), section 5.1.1 and figure 4.
    """
    each = rank_correlations(query, translate_keys(query, key))
    defined = ~np.isnan(each)
    total = np.where(defined, each, 0).sum(axis=-1)
    count = defined.sum(axis=-1)
    return np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)[()]


def pooled_correlation(
    query: ArrayLike, key: ArrayLike, *, distance: Literal["cosine", "squared-euclidean"]
) -> Floats:
    """Pearson correlation of dot product and distance over all pairs of a query and a key.

    Parameters
    ----------
    query, key
        ``[..., token, head_dim]``.
    distance
        ``cosine`` or ``squared-euclidean``.

    Returns
    -------
    NDArray[float64]
        A number or ``[...]``, -1 to 1. Not a number where dot products or distances are all the
        same, and with ``cosine`` where a vector has length zero.

    Raises
    ------
    ValueError
        As :func:`attention_weights`, and if ``distance`` is another.
    """
    if distance == "squared-euclidean":
        return correlation_at_scale(pair_moments(query, key), 1)
    _check_distance(distance, "cosine", "squared-euclidean")
    queries, keys = _pair(query, key)
    result = np.empty(queries.shape[:-2])
    flat = result.reshape(-1)
    for heads, some_queries, some_keys in _blocks(queries, keys):
        dot = _shortened(some_queries) @ _shortened(some_keys).swapaxes(-1, -2)
        apart = 1 - _directions(some_queries) @ _directions(some_keys).swapaxes(-1, -2)
        rows = (len(dot), -1)
        flat[heads] = _pearson(dot.reshape(rows), apart.reshape(rows))
    return result[()]


def own_correlation(
    query: ArrayLike, key: ArrayLike, *, distance: Literal["cosine", "squared-euclidean"]
) -> float:
    """Pearson correlation of dot product and distance over pairs of a token with itself.

    The pairs of all axes given, such as all heads of a layer, are pooled. Pairs of two different
    tokens, between which attention moves something, do not count.

    Parameters
    ----------
    query, key
        ``[..., token, head_dim]``.
    distance
        ``cosine`` or ``squared-euclidean``.

    Returns
    -------
    float
        As :func:`pooled_correlation`.

    Raises
    ------
    ValueError
        As :func:`pooled_correlation`.
    """
    _check_distance(distance, "cosine", "squared-euclidean")
    queries, keys = (vectors.reshape(-1, vectors.shape[-1]) for vectors in _pair(query, key))
    dot = (_shortened(queries) * _shortened(keys)).sum(axis=-1)
    if distance == "cosine":
        apart = 1 - (_directions(queries) * _directions(keys)).sum(axis=-1)
    else:
        both = _shortened(np.concatenate([queries, keys]))
        apart = ((both[: len(dot)] - both[len(dot) :]) ** 2).sum(axis=-1)
    return float(_pearson(dot, apart))


@dataclass(frozen=True)
class PairMoments:
    r"""Mean and covariance of :math:`(|q|^2, |k|^2, q \cdot k)` over pairs of a query and a key.

    Enough for the correlation of dot product and squared Euclidean distance at every scale, in one
    head or several, in one text or many.

    Attributes
    ----------
    count
        Pairs, of each head.
    mean
        ``[..., 3]``.
    covariance
        ``[..., 3, 3]``, of the population: divided by ``count``.
    """

    count: int
    mean: Floats
    covariance: Floats


def pair_moments(query: ArrayLike, key: ArrayLike) -> PairMoments:
    r"""Moments over all pairs of one text, without building a matrix of pairs.

    With :math:`q_i = \bar{q} + q'_i` and :math:`k_j = \bar{k} + k'_j` the dot product has four
    parts, :math:`\bar{q} \cdot \bar{k} + q'_i \cdot \bar{k} + \bar{q} \cdot k'_j
    + q'_i \cdot k'_j`, and over the full grid of pairs each of them is uncorrelated with the
    others, so that

    .. math:: \mathrm{var}(q \cdot k) = \bar{k}^\top C_q \bar{k} + \bar{q}^\top C_k \bar{q}
        + \mathrm{tr}(C_q C_k), \qquad
        \mathrm{cov}(|q|^2, q \cdot k) = \mathrm{cov}_i(|q_i|^2,\; q'_i \cdot \bar{k}),

    the same for :math:`|k|^2`, and :math:`\mathrm{cov}(|q|^2, |k|^2) = 0`. Time and memory grow
    with the number of tokens, not of pairs.

    Parameters
    ----------
    query, key
        ``[..., token, head_dim]``.

    Returns
    -------
    PairMoments
        With a ``mean`` ``[..., 3]`` and a ``covariance`` ``[..., 3, 3]``.

    Raises
    ------
    ValueError
        As :func:`attention_weights`.
    """
    queries, keys = _pair(query, key)
    tokens = queries.shape[-2]
    query_mean, key_mean = queries.mean(axis=-2, keepdims=True), keys.mean(axis=-2, keepdims=True)
    query_apart, key_apart = queries - query_mean, keys - key_mean
    query_square, key_square = _products(queries, queries), _products(keys, keys)
    along_key = (query_apart @ key_mean.swapaxes(-1, -2))[..., 0]
    along_query = (key_apart @ query_mean.swapaxes(-1, -2))[..., 0]
    mean = np.stack(
        [
            query_square.mean(axis=-1),
            key_square.mean(axis=-1),
            (query_mean * key_mean).sum(axis=(-2, -1)),
        ],
        axis=-1,
    )
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
    return PairMoments(tokens**2, mean, covariance)


def pooled(moments: Iterable[PairMoments]) -> PairMoments:
    """Moments over the pairs of several texts, each text with the weight of its pairs.

    Texts can be taken one at a time: ``pooled([so_far, text])``.

    Parameters
    ----------
    moments
        One of each text, all of the same heads. Pairs of a query and a key of different texts do
        not count.

    Returns
    -------
    PairMoments
        What differs between the means of texts is part of the covariance.

    Raises
    ------
    ValueError
        If there is no text, or the heads do not match.

    References
    ----------
    Chan, Golub and LeVeque (1983), *Algorithms for Computing the Sample Variance*.
    """
    texts = list(moments)
    shapes = sorted({text.mean.shape[:-1] for text in texts})
    if len(shapes) != 1:
        raise ValueError(f"moments have heads of shapes {shapes}; they must be of the same heads")
    count = sum(text.count for text in texts)
    shares = np.array([text.count for text in texts]) / count
    return _combined(
        count, shares, np.stack([t.mean for t in texts]), np.stack([t.covariance for t in texts])
    )


def joint(moments: PairMoments, axis: int = -1) -> PairMoments:
    """Moments over the pairs of all heads together, or of all layers.

    Parameters
    ----------
    moments
        With a ``mean`` ``[..., 3]``.
    axis
        Which of the axes before the last is pooled: with ``[layer, head, 3]``, -1 pools the heads
        of each layer; the result pooled over 0 is that of all heads of all layers.

    Returns
    -------
    PairMoments
        With one axis less, and the pairs of all.

    Raises
    ------
    ValueError
        If there is no such axis.
    """
    axes = moments.mean.ndim - 1
    if not -axes <= axis < axes:
        raise ValueError(f"axis is {axis}; the moments have {axes} axes of heads")
    mean = np.moveaxis(moments.mean, axis % axes, 0)
    covariance = np.moveaxis(moments.covariance, axis % axes, 0)
    return _combined(moments.count * len(mean), np.full(len(mean), 1 / len(mean)), mean, covariance)


def correlation_at_scale(moments: PairMoments, c: ArrayLike) -> Floats:
    r"""Pearson correlation of dot product and squared Euclidean distance after scaling.

    The distance is :math:`D^2 = c^2 |q|^2 + |k|^2 / c^2 - 2\,q \cdot k`, linear in what
    :class:`PairMoments` holds.

    Parameters
    ----------
    moments
        Of the vectors before they are scaled.
    c
        One number, or one for each head, ``[...]``. 0 and infinity stand for the limits.

    Returns
    -------
    NDArray[float64]
        A number or ``[...]``, -1 to 1; not a number where dot products or distances are all the
        same, or ``c`` is not a number.

    Raises
    ------
    ValueError
        If ``c`` has another shape.
    """
    correlation, deviation = _standardised(moments)
    square = np.square(_for_each("c", c, deviation.shape[:-1]))
    return _at(correlation, deviation, square)[()]


def optimal_scale_of_moments(moments: PairMoments) -> tuple[Floats, Floats]:
    r"""Scale at which dot product and squared Euclidean distance correlate most negatively.

    No grid: with :math:`x = c^2`, :math:`A = |q|^2`, :math:`B = |k|^2`, :math:`P = q \cdot k` and
    covariances :math:`s` the correlation is

    .. math:: r(x) = \frac{s_{PA} x^2 - 2 s_{PP} x + s_{PB}}{\sqrt{s_{PP}\,(s_{AA} x^4
        - 4 s_{PA} x^3 + (4 s_{PP} + 2 s_{AB}) x^2 - 4 s_{PB} x + s_{BB})}}

    and its derivative has the sign of a quartic without a square term,

    .. math:: (s_{AA} s_{PP} - s_{PA}^2)\,x^4 + (s_{PA} s_{AB} - s_{AA} s_{PB})\,x^3
        + (s_{BB} s_{PA} - s_{AB} s_{PB})\,x - (s_{BB} s_{PP} - s_{PB}^2).

    By the inequality of Cauchy and Schwarz the first coefficient is positive and the last is
    negative: the correlation falls where ``x`` leaves 0 and rises towards infinity, so that the
    minimum is attained in between. Only where squared lengths of queries, or of keys, are all the
    same or alone decide the dot product can it be a limit.

    Parameters
    ----------
    moments
        Of the vectors before they are scaled, translated or not.

    Returns
    -------
    scale : NDArray[float64]
        ``c`` > 0, a number or ``[...]``. 0 or infinity where the least correlation is only reached
        in that limit. Where all scales are alike, the one at which both squared lengths vary
        alike, and 1 if neither varies. A single scale at which all distances are the same is
        passed over, and so is the jump of the correlation there.
    correlation : NDArray[float64]
        The least correlation, at that scale or in that limit. Both are not a number where dot
        products are all the same.
    """
    correlation, deviation = _standardised(moments)
    scale, least = np.empty(deviation.shape[:-1]), np.empty(deviation.shape[:-1])
    for head in np.ndindex(scale.shape):
        scale[head] = _optimum(correlation[head], deviation[head])
    least[...] = correlation_at_scale(moments, scale)
    return scale[()], least[()]


def optimal_scale(query: ArrayLike, key: ArrayLike) -> tuple[float, float]:
    """Scale of one head at which dot product and squared Euclidean distance correlate best.

    Keys are translated first (:func:`translate_keys`); the best correlation is the most negative.

    Parameters
    ----------
    query, key
        ``[token, head_dim]``.

    Returns
    -------
    tuple of float
        Scale and correlation, as :func:`optimal_scale_of_moments`.

    Raises
    ------
    ValueError
        As :func:`attention_weights`, and if more than one head is given.
    """
    queries, keys = _pair(query, key)
    if queries.ndim != 2:
        raise ValueError(f"query has shape {queries.shape}; it must be one head, [token, head_dim]")
    scale, least = optimal_scale_of_moments(pair_moments(queries, translate_keys(queries, keys)))
    return float(scale), float(least)


def strongest_keys(query: ArrayLike, key: ArrayLike) -> NDArray[np.intp]:
    """Key with the largest dot product of each query, the first of equals.

    Parameters
    ----------
    query, key
        ``[..., token, head_dim]``. Scaling and translation change nothing.

    Returns
    -------
    NDArray[intp]
        ``[..., query]``.

    Raises
    ------
    ValueError
        As :func:`attention_weights`.
    """
    queries, keys = _pair(query, key)
    return (queries @ keys.swapaxes(-1, -2)).argmax(axis=-1)


def neighbour_rank(
    query: ArrayLike,
    key: ArrayLike,
    strongest: ArrayLike,
    *,
    distance: Literal["cosine", "euclidean"],
) -> Floats:
    """Where the strongest key of each query stands among all keys, by distance from the query.

    Parameters
    ----------
    query, key
        ``[..., token, head_dim]``, or projected to a plane, ``[..., token, 2]``.
    strongest
        Index of a key for each query, ``[..., query]``, such as :func:`strongest_keys` gives for
        the vectors before they are projected.
    distance
        ``cosine`` or ``euclidean``.

    Returns
    -------
    NDArray[float64]
        ``[..., query]``: share of the other keys that are nearer, 0 (it is the nearest) to 1 (the
        farthest). A key as far away, up to rounding, counts half. Not a number if there is one key
        alone, nor with ``cosine`` beside a query of length zero or for a head with such a key.

    Raises
    ------
    ValueError
        As :func:`attention_weights`, and if ``strongest`` has another shape or is no key, or
        ``distance`` is another.
    """
    _check_distance(distance, "cosine", "euclidean")
    queries, keys = _pair(query, key)
    tokens = queries.shape[-2]
    index = np.asarray(strongest)
    if index.shape != queries.shape[:-1]:
        raise ValueError(
            f"strongest has shape {index.shape}; it must be [..., query], here {queries.shape[:-1]}"
        )
    if not (np.issubdtype(index.dtype, np.integer) and index.min() >= 0 and index.max() < tokens):
        raise ValueError(f"strongest holds what is no key; allowed: integers 0 to {tokens - 1}")
    result = np.full(index.shape, np.nan)
    if tokens == 1:
        return result
    flat, flat_index = result.reshape(-1, tokens), index.reshape(-1, tokens, 1)
    for heads, some_queries, some_keys in _blocks(queries, keys):
        if distance == "cosine":
            apart = -_directions(some_queries) @ _directions(some_keys).swapaxes(-1, -2)
            rounding = np.array(_ROUNDING)
        else:
            # Distances ignore where the origin lies; near it, squares lose fewest digits.
            middle = some_keys.mean(axis=-2, keepdims=True)
            some_queries, some_keys = some_queries - middle, some_keys - middle
            squares = _products(some_keys, some_keys)[:, None, :]
            # The square of the query's length is the same beside every key.
            apart = squares - 2 * some_queries @ some_keys.swapaxes(-1, -2)
            rounding = _ROUNDING * np.abs(apart).max(axis=-1, keepdims=True)
        own = np.take_along_axis(apart, flat_index[heads], axis=-1)
        # The strongest key itself is among those not farther.
        nearer = np.count_nonzero(apart < own - rounding, axis=-1)
        not_farther = np.count_nonzero(apart <= own + rounding, axis=-1)
        share = (nearer + not_farther - 1) / (2 * (tokens - 1))
        flat[heads] = np.where(np.isnan(apart).any(axis=-1), np.nan, share)
    return result


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
        array = _vectors("vectors", vectors)
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
    array = _vectors("vectors", vectors)
    if (*array.shape[:-2], array.shape[-1]) != plane.mean.shape:
        raise ValueError(
            f"vectors have shape {array.shape}; the plane is that of heads and dimensions "
            f"{plane.mean.shape}"
        )
    return (array - plane.mean[..., None, :]) @ plane.axes


def _vectors(name: str, given: ArrayLike) -> Floats:
    array = np.asarray(given, dtype=np.float64)
    if array.ndim < 2 or 0 in array.shape:
        raise ValueError(
            f"{name} has shape {array.shape}; it must be [..., token, head_dim] with nothing empty"
        )
    if not np.abs(array).max() <= _LARGEST:  # false for nan as well
        where = tuple(int(i) for i in np.argwhere(~(np.abs(array) <= _LARGEST))[0])
        raise ValueError(
            f"{name}{list(where)} is {array[where]}; entries must be finite, at most {_LARGEST:g} "
            "in size"
        )
    return array


def _pair(query: ArrayLike, key: ArrayLike) -> tuple[Floats, Floats]:
    queries, keys = _vectors("query", query), _vectors("key", key)
    if queries.shape != keys.shape:
        raise ValueError(
            f"query has shape {queries.shape} and key {keys.shape}; they must be the same, "
            "[..., token, head_dim]"
        )
    return queries, keys


def _for_each(name: str, given: ArrayLike, heads: tuple[int, ...]) -> Floats:
    """One number for each head."""
    array = np.asarray(given, dtype=np.float64)
    if array.ndim and array.shape != heads:
        raise ValueError(
            f"{name} has shape {array.shape}; it must be one number or one for each head, {heads}"
        )
    return np.broadcast_to(array, heads)


def _scale(c: ArrayLike, heads: tuple[int, ...]) -> Floats:
    scale = _for_each("c", c, heads)
    wrong = ~np.isfinite(scale) | (scale == 0)
    if wrong.any():
        raise ValueError(f"c is {float(scale[wrong][0])!r}; it must be finite and not 0")
    return scale


def _check_distance(distance: str, *allowed: str) -> None:
    if distance not in allowed:
        raise ValueError(f"distance is {distance!r}; allowed: {', '.join(allowed)}")


def _blocks(queries: Floats, keys: Floats) -> Iterator[tuple[slice, Floats, Floats]]:
    """Take a few heads at a time, ``[head, token, head_dim]``, in any number of axes."""
    tokens, dimensions = queries.shape[-2:]
    queries, keys = (array.reshape(-1, tokens, dimensions) for array in (queries, keys))
    step = max(1, _BLOCK // tokens**2)
    for start in range(0, len(queries), step):
        heads = slice(start, start + step)
        yield heads, queries[heads], keys[heads]


def _directions(vectors: Floats) -> Floats:
    """Divide vectors by their lengths; not a number where the length is zero."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.divide(vectors, lengths, out=np.full_like(vectors, np.nan), where=lengths > 0)


def _shortened(vectors: Floats) -> Floats:
    """Divide the vectors of a head by the length of the longest: no correlation notices."""
    longest = np.linalg.norm(vectors, axis=-1, keepdims=True).max(axis=-2, keepdims=True)
    return np.divide(vectors, longest, out=np.zeros_like(vectors), where=longest > 0)


def _products(first: Floats, second: Floats) -> Floats:
    return np.einsum("...i,...i->...", first, second)


def _centred_ranks(values: Floats, noise: Floats) -> Floats:
    """Ranks along the last axis less their mean; ties have their average.

    ``values`` are ``[head, query, key]``, and ``noise`` ``[head, key]`` is what rounding may do to
    them. Sorted neighbours that differ by no more than that are ties.
    """
    length = values.shape[-1]
    middle = (length - 1) / 2
    order = values.argsort(axis=-1)
    # Sorting once more takes less time than gathering by the order.
    steps = np.diff(np.sort(values, axis=-1), axis=-1)
    ranks = np.empty_like(values)
    # Ties are rare, and looking for each of them takes longer than all the rest.
    if (steps > noise.max(axis=-1)[:, None, None]).all():
        np.put_along_axis(ranks, order, (np.arange(length) - middle)[None, None], axis=-1)
        return ranks
    noise = np.take_along_axis(np.broadcast_to(noise[:, None], values.shape), order, axis=-1)
    parted = steps > np.maximum(noise[..., 1:], noise[..., :-1])
    place = np.arange(length)
    first, last = np.zeros_like(order), np.full_like(order, length - 1)
    first[..., 1:] = np.where(parted, place[1:], 0)
    last[..., :-1] = np.where(parted, place[:-1], length - 1)
    first = np.maximum.accumulate(first, axis=-1)
    last = np.minimum.accumulate(last[..., ::-1], axis=-1)[..., ::-1]
    np.put_along_axis(ranks, order, (first + last) / 2 - middle, axis=-1)
    return ranks


def _pearson(first: Floats, second: Floats) -> Floats:
    """Correlate along the last axis values of order 1; not a number where either is constant."""
    first_apart, first_varies = _apart(first)
    second_apart, second_varies = _apart(second)
    with np.errstate(invalid="ignore"):
        scale = np.sqrt((first_apart**2).sum(axis=-1) * (second_apart**2).sum(axis=-1))
        correlation = np.clip((first_apart * second_apart).sum(axis=-1) / scale, -1, 1)
    return np.where(first_varies & second_varies, correlation, np.nan)


def _apart(values: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Deviations from the mean, the largest of them 1 in size, and whether there are any."""
    apart = values - values.mean(axis=-1, keepdims=True)
    largest = np.abs(apart).max(axis=-1, keepdims=True)
    varies = largest > _ROUNDING
    return np.divide(apart, largest, out=np.zeros_like(apart), where=varies), varies[..., 0]


def _combined(count: int, shares: Floats, mean: Floats, covariance: Floats) -> PairMoments:
    """Pool along the first axis; ``shares`` sum to 1."""
    total = np.tensordot(shares, mean, axes=1)
    between = mean - total
    spread = covariance + between[..., :, None] * between[..., None, :]
    return PairMoments(count, total, np.tensordot(shares, spread, axes=1))


def _standardised(moments: PairMoments) -> tuple[Floats, Floats]:
    """Correlations, ``[..., 3, 3]``, and deviations, ``[..., 3]``, 0 where only rounding varies."""
    query, key = moments.mean[..., 0], moments.mean[..., 1]
    size = np.stack([query, key, np.sqrt(query * key)], axis=-1)
    deviation = np.sqrt(np.einsum("...ii->...i", moments.covariance))
    deviation = np.where(deviation > _ROUNDING * size, deviation, 0)
    scale = deviation[..., :, None] * deviation[..., None, :]
    correlation = np.divide(
        moments.covariance, scale, out=np.zeros_like(moments.covariance), where=scale > 0
    )
    return np.clip(correlation, -1, 1), deviation


def _at(correlation: Floats, deviation: Floats, square: Floats) -> Floats:
    """Correlation of dot product and distance where the square of the scale is ``square``."""
    query, key, dot = deviation[..., 0], deviation[..., 1], deviation[..., 2]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        # The three parts of the distance. What does not vary is no part of it, however scaled.
        parts = np.stack(
            [
                np.where(query > 0, square * query, 0),
                np.where(key > 0, key / square, 0),
                np.broadcast_to(-2 * dot, square.shape),
            ],
            axis=-1,
        )
        endless = np.isinf(parts)
        parts = np.where(endless.any(axis=-1, keepdims=True), endless, parts)
        parts = parts / np.abs(parts).max(axis=-1, keepdims=True)
        turned = (correlation @ parts[..., None])[..., 0]
        variance = (turned * parts).sum(axis=-1)
        result = np.clip(turned[..., 2] / np.sqrt(variance), -1, 1)
    return np.where((dot > 0) & (variance > _ROUNDING), result, np.nan)


def _optimum(correlation: Floats, deviation: Floats) -> float:
    """Scale of the least correlation in one head.

    In units in which both squared lengths vary alike and the dot product by 1, the quartic of
    :func:`optimal_scale_of_moments` has four numbers in it: three correlations, and ``root``.
    """
    query, key, dot = deviation
    if dot == 0:
        return np.nan
    if query == 0 or key == 0:
        # What varies can be scaled away, until the dot product alone is left of the distance.
        return 1.0 if query == key else np.inf if query == 0 else 0.0
    with_query, with_key, between = correlation[0, 2], correlation[1, 2], correlation[0, 1]
    root = np.sqrt(query * key) / dot
    first, last = 1 - with_query**2, 1 - with_key**2
    quartic = [
        first if first > _ROUNDING else 0,
        root * (with_query * between - with_key),
        0,
        root * (with_query - with_key * between),
        -last if last > _ROUNDING else 0,
    ]
    # 1 as well: where lengths and dot products rise and fall as one, every number is a root.
    roots = np.append(np.roots(quartic).real, 1)
    squares = np.append(roots[roots > 0] * np.sqrt(key / query), [0, np.inf])
    values = _at(correlation, deviation, squares)
    values[np.isnan(values)] = np.inf
    # A limit is taken only where nothing in between comes down to it.
    values[-2:] += _ROUNDING
    return float(np.sqrt(squares[values.argmin()]))
