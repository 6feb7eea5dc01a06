"""Chapter *heads*: the numbers and sentences of its prose."""

from __future__ import annotations

import pandas as pd

from analysis.figures.clusters import CLASSES, imaged, numbers
from analysis.figures.findings import attended as of_attended
from analysis.figures.findings import clusters as of_clusters
from analysis.figures.findings import head_ablation as of_ablation
from analysis.figures.findings import heads as of_heads
from analysis.figures.findings import published_scores as of_scores
from analysis.figures.heads import ATTENDED_COLOURS, described, moves, shown
from analysis.figures.phrases import counted
from analysis.figures.published import published
from analysis.figures.results import curves, overall
from analysis.figures.results import of_heads as rows_of_heads
from analysis.figures.words import Words
from analysis.params import Params


def prose(params: Params, w: Words) -> dict[str, str]:
    """Numbers and sentences of the page that this run has evidence for, by name."""
    heads = described()
    shares = overall("heads", measure="family_share").pivot_table(
        "mean", of_attended.STATE, "of", sort=False
    )
    mixed = overall("heads", of="heterogeneous", kind="family", measure="heads")["mean"]
    lines = curves("heads", by="heads", measure=list(ATTENDED_COLOURS)).dropna(subset="mean")
    maps = int(overall("heads", by="heads", measure="maps")["mean"].sum())
    found = numbers(overall("heads", by="clusters"))
    elbows = found["elbow", ""]
    quality = pd.DataFrame(
        {
            "silhouette": found["all", "", "silhouette"],
            "stability": found["kmeans", str(params.clusters.k), "stability"],
        }
    )
    disabled = rows_of_heads("explain", by="head_ablation")
    said = {
        "confidence": f"{params.bootstrap.confidence:.0%}",
        "shown": shown(params),
        "maps": counted(maps, "map", w),
        "lead": of_heads.lead(shares, elbows, quality, disabled, w),
        "families": of_heads.families(shares, w),
        "heterogeneous": of_heads.heterogeneous(shares["heterogeneous"], mixed, w),
        "neighbours": of_attended.neighbours(heads, w),
        "sink": of_attended.sink(lines, w),
        "sep-self": of_attended.sep_self(lines, w),
        "uniform": of_attended.uniform(lines, w),
        "elbow": of_clusters.elbow(elbows, params.clusters.references, w),
        "quality": of_clusters.quality(quality, params.clusters.k, w),
        **_of_clusters(found, w),
        "seed-maps": f"{published('A13')['windows'] * published('A13')['heads']:,}",
        "totals": of_scores.totals(w),
    }
    if disabled.empty:
        return said
    changed = found["change", "", "changed"].dropna().astype(int)
    plain = overall("explain", by="head_ablation", measure="score")
    perfect = plain.loc[plain["mean"] == 1, "experiment"].tolist()
    return said | {
        "moved": of_heads.moved(moves(heads), changed, w),
        "ablation": of_ablation.ablation(disabled, perfect, w),
        "chance": of_ablation.chance(disabled, params.bootstrap.confidence, w),
    }


def _of_clusters(found: pd.DataFrame, w: Words) -> dict[str, str]:
    """Say what clusters have to do with what else is known, and how many the gap finds."""
    # Of maps as images, as published, where every experiment has them.
    images = bool(imaged(found).all())
    features = found["images" if images else "descriptors"]
    distances = {
        "cluster": found["distances", "main", "agreement"],
        "layer": found["distances", "layer", "agreement"],
        "share": found["distances", "", "share"],
    }
    agreement = found["class"].xs("agreement", axis=1, level="measure")[list(CLASSES)]
    shares = features.xs("component_share", axis=1, level="measure")
    return {
        "gap": of_clusters.gap(found["gap", "", "k"], w),
        "agreement": of_clusters.agreement(agreement, w),
        "components": of_clusters.components(shares, features["", "dimensions"], images, w),
        "distances": of_clusters.distances(pd.DataFrame(distances), w),
    }
