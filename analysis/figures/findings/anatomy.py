"""What the chapter *anatomy* finds: how exact the rebuilding is, and what a token may see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.figures.phrases import listed, span
from analysis.figures.words import Words

Steps = Sequence[Mapping[str, Any]]
"""``steps`` of ``results/anatomy/anatomy.json``."""
Small = Mapping[str, Any]
"""Its ``small``: the small models."""

# Of the largest value of a step. Single precision rounds at 6e-8 of a value; sums of hundreds of
# products lose one or two digits more.
ROUNDING = 1e-5
# A model that writes this share of the held-out rows without a mistake has learned to.
LEARNED = 0.95
# A mean weight above this rests on one token; above the next, hardly anything is left for others.
ONE_TOKEN, ALONE = 0.5, 0.9
# What dividing by the root of the dimension takes from the largest weight; less is called nothing.
SHARPENED = 0.05


def lead(steps: Steps, small: Small, w: Words) -> str:
    """Say how well the rebuilt attention agrees, and what sets the architectures apart."""
    encoder, decoder = _leaks(small)
    outcome = "leaks"
    if decoder == 0:
        outcome = "apart" if encoder > 0 else "alike"
    return w.say(
        "anatomy_lead",
        outcome=outcome,
        off=_small(largest_deviation(steps)),
        encoder=f"{encoder:.1f}",
        decoder=_small(decoder),
    )


def largest_deviation(steps: Steps) -> float:
    """Return how far a step is off at most, as a share of its largest value."""
    return max(step["deviation"] / step["largest"] for step in steps)


def exactness(steps: Steps, w: Words) -> str:
    """Say whether the deviations are those of single precision."""
    off = largest_deviation(steps)
    outcome = "rounding" if off <= ROUNDING else "more"
    return w.say("anatomy_exactness", outcome=outcome, off=_small(off))


def scale(found: Mapping[str, float], w: Words) -> str:
    """Say what dividing by the root of the dimension does to scores and weights.

    Parameters
    ----------
    found
        ``scaling`` of ``results/anatomy/anatomy.json``.
    w
        Words of the page.
    """
    sharp, soft = found["largest_weight_unscaled"], found["largest_weight_scaled"]
    outcome = "hardly"
    if sharp - soft > SHARPENED:
        outcome = "alone" if sharp > ALONE else "sharper"
    return w.say(
        "anatomy_scale",
        outcome=outcome,
        before=f"{found['score_std_unscaled']:.1f}",
        after=f"{found['score_std_scaled']:.1f}",
        sharp=f"{sharp:.2f}",
        soft=f"{soft:.2f}",
    )


def heads(shares: Mapping[str, float], apart: float, w: Words) -> str:
    """Say what the heads of the layer look at most, and how much they differ.

    Parameters
    ----------
    shares
        What the strongest key of a query is -> share of the queries of all heads; the kinds of
        :data:`analysis.methods.attention_maps.KEY_KINDS`.
    apart
        Share of its weight that a query places otherwise in another head.
    w
        Words of the page.
    """
    keys = [
        w.say("anatomy_heads_key", kind=kind, share=f"{shares[kind]:.0%}")
        for kind in sorted(shares, key=lambda kind: -shares[kind])
        if shares[kind] > 0
    ]
    return w.say("anatomy_heads", keys=listed(keys, w), apart=f"{apart:.0%}")


def learned(small: Small, w: Words) -> str:
    """Say which of the small models have learned their task."""
    missed = [name for name, one in small.items() if one["accuracy"] < LEARNED]
    return w.say(
        "anatomy_learned",
        outcome="some" if missed else "all",
        rows=str(next(iter(small.values()))["held_out"]),
        shares=span([one["accuracy"] for one in small.values()]),
        missed=listed([w[f"anatomy_learned_{name}"] for name in missed], w),
        count=len(missed),
    )


def mirror(small: Small, w: Words) -> str:
    """Say whether a written word reads the word that it mirrors."""
    shares = [one["mirror"] for one in small.values()]
    outcome = "every" if min(shares) > ONE_TOKEN else "some"
    return w.say("anatomy_mirror", outcome=outcome, shares=span(shares))


def residual(length: float, w: Words) -> str:
    """Say which is longer, what attention adds or what it is added to.

    Parameters
    ----------
    length
        Length of attention's output divided by that of the residual, mean over tokens and layers.
    w
        Words of the page.
    """
    outcome = "longer" if length < 1 else "shorter"
    return w.say("anatomy_residual", outcome=outcome, length=f"{length:.0%}")


def leak(small: Small, w: Words) -> str:
    """Say whether earlier outputs of encoder and decoder move with a later token."""
    encoder, decoder = _leaks(small)
    return w.say(
        "anatomy_leak",
        encoder_outcome="moves" if encoder else "stays",
        encoder=_change(encoder),
        decoder_outcome="moves" if decoder else "stays",
        decoder=_change(decoder),
    )


def _leaks(small: Small) -> tuple[float, float]:
    return small["encoder"]["leak"], small["decoder"]["leak"]


def _change(value: float) -> str:
    return f"{value:.1f}" if value >= 0.05 else _small(value)


def _small(value: float) -> str:
    return format(value, ".0e").replace("-", "\u2212") if value else "0"
