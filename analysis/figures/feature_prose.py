"""Chapter *features*: every number and sentence of its page."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from analysis.figures.features import METHODS, Results, distances, moved, shifts, shown
from analysis.figures.findings import features as findings
from analysis.figures.findings.phrases import counted, span
from analysis.figures.results import summary
from analysis.figures.words import Words
from analysis.params import Params


def prose(results: Results, params: Params, w: Words, language: str) -> dict[str, str]:
    """Numbers and sentences of the page that this run has evidence for, by name."""
    focus = params.report.focus.experiment
    found = summary(focus, "projection")[results.states(focus)[0]]
    layers = max(layer for _, layer in results.places(focus))
    steps: dict[findings.State, dict[tuple[str, int], float]] = {}
    for row in moved(results).itertuples():
        steps.setdefault((row.experiment, row.variant), {})[row.point, int(row.layer)] = row.moved
    umap = results.trust[results.trust["method"] == METHODS[0]]
    worst = umap.loc[umap["trustworthiness"].idxmin()]
    spreads = _means(results, "spread")
    numbers = {
        "movement": findings.movement(_by_point(steps), w, language),
        "set": params.projection.points,
        "layers": str(layers),
        "counted": str(2 + 3 * layers),
        "coded": str(2 + 5 * layers),
        "texts": counted(len(results.texts[focus]), "text", language),
        "tokens": counted(found["tokens"], "token", language),
        "metric": params.projection.metric,
        "seed": str(params.projection.seeds[0]),
        "seeds": str(len(params.projection.seeds)),
        "shown": shown(params),
        "largest-step": findings.largest_step(steps, w, language),
        "neighbors": str(found["neighbors"]),
        "chance": f"{found['overlap_by_chance']:.2f}",
        "trusted": findings.trusted(_means(results, "trustworthiness"), w, language),
        "trust-worst": f"{worst['trustworthiness']:.2f}",
        "trust-worst-place": findings.place_name(worst["point"], int(worst["layer"]), w)
        + w["of_state"].format(worst["experiment"], w[worst["variant"]]),
        "spread-umap": span(list(spreads["umap"].values()), ".2f"),
        "spread-tsne": span(list(spreads["tsne"].values()), ".2f"),
        "structure": f"{findings.STRUCTURE}",
        "confidence": f"{params.bootstrap.confidence:.0%}",
    }
    silhouettes = _silhouettes(results, "first")
    if silhouettes:
        numbers |= {
            "lead": findings.separation(silhouettes, w, language),
            "silhouette-mean": span(_ends(_silhouettes(results, "mean")), ".2f"),
        }
    turned = _turned(results)
    if turned:
        numbers |= {
            "shifted": findings.shifted(_exceeding(results), w, language),
            "changed": findings.changed(turned, w, language),
        }
    return numbers


def _by_point(
    steps: Mapping[findings.State, Mapping[tuple[str, int], float]],
) -> dict[findings.State, dict[str, float]]:
    means = {}
    for state, shares in steps.items():
        by: dict[str, list[float]] = {}
        for (point, _), share in shares.items():
            by.setdefault(point, []).append(share)
        means[state] = {point: float(np.mean(values)) for point, values in by.items()}
    return means


def _silhouettes(results: Results, vector: str) -> findings.Silhouettes:
    """Take the defined silhouettes of one kind of vector, as the findings take them."""
    rows = results.separation
    found: dict[findings.State, dict[int, dict[str, findings.Interval]]] = {}
    for row in rows[rows["vector"] == vector].dropna(subset="mean").itertuples():
        layers = found.setdefault((row.experiment, row.variant), {})
        value = findings.Interval(row.mean, row.low, row.high)
        layers.setdefault(int(row.layer), {})[row.point] = value
    return found


def _ends(silhouettes: findings.Silhouettes) -> list[float]:
    """Last silhouettes of the fine-tuned models."""
    return [
        findings.last(layers).mean
        for (_, variant), layers in silhouettes.items()
        if variant == "finetuned"
    ]


def _means(results: Results, figure: str) -> dict[str, dict[findings.State, float]]:
    means: dict[str, dict[findings.State, float]] = {}
    for (method, experiment, variant), maps in results.trust.groupby(
        ["method", "experiment", "variant"], sort=False
    ):
        means.setdefault(method, {})[experiment, variant] = float(maps[figure].mean())
    return means


def _exceeding(results: Results) -> dict[str, dict[str, tuple[int, int]]]:
    """Count, by method and experiment, maps that shift by more than the spread, and maps."""
    of_maps = shifts(results)
    counts: dict[str, dict[str, tuple[int, int]]] = {}
    for method in METHODS[:2]:  # PCA has no spread
        for experiment, maps in of_maps[of_maps["method"] == method].groupby(
            "experiment", sort=False
        ):
            beyond = int((maps["shift"] > maps["spread_larger"]).sum())
            counts.setdefault(method, {})[str(experiment)] = (beyond, len(maps))
    return counts


def _turned(results: Results) -> dict[str, dict[tuple[str, int], float]]:
    found: dict[str, dict[tuple[str, int], float]] = {}
    rows = distances(results)
    for row in rows[rows["tokens"] == "all"].itertuples():
        found.setdefault(row.experiment, {})[row.point, int(row.layer)] = row.mean
    return found
