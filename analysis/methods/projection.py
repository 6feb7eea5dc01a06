"""Feature points of a transformer and their layouts in the plane.

A layout is ``[token, 2]``, centred. Its axes have no meaning of their own but for PCA. How far it
can be trusted is measured in :mod:`analysis.methods.trust`.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import pdist, squareform
from threadpoolctl import threadpool_limits

Floats = NDArray[np.float64]

# Point names in the order in which a forward pass reaches them. The first kind has one array a
# model, ``[token, model_dim]``; the second one a layer, ``[layer, token, model_dim]``.
INPUT_POINTS = ("word", "embedding")
POINT_SETS = {
    # 2 + 3 L: what the feature-mixing study counts, 38 for the 12 layers of BERT.
    "seed38": ("context", "attention_output", "ffn_output"),
    # 2 + 5 L: what its code makes, 62 for 12 layers.
    "all62": ("context", "attention_output", "attention_block", "ffn_output", "layer_output"),
}
# Names of the parameters and of UMAP -> names of scipy.
METRICS = {
    "euclidean": "euclidean",
    "manhattan": "cityblock",
    "cosine": "cosine",
    "correlation": "correlation",
    "chebyshev": "chebyshev",
    "canberra": "canberra",
}
FEWEST_TOKENS = 6
# Half the iterations and a coarser tree than scikit-learn would take: on 100 tokens that leaves the
# mean trustworthiness within 0.005 at less than half the time.
TSNE_ITERATIONS = 500
TSNE_ANGLE = 0.8


def feature_points(
    features: Mapping[str, ArrayLike], points: str
) -> dict[tuple[str, int], NDArray[Any]]:
    """Feature points of one text, in the order of the forward pass.

    Parameters
    ----------
    features
        ``word`` and ``embedding`` as ``[token, model_dim]``; those that ``POINT_SETS`` lists as
        ``[layer, token, model_dim]``.
    points
        Name of a set: ``seed38`` or ``all62``.

    Returns
    -------
    dict
        ``(point, layer) -> [token, model_dim]``; layer 0 is the input, layers count from 1.

    Raises
    ------
    ValueError
        If there is no such set.
    """
    if points not in POINT_SETS:
        raise ValueError(f"points is {points!r}; allowed: {', '.join(POINT_SETS)}")
    arrays = {name: np.asarray(features[name]) for name in (*INPUT_POINTS, *POINT_SETS[points])}
    found = {(name, 0): arrays[name] for name in INPUT_POINTS}
    for layer in range(len(arrays[POINT_SETS[points][0]])):
        for name in POINT_SETS[points]:
            found[name, layer + 1] = arrays[name][layer]
    return found


def distances(vectors: ArrayLike, metric: str) -> Floats:
    """Distance of every vector to every other, in float64.

    Parameters
    ----------
    vectors
        ``[token, dim]``.
    metric
        One of ``METRICS``.

    Returns
    -------
    NDArray[float64]
        ``[token, token]``, symmetric, zero on the diagonal.

    Raises
    ------
    ValueError
        If the metric is unknown, the shape is another, a number is not finite, or a distance is not
        defined: cosine of a vector of length zero, correlation of a constant one.
    """
    if metric not in METRICS:
        raise ValueError(f"metric is {metric!r}; allowed: {', '.join(METRICS)}")
    rows = np.asarray(vectors, dtype=np.float64)
    if rows.ndim != 2 or 0 in rows.shape or not np.isfinite(rows).all():
        raise ValueError(
            f"vectors have shape {rows.shape}; they must be [token, dim], finite and not empty"
        )
    with np.errstate(invalid="ignore", divide="ignore"):
        found = squareform(pdist(rows, METRICS[metric]))
    if not np.isfinite(found).all():
        row = int(np.argwhere(~np.isfinite(found))[0, 0])
        raise ValueError(
            f"metric {metric} is not defined between vector {row} and another; cosine needs "
            "vectors longer than zero, correlation such that are not constant"
        )
    return found


def umap_map(
    features: ArrayLike, *, metric: str, neighbors: int, min_dist: float, seed: int
) -> Floats:
    """Map tokens to the plane with UMAP, repeatable bit for bit on one machine.

    McInnes, Healy and Melville (2018), arXiv 1802.03426. The start is the plane of PCA, so that
    seeds differ in a little noise of the start and in the pairs that are sampled. UMAP's own
    spectral start is no better on a hundred tokens and does not always repeat: where its solver
    (``scipy.sparse.linalg.eigsh``) begins anew, it draws from the system, not from the seed.

    Parameters
    ----------
    features
        ``[token, model_dim]``.
    metric
        One of ``METRICS``.
    neighbors
        ``n_neighbors``; at most tokens - 1 are used.
    min_dist
        As in ``umap.UMAP``.
    seed
        ``random_state``, with which UMAP runs in one thread.

    Returns
    -------
    NDArray[float64]
        ``[token, 2]``, centred.

    Raises
    ------
    ValueError
        With fewer than ``FEWEST_TOKENS`` tokens, and as :func:`distances`.
    """
    far = distances(_enough(features), metric)
    start = pca_map(features)
    start *= 10 / (np.abs(start).max() or 1.0)  # the extent of UMAP's own starts
    start += np.random.default_rng(seed).normal(scale=1e-4, size=start.shape)
    with warnings.catch_warnings(), threadpool_limits(1):
        for said in ("n_jobs value", "using precomputed metric"):
            warnings.filterwarnings("ignore", message=said, category=UserWarning)
        layout = _umap()(
            n_neighbors=min(neighbors, len(far) - 1),
            min_dist=min_dist,
            # UMAP would call a function for each pair of a text: a fifth of its time.
            metric="precomputed",
            init=start,
            random_state=seed,
            n_jobs=1,
        ).fit_transform(far)
    return _centred(layout)


def tsne_map(features: ArrayLike, *, metric: str, perplexity: float, seed: int) -> Floats:
    """Map tokens to the plane with t-SNE, repeatable bit for bit on one machine.

    Van der Maaten and Hinton (2008), JMLR 9. The start is random. From the plane of PCA every seed
    would give the same map, and their agreement would say nothing about whether where the groups
    lie is in the features or an accident; on a hundred tokens trustworthiness is no lower from a
    random start.

    Parameters
    ----------
    features
        ``[token, model_dim]``.
    metric
        One of ``METRICS``.
    perplexity
        Effective number of neighbours; at most a third of the tokens is used.
    seed
        Of the start.

    Returns
    -------
    NDArray[float64]
        ``[token, 2]``, centred.

    Raises
    ------
    ValueError
        With fewer than ``FEWEST_TOKENS`` tokens, and as :func:`distances`.
    """
    from sklearn.manifold import TSNE  # a second to import: only when a map is drawn

    far = distances(_enough(features), metric)
    # One thread: sums over threads would depend on their number.
    with threadpool_limits(1):
        layout = TSNE(
            perplexity=min(perplexity, len(far) / 3),
            metric="precomputed",
            init="random",
            max_iter=TSNE_ITERATIONS,
            angle=TSNE_ANGLE,
            random_state=seed,
            n_jobs=1,
        ).fit_transform(far)
    return _centred(layout)


def pca_map(features: ArrayLike) -> Floats:
    """Map tokens to the plane of largest variance; there is no seed and always one answer.

    Parameters
    ----------
    features
        ``[token, model_dim]``.

    Returns
    -------
    NDArray[float64]
        ``[token, 2]``, centred: the first two principal components, in the units of the features.
        Of each, the entry of largest magnitude is positive.

    Raises
    ------
    ValueError
        With fewer than ``FEWEST_TOKENS`` tokens or 2 dimensions.
    """
    rows = _enough(features)
    if rows.shape[1] < 2:
        raise ValueError(f"features have shape {rows.shape}; a plane needs at least 2 dimensions")
    with threadpool_limits(1):
        left, scale, _ = np.linalg.svd(_centred(rows), full_matrices=False)
    layout = left[:, :2] * scale[:2]
    # A singular vector is known up to its sign.
    largest = layout[np.abs(layout).argmax(axis=0), [0, 1]]
    return _centred(layout * np.where(largest < 0, -1, 1))


def _enough(features: ArrayLike) -> Floats:
    rows = np.asarray(features, dtype=np.float64)
    if rows.ndim != 2:
        raise ValueError(f"features have shape {rows.shape}; they must be [token, model_dim]")
    if len(rows) < FEWEST_TOKENS:
        raise ValueError(f"a map needs at least {FEWEST_TOKENS} tokens; there are {len(rows)}")
    return rows


def _centred(layout: ArrayLike) -> Floats:
    points = np.asarray(layout, dtype=np.float64)
    return points - points.mean(axis=0)


@cache
def _umap() -> type:
    """UMAP, whose compiled functions are kept on disk.

    UMAP compiles them anew in every process, 10 seconds on 2 cores before the first map of any
    size; loaded they take a fraction of one.
    """
    import umap
    from umap import layouts, umap_, utils

    for compiled in (
        utils.fast_knn_indices,
        umap_.smooth_knn_dist,
        umap_.compute_membership_strengths,
        layouts._nb_optimize_layout_euclidean_single_epoch,
    ):
        compiled.enable_caching()
    return umap.UMAP
