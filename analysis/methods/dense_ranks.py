"""Rank correlation by the short formula on dense ranks, as two published code bases have it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from analysis.methods.faithfulness import rank_correlation


def dense_rank_correlation(a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
    """``1 - 6 Σd² / (n³ - n)`` of dense ranks: equal values share one, and the next is one more.

    Without ties it is Spearman's. With ties dense ranks end before n, so that differences of ranks
    are small whatever the order is, and the formula moves towards 1.

    Parameters
    ----------
    a, b
        ``[..., value]``.

    Returns
    -------
    NDArray[float64]
        ``[...]``.
    """
    first, second = (rankdata(values, method="dense", axis=-1) for values in (a, b))
    count = first.shape[-1]
    return 1 - 6 * ((first - second) ** 2).sum(axis=-1) / (count**3 - count)


def dense_rank_error(
    ties: float, correlation: float, values: int, samples: int, seed: int
) -> float:
    """Mean of what the short formula on dense ranks gives above Spearman's correlation.

    Pairs are drawn from a normal distribution, and neighbours in rank are made equal until only a
    share ``1 - ties`` of the values is left.

    Parameters
    ----------
    ties
        Share of the values of either list that have become equal to another, 0 to below 1.
    correlation
        Of the normal distribution, -1 to 1.
    values, samples
        Length of a list, and number of pairs of lists.
    seed
        Of the drawing.

    Raises
    ------
    ValueError
        If fewer than two different values would be left.
    """
    distinct = round((1 - ties) * values)
    if distinct < 2:
        raise ValueError(
            f"ties is {ties}, which leaves {distinct} of {values} values; at least 2 must be left"
        )
    rng = np.random.default_rng(seed)
    first, noise = rng.standard_normal((2, int(samples), int(values)))
    second = correlation * first + np.sqrt(1 - correlation**2) * noise
    a, b = ((rankdata(x, axis=-1) - 1) * distinct // values for x in (first, second))
    return float((dense_rank_correlation(a, b) - rank_correlation(a, b)).mean())
