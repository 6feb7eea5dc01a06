"""Clusters of attention maps or heads, and what there is to say for them.

Features are ``[row, dim]``, a row a map or a head: descriptors (:mod:`analysis.methods.heads`) or
features of its image. What a clustering is worth is answered four times: how tight and how far
apart the clusters are (:func:`quality`), whether they come back on other data
(:func:`stability`), whether the data prefer a number of clusters at all (:func:`gap`,
:func:`elbow`), and whether clusters are families that have a name (:func:`agreement`).

Rows that do not fit into memory are clustered by :mod:`analysis.methods.clustering_blocks`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from threadpoolctl import threadpool_limits

from analysis.methods.engine import SCIKIT_LEARN, Engine

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]
Method = Literal["kmeans", "agglomerative", "hdbscan"]

METHODS: tuple[Method, ...] = get_args(Method)
# Label of rows that HDBSCAN leaves out.
UNASSIGNED = -1
# k-means is run from so many random starts, the tightest result counts: of the data, of bootstrap
# samples and of data without clusters alike, so that a poor start is no likelier for the one.
STARTS = 3
# Silhouettes compare every row with every other: above this many, those of a sample.
SILHOUETTE_ROWS = 5000
# An elbow is one that structureless data show in less than this share of cases.
LEVEL = 0.05

# A column whose values differ by less, relative to the largest, is constant but for rounding.
_ROUNDING = 1e-12


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


class Gap(NamedTuple):
    """Result of :func:`gap`.

    Attributes
    ----------
    gap
        ``[k]``: how far the logarithm of the distortion lies below that of structureless data.
    error
        ``[k]``, standard error of the simulation.
    k
        The first k whose gap is not less than that of the next, less its error; None if the gap
        grows to the end of the range. 1 says that the data have no clusters.
    """

    gap: Floats
    error: Floats
    k: int | None


class Elbow(NamedTuple):
    """Result of :func:`elbow`.

    Attributes
    ----------
    k
        Where the curve bends most.
    bend
        How far it lies below its chord there, both axes logarithmic; at least 0.
    p_value
        Share of structureless curves, this one counted with them, that bend as much.
    found
        Whether ``p_value`` is at most :data:`LEVEL`. If not, ``k`` means nothing.
    """

    k: int
    bend: float
    p_value: float
    found: bool


def standardised(features: ArrayLike) -> Floats:
    """Shift and scale every dimension to mean 0 and standard deviation 1.

    Dimensions that are constant, such as the share on [SEP] without such a token, become 0.

    Parameters
    ----------
    features
        ``[row, dim]``, or ``[..., dim]``, such as ``[text, layer, head, descriptor]``.

    Returns
    -------
    NDArray[float64]
        ``[row, dim]``; axes before the last become one, the first varying slowest.

    Raises
    ------
    ValueError
        If there are no two rows that differ, or a feature is not finite.
    """
    array = np.asarray(features, dtype=np.float64)
    rows = _rows(array.reshape(-1, array.shape[-1]) if array.ndim > 2 else array)
    mean = rows.mean(axis=0)
    deviation = rows.std(axis=0)
    constant = deviation <= _ROUNDING * np.abs(rows).max(axis=0)
    return np.where(constant, 0, (rows - mean) / np.where(constant, 1, deviation))


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
        ``[row, dim]``, such as :func:`standardised` returns. Distances are Euclidean.
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
    rows = _rows(features)
    name, number, least = ("smallest", smallest, 2) if method == "hdbscan" else ("k", k, 1)
    if number is None:
        raise ValueError(f"{name} is missing; {method} needs it")
    _check_number(rows, name, number, least)
    with threadpool_limits(1):  # sums over threads would depend on their number
        match method:
            case "kmeans":
                labels = _nearest(rows, engine.kmeans(rows, number, starts=STARTS, seed=seed))
            case "agglomerative":
                from sklearn.cluster import AgglomerativeClustering  # a second to import

                labels = AgglomerativeClustering(n_clusters=number).fit_predict(rows)
            case "hdbscan":
                labels = engine.hdbscan(rows, number)
    return _by_size(labels)


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
        If there is not one label a row, or as :func:`cluster`.
    """
    rows, given = _labelled(features, labels)
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
        As :func:`cluster`; if ``k`` is below 2 or ``resamples`` below 1.

    References
    ----------
    Fang and Wang (2012), *Selection of the number of clusters via the bootstrap method*,
    Computational Statistics & Data Analysis 56; Hubert and Arabie (1985) for the index.
    """
    rows = _rows(features)
    _check_number(rows, "k", k, 2)
    if resamples < 1:
        raise ValueError(f"resamples is {resamples!r}; it must be at least 1")
    rng = np.random.default_rng(seed)
    found = np.empty(resamples)
    with threadpool_limits(1):
        for each in range(resamples):
            first, second = (
                _nearest(
                    rows,
                    engine.kmeans(rows[drawn], k, starts=STARTS, seed=int(rng.integers(2**31))),
                )
                for drawn in rng.integers(len(rows), size=(2, len(rows)))
            )
            found[each] = agreement(first, second)
    return found


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


def distortions(
    features: ArrayLike, ks: Sequence[int], *, seed: int = 0, engine: Engine = SCIKIT_LEARN
) -> Floats:
    """Distortion of k-means over a range of k.

    Parameters
    ----------
    features
        ``[row, dim]``.
    ks
        Numbers of clusters.
    seed
        Of the random starts.
    engine
        What k-means is computed with.

    Returns
    -------
    NDArray[float64]
        ``[k]``: mean squared distance of a row to the nearest centre.

    Raises
    ------
    ValueError
        As :func:`cluster`.
    """
    rows = _rows(features)
    for k in ks:
        _check_number(rows, "k", k, 1)
    with threadpool_limits(1):
        return np.array(
            [
                _distances(rows, engine.kmeans(rows, k, starts=STARTS, seed=seed))
                .min(axis=1)
                .mean()
                for k in ks
            ]
        )


def reference_distortions(
    features: ArrayLike,
    ks: Sequence[int],
    *,
    references: int,
    seed: int = 0,
    engine: Engine = SCIKIT_LEARN,
) -> Floats:
    """Distortions of data without clusters that extend as far as the given ones.

    As many rows as there are, drawn evenly from the box around the data that lies along their
    principal components.

    Parameters
    ----------
    features, ks
        As in :func:`distortions`.
    references
        How many times. :func:`elbow` asks for at least 19.
    seed
        Of drawing and starts.
    engine
        What k-means is computed with.

    Returns
    -------
    NDArray[float64]
        ``[reference, k]``.

    Raises
    ------
    ValueError
        As :func:`distortions`, and if ``references`` is below 1.

    References
    ----------
    Tibshirani, Walther and Hastie (2001), *Estimating the number of clusters in a data set via the
    gap statistic*, Journal of the Royal Statistical Society B 63, section 4, choice (b).
    """
    rows = _rows(features)
    if references < 1:
        raise ValueError(f"references is {references!r}; it must be at least 1")
    rng = np.random.default_rng(seed)
    mean = rows.mean(axis=0)
    with threadpool_limits(1):
        _, _, axes = np.linalg.svd(rows - mean, full_matrices=False)
        along = (rows - mean) @ axes.T
        low, high = along.min(axis=0), along.max(axis=0)
        drawn = [rng.uniform(low, high, along.shape) @ axes for _ in range(references)]
    return np.stack([distortions(rows, ks, seed=seed, engine=engine) for rows in drawn])


def gap(ks: Sequence[int], distortions: ArrayLike, references: ArrayLike) -> Gap:
    r"""Gap statistic: how much tighter the clusters are than those of data without any.

    .. math:: \mathrm{Gap}(k) = \frac{1}{B} \sum_b \ln D^*_{bk} - \ln D_k

    Parameters
    ----------
    ks
        Numbers of clusters, growing one by one; from 1 on, if the answer may be that there are no
        clusters.
    distortions
        ``[k]``, of the data (:func:`distortions`).
    references
        ``[reference, k]`` (:func:`reference_distortions`).

    Returns
    -------
    Gap
        With the rule of the paper for ``k``.

    Raises
    ------
    ValueError
        If shapes do not match, ``ks`` do not grow one by one, or a distortion is not positive.

    References
    ----------
    Tibshirani, Walther and Hastie (2001), section 3.
    """
    numbers, curve, nulls = _curves(ks, distortions, references)
    if (np.diff(numbers) != 1).any():
        raise ValueError(f"ks are {list(ks)}; they must grow one by one")
    gaps = nulls.mean(axis=0) - curve
    errors = nulls.std(axis=0) * np.sqrt(1 + 1 / len(nulls))
    first = np.flatnonzero(gaps[:-1] >= gaps[1:] - errors[1:])
    return Gap(gaps, errors, int(numbers[first[0]]) if len(first) else None)


def elbow(ks: Sequence[int], distortions: ArrayLike, references: ArrayLike) -> Elbow:
    r"""Test whether the curve of distortions has an elbow at all.

    Drawn on ordinary axes every such curve bends: without any clusters, in :math:`d` dimensions,
    the distortion falls as :math:`k^{-2/d}` (Zador 1982), and the eye finds an elbow in it. On
    logarithmic axes that is a straight line, and an elbow is where the curve lies furthest below
    the chord of its ends. How far a curve without clusters gets there by accident is what
    ``references`` tell.

    Parameters
    ----------
    ks
        Numbers of clusters, growing, at least three.
    distortions
        ``[k]``, of the data (:func:`distortions`).
    references
        ``[reference, k]``, at least 19, so that a probability of :data:`LEVEL` can be reached
        (:func:`reference_distortions`).

    Returns
    -------
    Elbow
        ``found`` is the answer, wrong for one cloud in twenty, mostly with a small ``bend`` near an
        end of the range: 99 references tell more, and clusters that lie well apart bend the curve
        by .2 and more. Where an elbow is not found, there may be clusters all the same: with
        clusters of clusters, the curve goes on falling.

    Raises
    ------
    ValueError
        If shapes do not match, there are too few numbers or references, ``ks`` do not grow, or a
        distortion is not positive.
    """
    numbers, curve, nulls = _curves(ks, distortions, references)
    if len(numbers) < 3 or (np.diff(numbers) <= 0).any():
        raise ValueError(f"ks are {list(ks)}; they must grow and be at least three")
    if len(nulls) + 1 < 1 / LEVEL:
        raise ValueError(f"references has {len(nulls)} curves; at least {1 / LEVEL - 1:.0f} needed")
    depth = _below_chord(numbers, curve)
    by_chance = _below_chord(numbers, nulls).max(axis=-1)
    p_value = float((1 + np.count_nonzero(by_chance >= depth.max())) / (1 + len(nulls)))
    where = int(depth.argmax())
    return Elbow(int(numbers[where]), float(depth[where]), p_value, p_value <= LEVEL)


def typical(features: ArrayLike, labels: ArrayLike, count: int) -> dict[int | str, Labels]:
    """Find the rows nearest to the centre of each cluster.

    Parameters
    ----------
    features
        ``[row, dim]``.
    labels
        ``[row]``, numbers or names, such as families; rows labelled -1 are in no cluster.
    count
        How many of each cluster, at least 1; all if it has fewer.

    Returns
    -------
    dict
        Cluster -> row numbers, the nearest first; of two at the same distance the earlier one.

    Raises
    ------
    ValueError
        If there is not one label a row, ``count`` is below 1, or as :func:`cluster`.
    """
    rows, given = _labelled(features, labels)
    if count < 1:
        raise ValueError(f"count is {count!r}; it must be at least 1")
    found = {}
    for label in np.unique(given[given != UNASSIGNED]):
        members = np.flatnonzero(given == label)
        far = ((rows[members] - rows[members].mean(axis=0)) ** 2).sum(axis=1)
        found[label.item()] = members[np.argsort(far, kind="stable")[:count]]
    return found


def _rows(features: ArrayLike) -> Floats:
    rows = np.asarray(features, dtype=np.float64)
    if rows.ndim != 2 or 0 in rows.shape:
        raise ValueError(
            f"features have shape {rows.shape}; they must be [row, dim], nothing empty"
        )
    if not np.isfinite(rows).all():
        where = [int(i) for i in np.argwhere(~np.isfinite(rows))[0]]
        raise ValueError(f"features{where} is {rows[tuple(where)]}; they must be finite")
    if (np.ptp(rows, axis=0) <= _ROUNDING * np.abs(rows).max(axis=0)).all():
        raise ValueError(f"all {len(rows)} maps are identical; there is nothing to cluster")
    return rows


def _check_number(rows: Floats, name: str, number: int, least: int) -> None:
    if not least <= number <= len(rows):
        raise ValueError(
            f"{name} is {number!r}; of {len(rows)} maps it must be {least} to {len(rows)}"
        )
    different = len(np.unique(rows, axis=0))
    if name == "k" and number > different:
        raise ValueError(f"k is {number}; of the {len(rows)} maps only {different} are different")


def _labelled(features: ArrayLike, labels: ArrayLike) -> tuple[Floats, NDArray]:
    rows, given = _rows(features), np.asarray(labels)
    if given.shape != (len(rows),):
        raise ValueError(f"labels have shape {given.shape}; there must be one a row, {len(rows)}")
    return rows, given


def _distances(rows: Floats, centres: Floats) -> Floats:
    """Squared, ``[row, cluster]``."""
    return np.stack([((rows - centre) ** 2).sum(axis=1) for centre in centres], axis=1)


def _nearest(rows: Floats, centres: Floats) -> Labels:
    return _distances(rows, centres).argmin(axis=1)


def _centres(rows: Floats, which: Labels) -> Floats:
    return np.stack([rows[which == label].mean(axis=0) for label in range(which.max() + 1)])


def _by_size(labels: Labels) -> Labels:
    """Give clusters numbers from the largest on; of two alike the one met first comes first."""
    names, first, sizes = np.unique(labels, return_index=True, return_counts=True)
    order = [at for at in np.lexsort((first, -sizes)) if names[at] != UNASSIGNED]
    result = np.full(len(labels), UNASSIGNED, dtype=np.int64)
    for number, at in enumerate(order):
        result[labels == names[at]] = number
    return result


def _curves(
    ks: Sequence[int], distortions: ArrayLike, references: ArrayLike
) -> tuple[Labels, Floats, Floats]:
    """Numbers of clusters and logarithms of distortions."""
    numbers, curve = np.asarray(ks), np.asarray(distortions, dtype=np.float64)
    nulls = np.asarray(references, dtype=np.float64)
    if numbers.ndim != 1 or curve.shape != numbers.shape or nulls.shape[1:] != curve.shape:
        raise ValueError(
            f"ks have shape {numbers.shape}, distortions {curve.shape} and references "
            f"{nulls.shape}; they must be [k], [k] and [reference, k]"
        )
    if not ((curve > 0).all() and (nulls > 0).all()):
        raise ValueError("a distortion is not positive; ask for fewer clusters than different maps")
    return numbers, np.log(curve), np.log(nulls)


def _below_chord(numbers: Labels, curves: Floats) -> Floats:
    along = np.log(numbers / numbers[0]) / np.log(numbers[-1] / numbers[0])
    first, last = curves[..., :1], curves[..., -1:]
    below = first + (last - first) * along - curves
    below[..., [0, -1]] = 0  # and not what rounding leaves
    return below
