"""From values and rules to verdicts; pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

REPRODUCED = ("reproduced", "partly_reproduced", "not_reproduced")
CONSISTENT = ("consistent", "partly_consistent", "inconsistent")
VERDICTS = (*REPRODUCED, *CONSISTENT, "undecided", "not_tested")
# Both ends of a range give way by this share of themselves (below 1, by this): floats are rounded.
ROUNDING = 1e-12
# An interval over fewer texts says nothing of other texts.
FEWEST_TEXTS = 5


class Range(NamedTuple):
    """Where a value has to be.

    Attributes
    ----------
    low, high
        The ends; one of them infinite where there is one bound, which itself is then outside.
    inside
        False where the value has to be anywhere else.
    """

    low: float
    high: float
    inside: bool = True


class Reading(NamedTuple):
    """A value; with an interval where it is a mean over texts or heads.

    ``texts`` is None where the value is not a mean over texts.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    texts: int | None = None


def holds(reading: Reading, allowed: Range) -> bool | None:
    """Tell whether a reading keeps a rule.

    Returns
    -------
    bool or None
        True if the whole interval lies in the range, False if none of it does, None if the interval
        leaves it open, the value is not defined or too few texts were read. Without an interval
        the value decides.
    """
    if reading.value is None:
        return None
    if reading.texts is not None and reading.texts < FEWEST_TEXTS:
        return None
    low = reading.value if reading.low is None else reading.low
    high = reading.value if reading.high is None else reading.high
    if math.isinf(allowed.low):
        within, without = high < allowed.high, low >= allowed.high
    elif math.isinf(allowed.high):
        within, without = low > allowed.low, high <= allowed.low
    else:
        start = allowed.low - ROUNDING * max(1.0, abs(allowed.low))
        end = allowed.high + ROUNDING * max(1.0, abs(allowed.high))
        within, without = start <= low and high <= end, high < start or low > end
    if not allowed.inside:
        within, without = without, within
    return True if within else False if without else None


def verdict(parts: Iterable[Sequence[bool | None]], *, same: bool) -> str:
    """Sum up what the cases of one claim say.

    Parameters
    ----------
    parts
        Of the claim, each with its cases: True, False or None.
    same
        Whether the conditions are the published ones, or the claim is about any model.

    Returns
    -------
    str
        One of ``VERDICTS``; "undecided" where more than half of the cases are open. A claim does
        not hold as a whole while all cases of a part of it are open.
    """
    asked = [part for part in parts if part]
    found = [case for part in asked for case in part]
    if not found:
        return "not_tested"
    decided = [one for one in found if one is not None]
    if 2 * len(decided) < len(found):
        return "undecided"
    words = REPRODUCED if same else CONSISTENT
    if not any(decided):
        return words[2]
    settled = all(any(case is not None for case in part) for part in asked)
    return words[0] if all(decided) and settled else words[1]
