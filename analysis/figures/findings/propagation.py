"""What the chapter *propagation* finds, and the abstract repeats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analysis.figures.phrases import extent, span
from analysis.figures.words import Words

# Two shares that differ by less than this are called alike.
AMOUNT_MARGIN = 0.05
# Rows of flow whose relative entropy is above this are called flat.
FLAT = 0.95
# Rows closer than this to their average (total variation) are called alike.
DISTANCE_MARGIN = 0.10


def lead(
    rollout: Sequence[float],
    uniform: Sequence[float],
    distance: Sequence[float],
    bound: Sequence[float],
    w: Words,
) -> str:
    """Say in one sentence whether rollout and flow report the model or their own assumptions.

    Parameters
    ----------
    rollout, uniform, distance
        As in :func:`amount` and :func:`apart`.
    bound
        Share of the pairs that start at a token of the text whose flow is at its upper bound.
    """
    merged = max(distance) < DISTANCE_MARGIN
    if amount_assumed(rollout, uniform):
        outcome = "assumptions" if merged else "amount_assumed"
    else:
        outcome = "tokens_alike" if merged else "model"
    numbers = {"rollout": rollout, "uniform": uniform, "distance": distance, "bound": bound}
    spans = {name: span(values) for name, values in numbers.items()}
    return w.say("propagation_lead", outcome=outcome, **spans)


def _largest_difference(first: Sequence[float], second: Sequence[float]) -> float:
    return max(abs(a - b) for a, b in zip(first, second, strict=True))


def amount_assumed(rollout: Sequence[float], uniform: Sequence[float]) -> bool:
    """Whether rollout mixes as much as it would with uniform attention."""
    return _largest_difference(rollout, uniform) < AMOUNT_MARGIN


def amount(rollout: Sequence[float], uniform: Sequence[float], w: Words) -> str:
    """Say whether the mixing that rollout reports differs from that of uniform attention.

    Parameters
    ----------
    rollout, uniform
        Mixing after the last layer, one value an experiment and variant each.
    """
    if amount_assumed(rollout, uniform):
        return w.say("propagation_amount", outcome="same", points=f"{100 * AMOUNT_MARGIN:.0f}")
    points = 100 * _largest_difference(rollout, uniform)
    return w.say("propagation_amount", outcome="differs", points=f"{points:.1f}")


def apart(distance: Sequence[float], w: Words) -> str:
    """Say whether the rollouts of different tokens can be told apart after the last layer.

    Parameters
    ----------
    distance
        Mean total-variation distance of the rows from their average, one value an experiment and
        variant.
    """
    told = [value >= DISTANCE_MARGIN for value in distance]
    return w.say("propagation_apart", outcome=extent(told))


def flows_are_flat(entropies: Sequence[float]) -> bool:
    """Whether the rows of flow can hardly be told from equal shares, by their entropy over ln n."""
    return min(entropies) > FLAT


def flat(entropies: Sequence[float], w: Words) -> str:
    """Say whether the flows of a token to the input tokens can be told from equal ones.

    Parameters
    ----------
    entropies
        Entropy of the rows of flow after the last layer, each divided by its sum, over ln n.
    """
    return w.say("propagation_flat", outcome="flat" if flows_are_flat(entropies) else "differs")


def tight(shares: Mapping[str, float], w: Words) -> str:
    """Say how often flow is at its upper bound after the last layer.

    Parameters
    ----------
    shares
        Kind of source (``cls``, ``text``) -> share of its pairs that are tight.
    """
    outcome = "mostly" if shares["text"] > 0.5 else "other"
    shown = {kind: f"{shares[kind]:.0%}" for kind in ("cls", "text")}
    return w.say("propagation_tight", outcome=outcome, **shown)


def measured(fixed: Sequence[float], found: Sequence[float], w: Words) -> str:
    """Compare the mixing of rollout with the fixed and with the measured residual.

    Parameters
    ----------
    fixed, found
        Mixing after the last layer, one value an experiment and variant each.
    """
    less = all(m < f for m, f in zip(found, fixed, strict=True))
    outcome = "less" if less else "other"
    return w.say("propagation_measured", outcome=outcome, fixed=span(fixed), found=span(found))
