"""Clusters of attention maps or heads.

Features are ``[row, dim]``, a row a map or a head: descriptors (:mod:`analysis.methods.heads`) or
features of its image. What a clustering is worth is answered four times: how tight and how far
apart the clusters are (:mod:`analysis.methods.clustering_quality`), whether they come back on
other data and whether they are families that have a name
(:mod:`analysis.methods.clustering_agreement`), and whether the data prefer a number of clusters at
all (:mod:`analysis.methods.clustering_number`).

Rows that do not fit into memory are clustered by :mod:`analysis.methods.clustering_blocks`.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from threadpoolctl import threadpool_limits

from analysis.methods.clustering_rows import Labels, check_number, checked_rows, nearest_centre
from analysis.methods.engine import SCIKIT_LEARN, Engine

Method = Literal["kmeans", "agglomerative", "hdbscan"]

METHODS: tuple[Method, ...] = get_args(Method)
# Label of rows that HDBSCAN leaves out.
UNASSIGNED = -1
# k-means is run from so many random starts, the tightest result counts: of the data, of bootstrap
# samples and of data without clusters alike, so that a poor start is no likelier for the one.
STARTS = 3


def cluster(
    features: ArrayLike,
    method: Method,
    *,
    k: int | None = None,
    smallest: int | None = None,
    seed: int = 0,
    engine: Engine = SCIKIT_LEARN,
) -> Labels:
    """Cluster the rows.

    ``kmeans``: Lloyd's algorithm, the tightest of :data:`STARTS` starts by k-means++.
    ``agglomerative``: Ward's criterion; memory and time grow with the square of the rows.
    ``hdbscan``: dense regions of any shape (Campello et al. 2013), which finds out how many there
    are and leaves rows between them unassigned.

    Parameters
    ----------
    features
        ``[row, dim]``, standardised as a rule. Distances are Euclidean.
    method
        One of :data:`METHODS`.
    k
        How many clusters, for ``kmeans`` and ``agglomerative``.
    smallest
        Fewest rows of a cluster, at least 2, for ``hdbscan``.
    seed
        Of the random starts of ``kmeans``.
    engine
        What ``kmeans`` and ``hdbscan`` are computed with; ``agglomerative`` is scikit-learn's, for
        cuML has no criterion of Ward.

    Returns
    -------
    NDArray[int64]
        ``[row]``, from 0 for the largest cluster on; -1 for rows that ``hdbscan`` leaves out.

    Raises
    ------
    ValueError
        If the method is unknown, its number is missing or more than there are different rows, all
        rows are identical, or a feature is not finite.
    """
    if method not in METHODS:
        raise ValueError(f"method is {method!r}; allowed: {', '.join(METHODS)}")
    rows = checked_rows(features)
    name, number, least = ("smallest", smallest, 2) if method == "hdbscan" else ("k", k, 1)
    if number is None:
        raise ValueError(f"{name} is missing; {method} needs it")
    check_number(rows, name, number, least)
    with threadpool_limits(1):  # sums over threads would depend on their number
        match method:
            case "kmeans":
                labels = nearest_centre(rows, engine.kmeans(rows, number, starts=STARTS, seed=seed))
            case "agglomerative":
                from sklearn.cluster import AgglomerativeClustering  # a second to import

                labels = AgglomerativeClustering(n_clusters=number).fit_predict(rows)
            case "hdbscan":
                labels = engine.hdbscan(rows, number)
    return _by_size(labels)


def _by_size(labels: Labels) -> Labels:
    """Give clusters numbers from the largest on; of two alike the one met first comes first."""
    names, first, sizes = np.unique(labels, return_index=True, return_counts=True)
    order = [at for at in np.lexsort((first, -sizes)) if names[at] != UNASSIGNED]
    result = np.full(len(labels), UNASSIGNED, dtype=np.int64)
    for number, at in enumerate(order):
        result[labels == names[at]] = number
    return result
