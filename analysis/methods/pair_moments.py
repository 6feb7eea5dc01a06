r"""Moments over pairs of a query and a key: dot product and distance at every scale.

Squared Euclidean distance after scaling queries by ``c`` and keys by ``1 / c`` is linear in
:math:`|q|^2`, :math:`|k|^2` and :math:`q \cdot k`. Mean and covariance of these three give its
correlation with the dot product at every ``c``, and the best ``c`` in closed form. They add up over
texts, heads and layers. All is computed in float64.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.methods.vectors import ROUNDING, checked_pair, one_for_each_head

Floats = NDArray[np.float64]


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
        If the shapes do not match or an entry is not finite.
    """
    queries, keys = checked_pair(query, key)
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
    square = np.square(one_for_each_head("c", c, deviation.shape[:-1]))
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


def _products(first: Floats, second: Floats) -> Floats:
    return np.einsum("...i,...i->...", first, second)


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
    deviation = np.where(deviation > ROUNDING * size, deviation, 0)
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
    return np.where((dot > 0) & (variance > ROUNDING), result, np.nan)


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
        first if first > ROUNDING else 0,
        root * (with_query * between - with_key),
        0,
        root * (with_query - with_key * between),
        -last if last > ROUNDING else 0,
    ]
    # 1 as well: where lengths and dot products rise and fall as one, every number is a root.
    roots = np.append(np.roots(quartic).real, 1)
    squares = np.append(roots[roots > 0] * np.sqrt(key / query), [0, np.inf])
    values = _at(correlation, deviation, squares)
    values[np.isnan(values)] = np.inf
    # A limit is taken only where nothing in between comes down to it.
    values[-2:] += ROUNDING
    return float(np.sqrt(squares[values.argmin()]))
