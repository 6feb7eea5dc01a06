"""What the chapter *geometry* finds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import pandas as pd
from fluent.runtime.types import fluent_number

from analysis.figures.phrases import counted, listed, span
from analysis.figures.published import published
from analysis.figures.words import Words

_ENDS = ("before", "after")
_PARTS = ("attention", "layer_output", "weights")
STRONG = 0.7  # a correlation of this size or more is called strong
MARGIN = 1.25  # by which a share without an interval is called larger


def defined_span(values: Iterable[float], w: Words, form: str = ".0%") -> str:
    """As :func:`span`, of the values that are defined, where there are any."""
    known = [value for value in values if not math.isnan(value)]
    return span(known, form) if known else w["geometry_no_value"]


def lead(states: pd.DataFrame, w: Words) -> str:
    """Say whether strong pairs lie close before the normalization, and after it in the plane."""
    states = states.dropna(subset=[f"{d}_{way}" for d in ("cosine", "plane") for way in _ENDS])
    if states.empty:
        return w["geometry_undefined_sentence"]
    return w.say(
        "geometry_lead",
        outcome=_moved(states["plane_before"], states["plane_after"]),
        angle=span(states["cosine_before"]),
        angle_translated=span(states["cosine_after"]),
        before=span(states["plane_before"]),
        after=span(states["plane_after"]),
    )


def _moved(before: pd.Series, after: pd.Series) -> str:
    if (after > before).all():
        return "farther"
    return "closer" if (after < before).all() else "depends"


def correlation(states: pd.DataFrame, w: Words) -> str:
    """Compare the rank correlation before and after translation with the published means."""
    measures = [f"{m}_{way}" for m in ("correlation", "offset") for way in _ENDS]
    states = states.dropna(subset=measures)
    if states.empty:
        return w["geometry_undefined_sentence"]
    before, after, offset_before, offset_after = (states[measure] for measure in measures)
    weaker = (after > before).all() and (offset_after > offset_before).all()
    values = published("B13")
    means = [(_signed(values["bert"]), "BERT"), (_signed(values["gpt2"]), "GPT-2")]
    return w.say(
        "geometry_correlation_weaker" if weaker else "geometry_correlation",
        outcome="strong" if max(*before, *after) <= -STRONG else "not_strong",
        before=span(before, ".2f"),
        after=span(after, ".2f"),
        published=_noted(means, w),
        offset_before=span(offset_before, ".1f"),
        offset_after=span(offset_after, ".1f"),
    )


def _signed(value: float) -> str:
    return f"{value:g}".replace("-", "\u2212")


def _noted(named: Iterable[tuple[str, str]], w: Words) -> str:
    """List names, each with a note."""
    each = [w.say("geometry_noted", name=name, note=note) for name, note in named]
    return listed(each, w)


def close(states: pd.DataFrame, w: Words) -> str:
    """Say where strong keys stand among neighbours in full dimension, and judge both sides."""
    states = states.dropna(subset=[f"euclidean_{way}" for way in (*_ENDS, "translated")])
    if states.empty:
        return w["geometry_undefined_sentence"]
    return w.say(
        "geometry_close",
        outcome=_moved(states["euclidean_before"], states["euclidean_after"]),
        before=span(states["euclidean_before"]),
        translated=span(states["euclidean_translated"]),
        after=span(states["euclidean_after"]),
    )


def plane(states: pd.DataFrame, w: Words) -> str:
    """Compare full dimension and plane after the normalization."""
    states = states.dropna(subset=["euclidean_after", "plane_after"])
    if states.empty:
        return w["geometry_undefined"]
    full, drawn = span(states["euclidean_after"]), span(states["plane_after"])
    return w.say("geometry_plane", full=full, drawn=drawn)


def pairs(asked: pd.DataFrame, w: Words) -> str:
    """Say for how many of the pairs that were asked for, head by head, the distance shrinks."""

    def closer(table: pd.DataFrame, way: str) -> object:
        return _ungrouped((table[f"distance_{way}"] < table["distance_before"]).sum())

    strongest = asked[asked["strongest"]]
    return w.say(
        "geometry_pairs" if strongest.empty else "geometry_pairs_strongest",
        cases=_ungrouped(len(asked)),
        by_rebuild=closer(asked, "seed"),
        by_closed_form=closer(asked, "after"),
        strongest=_ungrouped(len(strongest)),
        grouped=f"{len(strongest):,}",
        strongest_by_rebuild=closer(strongest, "seed"),
        strongest_by_closed_form=closer(strongest, "after"),
    )


def _ungrouped(count: int) -> object:
    """Count that a message can choose by, and that it writes without separators."""
    return fluent_number(int(count), useGrouping=False)


def tuned(states: pd.DataFrame, w: Words) -> str:
    """Compare the geometry of pretrained and fine-tuned models of the same experiment."""
    names = {"correlation": "correlation_after", "plane": "plane_after", "norm": "norm_difference"}
    both = states[list(names.values())].unstack().dropna()
    if both.empty:
        return w["geometry_undefined"]
    numbers = {
        f"{name}_{variant}": span(both[measure, variant], ".2f")
        for name, measure in names.items()
        for variant in ("pretrained", "finetuned")
    }
    return w.say("geometry_tuned", **numbers)


def change(shares: pd.DataFrame, w: Words) -> str:
    """Say whether the last two layers change most: attention, features and weights.

    Parameters
    ----------
    shares
        :func:`analysis.figures.geometry.last_shares`.
    """
    if shares.empty:
        return w.say("geometry_change", outcome="untuned")
    # Of what has not changed at all, no layer has a share.
    shares = shares.dropna(subset=list(_PARTS))
    if shares.empty:
        return w.say("geometry_change", outcome="unchanged")
    # Weights are no sample of texts and have no interval: a share must be larger by a margin.
    least = shares.assign(weights_low=shares["weights"] / MARGIN)
    names = {part: w[f"geometry_changed_{part}"] for part in _PARTS}
    yes = [part for part in _PARTS if (least[f"{part}_low"] > shares["even"]).all()]
    no = [part for part in _PARTS if part not in yes]
    return w.say(
        "geometry_change",
        outcome="depends" if yes and no else "holds" if yes else "fails",
        shares=_noted([(span(shares[part]), name) for part, name in names.items()], w),
        even=span(shares["even"]),
        holds=listed([names[part] for part in yes], w) if yes else "",
        fails=listed([names[part] for part in no], w) if no else "",
        alone=defined_span(shares["alone"], w),
    )


def joint_scale(states: pd.DataFrame, w: Words) -> str:
    """Say what one scale for all heads costs."""
    scales = states[["correlation_single", "correlation_joint"]].dropna()
    if scales.empty:
        return w["geometry_undefined_sentence"]
    single, joint = scales["correlation_single"], scales["correlation_joint"]
    return w.say(
        "geometry_joint_scale",
        outcome="costs" if (joint.abs() < single.abs()).all() else "free",
        single=span(single, ".2f"),
        joint=span(joint, ".2f"),
    )


def lines(queries: Sequence[float], tokens: int, weakest: Sequence[float], w: Words) -> str:
    """Compare the strongest pairs of a head with one line a query.

    Parameters
    ----------
    queries
        How many different queries the strongest pairs of each head come from.
    tokens
        Queries in all.
    weakest
        The smallest weight among the strongest pairs of each head.
    """
    return w.say(
        "geometry_lines",
        outcome="all" if min(queries) == tokens else "some",
        queries=f"{sum(queries) / len(queries):.0f}",
        tokens=str(tokens),
        weight=f"{sorted(weakest)[len(weakest) // 2]:.2f}",
    )


def rebuild_edge(edge: int, layers: int, w: Words) -> str:
    """Say in how many layers the search of the rebuild ends at the end of its grid."""
    if not edge:
        outcome = "none"
    elif edge == layers:
        outcome = "only" if layers == 1 else "all"
    else:
        outcome = "some"
    every = counted(layers, "layer", w)
    return w.say("geometry_rebuild_edge", outcome=outcome, edge=str(edge), layers=every)
