"""Uncertainty by resampling texts."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def mean_interval(
    values: ArrayLike, *, resamples: int, confidence: float, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Mean over texts with a percentile bootstrap interval.

    Efron and Tibshirani (1993), *An Introduction to the Bootstrap*, chapter 13.

    Parameters
    ----------
    values
        ``[text, ...]``: one value, or one array of values, a text. Whole texts are drawn with
        replacement, so values of the same text stay together.
    resamples
        Number of bootstrap samples.
    confidence
        Coverage of the interval, between 0 and 1.
    seed
        Of the resampling.

    Returns
    -------
    mean, low, high : NDArray[float64]
        ``[...]`` each.
    """
    sample = np.asarray(values, dtype=np.float64)
    texts = len(sample)
    if texts == 0:
        raise ValueError("values holds no text; at least one is needed for a mean")
    flat = sample.reshape(texts, -1)
    # A resample is a vector of how often each text is drawn; its mean is one matrix product.
    draws = np.random.default_rng(seed).multinomial(texts, np.full(texts, 1 / texts), resamples)
    means = draws @ flat / texts
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)
    shape = sample.shape[1:]
    return sample.mean(axis=0), low.reshape(shape), high.reshape(shape)
