"""What the chapter *claims* finds: how many published claims hold, and under what conditions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from analysis.claims.verdicts import CONSISTENT, REPRODUCED
from analysis.figures.findings.phrases import listed
from analysis.figures.words import Words

# Verdict -> what became of the claim, whatever the conditions. The order is that of the page.
OUTCOMES = {
    "reproduced": "holds",
    "consistent": "holds",
    "partly_reproduced": "partly",
    "partly_consistent": "partly",
    "not_reproduced": "fails",
    "inconsistent": "fails",
    "undecided": "undecided",
    "not_tested": "not_tested",
}
TESTED = ("holds", "partly", "fails", "undecided")

Verdicts = Mapping[str, str]
"""Claim -> verdict."""


def outcomes(verdicts: Verdicts) -> Counter[str]:
    """Count what became of the claims."""
    return Counter(OUTCOMES[verdict] for verdict in verdicts.values())


def tested(verdicts: Verdicts) -> list[str]:
    """Names of the claims for which there is anything to look at."""
    return [name for name, verdict in verdicts.items() if verdict != "not_tested"]


def lead(verdicts: Verdicts, w: Words) -> str:
    """Say in one sentence how many claims could be tested and what became of them."""
    count, total, known = outcomes(verdicts), len(verdicts), len(tested(verdicts))
    counts = [
        w.say("claims_lead_count", outcome=outcome, count=count[outcome])
        for outcome in TESTED
        if count[outcome]
    ]
    return w.say(
        "claims_lead",
        outcome="none" if not known else "all" if known == total else "some",
        total=total,
        tested=known,
        counts=listed(counts, w),
    )


def conditions(verdicts: Verdicts, w: Words) -> str:
    """Say how many claims were tested as published, and how many under other conditions."""
    count = Counter(verdicts.values())
    same, other = (sum(count[name] for name in group) for group in (REPRODUCED, CONSISTENT))
    return w.say(
        "claims_conditions",
        outcome=_which(same, other),
        decided=same + other,
        same=same,
        other=other,
    )


def _which(same: int, other: int) -> str:
    """Name the conditions that there are of the two."""
    if same and other:
        return "both"
    return "same" if same else "other" if other else "none"


def parts(structure: Verdicts, models: Verdicts, w: Words) -> str:
    """Compare claims of arithmetic and structure with those about the behaviour of models."""
    shown = []
    for part, verdicts in (("structure", structure), ("models", models)):
        known, held = len(tested(verdicts)), outcomes(verdicts)["holds"]
        outcome = "some" if known > 1 else "only" if held else "not_the_only"
        if known:
            shown.append(w.say("claims_part", part=part, outcome=outcome, held=held, tested=known))
    outcome = "some" if shown else "none"
    return w.say("claims_parts", outcome=outcome, parts=listed(shown, w))


def failing(verdicts: Verdicts, w: Words) -> str:
    """Name the claims that fail."""
    same, other = (
        [name for name, verdict in verdicts.items() if verdict == wanted]
        for wanted in ("not_reproduced", "inconsistent")
    )
    return w.say(
        "claims_failing",
        outcome=_which(len(same), len(other)),
        same=listed(same, w),
        same_count=len(same),
        other=listed(other, w),
        other_count=len(other),
    )


def chance(intervals: int, confidence: float, w: Words) -> str:
    """Say how many intervals would miss their value by accident.

    Parameters
    ----------
    intervals
        How many there are.
    confidence
        Of each, 0 to 1.
    w
        Words of the page.
    """
    missed = intervals * (1 - confidence)
    outcome = "no_interval"
    if intervals:
        outcome = "hardly" if missed < 1 else "some"
    return w.say(
        "claims_chance",
        outcome=outcome,
        count=intervals,
        intervals=str(intervals),
        confidence=f"{confidence:.0%}",
        missed=round(missed),
        missed_shown=f"{missed:.0f}",
    )
