"""Feature points of a transformer and their maps in the plane."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Point names in the order in which a forward pass reaches them. The first kind has one array a
# model, ``[token, model_dim]``; the second one a layer, ``[layer, token, model_dim]``.
INPUT_POINTS = ("word", "embedding")
SEED38_LAYER_POINTS = ("context", "attention_output", "ffn_output")


def seed38(features: Mapping[str, ArrayLike]) -> dict[tuple[str, int], NDArray[np.float64]]:
    """Feature points of the feature-mixing study: 2 + 3 L, that is 38 for BERT's 12 layers.

    Parameters
    ----------
    features
        ``word`` and ``embedding`` as ``[token, model_dim]``; ``context``, ``attention_output`` and
        ``ffn_output`` as ``[layer, token, model_dim]``.

    Returns
    -------
    dict
        ``(point, layer) -> [token, model_dim]`` in forward order; layer 0 is the input, layers
        count from 1.
    """
    points = {(name, 0): np.asarray(features[name], np.float64) for name in INPUT_POINTS}
    for layer in range(len(np.asarray(features[SEED38_LAYER_POINTS[0]]))):
        for name in SEED38_LAYER_POINTS:
            points[name, layer + 1] = np.asarray(features[name][layer], np.float64)  # type: ignore[index]
    return points


def umap_map(
    features: ArrayLike, *, metric: str, neighbors: int, min_dist: float, seed: int
) -> NDArray[np.float64]:
    """Map tokens to the plane with UMAP, repeatable bit for bit on one machine.

    McInnes, Healy and Melville (2018), arXiv 1802.03426.

    Parameters
    ----------
    features
        ``[token, model_dim]``.
    metric, min_dist
        As in ``umap.UMAP``.
    neighbors
        ``n_neighbors``; at most tokens - 1 are used.
    seed
        ``random_state``, with which UMAP runs in one thread.

    Returns
    -------
    NDArray[float64]
        ``[token, 2]``, centred. Axes have no meaning of their own.

    Raises
    ------
    ValueError
        With fewer than 4 tokens: too few for a neighbourhood graph.
    """
    from umap import UMAP  # numba compiles for seconds: only when a map is drawn

    points = np.asarray(features, dtype=np.float64)
    tokens = len(points)
    if tokens < 4:
        raise ValueError(f"a map needs at least 4 tokens; this text has {tokens}")
    # The spectral start needs more points than it has dimensions to spare; tiny texts start at
    # random instead, from the same seed.
    start = "spectral" if tokens > 10 else "random"
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="n_jobs value", category=UserWarning)
        layout = UMAP(
            n_neighbors=min(neighbors, tokens - 1),
            min_dist=min_dist,
            metric=metric,
            init=start,
            random_state=seed,
            n_jobs=1,
        ).fit_transform(points)
    layout = np.asarray(layout, dtype=np.float64)
    return layout - layout.mean(axis=0)
