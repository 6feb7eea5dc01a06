"""Uncertainty by resampling texts, and the seeds of training where there are enough of them.

Efron and Tibshirani (1993), *An Introduction to the Bootstrap*, chapter 13; of two levels, Davison
and Hinkley (1997), *Bootstrap Methods and Their Application*. Values are ``[seed,
text, ...]``, one value or one array of values of a text in the model of a seed. A resample draws
whole texts with replacement, so values of the same text stay together. What is not defined for a
text, such as the correlation with a constant, is nan: a resample averages those of its texts that
have a value, and is left out where none of them has one.

Fewer than :data:`FEWEST_SEEDS` seeds are averaged, text by text: how much seeds vary cannot be told
from so few, and the interval is that of the texts, for these models. From so many on, a resample
draws seeds as well, and every text it draws is read in every seed it draws.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Float64, Int
from numpy.typing import NDArray

from attention_mixing.methods.arrays import defined_mean
from attention_mixing.methods.shapes import checked_shapes

FEWEST_SEEDS = 10


class MeanInterval(NamedTuple):
    """Mean over the seeds and texts for which a value is defined, ``[...]`` each.

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


@checked_shapes
def mean_interval(
    values: Float[np.ndarray, " seed text *values"],
    *,
    resamples: int,
    confidence: float,
    seed: int,
    within: Float[np.ndarray, " 2 *values"] | None = None,
) -> MeanInterval:
    """Mean over the texts that have a value, which are counted, with a percentile interval.

    Parameters
    ----------
    values
        Of every seed of training and text; nan where a text has none.
    resamples
        How often texts, and seeds where there are enough, are drawn again.
    confidence
        Share of the resampled means within the interval, such as 0.95.
    seed
        Of the random numbers.
    within
        The smallest and the largest value that there can be; nan where that is not known. Where all
        texts have the same value no resample differs, and the interval is the exact one instead:
        with this confidence at most a share of all texts has another value (Clopper and Pearson
        1934), which may be any in the range.

    Raises
    ------
    ValueError
        If there is no text at all.
    """
    means, mean, count = _defined_means(values, resamples, seed)
    low, high = _bounds(means, confidence)
    shape = values.shape[2:]
    if within is not None:
        flat = values.reshape(-1, mean.size)
        alike = np.fmin.reduce(flat) == np.fmax.reduce(flat)
        least, most = np.where(alike, within.reshape(2, -1), np.nan)
        others = 1 - ((1 - confidence) / 2) ** (1 / np.maximum(count, 1))
        low = np.fmin(low, mean - others * (mean - least))
        high = np.fmax(high, mean + others * (most - mean))
    return MeanInterval(*(array.reshape(shape) for array in (mean, low, high, count)))


@checked_shapes
def paired_difference(
    a: Float[np.ndarray, " seed text *values"],
    b: Float[np.ndarray, " seed text *values"],
    *,
    resamples: int,
    confidence: float,
    seed: int,
) -> PairedDifference:
    """Compare two methods on the same texts: mean of ``a - b`` with a percentile interval.

    What makes a text hard for both methods cancels out, so that this tells methods apart whose own
    intervals overlap. A text that lacks the value of either is left out.

    Parameters
    ----------
    a, b
        Values of either method; nan where there is none.
    resamples
        How many samples of the texts are drawn.
    confidence
        Share of the resamples within the interval, 0 to 1.
    seed
        For the draws.

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
    statistics = (mean, low, high, p, count)
    return PairedDifference(*(array.reshape(a.shape[2:]) for array in statistics))


@lru_cache(maxsize=2)
def _draws(units: int, resamples: int, seed: int) -> Float64[np.ndarray, "resample unit"]:
    """How often each resample draws each text, or seed; the mean of a resample is one product."""
    if units == 0:
        raise ValueError("there is no text; at least one is needed for a mean")
    rng = np.random.default_rng(seed)
    draws = rng.multinomial(units, np.full(units, 1 / units), resamples).astype(np.float64)
    draws.flags.writeable = False
    return draws


def _defined_means(
    sample: Float[np.ndarray, " seed text *values"], resamples: int, seed: int
) -> tuple[
    Float64[np.ndarray, "resample value"], Float64[np.ndarray, " value"], Int[np.ndarray, " value"]
]:
    """Means of the values that are not nan: of each resample, of the sample; and its texts."""
    flat = sample.reshape(*sample.shape[:2], math.prod(sample.shape[2:])).astype(np.float64)
    texts = (~np.isnan(flat)).any(axis=0).sum(axis=0)
    if len(flat) < FEWEST_SEEDS:
        flat = defined_mean(flat, axis=0)[None]
        of_seeds = np.ones((resamples, 1))
    else:
        of_seeds = _draws(len(flat), resamples, seed + 1)
    of_texts = _draws(flat.shape[1], resamples, seed)
    summed, counts = (np.zeros((resamples, flat.shape[2])) for _ in range(2))
    for chosen, values in zip(of_seeds.T, flat, strict=True):
        defined = ~np.isnan(values)
        summed += chosen[:, None] * (of_texts @ np.where(defined, values, 0.0))
        counts += chosen[:, None] * (of_texts @ defined)
    means = np.divide(summed, counts, out=np.full(counts.shape, np.nan), where=counts > 0)
    return means, defined_mean(flat.reshape(-1, flat.shape[2]), axis=0), texts


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
