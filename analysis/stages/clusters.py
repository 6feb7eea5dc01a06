"""Clusters of attention maps: whether there are any, and what they have to do with heads."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from analysis.capture.store import VARIANTS, Capture, variants
from analysis.errors import InputError
from analysis.methods.clustering import (
    METHODS,
    UNASSIGNED,
    Each,
    Library,
    Reduction,
    agreement_of_counts,
    cluster,
    distortions,
    elbow,
    gap,
    library,
    plane,
    quality,
    reduce,
    reference_distortions,
    stability,
)
from analysis.methods.head_distances import classical_mds, jensen_shannon_distances
from analysis.methods.heads import SHAPE
from analysis.methods.projection import FEWEST_TOKENS
from analysis.params import Params
from analysis.params.sections import Clusters
from analysis.paths import artifact, result
from analysis.stages.runner import replacing, run, write_json
from analysis.stages.summaries import defined

Floats = NDArray[np.float64]

# The column that is there unless ``heads.images`` is none.
IMAGE = "image"
# Maps whose features are read at a time.
BLOCK = 8192
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
# Agreement by chance is what so many tables with the same margins have.
CHANCES = 99
# A scheduler that is there answers at once; without a limit, Dask asks for half a minute.
SECONDS = 5
HEAD = ["variant", "layer", "head"]
MAP = ["variant", "example_id", "window", "layer", "head", "family"]
COLUMNS = [*MAP, *METHODS, "pca_x", "pca_y", "umap_x", "umap_y"]
# What clusters are compared with: the columns of a class.
CLASSES = {
    "family": ["family"],
    "layer": ["layer"],
    "head": ["layer", "head"],
    "text": ["example_id"],
}


def clusters(params: Params, name: str) -> None:
    """Write clusters of the attention maps of all variants together, and what speaks for them.

    Features are standardised and reduced to their first principal components. All maps are given
    to one of ``clusters.k`` clusters by k-means; the rest is asked of a random sample, with as many
    maps of each variant. Clusters, like layers and heads, are counted from 1.

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
    settings, seed = params.clusters, params.clusters.seed
    try:
        chosen = library(settings.engine)
    except ValueError as error:
        raise InputError(f"clusters.{error}.") from error
    captured = artifact(name, "capture")
    captures = {variant: Capture(captured / variant) for variant in variants(captured)}
    # Sums over threads would depend on their number.
    with threadpool_limits(1), workers(settings.workers) as each:
        maps, features = read(artifact(name, "heads"), settings)
        _check_enough(settings, name, len(maps))
        try:
            reduced = reduce(features, settings.components, chosen)
        except ValueError as error:  # all maps identical, or more components than features
            raise InputError(f"clusters of {name}: {error}.") from error
        rows = np.concatenate([reduced(block) for block in features])
        few = _drawn(maps["variant"], settings.sample, seed)
        _check_different(settings, name, rows[few])
        maps["cluster"] = 1 + cluster(rows, "kmeans", settings.k, seed=seed, library=chosen)
        table = _compared(maps.iloc[few], rows[few], settings, chosen)
        plot, judged = curves(rows[few], table["family"], settings, chosen, each)
        worth = quality(rows, maps["cluster"].to_numpy(), seed=seed)
        shares = {settings.features: _components(reduced)}
        if settings.features == "descriptors" and features.have(IMAGE):
            images = Features(features.paths, (IMAGE,))
            shares["images"] = _components(reduce(images, 1, chosen))
    heads = _head_shares(maps)
    distances, apart = _head_distances(captures, heads, settings, name)
    tables = {
        "clusters": table[COLUMNS],
        "cluster_heads": heads,
        "head_distances": distances,
        "typical": _typical(maps, rows, captures),
    }
    at_k = plot[(plot["method"] == "kmeans") & (plot["k"] == settings.k)].iloc[0]
    summary: dict[str, Any] = {
        "maps": len(maps),
        "texts": int(maps["example_id"].nunique()),
        "engine": chosen.name,
        "features": settings.features,
        "components": {
            "used": settings.components,
            "kept": float(reduced.share[: settings.components].sum()),
            "shares": shares,
        },
        "sample": len(table),
        "k": settings.k,
        "sizes": maps["cluster"].value_counts().sort_index().tolist(),
        "quality": _numbers(worth._asdict()),
        "stability": _numbers(at_k[["stability", "stability_low", "stability_high"]].to_dict()),
        **judged,
        "hdbscan": _hdbscan(rows[few], table),
        "methods": {
            f"{one}_{other}": adjusted_rand_score(table[one], table[other])
            for one, other in combinations(METHODS, 2)
        },
        "agreement": _agreements(maps, seed),
        "before_and_after": _before_and_after(heads),
        "distances": apart,
    }
    for file, content in tables.items():
        with replacing(result(name, f"{file}.parquet")) as path:
            content.to_parquet(path, index=False)
    with replacing(result(name, "plots", "clusters.csv")) as path:
        plot.to_csv(path, index=False, float_format="%.6g")
    write_json(result(name, "summaries", "clusters.json"), summary)
    write_json(result(name, "metrics", "clusters.json"), _headlines(summary))


