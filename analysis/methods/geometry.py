"""Geometry of queries and keys: where they lie, and whether near means strongly attended.

Yeh et al. (2023), *AttentionViz: A Global View of Transformer Attention*, arXiv 2305.03210,
section 5.1.1. Queries and keys are drawn in one space (:mod:`analysis.methods.joint_space`).

Queries and keys are ``[..., token, head_dim]`` of one text, as many of the one as of the other;
axes before them, such as layer and head, are worked through alike. All is computed in float64. A
correlation lies in -1 to 1; where it is undefined, it is not a number, never 0. Functions take the
vectors as they are given, and say so where they translate or scale.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.methods.joint_space import translate_keys
from analysis.methods.pair_moments import (
    correlation_at_scale,
    optimal_scale_of_moments,
    pair_moments,
)
from analysis.methods.vectors import ROUNDING, checked_pair

Floats = NDArray[np.float64]

# Pairs worked on at a time: 0.5 MB in float64, which stays in a core's cache.
_BLOCK = 2**16


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
        As :func:`analysis.methods.joint_space.translate_keys`.

    References
    ----------
    Yeh et al. (2023), section 5.1.1.
    """
    queries, keys = checked_pair(query, key)
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
        by_dot = _centred_ranks(dot, ROUNDING * lengths)
        by_cosine = _centred_ranks(cosine, np.full_like(lengths, ROUNDING))
        spread = np.sqrt(_products(by_dot, by_dot) * _products(by_cosine, by_cosine))
        defined = ~np.isnan(cosine.sum(axis=-1)) & (spread > 0)
        # The distance 1 - cosine ranks the other way round.
        np.divide(-_products(by_dot, by_cosine), spread, out=flat[heads], where=defined)
    np.clip(result, -1, 1, out=result)
    return result


def rank_correlation(query: ArrayLike, key: ArrayLike) -> Floats:
    """Mean over queries of the Spearman correlation of dot product and cosine distance.

    Keys are translated first (:func:`analysis.methods.joint_space.translate_keys`).

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
        As :func:`analysis.methods.joint_space.translate_keys`.

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
        As :func:`analysis.methods.joint_space.translate_keys`, and if ``distance`` is another.
    """
    if distance == "squared-euclidean":
        return correlation_at_scale(pair_moments(query, key), 1)
    _check_distance(distance, "cosine", "squared-euclidean")
    queries, keys = checked_pair(query, key)
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
    queries, keys = (vectors.reshape(-1, vectors.shape[-1]) for vectors in checked_pair(query, key))
    dot = (_shortened(queries) * _shortened(keys)).sum(axis=-1)
    if distance == "cosine":
        apart = 1 - (_directions(queries) * _directions(keys)).sum(axis=-1)
    else:
        both = _shortened(np.concatenate([queries, keys]))
        apart = ((both[: len(dot)] - both[len(dot) :]) ** 2).sum(axis=-1)
    return float(_pearson(dot, apart))


def optimal_scale(query: ArrayLike, key: ArrayLike) -> tuple[float, float]:
    """Scale of one head at which dot product and squared Euclidean distance correlate best.

    Keys are translated first (:func:`analysis.methods.joint_space.translate_keys`); the best
    correlation is the most negative.

    Parameters
    ----------
    query, key
        ``[token, head_dim]``.

    Returns
    -------
    tuple of float
        Scale and correlation, as
        :func:`~analysis.methods.pair_moments.optimal_scale_of_moments`.

    Raises
    ------
    ValueError
        As :func:`analysis.methods.joint_space.translate_keys`, and if more than one head is given.
    """
    queries, keys = checked_pair(query, key)
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
        As :func:`analysis.methods.joint_space.translate_keys`.
    """
    queries, keys = checked_pair(query, key)
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
        As :func:`analysis.methods.joint_space.translate_keys`, and if ``strongest`` has another
        shape or is no key, or ``distance`` is another.
    """
    _check_distance(distance, "cosine", "euclidean")
    queries, keys = checked_pair(query, key)
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
            rounding = np.array(ROUNDING)
        else:
            # Distances ignore where the origin lies; near it, squares lose fewest digits.
            middle = some_keys.mean(axis=-2, keepdims=True)
            some_queries, some_keys = some_queries - middle, some_keys - middle
            squares = _products(some_keys, some_keys)[:, None, :]
            # The square of the query's length is the same beside every key.
            apart = squares - 2 * some_queries @ some_keys.swapaxes(-1, -2)
            rounding = ROUNDING * np.abs(apart).max(axis=-1, keepdims=True)
        own = np.take_along_axis(apart, flat_index[heads], axis=-1)
        # The strongest key itself is among those not farther.
        nearer = np.count_nonzero(apart < own - rounding, axis=-1)
        not_farther = np.count_nonzero(apart <= own + rounding, axis=-1)
        share = (nearer + not_farther - 1) / (2 * (tokens - 1))
        flat[heads] = np.where(np.isnan(apart).any(axis=-1), np.nan, share)
    return result


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
    varies = largest > ROUNDING
    return np.divide(apart, largest, out=np.zeros_like(apart), where=varies), varies[..., 0]
