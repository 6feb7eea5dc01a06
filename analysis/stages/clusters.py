"""Clusters of attention maps: whether there are any, and what they have to do with heads."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import combinations
from multiprocessing import get_context
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.capture.store import Capture, variants
from analysis.errors import InputError
from analysis.methods.clustering import METHODS, UNASSIGNED, cluster
from analysis.methods.clustering_agreement import agreement
from analysis.methods.clustering_blocks import Reduction, Workers, centres, labels, reduction
from analysis.methods.clustering_blocks import quality as quality_of_all
from analysis.methods.clustering_quality import quality
from analysis.methods.engine import Engine, engine
from analysis.methods.head_distances import classical_mds, jensen_shannon_distances
from analysis.methods.projection import FEWEST_TOKENS
from analysis.params import Params
from analysis.params.sections import Clusters
from analysis.paths import artifact, result
from analysis.stages.attention_maps import Maps, attention_maps, has_images, sample
from analysis.stages.cluster_counts import (
    HEAD,
    agreements,
    before_and_after,
    count,
    head_shares,
    main_clusters,
    nearest,
)
from analysis.stages.cluster_curves import curves
from analysis.stages.runner import replacing, run, write_json
from analysis.stages.summaries import defined
from analysis.stages.workers import workers

Floats = NDArray[np.float64]

# umap-learn's own choices.
NEIGHBORS, MIN_DIST = 15, 0.1
# The published figure is the share of so many principal components.
COMPONENTS = 7
# Texts, and queries of each, over which heads are compared pair by pair, at a cost that grows with
# the square of the heads. Of a six-layer MiniLM before and after fine-tuning, distances over all
# queries of 64 short texts differ by 3 % from these, and their ranks correlate by .98.
DISTANCE_TEXTS, DISTANCE_QUERIES = 8, 16
# Maps that are shown of each cluster and each family.
TYPICAL = 3
COLUMNS = [
    *("variant", "example_id", "window", "layer", "head", "family"),
    *METHODS,
    *("pca_x", "pca_y", "umap_x", "umap_y"),
]


def clusters(params: Params, name: str) -> None:
    """Write clusters of the attention maps of all variants together, and what speaks for them.

    Features are standardised and reduced to their first principal components. All maps are given
    to one of ``clusters.k`` clusters by mini-batch k-means; the rest is asked of a random sample,
    with as many maps of each variant. Clusters, like layers and heads, are counted from 1.

    ``results/E/clusters.parquet`` has a row for each map of the sample: ``variant``,
    ``example_id``, ``window``, ``layer``, ``head``, ``family`` (by rule), clusters by ``kmeans``
    (those of all maps), ``agglomerative`` and ``hdbscan`` (0: in none), and places on the maps by
    PCA and UMAP. ``plots/clusters.csv`` compares numbers of clusters.

    ``results/E/cluster_heads.parquet`` has for each head the ``share`` of its maps in each cluster.
    ``results/E/head_distances.parquet`` compares heads without any features: places by
    Jensen-Shannon distance, the heads of all variants in one plane, with the ``cluster`` of each by
    these distances and the ``main`` cluster of its maps.

    ``results/E/typical.parquet`` has the maps of captured texts nearest to the centre of each
    cluster and of each family, of different heads, with ``tokens`` and ``attention``, row by row.
    """
    settings = params.clusters
    try:
        chosen = engine(settings.engine)
    except ValueError as error:
        raise InputError(f"clusters.{error}.") from error
    maps = attention_maps(artifact(name, "heads"), settings.features)
    _check_enough(settings, name, sum(part.rows for part in maps))
    directory = artifact(name, "capture")
    captures = {variant: Capture(directory / variant) for variant in variants(directory)}
    captured = {
        variant: capture.examples.set_index("id")["tokens"] for variant, capture in captures.items()
    }
    # UMAP takes seconds to import: a process of its own does so in the meantime.
    with workers(settings.workers) as team, ProcessPoolExecutor(1, get_context("spawn")) as beside:
        umap = partial(chosen.umap, neighbors=NEIGHBORS, min_dist=MIN_DIST, seed=settings.seed)
        beside.submit(umap, np.eye(FEWEST_TOKENS))
        reduced = _reduction(maps, settings, name, team, chosen)
        table, features = sample(maps, settings.sample, settings.seed, team)
        rows = reduced(features)
        _check_different(settings, name, rows)
        layout = beside.submit(umap, rows)
        middle = centres(maps, reduced, settings.k, seed=settings.seed, workers=team, engine=chosen)
        worth = quality_of_all(maps, reduced, middle, seed=settings.seed, workers=team)
        counts = count(maps, reduced, middle, team)
        examples = nearest(maps, reduced, middle, counts, captured, TYPICAL, team)
        shares = {settings.features: _components(reduced)}
        if settings.features == "descriptors" and has_images(maps):
            images = [replace(part, features="images") for part in maps]
            shares["images"] = _components(reduction(images, 1, workers=team, engine=chosen))
        plot, judged = curves(rows, table["family"], settings, chosen)
        table = table.assign(**_clusters(features, reduced, middle, settings, chosen))
        table = table.assign(**_places("umap", layout.result()))
    heads = head_shares(counts, settings.k)
    distances, apart = _head_distances(captures, heads, settings, name)
    tables = {
        "clusters": table[COLUMNS],
        "cluster_heads": heads,
        "head_distances": distances,
        "typical": _with_attention(examples, captures),
    }
    at_k = plot[(plot["method"] == "kmeans") & (plot["k"] == settings.k)].iloc[0]
    summary: dict[str, Any] = {
        "maps": reduced.rows,
        "texts": int(counts.texts.index.get_level_values("example_id").nunique()),
        "engine": chosen.name,
        "features": settings.features,
        "components": {
            "used": settings.components,
            "kept": float(reduced.share[: settings.components].sum()),
            "shares": shares,
        },
        "sample": len(table),
        "k": settings.k,
        "sizes": counts.families.groupby(level="cluster").sum().tolist(),
        "quality": _numbers(worth._asdict()),
        "stability": _numbers(at_k[["stability", "stability_low", "stability_high"]].to_dict()),
        **judged,
        "hdbscan": _hdbscan(rows, table),
        "methods": {
            f"{one}_{other}": agreement(table[one], table[other])
            for one, other in combinations(METHODS, 2)
        },
        "agreement": agreements(counts, settings.k, settings.seed),
        "before_and_after": before_and_after(heads),
        "distances": apart,
    }
    for file, content in tables.items():
        with replacing(result(name, f"{file}.parquet")) as path:
            content.to_parquet(path, index=False)
    with replacing(result(name, "plots", "clusters.csv")) as path:
        plot.to_csv(path, index=False, float_format="%.6g")
    write_json(result(name, "summaries", "clusters.json"), summary)
    write_json(result(name, "metrics", "clusters.json"), _headlines(summary))


def _check_enough(settings: Clusters, name: str, rows: int) -> None:
    needed = max(settings.ks[-1] + 1, FEWEST_TOKENS)
    if rows < needed:
        raise InputError(
            f"{name} has only {rows} maps, too few for {settings.ks[-1]} clusters (clusters.ks), "
            f"which need at least {needed}; leave large numbers out, or describe more texts "
            "(heads.examples)."
        )
    if min(rows, settings.sample) < settings.smallest:
        raise InputError(
            f"clusters.smallest is {settings.smallest} but only {min(rows, settings.sample)} maps "
            f"of {name} are compared; lower it, or raise clusters.sample or heads.examples."
        )


def _check_different(settings: Clusters, name: str, rows: Floats) -> None:
    different = len(np.unique(rows, axis=0))
    if different <= settings.ks[-1]:
        raise InputError(
            f"clusters.ks asks for {settings.ks[-1]} clusters, but of {len(rows)} maps of {name} "
            f"only {different} are different; leave large numbers out, or describe more texts "
            "(heads.examples)."
        )


def _reduction(
    maps: list[Maps], settings: Clusters, name: str, team: Workers, engine: Engine
) -> Reduction:
    try:
        return reduction(maps, settings.components, workers=team, engine=engine)
    except ValueError as error:  # all maps identical, or more components than features
        raise InputError(f"clusters of {name}: {error}.") from error


def _components(reduced: Reduction) -> dict[str, Any]:
    """Shares of the first principal components."""
    first = reduced.share[:COMPONENTS]
    return {"dimensions": len(reduced.mean), "share": first.tolist(), "first": float(first.sum())}


def _clusters(
    features: NDArray[np.float32],
    reduced: Reduction,
    middle: Floats,
    settings: Clusters,
    engine: Engine,
) -> dict[str, NDArray]:
    """Columns of the sampled maps: clusters by each method, and the plane of PCA."""
    rows = reduced(features)
    hdbscan = cluster(rows, "hdbscan", smallest=settings.smallest, engine=engine)
    return {
        "kmeans": labels(features, reduced, middle) + 1,
        "agglomerative": cluster(rows, "agglomerative", k=settings.k) + 1,
        "hdbscan": hdbscan - UNASSIGNED,
        **_places("pca", rows[:, :2]),
    }


def _places(method: str, layout: Floats) -> dict[str, NDArray[np.float32]]:
    x, y = layout.T.astype(np.float32)
    return {f"{method}_x": x, f"{method}_y": y}


def _hdbscan(rows: Floats, table: pd.DataFrame) -> dict[str, float | int | None]:
    """How many dense regions there are, and what lies in none."""
    found = table["hdbscan"].to_numpy()
    figures = quality(rows, np.where(found == 0, UNASSIGNED, found))
    return {
        "clusters": figures.clusters,
        "unassigned": figures.unassigned,
        "silhouette": defined(figures.silhouette),
        "agreement": agreement(found, table["family"]),
    }


def _head_distances(
    captures: Mapping[str, Capture], heads: pd.DataFrame, settings: Clusters, name: str
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Compare heads by what they attend to, without any features."""
    *_, last = captures.values()
    ids = last.examples["id"].to_numpy()
    few = ids[np.unique(np.linspace(0, len(ids) - 1, DISTANCE_TEXTS).round().astype(int))]
    texts = (
        np.concatenate([capture.array(example, "attention") for capture in captures.values()])
        for example in few
    )
    try:
        far = jensen_shannon_distances(texts, queries=DISTANCE_QUERIES)
        layout = classical_mds(far, len(far))
    except ValueError as error:
        raise InputError(f"heads of {name}: {error}.") from error
    table = main_clusters(heads).assign(**dict(zip("xy", layout.coordinates.T[:2], strict=True)))
    # These distances are those of points: with all dimensions nothing is lost.
    k = min(settings.k, len(np.unique(layout.coordinates, axis=0)))
    table["cluster"] = cluster(layout.coordinates, "agglomerative", k=k) + 1
    apart = {
        "texts": len(few),
        "queries": DISTANCE_QUERIES,
        "share": float(layout.share[:2].sum()),
        "agreement": agreement(table["cluster"], table["main"]),
        "layer": agreement(table["cluster"], table["layer"]),
        "variant": agreement(table["cluster"], table["variant"]),
    }
    return table[[*HEAD, "x", "y", "cluster", "main"]], apart


