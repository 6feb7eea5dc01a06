"""Feature points of a transformer and their layouts in the plane.

A layout is ``[token, 2]``, centred. Its axes have no meaning of their own but for PCA. How far it
can be trusted is measured in :mod:`attention_mixing.methods.trust`.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from jaxtyping import Float, Float64
from threadpoolctl import threadpool_limits

from attention_mixing.methods.extras import extra
from attention_mixing.methods.shapes import checked_shapes

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
FEWEST_POINTS = 6  # of a map
# Half the iterations and a coarser tree than scikit-learn would take: on 100 tokens that leaves the
# mean trustworthiness within 0.005 at less than half the time.
TSNE_ITERATIONS = 500
TSNE_ANGLE = 0.8


def feature_points(
    features: Mapping[str, Float[np.ndarray, "*layers token model"]], points: str
) -> dict[tuple[str, int], Float[np.ndarray, "token model"]]:
    """Feature points of one text by point and layer, in the order of the forward pass.

    Parameters
    ----------
    features
        ``word`` and ``embedding`` as ``[token, model_dim]``; those that ``POINT_SETS`` lists as
        ``[layer, token, model_dim]``. Layer 0 is the input, layers count from 1.
    points
        Name of a set: ``seed38`` or ``all62``.

    Raises
    ------
    ValueError
        If there is no such set.
    """
    if points not in POINT_SETS:
        raise ValueError(f"points is {points!r}; allowed: {', '.join(POINT_SETS)}")
    by_point = {(name, 0): features[name] for name in INPUT_POINTS}
    for layer in range(len(features[POINT_SETS[points][0]])):
        for name in POINT_SETS[points]:
            by_point[name, layer + 1] = features[name][layer]
    return by_point


@checked_shapes
def distances(
    vectors: Float[np.ndarray, "token dim"], metric: str
) -> Float64[np.ndarray, "token token"]:
    """Distance of every vector to every other by one of ``METRICS``, zero on the diagonal.

    Parameters
    ----------
    vectors
        A row each.
    metric
        One of ``METRICS``.

    Raises
    ------
    ValueError
        If the metric is unknown, there is no number or one that is not finite, or a distance is not
        defined: cosine of a vector of length zero, correlation of a constant one.
    """
    from scipy.spatial.distance import pdist, squareform  # only when a map is drawn

    if metric not in METRICS:
        raise ValueError(f"metric is {metric!r}; allowed: {', '.join(METRICS)}")
    if not vectors.size or not np.isfinite(vectors).all():
        raise ValueError(f"vectors {vectors.shape} must be finite and not empty")
    with np.errstate(invalid="ignore", divide="ignore"):
        matrix = squareform(pdist(vectors.astype(np.float64), METRICS[metric]))
    if not np.isfinite(matrix).all():
        row = int(np.argwhere(~np.isfinite(matrix))[0, 0])
        raise ValueError(
            f"metric {metric} is not defined between vector {row} and another; cosine needs "
            "vectors longer than zero, correlation such that are not constant"
        )
    return matrix


@checked_shapes
def umap_map(
    features: Float[np.ndarray, "token model"],
    *,
    metric: str,
    neighbors: int,
    min_dist: float,
    seed: int,
) -> Float64[np.ndarray, "token 2"]:
    """Map tokens to the plane with UMAP, repeatable bit for bit on one machine.

    McInnes, Healy and Melville (2018), arXiv 1802.03426. The start is the plane of PCA, so that
    seeds differ in a little noise of the start and in the pairs that are sampled. UMAP's own
    spectral start is no better on a hundred tokens and does not always repeat: where its solver
    (``scipy.sparse.linalg.eigsh``) begins anew, it draws from the system, not from the seed.

    At most tokens - 1 neighbours are used.

    Parameters
    ----------
    features
        Vector of each token.
    metric
        One of ``METRICS``.
    neighbors, min_dist
        As UMAP has them.
    seed
        Of the random draws.

    Raises
    ------
    ValueError
        With fewer than ``FEWEST_POINTS`` tokens, and as :func:`distances`.
    """
    start = pca_map(features)
    far = distances(features, metric)
    start *= 10 / (np.abs(start).max() or 1.0)  # the extent of UMAP's own starts
    start += np.random.default_rng(seed).normal(scale=1e-4, size=start.shape)
    with warnings.catch_warnings(), threadpool_limits(1):
        for message in ("n_jobs value", "using precomputed metric"):
            warnings.filterwarnings("ignore", message=message, category=UserWarning)
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


@checked_shapes
def tsne_map(
    features: Float[np.ndarray, "token model"], *, metric: str, perplexity: float, seed: int
) -> Float64[np.ndarray, "token 2"]:
    """Map tokens to the plane with t-SNE, repeatable bit for bit on one machine.

    Van der Maaten and Hinton (2008), JMLR 9. The start is random. From the plane of PCA every seed
    would give the same map, and their agreement would say nothing about whether where the groups
    lie is in the features or an accident; on a hundred tokens trustworthiness is no lower from a
    random start. The perplexity, an effective number of neighbours, is at most a third of the
    tokens.

    Parameters
    ----------
    features
        Vector of each token.
    metric
        One of ``METRICS``.
    perplexity
        As t-SNE has it.
    seed
        Of the random start.

    Raises
    ------
    ValueError
        With fewer than ``FEWEST_POINTS`` tokens, and as :func:`distances`.
    """
    with extra("models", "tsne_map"):  # a second to import: only when a map is drawn
        from sklearn.manifold import TSNE

    _require_tokens(features)
    far = distances(features, metric)
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


@checked_shapes
def pca_map(features: Float[np.ndarray, "token model"]) -> Float64[np.ndarray, "token 2"]:
    """Map tokens to the plane of largest variance; there is no seed and always one answer.

    The first two principal components, in the units of the features. Of each, the entry of largest
    magnitude is positive.

    Raises
    ------
    ValueError
        With fewer than ``FEWEST_POINTS`` tokens or 2 dimensions.
    """
    _require_tokens(features)
    if features.shape[1] < 2:
        raise ValueError(f"features {features.shape} make no plane; it needs at least 2 dimensions")
    # scikit-learn's PCA fixes signs by the directions, which depends on those of the features.
    with threadpool_limits(1):
        left, scale, _ = np.linalg.svd(_centred(features), full_matrices=False)
    layout = left[:, :2] * scale[:2]
    # A singular vector is known up to its sign.
    largest = layout[np.abs(layout).argmax(axis=0), [0, 1]]
    return _centred(layout * np.where(largest < 0, -1, 1))


def _require_tokens(features: Float[np.ndarray, "token model"]) -> None:
    if len(features) < FEWEST_POINTS:
        raise ValueError(f"a map needs at least {FEWEST_POINTS} tokens; there are {len(features)}")


def _centred(points: Float[np.ndarray, "token dim"]) -> Float64[np.ndarray, "token dim"]:
    points = points.astype(np.float64)
    return points - points.mean(axis=0)


@cache
def _umap() -> type:
    """UMAP, whose compiled functions are kept on disk.

    UMAP compiles them anew in every process, 10 seconds on 2 cores before the first map of any
    size; loaded they take a fraction of one.
    """
    from attention_mixing.methods.compiled import keep, loaded  # only maps need numba here

    with extra("report", "umap_map"):
        umap, layouts, umap_, utils = loaded(_import_umap)
    for function in (
        utils.fast_knn_indices,
        umap_.smooth_knn_dist,
        umap_.compute_membership_strengths,
        layouts._nb_optimize_layout_euclidean_single_epoch,
    ):
        keep(function)
    return umap.UMAP


def _import_umap() -> tuple[Any, Any, Any, Any]:
    import umap
    from umap import layouts, umap_, utils

    return umap, layouts, umap_, utils