@contextmanager
def workers(choice: str) -> Iterator[Each]:
    """Provide what does independent work, as long as the block lasts.

    ``none`` does it in this process, ``local`` in one process a core; anything else is the address
    of a Dask scheduler, whose workers need this package.

    Raises
    ------
    InputError
        If nothing answers at the address within :data:`SECONDS`, or it has no workers; if workers
        die.
    """
    if choice == "none":
        yield map
        return
    from distributed import Client  # a second to import
    from distributed.scheduler import KilledWorker

    try:
        if choice == "local":
            with joblib.parallel_config("loky", inner_max_num_threads=1):
                pool = joblib.Parallel(n_jobs=os.cpu_count())
                yield lambda work, items: pool(joblib.delayed(work)(item) for item in items)
            return
        try:
            client = Client(choice, timeout=SECONDS)
        except (OSError, ValueError) as error:
            raise InputError(
                f"clusters.workers is {choice}, but no Dask scheduler answers there within "
                f"{SECONDS} seconds ({error or type(error).__name__}); start one with "
                "`dask scheduler`, or set none or local."
            ) from error
        with client:
            if not client.scheduler_info()["workers"]:
                raise InputError(
                    f"the Dask scheduler at {choice} has no workers; start some with `dask worker "
                    f"{choice}`, or set clusters.workers: none or local."
                )
            # Not joblib, which waits for workers that have died, for ever.
            yield lambda work, items: client.gather(client.map(work, list(items), pure=False))
    except (KilledWorker, BrokenProcessPool) as error:
        raise InputError(
            f"a worker ({choice}) died at its work; give workers more memory and look at their "
            "logs, or set clusters.workers: none."
        ) from error


@dataclass(frozen=True)
class Features:
    """Features of the maps of all files, one pass after the other."""

    paths: tuple[Path, ...]
    columns: tuple[str, ...]

    def __iter__(self) -> Iterator[NDArray[np.float32]]:
        """Read them block after block: ``[map, dim]``."""
        for path in self.paths:
            with pq.ParquetFile(path) as file:
                for batch in file.iter_batches(BLOCK, columns=list(self.columns)):
                    if self.columns == (IMAGE,):
                        images = batch.column(IMAGE)
                        yield images.flatten().to_numpy().reshape(len(images), -1)
                    else:
                        yield np.stack([batch.column(c).to_numpy() for c in self.columns], axis=1)

    def have(self, column: str) -> bool:
        """Whether there is such a column in every file."""
        return all(column in pq.read_schema(path).names for path in self.paths)


def read(directory: Path, settings: Clusters) -> tuple[pd.DataFrame, Features]:
    """Read which maps stage ``heads`` has described, pretrained first, and where features are.

    Raises
    ------
    InputError
        If there are none, or images are asked for and there are none.
    """
    paths = {variant: directory / f"{variant}.parquet" for variant in VARIANTS}
    paths = {variant: path for variant, path in paths.items() if path.exists()}
    if not paths:
        raise InputError(f"{directory} holds no maps; make them with `dvc repro`.")
    columns = (IMAGE,) if settings.features == "images" else tuple(SHAPE)
    features = Features(tuple(paths.values()), columns)
    if settings.features == "images" and not features.have(IMAGE):
        raise InputError(
            f"clusters.features is images but a table of {directory} has none; set heads.images "
            "to hog or a model and run `dvc repro`."
        )
    tables = [
        pd.read_parquet(path, columns=[*MAP[1:], "tokens"]).assign(variant=variant)
        for variant, path in paths.items()
    ]
    maps = pd.concat(tables, ignore_index=True)
    # Of millions of maps, names would take more memory than all else.
    return maps.astype(
        {"variant": pd.CategoricalDtype(list(paths)), "family": "category"}
    ), features


