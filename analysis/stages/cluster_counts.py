"""How often clusters meet heads, layers, families and texts; the maps in the middle of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.methods.clustering_agreement import agreement, agreement_of_counts
from analysis.methods.clustering_blocks import Reduction, Workers, labels
from analysis.methods.head_families import FAMILIES
from analysis.stages.attention_maps import Maps

Floats = NDArray[np.float64]

HEAD = ["variant", "layer", "head"]
# What clusters are compared with: the columns of a class.
CLASSES = {
    "family": ["family"],
    "layer": ["layer"],
    "head": ["layer", "head"],
    "text": ["example_id"],
}
# Agreement by chance is what so many tables with the same margins have.
CHANCES = 99


class Counts(NamedTuple):
    """Numbers of maps.

    Attributes
    ----------
    heads
        By variant, layer, head and cluster.
    texts
        By text and cluster.
    families
        By family and cluster.
    centres
        ``[family, component]``: the mean of the maps of each family, nan if there is none.
    """

    heads: pd.Series
    texts: pd.Series
    families: pd.Series
    centres: Floats


def count(maps: Sequence[Maps], reduced: Reduction, centres: Floats, workers: Workers) -> Counts:
    """Give every map to the nearest centre and count, in one pass; clusters are counted from 1."""
    found = workers.each(partial(_count, reduced=reduced, centres=centres), maps)
    *tables, sums = zip(*found, strict=True)
    heads, texts, families = (
        (whole := pd.concat(parts)).groupby(level=whole.index.names).sum() for parts in tables
    )
    sizes = families.groupby(level="family").sum().reindex(FAMILIES, fill_value=0).to_numpy()
    with np.errstate(invalid="ignore"):
        return Counts(heads, texts, families, np.sum(sums, axis=0) / sizes[:, None])


def _count(
    maps: Maps, reduced: Reduction, centres: Floats
) -> tuple[pd.Series, pd.Series, pd.Series, Floats]:
    tables, sums = [], np.zeros((len(FAMILIES), len(reduced.axes)))
    for table, features in maps.tables():
        tables.append(table.assign(cluster=labels(features, reduced, centres) + 1))
        rows = reduced(features)
        for at, family in enumerate(FAMILIES):
            sums[at] += rows[table["family"].to_numpy() == family].sum(axis=0)
    whole = pd.concat(tables)
    heads, texts, families = (
        whole.groupby([*keys, "cluster"]).size() for keys in (HEAD, ["example_id"], ["family"])
    )
    return heads, texts, families, sums


def head_shares(counts: Counts, k: int) -> pd.DataFrame:
    """Share of the maps of each head in each cluster: ``variant, layer, head, cluster, share``."""
    wide = _wide(counts.heads, k)
    shares = wide.div(wide.sum(axis=1), axis=0).stack().rename("share").reset_index()
    shares["variant"] = pd.Categorical(shares["variant"], ["pretrained", "finetuned"])
    shares = shares.sort_values([*HEAD, "cluster"], ignore_index=True)
    return shares.assign(variant=shares["variant"].astype(str))


def main_clusters(shares: pd.DataFrame) -> pd.DataFrame:
    """Cluster of most maps of each head: ``variant, layer, head, main``; of two alike the first."""
    largest = shares.loc[shares.groupby(HEAD, sort=False)["share"].idxmax()]
    return largest[[*HEAD, "cluster"]].rename(columns={"cluster": "main"}).reset_index(drop=True)


def agreements(counts: Counts, k: int, seed: int) -> dict[str, dict[str, float | int]]:
    """Compare the clusters of all maps with what else is known of the maps.

    Parameters
    ----------
    counts
        Of all maps.
    k
        How many clusters.
    seed
        Of the tables by chance.

    Returns
    -------
    dict
        Of each class of :data:`CLASSES` ``classes``, how many there are; ``agreement``, the
        adjusted Rand index; ``chance``, which is exceeded by one in twenty tables with the same
        margins: clusters that know nothing of the classes, and maps that know nothing of each
        other; ``main``, the share of maps that are in the cluster of most maps of their class; and
        ``largest``, the share of the largest cluster, which ``main`` cannot be below.
    """
    from scipy.stats import random_table  # half a second to import

    rng = np.random.default_rng(seed)
    found: dict[str, dict[str, float | int]] = {}
    for name, keys in CLASSES.items():
        source = {"family": counts.families, "text": counts.texts}.get(name, counts.heads)
        table = _wide(source.groupby(level=[*keys, "cluster"]).sum(), k).to_numpy()
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


def before_and_after(shares: pd.DataFrame) -> dict[str, Any] | None:
    """Compare the clusters of heads before and after fine-tuning.

    Parameters
    ----------
    shares
        As :func:`head_shares` returns them.

    Returns
    -------
    dict or None
        ``heads``; ``changed``, those with another main cluster; ``agreement`` of their main
        clusters, adjusted for chance; ``moved``, the share of a head's maps that would have to
        change cluster, averaged over heads; and which heads have ``most`` moved. None without
        fine-tuning.
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
        "agreement": agreement(first, second),
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


