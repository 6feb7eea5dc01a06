"""What the page *run* says of this run: whose parameters it has, its numbers, what it decides."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from analysis.prose.phrases import listed, written
from analysis.rules.verdicts import OUTCOMES
from attention_mixing.messages import Words

ALTI = ("alti-before", "alti-after")
UNDECIDED = ("open", "not_tested")


def identity(own: int, total: int, *, whole: bool, w: Words) -> str:
    """Say whether this is the run of the committed parameters.

    ``own`` of its ``total`` experiments have those; ``whole`` is whether there are no others.
    """
    extent = "all" if whole else "some" if own else "none"
    return w.say("run_identity", extent=extent, own=own, total=total)


def mixing(argument: Mapping[str, Any], w: Words) -> str:
    """Say what comes from other tokens through all layers, here and in the paper."""
    of_run = [argument["here"].get(name, {"each": {}})["each"] for name in ALTI]
    # Before and after are of the same experiments.
    asked = [name for name in of_run[0] if name in of_run[1]] or [*of_run[0]]
    if not asked:
        return w.say("run_mixing", tuned="none")
    here = [
        statistics.median([of_state[name][0] for name in asked])
        for of_state in of_run
        if set(asked) <= of_state.keys()
    ]
    kept = [argument["numbers"][name]["kept"][0] for name in ALTI if argument["numbers"]]
    before, after, paper, paper_after = (
        written(values[at], ".0%") if at < len(values) else ""
        for values in (here, kept)
        for at in (0, 1)
    )
    return w.say(
        "run_mixing",
        tuned="yes" if after else "no",
        argued="yes" if paper else "no",
        n=len(asked),
        before=before,
        after=after,
        paper=paper,
        paper_after=paper_after,
    )


def absent(here: Mapping[str, Any], asked: Mapping[str, Iterable[str]], w: Words) -> str:
    """Name the quantities of the paper that no experiment of this run has, if any."""
    lacking = [answer for answer, ends in asked.items() if not here.keys() & {*ends}]
    names = [w[f"answer_{answer}"] for answer in lacking]
    return w.say("run_absent", n=len(names), quantities=listed(names, w))


def decided(claims: Iterable[Mapping[str, Any]], w: Words) -> str:
    """Count the claims with something at stake by what this run alone makes of them.

    ``claims`` are as the stage ``rules`` wrote them.
    """
    about = [claim["claim"] for claim in claims]
    count = Counter(one["this_run"] for one in about if one["kind"] == "measured" and one["stake"])
    counts = [
        w.say("claims_lead_count", outcome=outcome, count=count[outcome])
        for outcome in OUTCOMES
        if count[outcome] and outcome not in UNDECIDED
    ]
    return w.say(
        "run_decided",
        total=count.total(),
        decided=sum(count[outcome] for outcome in OUTCOMES if outcome not in UNDECIDED),
        counts=listed(counts, w),
        open=count["open"],
        untested=count["not_tested"],
    )
