"""Chapter *features*: every number and sentence of its page."""

from __future__ import annotations

from typing import Any

import pandas as pd

from analysis.figures.features import METHODS, shifts, shown
from analysis.figures.findings import features as findings
from analysis.figures.findings.phrases import counted, span
from analysis.figures.results import value
from analysis.figures.words import Words
from analysis.params import Params

Keys = str | list[str]
STATE: Keys = ["experiment", "variant"]
PLACE: Keys = ["point", "layer"]


def prose(
    trust: pd.DataFrame,
    silhouettes: pd.DataFrame,
    distances: pd.DataFrame,
    tokens: pd.DataFrame,
    params: Params,
    w: Words,
) -> dict[str, str]:
    """Numbers and sentences of the page that this run has evidence for, by name.

    Parameters
    ----------
    trust, silhouettes, distances
        As :func:`analysis.figures.features.along` gives them.
    tokens
        On the maps of the experiment in focus, a row a token.
    """
    focus = {"experiment": params.report.focus.experiment, "variant": "pretrained"}
    neighbors, chance = (
        value("vectors", **focus, measure=one) for one in ("neighbors", "overlap_by_chance")
    )
    layers = trust.loc[trust["experiment"] == focus["experiment"], "layer"].max()
    moved = trust[trust["measure"] == "moved"]
    trusted = trust[trust["measure"] == "trustworthiness"]
    umap = trusted[trusted["of"] == METHODS[0]]
    worst = umap.loc[umap["mean"].idxmin()]
    spreads = _nested(trust[trust["measure"] == "spread"], "of", STATE)
    numbers = {
        "movement": findings.movement(_nested(moved, STATE, "point"), w),
        "set": params.projection.points,
        "layers": str(layers),
        "counted": str(2 + 3 * layers),
        "coded": str(2 + 5 * layers),
        "texts": counted(tokens["example_id"].nunique(), "text", w),
        "tokens": counted(len(tokens), "token", w),
        "metric": params.projection.metric,
        "seed": str(params.projection.seeds[0]),
        "seeds": str(len(params.projection.seeds)),
        "shown": shown(params),
        "largest-step": findings.largest_step(_nested(moved, STATE, PLACE), w),
        "neighbors": f"{neighbors:.0f}",
        "chance": f"{chance:.2f}",
        "trusted": findings.trusted(_nested(trusted, "of", STATE), w),
        "trust-worst": f"{worst['mean']:.2f}",
        "trust-worst-place": findings.place_name(worst["point"], int(worst["layer"]), w)
        + w["of_state"].format(experiment=worst["experiment"], state=w[worst["variant"]]),
        "spread-umap": span(list(spreads["umap"].values()), ".2f"),
        "spread-tsne": span(list(spreads["tsne"].values()), ".2f"),
        "structure": f"{findings.STRUCTURE}",
        "confidence": f"{params.bootstrap.confidence:.0%}",
    }
    by_first = _silhouettes(silhouettes, "first")
    if by_first:
        numbers |= {
            "lead": findings.separation(by_first, w),
            "silhouette-mean": span(_ends(_silhouettes(silhouettes, "mean")), ".2f"),
        }
    turned = _nested(distances[distances["kind"] == "all"], "experiment", PLACE)
    if turned:
        numbers |= {
            "shifted": findings.shifted(_exceeding(shifts(trust)), w),
            "changed": findings.changed(turned, w),
        }
    return numbers


def _nested(rows: pd.DataFrame, outer: Keys, inner: Keys) -> dict[Any, dict[Any, float]]:
    """Means by some columns and, within, by others, in the order of the rows."""
    return {
        key: part.groupby(inner, sort=False)["mean"].mean().to_dict()
        for key, part in rows.groupby(outer, sort=False)
    }


def _silhouettes(rows: pd.DataFrame, vector: str) -> findings.Silhouettes:
    """Take the defined silhouettes of one kind of vector, as the findings take them."""
    found: dict[findings.State, dict[int, dict[str, findings.Interval]]] = {}
    for row in rows[rows["kind"] == vector].dropna(subset="mean").itertuples():
        layers = found.setdefault((row.experiment, row.variant), {})
        interval = findings.Interval(row.mean, row.low, row.high)
        layers.setdefault(int(row.layer), {})[row.point] = interval
    return found


def _ends(silhouettes: findings.Silhouettes) -> list[float]:
    """Last silhouettes of the fine-tuned models."""
    return [
        findings.last(layers).mean
        for (_, variant), layers in silhouettes.items()
        if variant == "finetuned"
    ]


def _exceeding(of_maps: pd.DataFrame) -> dict[str, dict[str, tuple[int, int]]]:
    """Count, by method and experiment, maps that shift by more than the spread, and maps."""
    counts: dict[str, dict[str, tuple[int, int]]] = {}
    seeded = of_maps[of_maps["of"] != "pca"]
    for (method, experiment), maps in seeded.groupby(["of", "experiment"], sort=False):
        beyond = int((maps["mean"] > maps["spread_larger"]).sum())
        counts.setdefault(method, {})[experiment] = (beyond, len(maps))
    return counts
