"""What the chapter *features* finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from analysis.figures.findings.phrases import listed, span
from analysis.figures.words import Words

State = tuple[str, str]
"""Experiment and variant."""

# A mean silhouette below this is customarily read as no structure to speak of (Kaufman and
# Rousseeuw 1990, Finding Groups in Data, chapter 2, table 4).
STRUCTURE = 0.25


class Interval(NamedTuple):
    """A mean over texts and its bootstrap interval."""

    mean: float
    low: float
    high: float


Silhouettes = Mapping[State, Mapping[int, Mapping[str, Interval]]]
"""Layer -> point -> silhouette by label, both in the order of the forward pass."""


def movement(moved: Mapping[State, Mapping[str, float]], w: Words) -> str:
    """Say into which point neighbourhoods change most, and into which least.

    Parameters
    ----------
    moved
        Point that a step leads to -> share of neighbours lost in the step, mean over layers.
    """
    most = [max(steps, key=lambda p: steps[p]) for steps in moved.values()]
    least = [min(steps, key=lambda p: steps[p]) for steps in moved.values()]
    if len(set(most)) > 1:
        named = [_noted(w[point], str(most.count(point)), w) for point in dict.fromkeys(most)]
        steps = listed(named, w)
        return w.say("features_movement", outcome="depends", steps=steps, states=str(len(most)))
    top, bottom = most[0], least[0]
    agree = len(set(least)) == 1 and bottom != top
    return w.say(
        "features_movement",
        outcome="most_and_least" if agree else "most",
        most=w[top],
        most_lost=span([steps[top] for steps in moved.values()]),
        least=w[bottom],
        least_lost=span([steps[bottom] for steps in moved.values()]) if agree else "",
    )


def largest_step(steps: Mapping[State, Mapping[tuple[str, int], float]], w: Words) -> str:
    """Name the single step that moves most, of each experiment and state.

    Parameters
    ----------
    steps
        Point and layer that a step leads to -> share of neighbours lost.
    """
    tops: dict[tuple[str, int], list[State]] = {}
    for state, shares in steps.items():
        tops.setdefault(max(shares, key=lambda place: shares[place]), []).append(state)
    experiments = {name for name, _ in steps}
    named = []
    for place, states in tops.items():
        whose = _whose(states, list(steps), w)
        named.append(
            w.say(
                "features_largest_step_place",
                place=place_name(*place, w),
                whose=listed(whose, w),
                last="name" if whose[-1] in experiments else "noted",
                lost=span([steps[state][place] for state in states]),
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


def place_name(point: str, layer: int, w: Words) -> str:
    """Name a feature point and its layer; those of layer 0 are before all layers."""
    return w["place"].format(point=w[point], layer=layer) if layer else w[point]


def separated_from(layers: Mapping[int, Mapping[str, Interval]]) -> int | None:
    """Find the layer from which on texts lie apart by label at every point; None if there is none.

    Apart means that the whole interval of the mean silhouette is above ``STRUCTURE``.
    """
    start = None
    for layer in sorted(layers, reverse=True):
        if not all(value.low > STRUCTURE for value in layers[layer].values()):
            break
        start = layer
    return start


def last(layers: Mapping[int, Mapping[str, Interval]]) -> Interval:
    """Silhouette at the last point of the last layer."""
    return list(layers[max(layers)].values())[-1]


def separation(silhouettes: Silhouettes, w: Words) -> str:
    """Judge whether texts separate by class in the later maps after fine-tuning, and not before.

    Parameters
    ----------
    silhouettes
        Of the token that the classifier reads; only states whose texts have labels.
    """
    name = "features_separation"
    after = {n: layers for (n, variant), layers in silhouettes.items() if variant == "finetuned"}
    names = [n for n in dict.fromkeys(n for n, _ in silhouettes) if n in after]
    if not names:
        apart = [separated_from(layers) is not None for layers in silhouettes.values()]
        counts = {"apart": str(sum(apart)), "experiments": str(len(apart))}
        return w.say(name, outcome="untuned", before=_ends(silhouettes), **counts)
    before = {n: silhouettes[n, "pretrained"] for n in names if (n, "pretrained") in silhouettes}
    holds = {
        n: start
        for n in names
        if (start := separated_from(after[n])) is not None
        and start > 0
        and not (n in before and separated_from(before[n]) is not None)
    }
    ends = {"before": _ends(before), "after": _ends(after)}
    others = [n for n in names if n not in holds]
    if not holds:
        return w.say(name, outcome="nowhere", **ends)
    if others:
        apart_in, not_in = listed(list(holds), w), listed(others, w)
        return w.say(name, outcome="somewhere", apart=apart_in, others=not_in, **ends)
    by_layer: dict[int, list[str]] = {}
    for experiment, layer in holds.items():
        by_layer.setdefault(layer, []).append(experiment)
    where = [
        w.say("features_separation_from", layer=str(layer), experiments=listed(of, w))
        for layer, of in by_layer.items()
    ]
    return w.say(name, outcome="everywhere", where=listed(where, w), **ends)


def _ends(states: Mapping[Any, Mapping[int, Mapping[str, Interval]]]) -> str:
    return span([last(layers).mean for layers in states.values()], ".2f")


def trusted(means: Mapping[str, Mapping[State, float]], w: Words) -> str:
    """Say which kind of map keeps neighbours best.

    Parameters
    ----------
    means
        Method -> mean trustworthiness over the maps of each state.
    """
    states = next(iter(means.values()))
    best = {max(means, key=lambda m: means[m][state]) for state in states}
    numbers = [f"{w[method]} {span(list(by.values()), '.2f')}" for method, by in means.items()]
    return w.say(
        "features_trusted",
        outcome="everywhere" if len(best) == 1 else "depends",
        best=w[min(best)],
        means=listed(numbers, w),
    )


def shifted(counts: Mapping[str, Mapping[str, tuple[int, int]]], w: Words) -> str:
    """Say on how many maps fine-tuning shows more than another seed would.

    Parameters
    ----------
    counts
        Method -> experiment -> maps whose shift exceeds the spread over seeds of both states, and
        maps.
    """
    totals = {
        method: [sum(column) for column in zip(*by.values(), strict=True)]
        for method, by in counts.items()
    }
    parts = [
        w.say("features_shifted_maps", beyond=str(beyond), maps=str(maps), method=w[method])
        for method, (beyond, maps) in totals.items()
    ]
    every = all(beyond == maps for beyond, maps in totals.values())
    counted = listed(parts, w)
    return w.say("features_shifted", outcome="all" if every else "some", counts=counted)


def changed(distances: Mapping[str, Mapping[tuple[str, int], float]], w: Words) -> str:
    """Say how far the vectors themselves have turned, and whether more so with depth.

    Parameters
    ----------
    distances
        Experiment -> point and layer, in the order of the forward pass -> mean cosine distance
        before and after fine-tuning.
    """
    inputs = [values[place] for values in distances.values() for place in values if not place[1]]
    tops = {name: max(values, key=lambda p: values[p]) for name, values in distances.items()}
    if len(set(tops.values())) == 1:
        place = place_name(*next(iter(tops.values())), w)
        where = w.say("features_changed_everywhere", place=place)
    else:
        places = [
            w.say("features_changed_in", place=place_name(*top, w), experiment=name)
            for name, top in tops.items()
        ]
        where = listed(places, w)
    return w.say(
        "features_changed",
        outcome="deeper" if all(map(_rises, distances.values())) else "other",
        start=span(inputs, ".2f"),
        most=span([distances[name][top] for name, top in tops.items()], ".2f"),
        where=where,
    )


def _rises(values: Mapping[tuple[str, int], float]) -> bool:
    """Whether the mean over the points of a layer grows from each layer to the next."""
    layers: dict[int, list[float]] = {}
    for (_, layer), value in values.items():
        layers.setdefault(layer, []).append(value)
    means: list[Any] = [sum(found) / len(found) for _, found in sorted(layers.items())]
    return means == sorted(means)