def curves(
    rows: Floats, families: pd.Series, settings: Clusters, library: Library, each: Each = map
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Cluster the sample with every method into every number of clusters.

    Returns
    -------
    tuple
        A row for each method and number of clusters: figures of
        :func:`analysis.methods.clustering.quality`; of k-means ``stability``, the mean adjusted
        Rand index of clusters of pairs of bootstrap samples, with the smallest and largest; the
        ``agreement`` with the families; of k-means ``reference``, the mean distortion of data
        without clusters. And ``elbow`` and ``gap``: which number the distortions speak for, if any.
        The gap statistic needs numbers that grow one by one, and is asked of the first that do.
    """
    ks = np.array(settings.ks)
    kmeans: dict[str, Any] = {"seed": settings.seed, "library": library}
    many = kmeans | {"each": each}
    distortion = distortions(rows, ks, **many)
    references = reference_distortions(rows, ks, references=settings.references, **many)
    table = []
    for method in METHODS[:2]:
        for at, k in enumerate(settings.ks):
            labels = cluster(rows, method, k, **kmeans)
            figures: dict[str, Any] = {"method": method, "k": k, **quality(rows, labels)._asdict()}
            names = ("stability", "stability_low", "stability_high")
            figures |= dict.fromkeys(names, np.nan)
            if method == "kmeans" and k > 1:
                found = stability(rows, k, resamples=settings.resamples, **many)
                figures |= zip(names, (found.mean(), found.min(), found.max()), strict=True)
            figures["agreement"] = adjusted_rand_score(labels, families)
            figures["reference"] = references[:, at].mean() if method == "kmeans" else np.nan
            table.append(figures)
    first = 1 + next((i for i, step in enumerate(np.diff(ks)) if step != 1), len(ks) - 1)
    gaps = gap(ks[:first], distortion[:first], references[:, :first])
    judged = gaps._asdict() | {"gap": gaps.gap.tolist(), "error": gaps.error.tolist()}
    return pd.DataFrame(table).drop(columns=["clusters", "unassigned"]), {
        "elbow": elbow(ks, distortion, references)._asdict(),
        "gap": judged | {"ks": ks[:first].tolist()},
    }


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


def _drawn(variant: pd.Series, size: int, seed: int) -> NDArray[np.int64]:
    """Draw as many maps of each variant, and of each variant every map with the same chance."""
    rng = np.random.default_rng(seed)
    names = variant.cat.categories
    found = []
    for number, one in enumerate(names):
        there = np.flatnonzero(variant == one)
        share = size // len(names) + (number < size % len(names))
        found.append(np.sort(rng.choice(there, min(share, len(there)), replace=False)))
    return np.concatenate(found)


def _compared(
    maps: pd.DataFrame, rows: Floats, settings: Clusters, library: Library
) -> pd.DataFrame:
    """Add the clusters of the sampled maps by each method, and the planes of PCA and UMAP."""
    hdbscan = cluster(rows, "hdbscan", settings.smallest, library=library)
    umap = plane(
        rows, neighbors=NEIGHBORS, min_dist=MIN_DIST, seed=settings.seed, library=library
    ).astype(np.float32)
    return maps.rename(columns={"cluster": "kmeans"}).assign(
        variant=maps["variant"].astype(str),
        family=maps["family"].astype(str),
        agglomerative=cluster(rows, "agglomerative", settings.k) + 1,
        hdbscan=hdbscan - UNASSIGNED,
        pca_x=rows[:, 0].astype(np.float32),
        pca_y=rows[:, 1].astype(np.float32),
        umap_x=umap[:, 0],
        umap_y=umap[:, 1],
    )


def _components(reduced: Reduction) -> dict[str, Any]:
    """Shares of the first principal components."""
    first = reduced.share[:COMPONENTS]
    return {"dimensions": len(reduced.mean), "share": first.tolist(), "first": float(first.sum())}


def _hdbscan(rows: Floats, table: pd.DataFrame) -> dict[str, float | int | None]:
    """How many dense regions there are, and what lies in none."""
    found = table["hdbscan"].to_numpy()
    figures = quality(rows, np.where(found == 0, UNASSIGNED, found))
    return {
        "clusters": figures.clusters,
        "unassigned": figures.unassigned,
        "silhouette": defined(figures.silhouette),
        "agreement": adjusted_rand_score(found, table["family"]),
    }


def _head_shares(maps: pd.DataFrame) -> pd.DataFrame:
    """Share of the maps of each head in each cluster: ``variant, layer, head, cluster, share``."""
    wide = pd.crosstab([maps[key] for key in HEAD], maps["cluster"], normalize="index")
    shares = wide.stack().rename("share").reset_index()
    return shares.assign(variant=shares["variant"].astype(str))


def _agreements(maps: pd.DataFrame, seed: int) -> dict[str, dict[str, float | int]]:
    """Compare the clusters of all maps with what else is known of the maps.

    Of each class of :data:`CLASSES` ``classes``, how many there are; ``agreement``, the adjusted
    Rand index; ``chance``, which is exceeded by one in twenty tables with the same margins:
    clusters that know nothing of the classes, and maps that know nothing of each other; ``main``,
    the share of maps that are in the cluster of most maps of their class; and ``largest``, the
    share of the largest cluster, which ``main`` cannot be below.
    """
    from scipy.stats import random_table  # half a second to import

    rng = np.random.default_rng(seed)
    found: dict[str, dict[str, float | int]] = {}
    for name, keys in CLASSES.items():
        table = pd.crosstab([maps[key] for key in keys], maps["cluster"]).to_numpy()
        margins = random_table(table.sum(axis=1), table.sum(axis=0))
        by_chance = [agreement_of_counts(margins.rvs(random_state=rng)) for _ in range(CHANCES)]
        found[name] = {
            "classes": len(table),
            "agreement": agreement_of_counts(table),
            "chance": float(np.quantile(by_chance, 0.95)),
            "main": float(table.max(axis=1).sum() / table.sum()),
            "largest": float(table.sum(axis=0).max() / table.sum()),
        }
    return found


def _before_and_after(shares: pd.DataFrame) -> dict[str, Any] | None:
    """Compare the clusters of heads before and after fine-tuning; None without the one or other.

    ``heads``; ``changed``, those with another main cluster; ``agreement`` of their main clusters,
    adjusted for chance; ``moved``, the share of a head's maps that would have to change cluster,
    averaged over heads; and which heads have ``most`` moved.
    """
    if shares["variant"].nunique() < 2:
        return None
    wide = shares.pivot(index=["layer", "head"], columns=["variant", "cluster"], values="share")
    before, after = wide["pretrained"], wide["finetuned"]
    first, second = before.idxmax(axis=1), after.idxmax(axis=1)
    moved = (after - before).abs().sum(axis=1) / 2
    most = moved.sort_values(ascending=False, kind="stable").head(5)
    return {
        "heads": len(wide),
        "changed": int((first != second).sum()),
        "agreement": adjusted_rand_score(first, second),
        "moved": float(moved.mean()),
        "most": [
            {
                "layer": int(layer),
                "head": int(head),
                "moved": float(value),
                "before": int(first[layer, head]),
                "after": int(second[layer, head]),
            }
            for (layer, head), value in most.items()
        ],
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
    main = heads.loc[heads.groupby(HEAD, sort=False)["share"].idxmax()]
    table = main.rename(columns={"cluster": "main"}).reset_index(drop=True)
    # These distances are those of points: with all dimensions nothing is lost.
    k = min(settings.k, len(np.unique(layout.coordinates, axis=0)))
    table["cluster"] = cluster(layout.coordinates, "agglomerative", k) + 1
    table["x"], table["y"] = layout.coordinates.T[:2]
    apart = {
        "texts": len(few),
        "queries": DISTANCE_QUERIES,
        "share": float(layout.share[:2].sum()),
        "agreement": adjusted_rand_score(table["cluster"], table["main"]),
        "layer": adjusted_rand_score(table["cluster"], table["layer"]),
        "variant": adjusted_rand_score(table["cluster"], table["variant"]),
    }
    return table[[*HEAD, "x", "y", "cluster", "main"]], apart


def _typical(maps: pd.DataFrame, rows: Floats, captures: Mapping[str, Capture]) -> pd.DataFrame:
    """Take the maps nearest to the centre of each cluster and of each family, with attention.

    Only of whole texts, or of their first window, that are captured; of different heads, for one
    head's maps of several texts look much alike.
    """
    known = pd.concat(
        capture.examples[["id", "tokens"]].assign(variant=variant)
        for variant, capture in captures.items()
    ).rename(columns={"id": "example_id"})
    key = ["variant", "example_id", "tokens"]
    captured = pd.MultiIndex.from_frame(maps[key]).isin(pd.MultiIndex.from_frame(known[key]))
    there = np.flatnonzero(captured & (maps["window"] == 0))
    places, found = pd.DataFrame(rows), []
    for kind in ("cluster", "family"):
        centres = places.groupby(maps[kind], observed=True).mean()
        at = maps.iloc[there]
        apart = rows[there] - centres.loc[at[kind]].to_numpy()
        name, distance = at[kind].astype(str), (apart**2).sum(axis=1)
        found.append(at.drop(columns="cluster").assign(kind=kind, name=name, distance=distance))
    order = ["kind", "name", "distance", "variant", "example_id", "layer", "head"]
    table = pd.concat(found).sort_values(order).drop_duplicates(["kind", "name", "layer", "head"])
    table["rank"] = table.groupby(["kind", "name"]).cumcount() + 1
    table = table[table["rank"] <= TYPICAL].reset_index(drop=True)
    tokens, attention = [], []
    for row in table.itertuples():
        capture = captures[row.variant]
        tokens.append(capture.tokens_of(row.example_id)["token"].tolist())
        weights = capture.array(row.example_id, "attention", row.layer - 1)
        attention.append(weights[row.head - 1].ravel())
    columns = ["kind", "name", "rank", "variant", "example_id", "layer", "head"]
    table = table[columns].assign(variant=table["variant"].astype(str))
    return table.assign(tokens=tokens, attention=attention)


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
