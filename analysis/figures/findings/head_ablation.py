"""What the chapter *heads* finds when heads are disabled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import NamedTuple

from analysis.figures.findings.phrases import agreed, listed, span
from analysis.figures.published import published
from analysis.figures.words import Words

# So many times the heads that are expected by chance are called more than chance.
BEYOND_CHANCE = 2


class Change(NamedTuple):
    """What disabling one head changes, and its interval."""

    layer: int
    head: int
    mean: float
    low: float
    high: float


def ablation(
    changes: Mapping[str, Sequence[Change]],
    losses: Mapping[str, Sequence[Change]],
    perfect: Sequence[str],
    w: Words,
) -> str:
    """Say how many heads are missed, how many are in the way, and by how much at most.

    Parameters
    ----------
    changes, losses
        Experiment -> change of the score, 0 to 1, and of the loss by disabling each head.
    perfect
        Experiments whose score is 1 with all heads, so that it cannot rise.
    """
    counts = {kind: list(found.values()) for kind, found in _counts(changes, losses).items()}
    return w.say(
        "head_ablation_counts",
        heads=span([len(rows) for rows in changes.values()], "d"),
        worst=_extreme(changes, -1, w),
        best=_extreme(changes, 1, w),
        published=f"{100 * published('B23')['gain']:.1f}",
        full="some" if perfect else "none",
        perfect=listed(perfect, w),
        **{kind: span(found, "d") for kind, found in counts.items()},
        **{f"number_{kind}": agreed(found) for kind, found in counts.items()},
    )


def chance(
    changes: Mapping[str, Sequence[Change]],
    losses: Mapping[str, Sequence[Change]],
    confidence: float,
    w: Words,
) -> str:
    """Hold the number of heads found against what intervals find by chance.

    Parameters
    ----------
    changes, losses
        As in :func:`ablation`.
    confidence
        Of the intervals.
    """
    expected = {name: len(rows) * (1 - confidence) / 2 for name, rows in changes.items()}
    more = {
        kind: [name for name, n in found.items() if n > BEYOND_CHANCE * expected[name]]
        for kind, found in _counts(changes, losses).items()
    }
    named = [
        w.say("head_ablation_beyond_chance", kind=kind, experiments=listed(names, w))
        for kind, names in more.items()
        if names
    ]
    return w.say(
        "head_ablation_chance",
        outcome="more" if named else "none",
        confidence=format(confidence, ".0%"),
        expected=span(list(expected.values()), ".1f"),
        times=str(BEYOND_CHANCE),
        named=reduce(lambda one, other: w.say("head_ablation_and", one=one, other=other), named)
        if named
        else "",
    )


def _counts(
    changes: Mapping[str, Sequence[Change]], losses: Mapping[str, Sequence[Change]]
) -> dict[str, dict[str, int]]:
    """Count heads that are missed, and that are in the way, of each experiment."""
    scores, finer = beyond_zero(changes), beyond_zero(losses)
    return {
        "hurt_score": {name: n[0] for name, n in scores.items()},
        "help_score": {name: n[1] for name, n in scores.items()},
        # A loss that falls is a help.
        "hurt_loss": {name: n[1] for name, n in finer.items()},
        "help_loss": {name: n[0] for name, n in finer.items()},
    }


def beyond_zero(changes: Mapping[str, Sequence[Change]]) -> dict[str, tuple[int, int]]:
    """Count heads whose interval lies below 0, and above, in each experiment."""
    return {
        name: (sum(row.high < 0 for row in rows), sum(row.low > 0 for row in rows))
        for name, rows in changes.items()
    }


def _extreme(changes: Mapping[str, Sequence[Change]], sign: int, w: Words) -> str:
    """Largest change of one sign, and whose it is."""
    every = [(sign * row.mean, name, row) for name, rows in changes.items() for row in rows]
    size, name, row = max(every, key=lambda one: one[0])
    return w.say(
        "head_ablation_extreme",
        outcome="some" if size > 0 else "none",
        way="fall" if sign < 0 else "rise",
        points=f"{100 * size:.1f}",
        head=f"{row.layer}.{row.head}",
        experiment=name,
    )
