"""What a comparison of a mean with a bound could have seen, and with how many texts.

Normal approximation throughout: an interval is as wide as it would be if the mean of the texts were
normally distributed, and narrows with the root of their number.
"""

from __future__ import annotations

import math
from statistics import NormalDist

from scipy.special import betaincinv

NORMAL = NormalDist()


def standard_error(half_width: float, confidence: float) -> float:
    """Compute the standard error of a mean from how far its interval reaches on one side.

    Parameters
    ----------
    half_width
        From the mean to an end of its interval.
    confidence
        Of the two-sided interval, as if the mean were normally distributed.
    """
    return half_width / NORMAL.inv_cdf((1 + confidence) / 2)


def power(distance: float, error: float, *, confidence: float, sides: int = 1) -> float:
    """Probability that the interval clears a bound.

    Parameters
    ----------
    distance
        Of the true value to the bound, 0 or more.
    error
        Standard error of the measured mean.
    confidence
        Of the two-sided interval.
    sides
        1 for one bound; 2 for bounds at this distance on both sides, both to be cleared, as in an
        equivalence test (Schuirmann 1987).
    """
    if error == 0:
        return float(distance > 0)
    beyond = NORMAL.cdf(distance / error - NORMAL.inv_cdf((1 + confidence) / 2))
    return beyond if sides == 1 else max(0.0, 2 * beyond - 1)


def sample_needed(
    distance: float,
    error: float,
    sample: int,
    *,
    confidence: float,
    reached: float,
    sides: int = 1,
) -> int | None:
    """Size of the sample at which :func:`power` is ``reached``; None where none is large enough.

    Parameters
    ----------
    distance, error
        As in :func:`power`.
    sample
        Number of texts that the error was found with.
    confidence
        As in :func:`power`.
    reached
        The power that is asked for.
    sides
        As in :func:`power`.
    """
    if distance <= 0:
        return None
    beyond = NORMAL.inv_cdf(reached if sides == 1 else (1 + reached) / 2)
    ratio = (NORMAL.inv_cdf((1 + confidence) / 2) + beyond) * error / distance
    return max(1, math.ceil(sample * ratio**2))


def smallest_seen(error: float, *, confidence: float, reached: float) -> float:
    """Smallest distance to a bound at which :func:`power` is ``reached``.

    Parameters
    ----------
    error
        Standard error of the measured mean.
    confidence
        Of the two-sided interval.
    reached
        Power, above 0 and below 1.
    """
    return (NORMAL.inv_cdf((1 + confidence) / 2) + NORMAL.inv_cdf(reached)) * error


def exact_interval(count: int, sample: int, *, confidence: float) -> tuple[float, float]:
    """Interval of a share by Clopper and Pearson (1934), by quantiles of beta distributions.

    ``scipy.stats.binomtest`` finds the same by search, in a thousand times as long.

    Parameters
    ----------
    count
        How many of the sample have the property.
    sample
        Its size.
    confidence
        Of the two-sided interval.

    Returns
    -------
    low, high
        Ends, 0 to 1.
    """
    beyond = (1 - confidence) / 2
    low = betaincinv(count, sample - count + 1, beyond) if count else 0.0
    high = betaincinv(count + 1, sample - count, 1 - beyond) if count < sample else 1.0
    return float(low), float(high)


def p_value(distance: float, error: float) -> float:
    """Two-sided p of a mean that lies this far from a bound.

    Parameters
    ----------
    distance
        Of the mean from the bound.
    error
        Standard error of the mean.
    """
    if error == 0:
        return 0.0 if distance else 1.0
    return math.erfc(abs(distance) / error / math.sqrt(2))
