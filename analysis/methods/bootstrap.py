"""Uncertainty by resampling texts.

Efron and Tibshirani (1993), *An Introduction to the Bootstrap*, chapter 13. Values are ``[text,
...]``, one value or one array of values a text. A resample draws whole texts with replacement, so
values of the same text stay together. What is not defined for a text, such as the correlation with
a constant, is nan: a resample averages those of its texts that have a value, and is left out where
none of them has one.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Float64, Int
from numpy.typing import NDArray


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
    texts
        How many texts have both values.
    """

    mean: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    p: NDArray[np.float64]
    texts: NDArray[np.intp]


def mean_interval(
    values: Float[np.ndarray, " text *values"], *, resamples: int, confidence: float, seed: int
) -> MeanInterval:
    """Mean over the texts that have a value, which are counted, with a percentile interval.

    Raises
    ------
    ValueError
        If there is no text at all.
    """
    means, mean, count = _defined_means(values, resamples, seed)
    low, high = _bounds(means, confidence)
    shape = values.shape[1:]
    return MeanInterval(*(array.reshape(shape) for array in (mean, low, high, count)))


def paired_difference(
    a: Float[np.ndarray, " text *values"],
    b: Float[np.ndarray, " text *values"],
    *,
    resamples: int,
    confidence: float,
    seed: int,
) -> PairedDifference:
    """Compare two methods on the same texts: mean of ``a - b`` with a percentile interval.

    What makes a text hard for both methods cancels out, so that this tells methods apart whose own
    intervals overlap. A text that lacks the value of either is left out.

    Raises
    ------
    ValueError
        If there is no text at all.
    """
    means, mean, count = _defined_means(a.astype(np.float64) - b, resamples, seed)
    low, high = _bounds(means, confidence)
    # The observed sample counts as one of the resamples: no finite number of them proves p = 0.
    below, above = (means <= 0).sum(axis=0), (means >= 0).sum(axis=0)
    counted = (~np.isnan(means)).sum(axis=0)
    p = np.minimum(1.0, 2 * (np.minimum(below, above) + 1) / (counted + 1))
    p[count == 0] = np.nan
    found = (mean, low, high, p, count)
    return PairedDifference(*(array.reshape(a.shape[1:]) for array in found))


@lru_cache(maxsize=1)
def _draws(texts: int, resamples: int, seed: int) -> Float64[np.ndarray, "resample text"]:
    """How often each resample draws each text; the mean of a resample is one product."""
    if texts == 0:
        raise ValueError("there is no text; at least one is needed for a mean")
    rng = np.random.default_rng(seed)
    draws = rng.multinomial(texts, np.full(texts, 1 / texts), resamples).astype(np.float64)
    draws.flags.writeable = False
    return draws


def _defined_means(
    sample: Float[np.ndarray, " text *values"], resamples: int, seed: int
) -> tuple[
    Float64[np.ndarray, "resample value"], Float64[np.ndarray, " value"], Int[np.ndarray, " value"]
]:
    """Means of the values that are not nan: of each resample, of the sample, and how many."""
    draws = _draws(len(sample), resamples, seed)
    flat = sample.reshape(len(sample), -1).astype(np.float64)
    defined = ~np.isnan(flat)
    values = np.where(defined, flat, 0.0)
    count, drawn = defined.sum(axis=0), draws @ defined
    means, mean = np.full(drawn.shape, np.nan), np.full(count.shape, np.nan)
    np.divide(draws @ values, drawn, out=means, where=drawn > 0)
    np.divide(values.sum(axis=0), count, out=mean, where=count > 0)
    return means, mean, count


def _bounds(
    means: Float[np.ndarray, "resample value"], confidence: float
) -> Float64[np.ndarray, "2 value"]:
    """Low and high percentile over the resamples that are not nan."""
    quantiles = [(1 - confidence) / 2, (1 + confidence) / 2]
    bounds = np.full((2, means.shape[1]), np.nan)
    missing = np.isnan(means)
    whole = ~missing.any(axis=0)
    bounds[:, whole] = np.quantile(means[:, whole], quantiles, axis=0)
    # Few columns are like this: so few texts are defined that a resample may draw none of them.
    # For all columns nanquantile would be slow, and it warns of those without any value.
    for column in np.flatnonzero(~whole & ~missing.all(axis=0)):
        bounds[:, column] = np.nanquantile(means[:, column], quantiles)
    return bounds
