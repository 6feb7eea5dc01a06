"""From values and bounds to outcomes; pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from attention_mixing.methods.power import p_value, power, sample_needed, standard_error

# An effect with the published sign that is smaller than a claim needs fails in another way than one
# that is reversed: it is `smaller`. Models may be `divided`, or all of them hold `partly`.
OUTCOMES = ("holds", "divided", "partly", "smaller", "fails", "open", "not_tested")
# In which other ways claims are judged: by margins of half and of double the size, with a vote for
# each case, with or without special tokens.
WAYS = ("lax", "strict", "cases", "tokens")
# Why a run does not test a rule: what it asks for was measured in no model that has learned its
# task; texts and models give no value for it; no model is trained; no experiment is of the kind.
UNTESTED = ("not_learned", "undefined", "untrained", "no_experiment")
# Both ends of a range give way by this share of themselves (below 1, by this): floats are rounded.
ROUNDING = 1e-12
# An interval over fewer texts says nothing of other texts.
FEWEST = 5
# With less power for the effect that it is to see, a case does not fail.
POWER = 0.8


class Range(NamedTuple):
    """Where a value has to be.

    Attributes
    ----------
    low, high
        The ends; one of them infinite where there is one bound, which itself is then outside.
    inside
        False where the value has to be anywhere else.
    effect
        The value that the test has to be able to see; None where values are exact.
    signed
        Whether the range is a part of an effect, so that 0 is none and the other sign the reverse.
    """

    low: float
    high: float
    inside: bool = True
    effect: float | None = None
    signed: bool = False

    @property
    def complement(self) -> Range:
        """Everywhere else, without an effect."""
        return Range(self.low, self.high, inside=not self.inside)


class Reading(NamedTuple):
    """A value; with an interval where it is a mean over texts or a share of heads.

    Attributes
    ----------
    sample
        Number of texts, heads or reference data sets (``unit``); None where the value is exact, or
        known to lie between two ends for certain.
    at_least
        Size of a sample in which the effect could be seen at all, where this one is smaller.
    texts_needed
        Texts that would decide a share of heads which these texts leave open.
    layer
        That it is of, where a curve is read layer by layer.
    texts
        That it rests on, whatever the sample is of; 0 where it does not say.
    """

    value: float
    low: float | None = None
    high: float | None = None
    sample: int | None = None
    unit: str = "text"
    at_least: int | None = None
    texts_needed: int | None = None
    layer: int | None = None
    texts: int = 0


class Decision(NamedTuple):
    """Decision of one case.

    Attributes
    ----------
    holds
        None where it is open.
    p
        Two-sided, of lying on the other side of the nearest bound; None for exact values.
    power
        For the effect that is to be seen.
    needed
        Sample that would decide an open case with :data:`POWER`: at the effect that is to be seen,
        or, where the power sufficed, at the value that was measured. The texts for a share of heads
        are those that came with the reading.
    needed_unit
        What that is a number of.
    smaller
        Whether a case that does not hold has the sign of the effect all the same.
    """

    holds: bool | None
    p: float | None = None
    power: float | None = None
    needed: int | None = None
    needed_unit: str = "text"
    smaller: bool = False


def decide(reading: Reading, allowed: Range, confidence: float) -> Decision:
    """Hold a reading against a range.

    True if the whole interval lies in the range; False if none of it does and so many texts could
    have shown the effect; otherwise open. Exact values, and ends without a sample, decide by
    themselves. ``confidence`` is that of the interval, between 0 and 1.
    """
    value, low, high = reading.value, reading.low, reading.high
    if reading.at_least is not None:
        return Decision(None, needed=reading.at_least)
    if low is None or high is None:
        return Decision(contains(allowed, value, value))
    if reading.sample is None:
        return Decision(contains(allowed, low, high))
    if reading.sample < FEWEST:
        return Decision(None, needed=FEWEST, needed_unit=reading.unit)
    holds = contains(allowed, low, high)
    distance, end = _nearest_bound(allowed, value)
    error = standard_error(value - low if end < value else high - value, confidence)
    p = p_value(distance, error)
    if allowed.effect is None:
        return Decision(holds, p)
    wide = standard_error((high - low) / 2, confidence)
    effect_distance, _ = _nearest_bound(allowed, allowed.effect)
    sides = 2 if allowed.inside and not math.isinf(allowed.high - allowed.low) else 1
    reached = power(effect_distance, wide, confidence=confidence, sides=sides)
    if holds or (holds is False and reached >= POWER):
        smaller = (
            allowed.signed and holds is False and (low > 0 if allowed.effect > 0 else high < 0)
        )
        return Decision(holds, p, reached, smaller=smaller)
    if reading.texts_needed is not None:
        return Decision(None, p, reached, reading.texts_needed)
    needed = sample_needed(
        effect_distance if reached < POWER else distance,
        wide,
        reading.sample,
        confidence=confidence,
        reached=POWER,
        sides=sides,
    )
    return Decision(None, p, reached, needed, reading.unit)


def contains(allowed: Range, low: float, high: float) -> bool | None:
    """Tell whether all (True), nothing (False) or a part (None) of an interval is in a range."""
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


def _nearest_bound(allowed: Range, value: float) -> tuple[float, float]:
    """Distance of a value to the nearest finite end of a range, and that end."""
    ends = [end for end in (allowed.low, allowed.high) if not math.isinf(end)]
    nearest = min(ends, key=lambda end: abs(value - end))
    return abs(value - nearest), nearest


def correct(decisions: Sequence[Decision], confidence: float) -> list[Decision]:
    """Open what does not stand out from so many cases (Benjamini and Hochberg 1995).

    Their procedure bounds the share of wrong ones among the decided cases, whose number is what
    the report gives.
    """
    from scipy.stats import false_discovery_control  # half a second to import

    family = [decision.p for decision in decisions if decision.p is not None]
    adjusted = iter(false_discovery_control(family) if family else ())
    return [
        decision._replace(holds=None)
        if decision.p is not None and next(adjusted) > 1 - confidence
        else decision
        for decision in decisions
    ]


def case_outcome(holds: bool | None, *, smaller: bool = False) -> str:
    """Name what a case says, as one of ``OUTCOMES``.

    One that does not hold may have the sign of the effect all the same.
    """
    if holds is None:
        return "open"
    return "holds" if holds else "smaller" if smaller else "fails"


def together(outcomes: Iterable[str], *, models: bool = False) -> str:
    """Sum up outcomes of one kind: of cases, of the parts of a claim in a model, of ``models``.

    ``open`` where half of them or more are. Models are ``divided`` where some hold and others fail,
    so that their intervals lie on either side of what is asked and not all have the sign of the
    effect; they are ``smaller`` where all have it and not all reach what is asked. Else, what holds
    here and there holds ``partly``. What was not tested does not count. The sum is one of
    ``OUTCOMES``.
    """
    tested = [outcome for outcome in outcomes if outcome != "not_tested"]
    decided = {outcome for outcome in tested if outcome != "open"}
    if not tested:
        return "not_tested"
    if 2 * tested.count("open") >= len(tested):
        return "open"
    if decided <= {"smaller", "fails"}:
        return "smaller" if decided == {"smaller"} else "fails"
    if decided == {"holds"}:
        return "holds"
    if models and {"holds", "fails"} <= decided:
        return "divided"
    return "smaller" if models and decided == {"holds", "smaller"} else "partly"
