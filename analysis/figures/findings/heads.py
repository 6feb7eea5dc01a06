"""What the chapter *heads* finds about families of heads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from analysis.figures.findings.clusters import STRUCTURE, Elbow, Quality
from analysis.figures.findings.head_ablation import Change, beyond_zero
from analysis.figures.findings.phrases import agreed, listed, span
from analysis.figures.published import published
from analysis.figures.words import Words

State = tuple[str, str]
"""Experiment and variant."""


def lead(
    shares: Mapping[State, Mapping[str, float]],
    elbows: Mapping[str, Elbow],
    found: Mapping[str, Quality],
    changes: Mapping[str, Sequence[Change]],
    losses: Mapping[str, Sequence[Change]],
    w: Words,
) -> str:
    """Say in one sentence what families there are, whether clusters exist, what disabling does."""
    first, second = list(_by_share(shares).items())[:2]
    clear = sum(one.clear for one in elbows.values())
    said = w.say(
        "heads_lead",
        first=w[first[0]],
        share_of_first=first[1],
        second=w[second[0]],
        share_of_second=second[1],
        clusters=_clusters(elbows, found),
        clear=str(clear),
        experiments=str(len(elbows)),
        silhouette=span([one.silhouette for one in found.values()], ".2f"),
    )
    if not changes:
        return said
    hurt = [n[0] / len(changes[name]) for name, n in beyond_zero(changes).items()]
    worse = [n[1] / len(losses[name]) for name, n in beyond_zero(losses).items()]
    return w.say("heads_lead_disabled", lead=said, hurt=span(hurt), worse=span(worse))


def _clusters(elbows: Mapping[str, Elbow], found: Mapping[str, Quality]) -> str:
    """Whether there are clusters: outcome of the message ``heads_lead``."""
    clear = [one.clear for one in elbows.values()]
    if any(clear):
        return "elbows" if all(clear) else "some_elbows"
    tight = any(one.silhouette >= STRUCTURE for one in found.values())
    slight = any(one.found for one in elbows.values())
    return f"{'tight' if tight else 'loose'}_{'hardly' if slight else 'no'}_elbow"


def families(shares: Mapping[State, Mapping[str, float]], w: Words) -> str:
    """Say which family by rule has most maps, and what share the others have."""
    numbers = _by_share(shares)
    largest = {max(found, key=lambda name: found[name]) for found in shares.values()}
    named = [
        w.say("heads_share_of_family", family=w[name], share=share)
        for name, share in numbers.items()
    ]
    top = next(iter(numbers))
    if len(largest) > 1:
        return w.say("heads_families", outcome="depends", named=listed(named, w))
    return w.say(
        "heads_families",
        outcome="everywhere",
        top=w[top],
        share=numbers[top],
        named=listed(named[1:], w),
    )


def _by_share(shares: Mapping[State, Mapping[str, float]]) -> dict[str, str]:
    """Range of each family's share over model states, the largest family first."""
    names = list(next(iter(shares.values())))
    values = {name: [found[name] for found in shares.values()] for name in names}
    return {name: span(values[name]) for name in sorted(names, key=lambda name: -sum(values[name]))}


def heterogeneous(maps: Sequence[float], heads: Sequence[float], w: Words) -> str:
    """Hold the share of heterogeneous maps against the published range.

    Parameters
    ----------
    maps, heads
        Share of maps, and of heads by their mean descriptors; one a model state.
    """
    low, high = published("B22")["share"]
    inside = [low <= value <= high for value in maps]
    if all(inside):
        outcome = "within"
    elif all(value < low for value in maps):
        outcome = "below"
    elif all(value > high for value in maps):
        outcome = "above"
    else:
        outcome = "some"
    return w.say(
        "heads_heterogeneous",
        outcome=outcome,
        maps=span(maps),
        heads=span(heads),
        inside=str(sum(inside)),
        states=str(len(inside)),
        published=span([low, high]),
    )


def moved(
    counts: Mapping[str, Mapping[tuple[str, str], int]], clusters: Sequence[int], w: Words
) -> str:
    """Say how many heads are of another family after fine-tuning, and which way most go.

    Parameters
    ----------
    counts
        Experiment -> family before and after -> heads.
    clusters
        Heads whose maps are mainly in another cluster, of each experiment.
    """
    moves = [{way: n for way, n in ways.items() if way[0] != way[1]} for ways in counts.values()]
    numbers = {
        "heads": span([sum(ways.values()) for ways in counts.values()], "d"),
        "clusters": span(clusters, "d"),
        "have": agreed(clusters),
    }
    if not any(moves):
        return w.say("heads_moved", outcome="none", **numbers)
    total: Counter[tuple[str, str]] = Counter()
    for ways in moves:
        total.update(ways)
    (before, after), most = total.most_common(1)[0]
    return w.say(
        "heads_moved",
        outcome="some",
        moved=span([sum(ways.values()) for ways in moves], "d"),
        before=w[before],
        after=w[after],
        most=str(most),
        moves=str(total.total()),
        **numbers,
    )
