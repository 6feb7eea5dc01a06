"""What the chapter *mixing* finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analysis.figures.phrases import extent, span
from analysis.figures.words import Words


def lead(weights: Sequence[float], vectors: Sequence[float], w: Words) -> str:
    """Say in one sentence how much less the vectors mix than the weights.

    Parameters
    ----------
    weights, vectors
        Mixing ratio of the attention block by weights alone, and by vectors with residual
        connection and layer normalization; mean over layers, one value an experiment and variant.
    """
    outcome = how_much_less(weights, vectors)
    return w.say("mixing_lead", outcome=outcome, weights=span(weights), vectors=span(vectors))


def how_much_less(weights: Sequence[float], vectors: Sequence[float]) -> str:
    """Give the outcome of comparing what weights and what vectors mix in every model state."""
    pairs = list(zip(weights, vectors, strict=True))
    if all(2 * vector < weight for weight, vector in pairs):
        return "far_less"
    return "less" if all(vector < weight for weight, vector in pairs) else "depends"


def scope_order(ratios: Sequence[Sequence[float]], w: Words) -> str:
    """Say whether every step from weights to vectors makes the mixing ratio smaller.

    Parameters
    ----------
    ratios
        One sequence a step, in the published order, with a value an experiment and variant.
    """
    return _counting(
        "mixing_scope_order",
        [list(steps) == sorted(steps, reverse=True) for steps in zip(*ratios, strict=True)],
        w,
    )


def depth(first: Sequence[float], last: Sequence[float], w: Words) -> str:
    """Say whether the mixing of the attention block falls or rises from first to last layer."""
    rises = [end > start for start, end in zip(first, last, strict=True)]
    return _counting("mixing_depth", rises, w)


def _counting(message: str, holds: Sequence[bool], w: Words) -> str:
    return w.say(message, outcome=extent(holds), count=str(sum(holds)), total=str(len(holds)))


def mask(masked: Sequence[float], text: Sequence[float], w: Words) -> str:
    """Say whether [MASK] is mixed more than the tokens of the text.

    Parameters
    ----------
    masked, text
        Mean over layers, one value for every model state whose texts hold a [MASK].
    """
    more = [m > t for m, t in zip(masked, text, strict=True)]
    if not more:
        return w["mixing_no_mask"]
    return w.say("mixing_mask", outcome=extent(more), masked=span(masked), text=span(text))


def special(weights: Sequence[float], vectors: Sequence[float], w: Words) -> str:
    """Compare where weights and where vectors end: on special tokens or not.

    Parameters
    ----------
    weights, vectors
        Share on special tokens after the last layer of what is rolled out, one value an experiment
        and variant each.
    """
    outcome = how_much_less(weights, vectors)
    return w.say("mixing_special", outcome=outcome, weights=span(weights), vectors=span(vectors))


def identifiable(shares: Mapping[str, Sequence[float]], w: Words) -> str:
    """Say how many tokens can still be recognised after the last layer, before and after training.

    Parameters
    ----------
    shares
        Variant -> one value an experiment.
    """
    before = span(shares["pretrained"])
    if "finetuned" not in shares:
        return w.say("mixing_identifiable", outcome="untrained", before=before)
    after = span(shares["finetuned"])
    return w.say("mixing_identifiable", outcome="trained", before=before, after=after)


def alike(first: Sequence[float], last: Sequence[float], centred: Sequence[float], w: Words) -> str:
    """Say whether tokens grow alike with depth, and whether they do without their mean.

    Parameters
    ----------
    first, last
        Mean cosine of two tokens before the first layer and after the last, one value an experiment
        and variant.
    centred
        The same after the last, without the mean of all tokens.
    """
    rises = [end > start for start, end in zip(first, last, strict=True)]
    numbers = {"first": first, "last": last, "centred": centred}
    spans = {name: span(values, ".2f") for name, values in numbers.items()}
    return w.say("mixing_alike", outcome=extent(rises), **spans)
