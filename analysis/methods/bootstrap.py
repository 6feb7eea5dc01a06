"""Uncertainty by resampling texts."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray


class MeanInterval(NamedTuple):
    """Mean over the texts for which a value is defined, ``[...]`` each.

    Attributes
    ----------
    mean, low, high
        With bounds of the percentile interval; nan where no text has a value.
    texts
        How many texts have one.
    """

    mean: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    texts: NDArray[np.intp]


class PairedDifference(NamedTuple):
    """Mean difference of two methods on the same texts, ``[...]`` each.

    Attributes
    ----------
    mean, low, high
        With bounds of the percentile interval; nan where no text has both values.
    p
        Two-sided: the smallest ``1 - confidence`` whose interval leaves zero out, up to one
        resample; never below ``2 / (resamples + 1)``, nan where no text has both values.
    texts, dropped
        How many texts have both values, and how many lack one or both.
    """

    mean: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    p: NDArray[np.float64]
    texts: NDArray[np.intp]
    dropped: NDArray[np.intp]


def mean_interval(
    values: ArrayLike, *, resamples: int, confidence: float, seed: int
) -> MeanInterval:
    """Mean over the texts that have a value, which are counted, with a percentile interval.

    A resample draws whole texts with replacement, so values of the same text stay together. What is
    not defined for a text, such as the correlation with a constant, is given as nan: a resample
    averages those of its texts that have a value, and is left out where none of them has one.

    Efron and Tibshirani (1993), *An Introduction to the Bootstrap*, chapter 13.

    Parameters
    ----------
    values
        ``[text, ...]``: one value, or one array of values, a text; nan where undefined.
    resamples
        Number of bootstrap samples.
    confidence
        Coverage of the interval, between 0 and 1.
    seed
        Of the resampling.

    Returns
    -------
    MeanInterval
        ``mean``, ``low``, ``high`` and ``texts``, ``[...]`` each.

    Raises
    ------
    ValueError
        If there is no text at all.
    """
    sample = _require_texts("values", values)
    means, mean, count = _defined_means(sample, resamples, seed)
    low, high = _bounds(means, confidence)
    shape = sample.shape[1:]
    return MeanInterval(
        mean.reshape(shape), low.reshape(shape), high.reshape(shape), count.reshape(shape)
    )


def paired_difference(
    a: ArrayLike, b: ArrayLike, *, resamples: int, confidence: float, seed: int
) -> PairedDifference:
    """Compare two methods on the same texts: mean of ``a - b`` with a percentile interval.

    What makes a text hard for both methods cancels out, so that this tells methods apart whose own
    intervals overlap. A text that lacks the value of either is dropped, and counted.

    Parameters
    ----------
    a, b
        ``[text, ...]``, the same texts in the same order, nan where undefined.
    resamples, confidence, seed
        As in :func:`mean_interval`.

    Returns
    -------
    PairedDifference
        ``mean``, ``low``, ``high``, ``p``, ``texts`` and ``dropped``, ``[...]`` each.

    Raises
    ------
    ValueError
        If the two have not the same shape, or there is no text at all.
    """
    first, second = _require_texts("a", a), _require_texts("b", b)
    if first.shape != second.shape:
        raise ValueError(
            f"a has shape {first.shape} and b {second.shape}; pairs need the same [text, ...]"
        )
    means, mean, count = _defined_means(first - second, resamples, seed)
    low, high = _bounds(means, confidence)
    # The observed sample counts as one of the resamples: no finite number of them proves p = 0.
    below, above = (means <= 0).sum(axis=0), (means >= 0).sum(axis=0)
    counted = (~np.isnan(means)).sum(axis=0)
    p = np.minimum(1.0, 2 * (np.minimum(below, above) + 1) / (counted + 1))
    p[count == 0] = np.nan
    shape = first.shape[1:]
    return PairedDifference(
        mean.reshape(shape),
        low.reshape(shape),
        high.reshape(shape),
        p.reshape(shape),
        texts=count.reshape(shape),
        dropped=len(first) - count.reshape(shape),
    )


def resampled_means(values: ArrayLike, *, resamples: int, seed: int) -> NDArray[np.float64]:
    """Mean over the texts of each resample, for what is computed from means.

    The share of heads whose mean passes a threshold is such a thing: it has no value for a text.
    Resamples of as many texts under the same seed draw the same texts, so that what is resampled in
    several calls belongs together.

    Parameters
    ----------
    values
        ``[text, ...]``, all defined.
    resamples, seed
        As in :func:`mean_interval`.

    Returns
    -------
    NDArray[float64]
        ``[resample, ...]``.

    Raises
    ------
    ValueError
        If there is no text at all, or a value is not a number.
    """
    sample = _require_texts("values", values)
    if np.isnan(sample).any():
        where = [int(i) for i in np.argwhere(np.isnan(sample))[0]]
        raise ValueError(f"values{where} is nan; the mean of a resample needs every text's value")
    flat = sample.reshape(len(sample), -1)
    means = _draws(len(sample), resamples, seed) @ flat / len(sample)
    return means.reshape(resamples, *sample.shape[1:])


def percentile_interval(
    resampled: ArrayLike, *, confidence: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bounds of what was computed from each resample, ``[resample, ...]``: low and high, ``[...]``.

    Resamples in which it is nan are left out; the bounds are nan where it always is.
    """
    sample = _require_texts("resampled", resampled)
    low, high = _bounds(sample.reshape(len(sample), -1), confidence)
    return low.reshape(sample.shape[1:]), high.reshape(sample.shape[1:])


def _require_texts(name: str, values: ArrayLike) -> NDArray[np.float64]:
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim == 0 or len(sample) == 0:
        raise ValueError(f"{name} holds no text; at least one is needed for a mean")
    return sample


@lru_cache(maxsize=1)
def _draws(texts: int, resamples: int, seed: int) -> NDArray[np.float64]:
    """How often each resample draws each text, ``[resample, text]``; its mean is one product."""
    rng = np.random.default_rng(seed)
    draws = rng.multinomial(texts, np.full(texts, 1 / texts), resamples).astype(np.float64)
    draws.flags.writeable = False
    return draws


def _defined_means(
    sample: NDArray[np.float64], resamples: int, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.intp]]:
    """Means of the values that are not nan: of each resample, of the sample, and how many."""
    texts = len(sample)
    flat = sample.reshape(texts, -1)
    defined = ~np.isnan(flat)
    values = np.where(defined, flat, 0.0)
    count = defined.sum(axis=0)
    draws = _draws(texts, resamples, seed)
    drawn = draws @ defined
    means = np.full(drawn.shape, np.nan)
    np.divide(draws @ values, drawn, out=means, where=drawn > 0)
    mean = np.full(count.shape, np.nan)
    np.divide(values.sum(axis=0), count, out=mean, where=count > 0)
    return means, mean, count


def _bounds(
    means: NDArray[np.float64], confidence: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Percentiles over resamples, ``[resample, value]``, leaving out those that are nan."""
    bounds = np.full((2, means.shape[1]), np.nan)
    missing = np.isnan(means)
    whole = ~missing.any(axis=0)
    bounds[:, whole] = np.quantile(means[:, whole], _quantiles(confidence), axis=0)
    # Few columns are like this: so few texts are defined that a resample may draw none of them.
    for column in np.flatnonzero(~whole & ~missing.all(axis=0)):
        bounds[:, column] = np.nanquantile(means[:, column], _quantiles(confidence))
    return bounds[0], bounds[1]


def _quantiles(confidence: float) -> list[float]:
    return [(1 - confidence) / 2, (1 + confidence) / 2]
