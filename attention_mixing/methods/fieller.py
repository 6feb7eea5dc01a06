r"""A ratio of two means of the same sample, with the interval of Fieller.

Fieller (1954), *Some Problems in Interval Estimation*. With :math:`a` and :math:`b` the means,
:math:`V` the covariance of their errors and :math:`t` a quantile of Student's distribution, the
ratio may be any :math:`\rho` for which the mean of what is over times one less :math:`\rho` times
what is under does not stand out from zero:

.. math:: (a - \rho b)^2 \le t^2 \bigl(V_{aa} - 2 \rho V_{ab} + \rho^2 V_{bb}\bigr) .

Unlike the quotient of resampled means it keeps its level where :math:`b` is small, and says so
where :math:`b` may be zero: then no ratio is left out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy.special import stdtrit

from attention_mixing.methods.bootstrap import FEWEST_SEEDS
from attention_mixing.methods.shapes import checked_shapes


class RatioInterval(NamedTuple):
    """A ratio of means with its bounds; infinite where the mean below may be zero."""

    ratio: float
    low: float
    high: float


@checked_shapes
def ratio_of_means(
    above: Float[np.ndarray, "seed text"],
    below: Float[np.ndarray, "seed text"],
    *,
    confidence: float,
) -> RatioInterval:
    r"""Divide the mean of one quantity by that of another, of the same seeds and texts.

    Every text is read in the model of every seed. The covariance of the means is that of the means
    of texts by their number, and from :data:`attention_mixing.methods.bootstrap.FEWEST_SEEDS` seeds
    on also that of the means of seeds by theirs: what neither explains counts twice, so that the
    interval is rather too wide (the product-reweighted variance of Owen 2007, *The Pigeonhole
    Bootstrap*). The degrees of freedom are those of the fewer.

    Parameters
    ----------
    above, below
        What is divided, and by what.
    confidence
        Share of the samples whose interval holds the ratio, such as 0.95.

    Raises
    ------
    ValueError
        If there are fewer than two texts.

    Examples
    --------
    >>> interval = ratio_of_means(np.array([[1.0, 2.0]]), np.array([[2.0, 4.0]]), confidence=0.95)
    >>> interval.ratio, interval.low
    (0.5, -inf)
    """
    seeds, texts = above.shape
    if texts < 2:
        raise ValueError(f"there are {texts} texts; at least two are needed for an interval")
    both = np.stack([above, below]).astype(np.float64)
    covariance, units = np.cov(both.mean(axis=1)) / texts, texts
    if seeds >= FEWEST_SEEDS:
        covariance, units = covariance + np.cov(both.mean(axis=2)) / seeds, min(seeds, texts)
    return fieller(both.mean(axis=(1, 2)), covariance, confidence=confidence, freedom=units - 1)


@checked_shapes
def fieller(
    means: Float[np.ndarray, " 2"],
    covariance: Float[np.ndarray, "2 2"],
    *,
    confidence: float,
    freedom: int,
) -> RatioInterval:
    """Compute the interval of the first of two means divided by the second.

    Parameters
    ----------
    means, covariance
        The two means, and the covariance of their errors.
    confidence
        As in :func:`ratio_of_means`.
    freedom
        Degrees of freedom of the covariance.
    """
    a, b = means.tolist()
    squared = float(stdtrit(freedom, (1 + confidence) / 2)) ** 2
    (aa, ab, bb) = (squared * covariance[at] for at in ((0, 0), (0, 1), (1, 1)))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = float(np.divide(a, b))
    if (quadratic := b * b - bb) <= 0:
        return RatioInterval(ratio, -np.inf, np.inf)
    middle = (a * b - ab) / quadratic
    half = np.sqrt(max(0.0, middle**2 - (a * a - aa) / quadratic))
    return RatioInterval(ratio, float(middle - half), float(middle + half))
