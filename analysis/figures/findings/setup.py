"""What the chapter *setup* finds."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.figures.phrases import counted, extent, span
from analysis.figures.words import Words


def trained(count: int, total: int, w: Words) -> str:
    """Name the experiments that train a model.

    Parameters
    ----------
    count, total
        How many train, 1 or more, and how many there are.
    """
    outcome = "only" if total == 1 else "all" if count == total else "some"
    every = counted(total, "experiment", w)
    return w.say("setup_trained", outcome=outcome, n=count, total=total, every=every)


def lead(scores: Sequence[float], without: Sequence[float], deviation: float, w: Words) -> str:
    """Say whether the models learned their tasks and whether what is read out is theirs.

    Parameters
    ----------
    scores
        Score on the test split of every experiment that trains: accuracy, or F1 of answers.
    without
        What each of these reaches without reading the text: the better of counting words and
        naming the majority class, or answering nothing.
    deviation
        Largest difference between a captured value and the model's own, as a share of the largest
        value of the layer.
    """
    exact = span([deviation], ".1e")
    if not scores:
        return w.say("setup_lead", outcome="untrained", deviation=exact)
    learned = [score > other for score, other in zip(scores, without, strict=True)]
    return w.say(
        "setup_lead",
        outcome=extent(learned),
        n=len(scores),
        learned=int(sum(learned)),
        scores=span(scores),
        without=span(without),
        deviation=exact,
    )