def _with_attention(examples: pd.DataFrame, captures: Mapping[str, Capture]) -> pd.DataFrame:
    """Add tokens and attention, one row of the map after the other."""
    tokens, attention = [], []
    for row in examples.itertuples():
        capture = captures[row.variant]
        tokens.append(capture.tokens_of(row.example_id)["token"].tolist())
        maps = capture.array(row.example_id, "attention", row.layer - 1)
        attention.append(maps[row.head - 1].ravel())
    return examples.assign(tokens=tokens, attention=attention)


def _numbers(figures: dict[str, Any]) -> dict[str, float | int | None]:
    return {key: v if isinstance(v, int) else defined(v) for key, v in figures.items()}


def _headlines(summary: dict[str, Any]) -> dict[str, Any]:
    change = summary["before_and_after"]
    return {
        "maps": summary["maps"],
        "k": summary["k"],
        "kept": summary["components"]["kept"],
        "first_components": {
            kind: found["first"] for kind, found in summary["components"]["shares"].items()
        },
        "distortion_per_dimension": summary["quality"]["distortion_per_dimension"],
        "silhouette": summary["quality"]["silhouette"],
        "stability": summary["stability"]["stability"],
        "elbow": {key: summary["elbow"][key] for key in ("found", "k", "bend", "p_value")},
        "gap": summary["gap"]["k"],
        "hdbscan": {key: summary["hdbscan"][key] for key in ("clusters", "unassigned")},
        "agreement": {key: value["agreement"] for key, value in summary["agreement"].items()}
        | {"distances": summary["distances"]["agreement"]},
        "changed": change and {key: change[key] for key in ("heads", "changed", "agreement")},
    }


if __name__ == "__main__":
    run("clusters", clusters, "experiment")
