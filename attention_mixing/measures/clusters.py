"""Clusters of attention maps: whether there are any, and how they relate to heads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from attention_mixing.addresses import ALL
from attention_mixing.errors import InputError
from attention_mixing.measures.engine.definition import (
    POSITIVE,
    SHARE,
    SIGNED,
    CapturedCorpus,
    Field,
    Given,
    Gives,
    Measure,
    Measured,
    OfCorpus,
    Values,
    each_of,
    gives,
)
from attention_mixing.measures.head_layout import distance_agreements, heads_by_distance
from attention_mixing.measures.typical_maps import typical_maps
from attention_mixing.methods.clustering import (
    METHODS,
    UNASSIGNED,
    Library,
    Quality,
    Reduction,
    agreement_of_counts,
    cluster,
    distortion,
    elbow,
    gap,
    library,
    plane,
    quality,
    reduce,
    stability,
    without_clusters,
)
from attention_mixing.methods.head_descriptors import SHAPE
from attention_mixing.methods.projection import FEWEST_POINTS
from attention_mixing.settings.measures import Clusters
from attention_mixing.workers import Each

Floats = NDArray[np.float64]

FEATURES, BY_CLUSTERS = ("descriptors", "images"), ("clusters",)
STABILITY = ("stability", "stability_low", "stability_high")
BOTH = "both"  # what is of all states of the model together
# The column that is there unless ``heads.images`` is none.
IMAGE = "image"
# Maps whose features are read at a time.
BLOCK = 8192
# umap-learn's own choices.
UMAP_NEIGHBORS, UMAP_MIN_DIST = 15, 0.1
# The published figure is the share of so many principal components.
COMPONENTS = 7
# Agreement by chance is what so many tables with the same margins have.
CHANCES = 99
HEAD = ["variant", "layer", "head"]
MAP = ["variant", "example_id", "window", "layer", "head", "family"]
COLUMNS = [*MAP, *METHODS, "pca_x", "pca_y", "umap_x", "umap_y"]
# How good clusters are: of all maps and of HDBSCAN, which chooses their number itself, and of the
# sample by the number of clusters.
WHOLE, BY_NUMBER = ("all", "hdbscan"), METHODS[:2]
# What clusters are compared with: the columns of a class.
CLASSES = {
    "family": ["family"],
    "layer": ["layer"],
    "head": ["layer", "head"],
    "text": ["example_id"],
}


def clusters(corpus: CapturedCorpus, given: Given) -> OfCorpus:
    """Cluster the attention maps of all variants together, and measure how good the clusters are.

    Features are standardised and reduced to their first principal components. All maps are given
    to one of ``clusters.k`` clusters by k-means, so that those of a head before and after
    fine-tuning can be compared; everything else is computed on a random sample, with as many maps
    of each variant. Clusters, like layers and heads, are counted from 1.

    Values, of each variant: of its own components (``subject`` the features) how much the
    ``first_components`` hold, of how many ``dimensions``; of every method and number of
    ``clusters``, of its maps alone, what :func:`curves` says; of ``all`` its maps the quality of
    their clusters; of ``elbow``, ``gap`` and ``hdbscan`` what they find; ``agreement`` with each
    class of maps (:func:`agreements`) and with ``distances`` between heads. Of both: how many heads
    have another main cluster after fine-tuning (``changed``), and of ``distances`` the ``share``
    that the plane of :func:`heads_by_distance` shows.

    Shown: ``sample``, a row for each map of the sample, with clusters by ``kmeans`` (those of all
    maps), ``agglomerative`` and ``hdbscan`` (0: in none), and places on the maps by PCA and UMAP;
    ``heads``, the ``share`` of the maps of each head in each cluster; ``distances``, which compares
    heads without any features; ``typical``, the maps of captured texts nearest to the centre of
    each cluster and family, with ``tokens`` and ``attention``, row by row.
    """
    settings, name = given.settings["clusters"], given.name
    seed = settings.seed
    try:
        chosen = library(settings.engine)
    except ValueError as error:
        raise InputError(f"clusters.{error}.") from error

    # Sums over threads would depend on their number.
    with threadpool_limits(1):
        described = {
            state.variant: corpus.directory / "maps" / f"{state.variant}.parquet"
            for state in corpus.states
        }
        maps, features = read(described, settings)
        few = _drawn(maps["variant"], settings.sample, seed)
        for variant in maps["variant"].cat.categories:
            of_state = (maps["variant"] == variant).to_numpy()
            require_enough_maps(settings, name, of_state.sum(), of_state[few].sum())
        reduced = _reduced(features, settings, chosen, name)
        rows = np.concatenate([reduced(block) for block in features])
        for variant in maps["variant"].cat.categories:
            of_state = (maps["variant"] == variant).to_numpy()
            _check_different(settings, name, rows[few[of_state[few]]])
        maps["cluster"] = 1 + cluster(rows, "kmeans", settings.k, seed=seed, library=chosen)
        table = _compared(maps.iloc[few], rows[few], settings, chosen)
        heads = _head_shares(maps)
        main = heads.loc[heads.groupby(HEAD, sort=False)["share"].idxmax()]
        apart, share = heads_by_distance(corpus.states, main, settings, name)
        for path, variant in zip(features.paths, maps["variant"].cat.categories, strict=True):
            of_state = (maps["variant"] == variant).to_numpy()
            sampled, sample = rows[few[of_state[few]]], table[table["variant"] == variant]
            measured = [
                Values("k", settings.k),
                *_components(Features((path,), features.columns), settings, chosen, name),
                *_quality("all", rows[of_state], maps["cluster"].to_numpy()[of_state], seed),
                *curves(sampled, sample["family"], settings, chosen, corpus.each, name),
                *_quality("hdbscan", sampled, sample["hdbscan"].to_numpy() + UNASSIGNED),
                *agreements(maps[of_state], seed),
                *distance_agreements(apart[apart["variant"] == variant]),
            ]
            yield variant, ALL, measured
        measured = [
            *_changed(main),
            Values("share", share, "distances"),
            Field("distances", apart, shown=True),
            Field("sample", table[COLUMNS], shown=True),
            Field("heads", heads, shown=True),
            Field("typical", typical_maps(maps, rows, corpus.states), shown=True),
        ]
    yield BOTH, ALL, measured


@dataclass(frozen=True)
class Features:
    """Features of the maps of all files, one pass after the other.

    Attributes
    ----------
    paths
        A table of maps for each variant.
    columns
        Of the features in the tables.
    """

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


def read(paths: Mapping[str, Path], settings: Clusters) -> tuple[pd.DataFrame, Features]:
    """Read which maps were described, by variant, pretrained first, and where features are.

    ``paths`` has the table of the maps of each variant. Of each map there is a row with variant,
    text, window, layer, head, family and tokens; the features that ``settings`` names come in the
    same order.
    """
    columns = (IMAGE,) if settings.features == "images" else tuple(SHAPE)
    features = Features(tuple(paths.values()), columns)
    tables = [
        pd.read_parquet(path, columns=[*MAP[1:], "tokens"]).assign(variant=variant)
        for variant, path in paths.items()
    ]
    maps = pd.concat(tables, ignore_index=True)
    # Of millions of maps, names would take more memory than all else.
    return maps.astype(
        {"variant": pd.CategoricalDtype(list(paths)), "family": "category"}
    ), features


def _reduced(features: Features, settings: Clusters, library: Library, name: str) -> Reduction:
    try:
        return reduce(features, settings.components, library)
    except ValueError as error:  # all maps identical, or more components than features
        raise InputError(f"clusters of {name}: {error}.") from error


def _components(features: Features, settings: Clusters, library: Library, name: str) -> Measured:
    """Share of the first principal components of maps, and of maps as images where there are."""
    components = {settings.features: _reduced(features, settings, library, name)}
    if settings.features == "descriptors" and features.have(IMAGE):
        components["images"] = reduce(Features(features.paths, (IMAGE,)), 1, library)
    for of, reduced in components.items():
        share = reduced.share[:COMPONENTS].sum()
        figures = {"dimensions": len(reduced.mean), "first_components": share}
        yield from each_of(figures, subject=of)


def _quality(
    subject: str, rows: Floats, labels: NDArray, seed: int = 0, clusters: int = 0
) -> Measured:
    return each_of(quality(rows, labels, seed=seed)._asdict(), subject=subject, clusters=clusters)


def curves(
    rows: Floats,
    families: pd.Series,
    settings: Clusters,
    library: Library,
    each: Each,
    experiment: str,
) -> Measured:
    """Cluster the sample with every method into every number of clusters.

    Of each: the figures of :func:`attention_mixing.methods.clustering.quality` and the
    ``agreement`` with the families; of k-means ``stability``, the mean adjusted Rand index of
    clusters of pairs of bootstrap samples, with the smallest and largest, and ``reference``, the
    mean distortion of data without clusters. ``k`` of ``elbow`` and ``gap`` is the number of
    clusters that they support, if any. The gap statistic needs consecutive numbers, and takes the
    first that are.

    ``rows`` are reduced features of the sampled maps, ``families`` theirs by rule. ``each`` is as
    :func:`attention_mixing.workers.workers` provides it, and tells progress under the name of the
    experiment.
    """
    ks, title = np.array(settings.ks), f"{experiment}: clusters"
    kmeans: dict[str, Any] = {"seed": settings.seed, "library": library}
    distortions = np.array(list(each(partial(distortion, rows, **kmeans), settings.ks, title)))
    work = partial(_reference, rows, settings.ks, kmeans)
    references = np.array(list(each(work, range(settings.references), title)))
    for at, k in enumerate(settings.ks):
        for method in METHODS[:2]:
            labels = cluster(rows, method, k, **kmeans)
            yield from _quality(method, rows, labels, clusters=k)
            agrees = adjusted_rand_score(labels, families)
            yield Values("agreement", agrees, method, clusters=k)
        yield Values("reference", references[:, at].mean(), "kmeans", clusters=k)
        if k > 1:
            alike = partial(stability, rows, k, **kmeans)
            agree = np.array(list(each(alike, range(settings.resamples), title)))
            figures = zip(STABILITY, (agree.mean(), agree.min(), agree.max()), strict=True)
            yield from each_of(dict(figures), subject="kmeans", clusters=k)
    first = 1 + next((i for i, step in enumerate(np.diff(ks)) if step != 1), len(ks) - 1)
    supported = gap(ks[:first], distortions[:first], references[:, :first])
    yield Values("k", np.nan if supported is None else supported, "gap")
    bends = elbow(ks, distortions, references)._asdict()
    yield from each_of(bends | {"references": settings.references}, subject="elbow")


def _reference(
    rows: Floats, ks: Sequence[int], kmeans: Mapping[str, Any], number: int
) -> list[float]:
    """Distortions of data without clusters."""
    reference = without_clusters(rows, number, seed=kmeans["seed"])
    return [distortion(reference, k, **kmeans) for k in ks]


def require_enough_maps(settings: Clusters, name: str, rows: int, sampled: int) -> None:
    """Refuse fewer maps of a state, or in its sample, than an experiment looks for clusters in."""
    needed = max(settings.ks[-1] + 1, FEWEST_POINTS)
    if rows < needed:
        raise InputError(
            f"{name} has only {rows} maps of a model, too few for {settings.ks[-1]} clusters "
            f"(clusters.ks), which need at least {needed}; leave large numbers out, or describe "
            "more texts (heads.examples)."
        )
    if sampled < needed:
        raise InputError(
            f"clusters.sample takes only {sampled} maps of each model of {name}, too few for "
            f"{settings.ks[-1]} clusters (clusters.ks); allowed: at least {needed} of each; raise "
            "it, or leave large numbers out."
        )
    if sampled < settings.smallest:
        raise InputError(
            f"clusters.smallest is {settings.smallest} but only {sampled} maps of a model of "
            f"{name} are compared; lower it, or raise clusters.sample or heads.examples."
        )


def _check_different(settings: Clusters, name: str, rows: Floats) -> None:
    different = len(np.unique(rows, axis=0))
    if different <= settings.ks[-1]:
        raise InputError(
            f"clusters.ks asks for {settings.ks[-1]} clusters, but of {len(rows)} maps of a model "
            f"of {name} only {different} are different; leave large numbers out, or describe more "
            "texts (heads.examples)."
        )


def _drawn(variant: pd.Series, size: int, seed: int) -> NDArray[np.int64]:
    """Draw as many maps of each variant, and of each variant every map with the same chance."""
    rng = np.random.default_rng(seed)
    names = variant.cat.categories
    samples = []
    for number, name in enumerate(names):
        rows = np.flatnonzero(variant == name)
        share = size // len(names) + (number < size % len(names))
        samples.append(np.sort(rng.choice(rows, min(share, len(rows)), replace=False)))
    return np.concatenate(samples)


def _compared(
    maps: pd.DataFrame, rows: Floats, settings: Clusters, library: Library
) -> pd.DataFrame:
    """Add the clusters of the sampled maps by each method, and the planes of PCA and UMAP."""
    hdbscan = cluster(rows, "hdbscan", settings.smallest, library=library)
    umap = plane(
        rows, neighbors=UMAP_NEIGHBORS, min_dist=UMAP_MIN_DIST, seed=settings.seed, library=library
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


def _head_shares(maps: pd.DataFrame) -> pd.DataFrame:
    """Share of the maps of each head in each cluster: ``variant, layer, head, cluster, share``."""
    wide = pd.crosstab([maps[key] for key in HEAD], maps["cluster"], normalize="index")
    shares = wide.stack().rename("share").reset_index()
    return shares.assign(variant=shares["variant"].astype(str))


def agreements(maps: pd.DataFrame, seed: int) -> Measured:
    """Compare the clusters of all maps with what else is known of the maps.

    Of each class of :data:`CLASSES` ``agreement``, the adjusted Rand index, and ``chance``, which
    is exceeded by one in twenty tables with the same margins: clusters that know nothing of the
    classes, and maps that know nothing of each other.

    ``maps`` has ``cluster`` and the columns of the classes; the seed is for the tables by chance.
    """
    from scipy.stats import random_table  # half a second to import

    rng = np.random.default_rng(seed)
    for name, keys in CLASSES.items():
        table = pd.crosstab([maps[key] for key in keys], maps["cluster"]).to_numpy()
        by_chance = [agreement_of_counts(table)]
        if min(table.shape) > 1:  # else there is no other table, and SciPy 1.17 draws wrong ones
            margins = random_table(table.sum(axis=1), table.sum(axis=0))
            by_chance = [agreement_of_counts(margins.rvs(random_state=rng)) for _ in range(CHANCES)]
        chance = np.quantile(by_chance, 0.95)
        figures = {"agreement": agreement_of_counts(table), "chance": chance}
        yield from each_of(figures, subject="class", facet=name)


def _changed(main: pd.DataFrame) -> Measured:
    """Count the heads with another main cluster after fine-tuning, where there was any."""
    wide = main.pivot(index=["layer", "head"], columns="variant", values="cluster")
    if len(wide.columns) > 1:
        yield Values("changed", (wide["pretrained"] != wide["finetuned"]).sum(), "change")


def _quality_quantities(axes: tuple[str, ...], subject: tuple[str, ...]) -> tuple[Gives, ...]:
    """Declare the figures of :func:`attention_mixing.methods.clustering.quality`."""
    figures = (name for name in Quality._fields if name not in ("unassigned", "silhouette"))
    return (
        *gives(figures, axes, POSITIVE, subject),
        Gives("unassigned", axes, SHARE, subject),
        Gives("silhouette", axes, SIGNED, subject),
    )


MEASURES = (
    Measure(
        "clusters",
        clusters,
        gives=(
            Gives("k", range=POSITIVE, subject=("", "elbow", "gap")),
            Gives("dimensions", range=POSITIVE, subject=FEATURES),
            Gives("first_components", range=SHARE, subject=FEATURES),
            *_quality_quantities((), WHOLE),
            *_quality_quantities(BY_CLUSTERS, BY_NUMBER),
            Gives("agreement", BY_CLUSTERS, SIGNED, subject=BY_NUMBER),
            Gives("reference", BY_CLUSTERS, POSITIVE, subject=("kmeans",)),
            *gives(STABILITY, BY_CLUSTERS, SIGNED, subject=("kmeans",)),
            *gives(("bend", "references"), range=POSITIVE, subject=("elbow",)),
            *gives(("p_value", "found"), range=SHARE, subject=("elbow",)),
            *gives(("agreement", "chance"), range=SIGNED, subject=("class",), facet=tuple(CLASSES)),
            Gives("changed", range=POSITIVE, subject=("change",)),
            Gives("share", range=SHARE, subject=("distances",)),
            Gives("agreement", range=SIGNED, subject=("distances",), facet=("main", "layer")),
        ),
        kind="corpus",
        settings=("clusters",),
        after=("heads",),
    ),
)
