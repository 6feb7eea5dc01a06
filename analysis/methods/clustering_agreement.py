"""Whether two clusterings are the same: those of other samples, or families that have a name."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from threadpoolctl import threadpool_limits

from analysis.methods.clustering import STARTS
from analysis.methods.clustering_rows import Floats, check_number, checked_rows, nearest_centre
from analysis.methods.engine import SCIKIT_LEARN, Engine


def agreement(labels: ArrayLike, classes: ArrayLike) -> float:
    """Compare two labellings of the same rows by the adjusted Rand index.

    Parameters
    ----------
    labels, classes
        ``[row]``, numbers or names, such as clusters and rule classes; what the labels are called
        and how many there are on either side does not matter. -1 counts as a label like others.

    Returns
    -------
    float
        1 if rows are together in the one exactly if they are in the other; 0 on average for
        unrelated labellings.

    Raises
    ------
    ValueError
        If there are not as many of the one as of the other, or none.

    References
    ----------
    Hubert and Arabie (1985), *Comparing partitions*, Journal of Classification 2.
    """
    first, second = np.asarray(labels), np.asarray(classes)
    if first.ndim != 1 or first.shape != second.shape or not len(first):
        raise ValueError(
            f"labels have shape {first.shape} and classes {second.shape}; both must be [row]"
        )
    (names, one), (others, other) = (np.unique(x, return_inverse=True) for x in (first, second))
    counts = np.bincount(one * len(others) + other, minlength=len(names) * len(others))
    return agreement_of_counts(counts.reshape(len(names), len(others)))


def agreement_of_counts(counts: ArrayLike) -> float:
    """Compare two labellings by how often each label meets each class, which can be added up.

    Parameters
    ----------
    counts
        ``[label, class]``, numbers of rows.

    Returns
    -------
    float
        As :func:`agreement`.

    Raises
    ------
    ValueError
        If the counts are no table of numbers from 0 on, or there is no row.
    """
    table = np.asarray(counts, dtype=np.float64)
    if table.ndim != 2 or not table.sum() > 0 or table.min() < 0:
        raise ValueError(
            f"counts have shape {table.shape}; they must be [label, class], at least 0, not all 0"
        )
    both, one, other = (
        float((rows * (rows - 1)).sum() / 2)
        for rows in (table, table.sum(axis=1), table.sum(axis=0))
    )
    pairs = table.sum() * (table.sum() - 1) / 2
    chance = one * other / pairs if pairs else 0.0
    highest = (one + other) / 2
    # With everything together, or everything apart, on both sides, there is but one way to agree.
    return (both - chance) / (highest - chance) if highest != chance else 1.0


def stability(
    features: ArrayLike, k: int, *, resamples: int, seed: int = 0, engine: Engine = SCIKIT_LEARN
) -> Floats:
    """Measure whether k-means finds the same clusters in other samples of the data.

    Two bootstrap samples of the rows are clustered, all rows are given to the nearest centre of
    either, and the two labellings compared.

    Parameters
    ----------
    features
        ``[row, dim]``.
    k
        How many clusters, at least 2.
    resamples
        How many pairs of samples.
    seed
        Of samples and starts.
    engine
        What k-means is computed with.

    Returns
    -------
    NDArray[float64]
        ``[resample]``, adjusted Rand index: 1 for the same clusters, 0 on average for clusters that
        have nothing to do with each other.

    Raises
    ------
    ValueError
        As :func:`analysis.methods.clustering.cluster`; if ``k`` is below 2 or ``resamples`` below
        1.

    References
    ----------
    Fang and Wang (2012), *Selection of the number of clusters via the bootstrap method*,
    Computational Statistics & Data Analysis 56; Hubert and Arabie (1985) for the index.
    """
    rows = checked_rows(features)
    check_number(rows, "k", k, 2)
    if resamples < 1:
        raise ValueError(f"resamples is {resamples!r}; it must be at least 1")
    rng = np.random.default_rng(seed)
    found = np.empty(resamples)
    with threadpool_limits(1):
        for each in range(resamples):
            first, second = (
                nearest_centre(
                    rows,
                    engine.kmeans(rows[drawn], k, starts=STARTS, seed=int(rng.integers(2**31))),
                )
                for drawn in rng.integers(len(rows), size=(2, len(rows)))
            )
            found[each] = agreement(first, second)
    return found
