"""How tight clusters are and how far apart."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from threadpoolctl import threadpool_limits

from analysis.methods.clustering import UNASSIGNED
from analysis.methods.clustering_rows import Floats, Labels, checked_rows

# Silhouettes compare every row with every other: above this many, those of a sample.
SILHOUETTE_ROWS = 5000


class Quality(NamedTuple):
    """How tight clusters are and how far apart.

    Attributes
    ----------
    clusters
        How many there are.
    unassigned
        Share of rows that are in none; the other figures leave them out.
    distortion
        Mean squared distance of a row to the centre of its cluster.
    distortion_per_dimension
        The same divided by the number of dimensions: at most 1 for standardised features.
    silhouette
        Mean over rows, -1 to 1 (Rousseeuw 1987).
    calinski_harabasz
        Variance between clusters over variance within, each over its degrees of freedom (Calinski
        and Harabasz 1974).
    """

    clusters: int
    unassigned: float
    distortion: float
    distortion_per_dimension: float
    silhouette: float
    calinski_harabasz: float


def quality(features: ArrayLike, labels: ArrayLike, *, seed: int = 0) -> Quality:
    """Measure how tight clusters are and how far apart.

    Parameters
    ----------
    features
        ``[row, dim]``.
    labels
        ``[row]``, numbers or names, such as families; rows labelled -1 are in no cluster.
    seed
        Of the sample of :data:`SILHOUETTE_ROWS` rows whose silhouettes are taken if there are more.

    Returns
    -------
    Quality
        ``silhouette`` and ``calinski_harabasz`` are not a number with fewer than two clusters or
        with a row a cluster, the latter also if no row is off its centre; all are with no cluster.

    Raises
    ------
    ValueError
        If there is not one label a row, or as :func:`analysis.methods.clustering.cluster`.
    """
    rows, given = checked_rows(features), np.asarray(labels)
    if given.shape != (len(rows),):
        raise ValueError(f"labels have shape {given.shape}; there must be one a row, {len(rows)}")
    rows, assigned = rows[given != UNASSIGNED], given[given != UNASSIGNED]
    unassigned = 1 - len(rows) / len(given)
    _, which, sizes = np.unique(assigned, return_inverse=True, return_counts=True)
    if not len(sizes):
        return Quality(0, unassigned, *[float("nan")] * 4)
    centres = _centres(rows, which)
    within = float(((rows - centres[which]) ** 2).sum())
    between = float(sizes @ ((centres - rows.mean(axis=0)) ** 2).sum(axis=1))
    sample = rows, which
    if len(rows) > SILHOUETTE_ROWS:
        drawn = np.random.default_rng(seed).choice(len(rows), SILHOUETTE_ROWS, replace=False)
        sample = rows[drawn], which[drawn]
    return quality_of_sums(
        sizes, within, between, rows.shape[1], silhouette(*sample), unassigned=unassigned
    )


def quality_of_sums(
    sizes: ArrayLike,
    within: float,
    between: float,
    dimensions: int,
    silhouette: float,
    *,
    unassigned: float = 0.0,
) -> Quality:
    """Quality from sums over the rows, which blocks of them can be added to.

    Parameters
    ----------
    sizes
        ``[cluster]``, rows of each.
    within, between
        Squared distances of rows to their centres, and of centres to the common mean, summed over
        rows.
    dimensions
        Of the features.
    silhouette, unassigned
        As in :class:`Quality`.

    Returns
    -------
    Quality
        As :func:`quality`.
    """
    count, clusters = int(np.sum(sizes)), len(np.asarray(sizes))
    calinski_harabasz = float("nan")
    if 1 < clusters < count and within > 0:
        calinski_harabasz = between / (clusters - 1) / (within / (count - clusters))
    distortion = within / count
    return Quality(
        clusters, unassigned, distortion, distortion / dimensions, silhouette, calinski_harabasz
    )


def silhouette(rows: Floats, labels: ArrayLike) -> float:
    """Mean silhouette; not a number with fewer than two clusters or with a row a cluster.

    Parameters
    ----------
    rows
        ``[row, dim]``. Every row is compared with every other.
    labels
        ``[row]``.

    Returns
    -------
    float
        -1 to 1.
    """
    from sklearn import config_context  # a second to import
    from sklearn.metrics import silhouette_score

    if not 1 < len(np.unique(labels)) < len(rows):
        return float("nan")
    # Distances are held for some rows at a time, here 16 MB of them.
    with threadpool_limits(1), config_context(working_memory=16):
        return float(silhouette_score(rows, labels))


def _centres(rows: Floats, which: Labels) -> Floats:
    return np.stack([rows[which == label].mean(axis=0) for label in range(which.max() + 1)])
