"""What the chapter *heads* finds about families of heads."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from analysis.figures.findings.clusters import STRUCTURE, clear
from analysis.figures.findings.head_ablation import counts
from analysis.figures.phrases import agreed, listed, span
from analysis.figures.published import published
from analysis.figures.words import Words


def lead(
    shares: pd.DataFrame,
    elbows: pd.DataFrame,
    quality: pd.DataFrame,
    changes: pd.DataFrame,
    w: Words,
) -> str:
    """Say in one sentence what families there are, whether clusters exist, what disabling does.

    Parameters
    ----------
    shares
        As in :func:`families`.
    elbows, quality
        As in :func:`analysis.figures.findings.clusters.elbow` and ``quality`` there.
    changes
        As in :func:`analysis.figures.findings.head_ablation.counts`.
    w
        Words of the page.
    """
    first, second = list(_by_share(shares).items())[:2]
    said = w.say(
        "heads_lead",
        first=w[first[0]],
        share_of_first=first[1],
        second=w[second[0]],
        share_of_second=second[1],
        clusters=_clusters(elbows, quality),
        clear=str(clear(elbows).sum()),
        experiments=str(len(elbows)),
        silhouette=span(quality["silhouette"], ".2f"),
    )
    if changes.empty:
        return said
    disabled = counts(changes)
    hurt, worse = (disabled[kind] / disabled["heads"] for kind in ("hurt_score", "hurt_loss"))
    return w.say("heads_lead_disabled", lead=said, hurt=span(hurt), worse=span(worse))


def _clusters(elbows: pd.DataFrame, quality: pd.DataFrame) -> str:
    """Whether there are clusters: outcome of the message ``heads_lead``."""
    found = clear(elbows)
    if found.any():
        return "elbows" if found.all() else "some_elbows"
    tight = (quality["silhouette"] >= STRUCTURE).any()
    slight = (elbows["found"] > 0).any()
    return f"{'tight' if tight else 'loose'}_{'hardly' if slight else 'no'}_elbow"


def families(shares: pd.DataFrame, w: Words) -> str:
    """Say which family by rule has most maps, and what share the others have.

    Parameters
    ----------
    shares
        Of the maps: a row a model state, a column a family.
    w
        Holds the names of families, too.
    """
    numbers = _by_share(shares)
    largest = set(shares.idxmax(axis=1))
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


def _by_share(shares: pd.DataFrame) -> dict[str, str]:
    """Range of each family's share over model states, the largest family first."""
    order = shares.sum().sort_values(ascending=False, kind="stable").index
    return {name: span(shares[name]) for name in order}


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


def moved(heads: pd.DataFrame, clusters: Sequence[int], w: Words) -> str:
    """Say how many heads are of another family after fine-tuning, and which way most go.

    Parameters
    ----------
    heads
        ``experiment``, and the family ``before`` and ``after`` of each head.
    clusters
        Heads whose maps are mainly in another cluster, of each experiment.
    """
    went = heads["before"] != heads["after"]
    by_experiment = went.groupby(heads["experiment"], sort=False)
    numbers = {
        "heads": span(by_experiment.size(), "d"),
        "clusters": span(clusters, "d"),
        "have": agreed(clusters),
    }
    if not went.any():
        return w.say("heads_moved", outcome="none", **numbers)
    ways = heads[went].groupby(["before", "after"]).size()
    before, after = ways.idxmax()
    return w.say(
        "heads_moved",
        outcome="some",
        moved=span(by_experiment.sum(), "d"),
        before=w[before],
        after=w[after],
        most=str(ways.max()),
        moves=str(ways.sum()),
        **numbers,
    )
