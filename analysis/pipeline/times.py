"""How long stages take: by the notes of the last run, and along the longest path of the graph."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import Any

from analysis.paths import KEPT_NOTE, QUICK, REFERENCE, RUNS
from attention_mixing.artifacts import read_artifact

Needs = Mapping[str, Iterable[str]]
"""By stage, in an order in which they can run, the stages whose output it reads."""

UNKNOWN = 10.0  # seconds of a stage of whose kind no run has left a note
SHOWN = 8  # kinds of stages of which the time is told


def notes(stages: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Read the notes that stages have left of their last run."""
    paths = {stage: RUNS / f"{stage}.json" for stage in stages}
    return {stage: read_artifact(path) for stage, path in paths.items() if path.is_file()}


def kept() -> dict[str, float]:
    """Read how many seconds stages of the committed parameters took where these were kept."""
    path = REFERENCE / QUICK / KEPT_NOTE
    return dict(read_artifact(path).get("seconds", {})) if path.is_file() else {}


def expected(stages: Iterable[str], known: Mapping[str, float]) -> dict[str, float]:
    """Seconds of every stage: those that are known, else as many as others of its kind took."""
    of_kind = defaultdict(list)
    for stage, seconds in known.items():
        of_kind[kind(stage)].append(seconds)
    means = {name: fmean(taken) for name, taken in of_kind.items()}
    return {stage: known.get(stage, means.get(kind(stage), UNKNOWN)) for stage in stages}


def seconds(noted: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """Take the seconds of stages from their notes."""
    return {stage: note["seconds"] for stage, note in noted.items()}


def to_the_end(needs: Needs, taking: Mapping[str, float]) -> dict[str, float]:
    """Seconds from the begin of every stage to the end of the last that waits for it."""
    rest = dict.fromkeys(needs, 0.0)
    for stage in reversed(list(needs)):
        rest[stage] += taking[stage]
        for before in needs[stage]:
            rest[before] = max(rest[before], rest[stage])
    return rest


def longest_path(needs: Needs, taking: Mapping[str, float]) -> list[str]:
    """Find the stages that, one after another, take longest: what no number of cores shortens."""
    rest = to_the_end(needs, taking)
    path: list[str] = []
    ready = list(needs)
    while ready:
        path.append(max(ready, key=lambda stage: rest[stage]))
        ready = [stage for stage in needs if path[-1] in needs[stage]]
    return path


def summary(needs: Needs, taken: Mapping[str, float], ran: Iterable[str]) -> str:
    """Tell where the time of the stages that ran has gone, and the longest path through all.

    Of those that came from the cache nothing is known (``taken``).
    """
    of_kind: dict[str, float] = defaultdict(float)
    for stage in ran:
        of_kind[kind(stage)] += taken[stage]
    longest = sorted(of_kind.items(), key=lambda item: -item[1])[:SHOWN]
    every = {stage: taken.get(stage, 0.0) for stage in needs}
    path = longest_path(needs, every)
    return (
        f"Stages took {said(sum(of_kind.values()))} together: "
        f"{', '.join(f'{name} {said(seconds)}' for name, seconds in longest)}.\n"
        f"The longest path, {said(sum(every[stage] for stage in path))}, which more cores do not "
        f"shorten: {', '.join(f'{one} {said(every[one])}' for one in path if every[one] >= 1)}."
    )


def kind(stage: str) -> str:
    """Name of a stage without what it is of."""
    return stage.partition("@")[0]


def said(seconds: float) -> str:
    """Write a duration, as ``8 s`` or ``1:46``."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02}" if minutes else f"{rest} s"
