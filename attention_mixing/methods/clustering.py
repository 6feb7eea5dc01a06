"""Clusters of attention maps or heads: found, judged, and compared with what has a name.

Rows are maps or heads, and dimensions descriptors
(:mod:`attention_mixing.methods.head_descriptors`) or features of an image. :func:`reduce` makes a
few principal components of rows that need not fit into memory; all else works on the reduced rows,
which do: 19 million maps of five components are 760 MB.

>>> rows = np.repeat([[0.0, 1.0], [9.0, 2.0]], [60, 40], axis=0)
>>> reduced = reduce([rows[:50], rows[50:]], components=1)
>>> cluster(reduced(rows), "kmeans", 2)[[0, 1, 98, 99]].tolist()
[0, 0, 1, 1]
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from jaxtyping import Float, Int, Num

from attention_mixing.methods.extras import extra
from attention_mixing.methods.projection import umap_map
from attention_mixing.methods.shapes import checked_shapes

with extra("models", __name__):
    from sklearn import cluster as sklearn_cluster
    from sklearn import config_context
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.metrics import adjusted_rand_score, calinski_harabasz_score, silhouette_score
    from sklearn.preprocessing import StandardScaler

Rows = Float[np.ndarray, "row dim"]
Numbers = Int[np.ndarray, " k"]
Curve = Float[np.ndarray, " k"]
Curves = Float[np.ndarray, "reference k"]
Method = Literal["kmeans", "agglomerative", "hdbscan"]
Engine = Literal["auto", "scikit-learn", "cuml"]

METHODS: tuple[Method, ...] = get_args(Method)
# Label of rows that HDBSCAN leaves out.
UNASSIGNED = -1
# k-means is run from so many random starts, the tightest result counts: of the data, of bootstrap
# samples and of data without clusters alike, so that a poor start is no likelier for the one. All
# rows at once take 1.3 seconds a million; mini-batches take half, and are 5 % less tight.
STARTS = 3
# Silhouettes compare every row with every other: above this many, those of a sample.
SILHOUETTE_ROWS = 5000
# An elbow is one that structureless data show in less than this share of cases.
LEVEL = 0.05


class Library(NamedTuple):
    """What computes clusters: classes with the interface of scikit-learn, which cuML has as well.

    They answer alike but not bit for bit: random starts are drawn by generators of their own.

    Attributes
    ----------
    name
        ``scikit-learn`` or ``cuml``.
    kmeans, hdbscan
        Classes of estimators.
    umap
        Likewise; None for :func:`attention_mixing.methods.projection.umap_map`.
    arrays
        Makes arrays of the kind that the estimators take.
    """

    name: str
    kmeans: Callable[..., Any]
    hdbscan: Callable[..., Any]
    umap: Callable[..., Any] | None
    arrays: Callable[[Any], Any]


SCIKIT_LEARN = Library(
    "scikit-learn",
    sklearn_cluster.KMeans,
    partial(sklearn_cluster.HDBSCAN, copy=True),
    None,  # that of umap-learn takes long to import, and starts from elsewhere
    np.asarray,
)


def library(choice: Engine) -> Library:
    """Choose scikit-learn, or RAPIDS cuML on a GPU; ``auto`` is cuML where it can work.

    Raises
    ------
    ValueError
        If cuML is asked for where it cannot work.
    """
    if choice == "scikit-learn":
        return SCIKIT_LEARN
    try:
        import cupy

        reason = "there is no CUDA GPU"
        if cupy.cuda.is_available():
            from cuml.cluster import KMeans  # it may refuse to be imported without one
            from cuml.cluster.hdbscan import HDBSCAN
            from cuml.manifold import UMAP

            kinds = [partial(kind, output_type="numpy") for kind in (KMeans, HDBSCAN, UMAP)]
            return Library("cuml", *kinds, cupy.asarray)  # type: ignore[call-arg]
    except ImportError as error:
        reason = f"it is not installed ({error})"
    if choice == "cuml":
        raise ValueError(f"engine is cuml, but {reason}; set auto or scikit-learn")
    return SCIKIT_LEARN


@dataclass(frozen=True)
class Reduction:
    """Standardisation and principal components of all rows.

    The deviation of a constant dimension is infinite, so that it becomes 0. Axes come from the
    widest on, the largest entry of each positive. ``share`` is the part of the variance that every
    component has, those that are not kept as well.

    Attributes
    ----------
    mean, deviation
        What is subtracted from a row, and what the rest is divided by.
    axes
        Orthonormal directions in the standardised rows.
    share
        Part of the variance of each component.
    """

    mean: Float[np.ndarray, " dim"]
    deviation: Float[np.ndarray, " dim"]
    axes: Float[np.ndarray, "component dim"]
    share: Float[np.ndarray, " dim"]

    def __call__(self, block: Rows) -> Float[np.ndarray, "row component"]:
        """Place every row of a block along the axes."""
        return (block - self.mean) / self.deviation @ self.axes.T


def reduce(
    blocks: Iterable[Float[np.ndarray, "_ dim"]], components: int, library: Library = SCIKIT_LEARN
) -> Reduction:
    r"""Standardise rows and find their principal components, in two passes over their blocks.

    With :math:`z` the standardised rows, axes are the first eigenvectors of

    .. math:: \frac{1}{n} \sum_i z_i z_i^\top

    Memory holds this matrix and one block, whatever the number of rows.

    Parameters
    ----------
    blocks
        The rows, a block at a time; iterated over twice.
    components
        How many are kept.
    library
        What computes them.

    Raises
    ------
    ValueError
        If no two rows differ, there are fewer rows or varying dimensions than components, or a
        feature is not finite.
    """
    scaler = StandardScaler()
    for block in blocks:
        if not np.isfinite(block).all():
            raise ValueError("a feature of a map is not finite")
        scaler.partial_fit(np.float64(block))
    count, dimensions = int(scaler.n_samples_seen_), len(scaler.mean_)
    # The sum is exact, whatever comes first: IncrementalPCA keeps a few components of the blocks it
    # has seen, and loses what is small in the first and large in the last.
    products = np.zeros((dimensions, dimensions))
    for block in blocks:
        rows = library.arrays(scaler.transform(np.float64(block)))
        total = rows.T @ rows
        products += total if isinstance(total, np.ndarray) else total.get()
    varying = np.diagonal(products) > count / 2  # 1 for each row, or 0 but for rounding
    if not varying.any():
        raise ValueError(f"all {count} maps are identical; there is nothing to cluster")
    if not 1 <= components <= min(count, dimensions):
        raise ValueError(
            f"components is {components!r}; of {count} maps with {dimensions} dimensions it must "
            f"be 1 to {min(count, dimensions)}"
        )
    values, vectors = np.linalg.eigh(np.where(np.outer(varying, varying), products, 0))
    axes = vectors[:, ::-1].T[:components]
    signs = np.sign(axes[np.arange(components), np.abs(axes).argmax(axis=1)])
    share = np.maximum(values[::-1], 0) / values.sum()
    deviation = np.where(varying, scaler.scale_, np.inf)
    return Reduction(scaler.mean_, deviation, axes * signs[:, None], share)


@checked_shapes
def cluster(
    rows: Rows, method: Method, number: int, *, seed: int = 0, library: Library = SCIKIT_LEARN
) -> Int[np.ndarray, " row"]:
    """Label the rows, from 0 for the largest cluster on; of two alike the one met first is first.

    ``kmeans``: Lloyd's algorithm, the tightest of :data:`STARTS` starts by k-means++.
    ``agglomerative``: Ward's criterion; memory and time grow with the square of the rows, and it is
    scikit-learn's always, for cuML has none. ``hdbscan``: dense regions of any shape (Campello et
    al. 2013), which finds out how many there are and labels rows between them -1.

    Parameters
    ----------
    rows
        Standardised as a rule. Distances are Euclidean.
    method
        One of :data:`METHODS`.
    number
        How many clusters; for ``hdbscan`` the fewest rows of one, at least 2.
    seed
        Of the random starts of ``kmeans``.
    library
        What ``kmeans`` and ``hdbscan`` are computed with.

    Raises
    ------
    ValueError
        If there are not so many rows.
    """
    match method:
        case "kmeans":
            labels = _kmeans(rows, number, seed, library).labels_
        case "agglomerative":
            labels = sklearn_cluster.AgglomerativeClustering(number).fit_predict(rows)
        case "hdbscan":
            labels = library.hdbscan(min_cluster_size=number).fit_predict(rows)
    names, first, sizes = np.unique(labels, return_index=True, return_counts=True)
    renumbered = np.empty(len(names), np.int64)
    renumbered[np.lexsort((first, -sizes, names == UNASSIGNED))] = np.arange(len(names))
    renumbered[names == UNASSIGNED] = UNASSIGNED
    return renumbered[np.searchsorted(names, labels)]


@checked_shapes
def plane(
    rows: Rows, *, neighbors: int, min_dist: float, seed: int, library: Library = SCIKIT_LEARN
) -> Float[np.ndarray, "row 2"]:
    """Map rows to the plane by UMAP (:func:`attention_mixing.methods.projection.umap_map`).

    Parameters
    ----------
    rows
        Of any dimension.
    neighbors, min_dist
        As UMAP has them; at most rows - 1 neighbours are used.
    seed
        Of the random draws.
    library
        What computes the map.
    """
    if library.umap is None:
        return umap_map(rows, metric="euclidean", neighbors=neighbors, min_dist=min_dist, seed=seed)
    neighbors = min(neighbors, len(rows) - 1)
    model = library.umap(n_neighbors=neighbors, min_dist=min_dist, random_state=seed)
    layout = np.asarray(model.fit_transform(rows), np.float64)
    return layout - layout.mean(axis=0)


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


@checked_shapes
def quality(rows: Rows, labels: Int[np.ndarray, " row"], *, seed: int = 0) -> Quality:
    """Measure how tight clusters are and how far apart; rows labelled -1 are in none.

    The silhouette is that of :data:`SILHOUETTE_ROWS` rows drawn with ``seed`` if there are more. It
    and ``calinski_harabasz`` are nan with fewer than two clusters or with a row a cluster, the
    latter also if no row is off its centre; all are nan with no cluster.

    Parameters
    ----------
    rows
        What was clustered.
    labels
        Cluster of each row.
    seed
        For the draw of rows.
    """
    inside = labels != UNASSIGNED
    unassigned = 1 - float(inside.mean())
    rows, labels = rows[inside], labels[inside]
    names = np.unique(labels)
    if not len(names):
        return Quality(0, unassigned, *[float("nan")] * 4)
    members = [rows[labels == name] for name in names]
    spreads = (float(np.var(points, axis=0).sum()) * len(points) for points in members)
    distortion = sum(spreads) / len(rows)
    silhouette = calinski_harabasz = float("nan")
    if 1 < len(names) < len(rows):
        if distortion > 0:
            calinski_harabasz = float(calinski_harabasz_score(rows, labels))
        few = np.arange(len(rows))
        if len(rows) > SILHOUETTE_ROWS:
            few = np.random.default_rng(seed).choice(len(rows), SILHOUETTE_ROWS, replace=False)
        if 1 < len(np.unique(labels[few])) < len(few):
            with config_context(working_memory=16):  # MB of distances at a time
                silhouette = float(silhouette_score(rows[few], labels[few]))
    per_dimension = distortion / rows.shape[1]
    return Quality(len(names), unassigned, distortion, per_dimension, silhouette, calinski_harabasz)


@checked_shapes
def agreement_of_counts(counts: Num[np.ndarray, "label class"]) -> float:
    r"""Compute the adjusted Rand index from how often each label meets each class.

    .. math:: \frac{\sum_{ij} \binom{n_{ij}}{2} - E}{\frac{1}{2} \left[\sum_i \binom{a_i}{2} +
        \sum_j \binom{b_j}{2}\right] - E}, \qquad
        E = \sum_i \binom{a_i}{2} \sum_j \binom{b_j}{2} \Big/ \binom{n}{2}

    with :math:`a` and :math:`b` the sums of rows and columns. 1 if rows are together in the one
    exactly if they are in the other; 0 on average for unrelated labellings. As
    :func:`sklearn.metrics.adjusted_rand_score` of the labels, without a list of them.

    References
    ----------
    Hubert and Arabie (1985), *Comparing partitions*, Journal of Classification 2.
    """
    table = counts.astype(np.float64)
    both, same_label, same_class, pairs = (
        float((sizes * (sizes - 1)).sum() / 2)
        for sizes in (table, table.sum(axis=1), table.sum(axis=0), table.sum())
    )
    chance = same_label * same_class / pairs if pairs else 0.0
    highest = (same_label + same_class) / 2
    # With everything together, or everything apart, on both sides, there is but one way to agree.
    return (both - chance) / (highest - chance) if highest != chance else 1.0


@checked_shapes
def stability(
    rows: Rows, k: int, resample: int, *, seed: int = 0, library: Library = SCIKIT_LEARN
) -> float:
    """Measure whether k-means finds the same clusters in other samples of the data.

    Two bootstrap samples of the rows are drawn, others for every number ``resample``, and
    clustered; all rows are given to the nearest centre of either, and the two labellings compared
    by the adjusted Rand index: 1 for the same clusters, 0 on average for clusters that have nothing
    to do with each other.

    Parameters
    ----------
    rows
        The data.
    k
        Number of clusters.
    resample
        Number of the pair of samples, 0 or more.
    seed
        Drawn with, together with ``resample``.
    library
        What computes clusters.

    Returns
    -------
    float
        Adjusted Rand index, at most 1.

    References
    ----------
    Fang and Wang (2012), *Selection of the number of clusters via the bootstrap method*,
    Computational Statistics & Data Analysis 56.
    """
    rng = np.random.default_rng([seed, resample])
    samples = (rows[rng.integers(len(rows), size=len(rows))] for _ in range(2))
    return adjusted_rand_score(*[_kmeans(s, k, seed, library).predict(rows) for s in samples])


@checked_shapes
def distortion(rows: Rows, k: int, *, seed: int = 0, library: Library = SCIKIT_LEARN) -> float:
    """Distortion of k-means: mean squared distance of a row to the nearest centre.

    Parameters
    ----------
    rows
        The data.
    k
        Number of clusters.
    seed
        Of the random starts.
    library
        What computes clusters.
    """
    return float(_kmeans(rows, k, seed, library).inertia_) / len(rows)


@checked_shapes
def without_clusters(rows: Rows, number: int, *, seed: int = 0) -> Rows:
    """Draw data without clusters that extend as far as the given ones, others for every number.

    As many rows as there are, drawn evenly from the box around the data that lies along their
    principal components.

    Parameters
    ----------
    rows
        The data that they resemble in extent.
    number
        Of the draw, 0 or more.
    seed
        Drawn with, together with ``number``.

    References
    ----------
    Tibshirani, Walther and Hastie (2001), *Estimating the number of clusters in a data set via the
    gap statistic*, Journal of the Royal Statistical Society B 63, section 4, choice (b).
    """
    _, axes = np.linalg.eigh(np.cov(rows, rowvar=False).reshape(rows.shape[1], -1))
    along = rows @ axes
    rng = np.random.default_rng([seed, number])
    return rng.uniform(along.min(axis=0), along.max(axis=0), rows.shape) @ axes.T


@checked_shapes
def gap(ks: Numbers, distortions: Curve, references: Curves) -> int | None:
    r"""Gap statistic: how much tighter the clusters are than those of data without any.

    .. math:: \mathrm{Gap}(k) = \frac{1}{B} \sum_b \ln D^*_{bk} - \ln D_k

    Parameters
    ----------
    ks
        Growing one by one; from 1 on, if the answer may be that there are no clusters.
    distortions, references
        Of the data (:func:`distortion`) and of data :func:`without_clusters`.

    Returns
    -------
    int or None
        The first k whose gap is not less than that of the next, less the standard error of its
        simulation; None if the gap grows to the end of the range. 1 says that the data have no
        clusters.

    Raises
    ------
    ValueError
        If ``ks`` do not grow one by one, or a distortion is not positive.

    References
    ----------
    Tibshirani, Walther and Hastie (2001), section 3.
    """
    if (np.diff(ks) != 1).any():
        raise ValueError(f"ks are {ks.tolist()}; they must grow one by one")
    nulls = _logarithms(references)
    gaps = nulls.mean(axis=0) - _logarithms(distortions)
    errors = nulls.std(axis=0) * np.sqrt(1 + 1 / len(nulls))
    first = np.flatnonzero(gaps[:-1] >= gaps[1:] - errors[1:])
    return int(ks[first[0]]) if len(first) else None


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


@checked_shapes
def elbow(ks: Numbers, distortions: Curve, references: Curves) -> Elbow:
    r"""Test whether the curve of distortions has an elbow at all.

    Drawn on ordinary axes every such curve bends: without any clusters, in :math:`d` dimensions,
    the distortion falls as :math:`k^{-2/d}` (Zador 1982), and the eye finds an elbow in it. On
    logarithmic axes that is a straight line, and an elbow is where the curve lies furthest below
    the chord of its ends. How far a curve without clusters gets there by accident is what
    ``references`` tell, at least 19, so that a probability of :data:`LEVEL` can be reached.

    The answer is wrong for one cloud in twenty, mostly with a small ``bend`` near an end of the
    range: 99 references tell more, and clusters that lie well apart bend the curve by .2 and more.
    Where no elbow is found, there may be clusters all the same: with clusters of clusters, the
    curve goes on falling.

    Parameters
    ----------
    ks
        Numbers of clusters, growing.
    distortions
        Of the data, one for each of ``ks``.
    references
        Of data without clusters, a curve each.

    Raises
    ------
    ValueError
        If there are fewer than three ``ks`` or 19 references, ``ks`` do not grow, or a distortion
        is not positive.
    """
    if len(ks) < 3 or (np.diff(ks) <= 0).any():
        raise ValueError(f"ks are {ks.tolist()}; they must grow and be at least three")
    if len(references) + 1 < 1 / LEVEL:
        raise ValueError(
            f"references has {len(references)} curves; at least {1 / LEVEL - 1:.0f} needed"
        )
    depth = _below_chord(ks, _logarithms(distortions))
    by_chance = _below_chord(ks, _logarithms(references)).max(axis=-1)
    as_deep = np.count_nonzero(by_chance >= depth.max())
    p_value = float((1 + as_deep) / (1 + len(references)))
    where = int(depth.argmax())
    return Elbow(int(ks[where]), float(depth[where]), p_value, p_value <= LEVEL)


def _logarithms(curves: Float[np.ndarray, "*curve k"]) -> Float[np.ndarray, "*curve k"]:
    if not (curves > 0).all():
        raise ValueError("a distortion is not positive; ask for fewer clusters than different maps")
    return np.log(curves)


def _below_chord(
    ks: Numbers, curves: Float[np.ndarray, "*curve k"]
) -> Float[np.ndarray, "*curve k"]:
    along = np.log(ks / ks[0]) / np.log(ks[-1] / ks[0])
    first, last = curves[..., :1], curves[..., -1:]
    below = first + (last - first) * along - curves
    below[..., [0, -1]] = 0  # and not what rounding leaves
    return below


def _kmeans(rows: Rows, k: int, seed: int, library: Library) -> Any:
    with warnings.catch_warnings():
        # A bootstrap sample may hold fewer different rows than clusters are asked for.
        warnings.filterwarnings("ignore", "Number of distinct clusters", ConvergenceWarning)
        return library.kmeans(n_clusters=k, n_init=STARTS, random_state=seed).fit(rows)