def nearest(
    maps: Sequence[Maps],
    reduced: Reduction,
    centres: Floats,
    counts: Counts,
    captured: Mapping[str, pd.Series],
    number: int,
    workers: Workers,
) -> pd.DataFrame:
    """Find the maps nearest to the centre of each cluster and of each family, in one pass.

    Parameters
    ----------
    maps, reduced, centres, counts
        All maps, and what was found in them.
    captured
        Of each variant the tokens of each text whose attention is at hand, by ``example_id``. Only
        maps of whole texts, or of their first window, are taken.
    number
        How many of each, of different heads: one head's maps of several texts look much alike.
    workers
        Who passes over the maps.

    Returns
    -------
    DataFrame
        ``kind`` (``cluster`` or ``family``), ``name``, ``rank`` (from 1), ``variant``,
        ``example_id``, ``layer``, ``head``.
    """
    work = partial(
        _nearest,
        reduced=reduced,
        centres=centres,
        family_centres=counts.centres,
        captured=dict(captured),
        number=number,
    )
    found = _first(pd.concat(workers.each(work, maps)), number)
    found["rank"] = found.groupby(["kind", "name"]).cumcount() + 1
    return found[["kind", "name", "rank", "variant", "example_id", "layer", "head"]]


def _nearest(
    maps: Maps,
    reduced: Reduction,
    centres: Floats,
    family_centres: Floats,
    captured: dict[str, pd.Series],
    number: int,
) -> pd.DataFrame:
    found = []
    for table, features in maps.tables():
        here = table["example_id"].map(captured[maps.variant]).to_numpy()
        there = (here == table["tokens"].to_numpy()) & (table["window"].to_numpy() == 0)
        table, rows = table[there], reduced(features[there])
        which = labels(features[there], reduced, centres)
        at_family = np.searchsorted(sorted(FAMILIES), table["family"].to_numpy(str))
        ordered = family_centres[[FAMILIES.index(name) for name in sorted(FAMILIES)]]
        for kind, name, middle in (
            ("cluster", (which + 1).astype(str), centres[which]),
            ("family", table["family"], ordered[at_family]),
        ):
            distance = ((rows - middle) ** 2).sum(axis=1)
            found.append(table.assign(kind=kind, name=name, distance=distance))
        found = [_first(pd.concat(found), number)]
    return pd.concat(found)


def _first(table: pd.DataFrame, number: int) -> pd.DataFrame:
    """Nearest of each kind and name, one of each head."""
    order = ["kind", "name", "distance", "variant", "example_id", "layer", "head"]
    table = table.sort_values(order).drop_duplicates(["kind", "name", "layer", "head"])
    return table.groupby(["kind", "name"], sort=False).head(number).reset_index(drop=True)


def _wide(counts: pd.Series, k: int) -> pd.DataFrame:
    """Lay out a row a class, a column a cluster, those without maps as well."""
    return counts.unstack("cluster", fill_value=0).reindex(columns=range(1, k + 1), fill_value=0)
