"""Shares of the heads whose values are in a range, and how many texts would tell."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from analysis.rules.selection import NamedColumns
from analysis.rules.summary import INTERVAL, Points
from analysis.rules.verdicts import Range, Reading, contains, correct, decide
from attention_mixing.methods.power import exact_interval

# How many times as many texts an open share of heads is tried with.
FACTORS = np.geomspace(1, 100, 21)[1:]


def share_of(count: int, possible: int, heads: int, confidence: float) -> Reading:
    """Share of heads that are shown to be in a range, of at most so many possible ones."""
    low, _ = exact_interval(count, heads, confidence=confidence)
    _, high = exact_interval(possible, heads, confidence=confidence)
    return Reading(count / heads, low, high, heads, "head")


def count_within(
    heads: Points, allowed: Range, confidence: float, *, tested: bool = True
) -> tuple[int, int]:
    """Count heads that are in a range, and those that may be; by their means, or ``tested``."""
    if not tested:
        count = sum(bool(contains(allowed, mean, mean)) for mean in heads["mean"])
        return count, count
    count = int(stand_out(heads, allowed, confidence).sum())
    # A head that is not shown to be there is not thereby shown to be elsewhere.
    return count, len(heads) - int(stand_out(heads, allowed.complement, confidence).sum())


def texts_needed(heads: Points, allowed: Range, holds: Range, confidence: float) -> int | None:
    """Estimate how many texts would tell whether a share of heads is in ``holds``.

    Every head keeps its mean, and its interval narrows with the root of the number of texts. None
    where a hundred times as many would not do: then the heads are too few.
    """
    mean = heads["mean"]
    for factor in FACTORS:
        ends = {end: mean + (heads[end] - mean) / math.sqrt(factor) for end in ("low", "high")}
        counts = count_within(heads.replaced(**ends), allowed, confidence)
        share = share_of(*counts, len(heads), confidence)
        if decide(share, holds, confidence).holds is not None:
            return math.ceil(factor * heads["texts"].min())
    return None


def stand_out(heads: NamedColumns, allowed: Range, confidence: float) -> NDArray[np.bool_]:
    """Tell which heads are in a range, by their intervals corrected for the number of heads.

    ``heads`` has a row a head: ``mean``, ``low``, ``high`` and ``texts``; ``confidence`` is that of
    the intervals, between 0 and 1.
    """
    columns = (np.asarray(heads[column], dtype=float).tolist() for column in INTERVAL)
    decisions = [
        decide(Reading(mean, low, high, int(texts)), allowed, confidence)
        for mean, low, high, texts in zip(*columns, strict=True)
    ]
    return np.array([decision.holds is True for decision in correct(decisions, confidence)])
