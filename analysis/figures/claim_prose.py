"""Chapter *claims*: the numbers and sentences of its prose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from analysis.figures.claims import JudgedClaim
from analysis.figures.phrases import counted, extent, listed
from analysis.rules.conditions import LEARNED
from analysis.rules.rule import SHARE
from analysis.rules.verdicts import OUTCOMES, POWER, WAYS
from attention_mixing.words import Words


def prose(found: Sequence[JudgedClaim], confidence: float, w: Words) -> dict[str, str]:
    """Every number and sentence of the page, by name."""
    cases = [case for one in found for case in one.cases if case.decides]
    return {
        "lead": tested([one for one in found if one.kind == "measured"], w),
        "kinds": exact(found, w),
        "conditions": conditions(found, w),
        "firm": firm(found, w),
        "training": training(found, w),
        "confidence": f"{confidence:.0%}",
        "wrong": f"{1 - confidence:.0%}",
        "power": f"{POWER:.0%}",
        "share": f"{SHARE:.0%}",
        "learned": f"{100 * LEARNED:.0f}",
        "cases": counted(len(cases), "case", w),
        "intervals": counted(sum(case.low is not None for case in cases), "case", w),
    }


def tested(found: Sequence[JudgedClaim], w: Words) -> str:
    """Say how many claims could be tested and what became of them."""
    count = Counter(one.outcome for one in found)
    known = [one.outcome != "not_tested" for one in found]
    counts = [
        w.say("claims_lead_count", outcome=outcome, count=count[outcome])
        for outcome in OUTCOMES[:-1]
        if count[outcome]
    ]
    total = {"outcome": extent(known), "total": len(found), "tested": sum(known)}
    return w.say("claims_lead", **total, counts=listed(counts, w))


def exact(found: Sequence[JudgedClaim], w: Words) -> str:
    """Count what is true by algebra and what is arithmetic of published numbers, apart."""
    numbers: dict[str, str | int] = {}
    for kind in ("algebra", "arithmetic"):
        known = [one for one in found if one.kind == kind and one.outcome != "not_tested"]
        held = [one.outcome == "holds" for one in known]
        numbers |= {kind: len(held), f"{kind}_held": sum(held)}
        numbers[f"{kind}_outcome"] = extent(held) if held else "untested"
    return w.say("claims_kinds", **numbers)


def firm(found: Sequence[JudgedClaim], w: Words) -> str:
    """Say how many verdicts on claims about models are the same in whatever way they are judged."""
    known = [one for one in found if one.kind == "measured" and one.outcome != "not_tested"]
    turned = {way: sum(way in one.turned for one in known) for way in WAYS}
    tokens = [(one.otherwise or {})["tokens"] for one in known]
    counts = {"total": len(known), "same": sum(not one.turned for one in known)}
    counts["measured"] = sum(outcome is not None for outcome in tokens)
    return w.say("claims_firm", **counts, **turned)


def training(found: Sequence[JudgedClaim], w: Words) -> str:
    """Name the claims that hold in one pretrained model and fail in another, by these models."""
    turned: dict[tuple[str, str], list[str]] = {}
    for one in found:
        of = {model.encoder: model.outcome for model in one.models if not model.trained}
        if {"holds", "fails"} <= {*of.values()}:
            holds, fails = (
                listed([name for name in of if of[name] == outcome], w)
                for outcome in ("holds", "fails")
            )
            turned.setdefault((holds, fails), []).append(one.id)
    groups = [
        w.say("claims_training_in", claims=listed(ids, w), n=len(ids), holds=holds, fails=fails)
        for (holds, fails), ids in turned.items()
    ]
    return w.say("claims_training", n=len(groups), groups=w["between_groups"].join(groups))


def conditions(found: Sequence[JudgedClaim], w: Words) -> str:
    """Say how many claims were tested as published, and how many under other conditions."""
    decided = [one for one in found if one.kind == "measured" and not one.open]
    same = sum(one.differs is None for one in decided)
    other = len(decided) - same
    outcome = "both" if same and other else "same" if same else "other" if other else "none"
    return w.say("claims_conditions", outcome=outcome, same=same, other=other)
