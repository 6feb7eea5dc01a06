"""Maps to the plane, whatever is mapped: how they are drawn, and how far to trust them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attention_mixing.methods.projection import pca_map, tsne_map, umap_map
from attention_mixing.methods.trust import (
    continuity,
    neighbour_overlap,
    neighbour_ranks,
    trustworthiness,
)
from attention_mixing.params.sections import Projection

NEIGHBORS = 5  # of the trust figures, the usual choice; fewer with few points

Layout = NDArray[np.float64]


def layout(
    vectors: NDArray, method: str, metric: str, *, seed: int, settings: Projection
) -> Layout:
    """Map vectors to the plane.

    Parameters
    ----------
    vectors
        ``[point, dim]``.
    method
        ``pca``, ``umap`` or ``tsne``.
    metric, seed
        Of UMAP and t-SNE; PCA has neither.
    settings
        Their other parameters.

    Returns
    -------
    NDArray[float64]
        ``[point, 2]``.
    """
    match method:
        case "pca":
            return pca_map(vectors)
        case "umap":
            return umap_map(
                vectors,
                metric=metric,
                neighbors=settings.neighbors,
                min_dist=settings.min_dist,
                seed=seed,
            )
        case _:
            return tsne_map(vectors, metric=metric, perplexity=settings.perplexity, seed=seed)


def neighbors(points: int) -> int:
    """Count neighbours that the trust figures of so many points compare."""
    return min(NEIGHBORS, (points - 1) // 2)


def same_neighbours(ranks: NDArray[np.intp], others: NDArray[np.intp]) -> float:
    """Mean share of the nearest :func:`neighbors` of a point that are so by other ranks as well."""
    return float(neighbour_overlap(ranks, others, neighbors(len(ranks))).mean())


def trust(ranks: NDArray[np.intp], layout: Layout) -> dict[str, float]:
    """Say how far a map keeps the neighbours that points have in full dimension.

    Parameters
    ----------
    ranks
        ``[point, point]``, as :func:`attention_mixing.methods.trust.neighbour_ranks` gives them for
        the vectors.
    layout
        The map, ``[point, 2]``.

    Returns
    -------
    dict
        ``trustworthiness``, ``continuity`` and ``overlap``.
    """
    on_map, k = neighbour_ranks(layout), neighbors(len(layout))
    return {
        "trustworthiness": trustworthiness(ranks, on_map, k),
        "continuity": continuity(ranks, on_map, k),
        "overlap": same_neighbours(ranks, on_map),
    }
