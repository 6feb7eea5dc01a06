"""What the chapter *heads* finds when heads are disabled."""

from __future__ import annotations

from functools import reduce

import pandas as pd

from analysis.figures.phrases import agreed, listed, span
from analysis.figures.published import published
from analysis.figures.words import Words

# So many times the heads that are expected by chance are called more than chance.
BEYOND_CHANCE = 2
# Heads that are missed, and that are in the way.
KINDS = ("hurt_score", "help_score", "hurt_loss", "help_loss")


def counts(changes: pd.DataFrame) -> pd.DataFrame:
    """Count heads whose interval leaves out 0.

    Parameters
    ----------
    changes
        ``score_change``, of 0 to 1, and ``loss_change`` (``measure``) by disabling each head: rows
        with ``experiment``, ``layer``, ``head``, ``mean``, ``low`` and ``high``.

    Returns
    -------
    DataFrame
        A row an experiment: all ``heads``, and those of each of ``KINDS``.
    """
    below, above = changes["high"] < 0, changes["low"] > 0
    score, loss = (changes["measure"] == name for name in ("score_change", "loss_change"))
    found = {
        "heads": score,
        "hurt_score": score & below,
        "help_score": score & above,
        # A loss that falls is a help.
        "hurt_loss": loss & above,
        "help_loss": loss & below,
    }
    return pd.DataFrame(found).groupby(changes["experiment"], sort=False).sum()


def ablation(changes: pd.DataFrame, perfect: list[str], w: Words) -> str:
    """Say how many heads are missed, how many are in the way, and by how much at most.

    Parameters
    ----------
    changes
        As in :func:`counts`.
    perfect
        Experiments whose score is 1 with all heads, so that it cannot rise.
    """
    found = counts(changes)
    return w.say(
        "head_ablation_counts",
        heads=span(found["heads"], "d"),
        worst=_extreme(changes, -1, w),
        best=_extreme(changes, 1, w),
        published=f"{100 * published('B23')['gain']:.1f}",
        full="some" if perfect else "none",
        perfect=listed(perfect, w),
        **{kind: span(found[kind], "d") for kind in KINDS},
        **{f"number_{kind}": agreed(found[kind]) for kind in KINDS},
    )


def chance(changes: pd.DataFrame, confidence: float, w: Words) -> str:
    """Hold the number of heads found against what intervals find by chance.

    Parameters
    ----------
    changes
        As in :func:`counts`.
    confidence
        Of the intervals.
    """
    found = counts(changes)
    expected = found["heads"] * (1 - confidence) / 2
    more = {kind: list(found.index[found[kind] > BEYOND_CHANCE * expected]) for kind in KINDS}
    named = [
        w.say("head_ablation_beyond_chance", kind=kind, experiments=listed(names, w))
        for kind, names in more.items()
        if names
    ]
    return w.say(
        "head_ablation_chance",
        outcome="more" if named else "none",
        confidence=format(confidence, ".0%"),
        expected=span(expected, ".1f"),
        times=str(BEYOND_CHANCE),
        named=reduce(lambda one, other: w.say("head_ablation_and", one=one, other=other), named)
        if named
        else "",
    )


def _extreme(changes: pd.DataFrame, sign: int, w: Words) -> str:
    """Largest change of the score of one sign, and whose it is."""
    scores = changes[changes["measure"] == "score_change"]
    sizes = sign * scores["mean"].to_numpy()
    largest = scores.iloc[sizes.argmax()]
    return w.say(
        "head_ablation_extreme",
        outcome="some" if sizes.max() > 0 else "none",
        way="fall" if sign < 0 else "rise",
        points=f"{100 * sizes.max():.1f}",
        head=f"{largest['layer']}.{largest['head']}",
        experiment=largest["experiment"],
    )
