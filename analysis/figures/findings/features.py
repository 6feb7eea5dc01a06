"""What the chapter *features* finds.

Rows with a ``point`` and a ``layer`` are in the order of the forward pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from analysis.figures.phrases import listed, span
from analysis.figures.words import Words

# A mean silhouette below this is customarily read as no structure to speak of (Kaufman and
# Rousseeuw 1990, Finding Groups in Data, chapter 2, table 4).
STRUCTURE = 0.25

State = tuple[str, str]
"""Experiment and variant."""

STATE = ["experiment", "variant"]


def movement(moved: pd.DataFrame, w: Words) -> str:
    """Say into which point neighbourhoods change most, and into which least.

    Parameters
    ----------
    moved
        Share of neighbours lost in a step, mean over layers: a row a state, a column the point that
        the step leads to.
    """
    most, least = moved.idxmax(axis=1), moved.idxmin(axis=1)
    if most.nunique() > 1:
        states = most.value_counts(sort=False).items()
        named = [_noted(w[point], str(count), w) for point, count in states]
        steps = listed(named, w)
        return w.say("features_movement", outcome="depends", steps=steps, states=str(len(most)))
    top, bottom = most.iloc[0], least.iloc[0]
    agree = least.nunique() == 1 and bottom != top
    return w.say(
        "features_movement",
        outcome="most_and_least" if agree else "most",
        most=w[top],
        most_lost=span(moved[top]),
        least=w[bottom],
        least_lost=span(moved[bottom]) if agree else "",
    )


def largest_step(steps: pd.DataFrame, w: Words) -> str:
    """Name the single step that moves most, of each experiment and state.

    Parameters
    ----------
    steps
        Share of neighbours lost: a row a state, a column the point and layer that a step leads to.
    """
    experiments = {name for name, _ in steps.index}
    named = []
    for place, lost in steps.max(axis=1).groupby(steps.idxmax(axis=1), sort=False):
        whose = _whose(list(lost.index), list(steps.index), w)
        named.append(
            w.say(
                "features_largest_step_place",
                place=place_name(place, w),
                whose=listed(whose, w),
                last="name" if whose[-1] in experiments else "noted",
                lost=span(lost),
            )
        )
    return w.say("features_largest_step", places=listed(named, w))


def _whose(states: Sequence[State], every: Sequence[State], w: Words) -> list[str]:
    """Names of experiments, with the model state where it is not the same for all of them."""
    names = []
    for name in dict.fromkeys(name for name, _ in states):
        variants = [variant for n, variant in states if n == name]
        if len(variants) == sum(n == name for n, _ in every):
            names.append(name)
        else:
            names += [_noted(name, w[variant], w) for variant in variants]
    return names


def _noted(name: str, note: str, w: Words) -> str:
    return w.say("features_noted", name=name, note=note)


def place_name(place: Any, w: Words) -> str:
    """Name a feature point and its layer, a tuple; those of layer 0 are before all layers."""
    point, layer = place
    return w["place"].format(point=w[point], layer=layer) if layer else w[point]


def separated_from(silhouettes: pd.DataFrame) -> int | None:
    """Find the layer from which on texts lie apart by label at every point; None if there is none.

    Apart means that the whole interval of the mean silhouette is above ``STRUCTURE``.
    """
    apart = (silhouettes["low"] > STRUCTURE).groupby(silhouettes["layer"]).all()
    onwards = apart[::-1].cummin()
    return int(onwards.index[onwards].min()) if onwards.any() else None


def last(silhouettes: pd.DataFrame) -> pd.Series:
    """Silhouette at the last point of the last layer of each state."""
    return silhouettes.groupby(STATE, sort=False)["mean"].last()


def separation(silhouettes: pd.DataFrame, w: Words) -> str:
    """Judge whether texts separate by class in the later maps after fine-tuning, and not before.

    Parameters
    ----------
    silhouettes
        Of the token that the classifier reads, ``mean`` and ``low``; only states whose texts have
        labels.
    """
    name = "features_separation"
    ends = last(silhouettes)
    starts = {state: separated_from(rows) for state, rows in silhouettes.groupby(STATE, sort=False)}
    names = [experiment for experiment, variant in starts if variant == "finetuned"]
    if not names:
        apart = sum(start is not None for start in starts.values())
        counts = {"apart": str(apart), "experiments": str(len(starts))}
        return w.say(name, outcome="untuned", before=span(ends, ".2f"), **counts)
    # Apart from the input on is not late, and apart before fine-tuning not its work.
    holds = {
        n: start
        for n in names
        if (start := starts[n, "finetuned"]) and starts.get((n, "pretrained")) is None
    }
    tuned = ends[ends.index.isin(names, level="experiment")]
    said = {
        said_as: span(tuned.xs(variant, level="variant"), ".2f")
        for said_as, variant in (("before", "pretrained"), ("after", "finetuned"))
    }
    others = [n for n in names if n not in holds]
    if not holds:
        return w.say(name, outcome="nowhere", **said)
    if others:
        apart_in, not_in = listed(list(holds), w), listed(others, w)
        return w.say(name, outcome="somewhere", apart=apart_in, others=not_in, **said)
    where = [
        w.say(
            "features_separation_from",
            layer=str(layer),
            experiments=listed([n for n in holds if holds[n] == layer], w),
        )
        for layer in dict.fromkeys(holds.values())
    ]
    return w.say(name, outcome="everywhere", where=listed(where, w), **said)


def trusted(means: pd.DataFrame, w: Words) -> str:
    """Say which kind of map keeps neighbours best.

    Parameters
    ----------
    means
        Mean trustworthiness over maps: a row a state, a column a method.
    """
    best = means.idxmax(axis=1)
    numbers = [f"{w[method]} {span(of_states, '.2f')}" for method, of_states in means.items()]
    return w.say(
        "features_trusted",
        outcome="everywhere" if best.nunique() == 1 else "depends",
        best=w[best.iloc[0]],
        means=listed(numbers, w),
    )


def shifted(shifts: pd.DataFrame, w: Words) -> str:
    """Say on how many maps fine-tuning shows more than another seed would.

    Parameters
    ----------
    shifts
        A row a map: its method, ``of``, its shift, ``mean``, and the larger spread over seeds of
        both states, ``spread_larger``.
    """
    beyond = (shifts["mean"] > shifts["spread_larger"]).groupby(shifts["of"], sort=False)
    parts = [
        w.say("features_shifted_maps", beyond=str(count), maps=str(maps), method=w[method])
        for method, count, maps in beyond.agg(["sum", "size"]).itertuples()
    ]
    outcome = "all" if beyond.all().all() else "some"
    return w.say("features_shifted", outcome=outcome, counts=listed(parts, w))


def changed(distances: pd.DataFrame, w: Words) -> str:
    """Say how far the vectors themselves have turned, and whether more so with depth.

    Parameters
    ----------
    distances
        Mean cosine distance before and after fine-tuning: a row an experiment, a column a point and
        layer.
    """
    tops = distances.idxmax(axis=1)
    if tops.nunique() == 1:
        where = w.say("features_changed_everywhere", place=place_name(tops.iloc[0], w))
    else:
        places = [
            w.say("features_changed_in", place=place_name(top, w), experiment=name)
            for name, top in tops.items()
        ]
        where = listed(places, w)
    by_layer = distances.T.groupby(level=1).mean()
    deeper = all(by_layer[name].dropna().is_monotonic_increasing for name in by_layer)
    return w.say(
        "features_changed",
        outcome="deeper" if deeper else "other",
        start=span(distances.xs(0, axis=1, level=1).to_numpy().ravel(), ".2f"),
        most=span(distances.max(axis=1), ".2f"),
        where=where,
    )
