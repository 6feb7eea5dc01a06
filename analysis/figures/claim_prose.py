"""Chapter *claims*: the numbers and sentences of its prose."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.figures.claims import Claim
from analysis.figures.findings import claims as findings
from analysis.figures.findings.phrases import counted
from analysis.figures.words import Words


def prose(found: Sequence[Claim], confidence: float, w: Words) -> dict[str, str]:
    """Every number and sentence of the page, by name."""
    verdicts = {one.id: one.verdict for one in found}
    structure, models = (
        {one.id: one.verdict for one in found if one.part == part}
        for part in ("structure", "models")
    )
    cases = [case for one in found for case in one.cases if case.decides]
    intervals = sum(case.low is not None for case in cases)
    return {
        "lead": findings.lead(verdicts, w),
        "conditions": findings.conditions(verdicts, w),
        "parts": findings.parts(structure, models, w),
        "failing": findings.failing(verdicts, w),
        "chance": findings.chance(intervals, confidence, w),
        "confidence": f"{confidence:.0%}",
        "cases": counted(len(cases), "case", w),
    }
