"""Chapter *features*: every number and sentence of its page."""

from __future__ import annotations

import pandas as pd

from analysis.figures.features import METHODS, shifts, shown
from analysis.figures.findings import features as findings
from analysis.figures.phrases import counted, span
from analysis.figures.results import value
from analysis.figures.words import Words
from analysis.params import Params

PLACE = ["point", "layer"]


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
    spreads = _means(trust[trust["measure"] == "spread"], "of")
    numbers = {
        "movement": findings.movement(_means(moved, "point"), w),
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
        "largest-step": findings.largest_step(_means(moved, PLACE), w),
        "neighbors": f"{neighbors:.0f}",
        "chance": f"{chance:.2f}",
        "trusted": findings.trusted(_means(trusted, "of"), w),
        "trust-worst": f"{worst['mean']:.2f}",
        "trust-worst-place": findings.place_name(worst[PLACE], w)
        + w["of_state"].format(experiment=worst["experiment"], state=w[worst["variant"]]),
        "spread-umap": span(spreads["umap"], ".2f"),
        "spread-tsne": span(spreads["tsne"], ".2f"),
        "structure": f"{findings.STRUCTURE}",
        "confidence": f"{params.bootstrap.confidence:.0%}",
    }
    silhouettes = silhouettes.dropna(subset="mean")
    first, mean = (silhouettes[silhouettes["kind"] == kind] for kind in ("first", "mean"))
    if len(first):
        after = findings.last(mean[mean["variant"] == "finetuned"])
        numbers |= {
            "lead": findings.separation(first, w),
            "silhouette-mean": span(after, ".2f"),
        }
    turned = distances[distances["kind"] == "all"]
    if len(turned):
        of_maps = shifts(trust)
        numbers |= {
            # In a map by PCA nothing is drawn by lot.
            "shifted": findings.shifted(of_maps[of_maps["of"] != "pca"], w),
            "changed": findings.changed(_means(turned, PLACE, rows="experiment"), w),
        }
    return numbers


def _means(
    found: pd.DataFrame, columns: str | list[str], rows: str | list[str] = findings.STATE
) -> pd.DataFrame:
    """Mean of each state, or of each of other rows, by some columns."""
    return found.pivot_table("mean", rows, columns, sort=False)
