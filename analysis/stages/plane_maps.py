"""Maps to the plane, whatever is mapped: how they are drawn, how far to trust them, and by whom."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from joblib import Parallel, cpu_count, delayed
from numpy.typing import NDArray
from tqdm import tqdm

from analysis.methods.projection import pca_map, tsne_map, umap_map
from analysis.methods.trust import (
    continuity,
    neighbour_overlap,
    neighbour_ranks,
    trustworthiness,
)
from analysis.params.sections import Projection

FIGURES = ("trustworthiness", "continuity", "overlap")
NEIGHBORS = 5  # of the trust figures, the usual choice; fewer with few points
WORKERS = 4  # at most: each begins with seconds of imports

Layout = NDArray[np.float64]


def layout(
    vectors: NDArray[np.floating], method: str, *, metric: str, seed: int, settings: Projection
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


def trust(ranks: NDArray[np.intp], layout: Layout) -> dict[str, float]:
    """Say how far a map keeps the neighbours that points have in full dimension.

    Parameters
    ----------
    ranks
        ``[point, point]``, as :func:`analysis.methods.trust.neighbour_ranks` gives them for the
        vectors.
    layout
        The map, ``[point, 2]``.

    Returns
    -------
    dict
        One number for each of :data:`FIGURES`.
    """
    on_map, k = neighbour_ranks(layout), neighbors(len(layout))
    return {
        "trustworthiness": trustworthiness(ranks, on_map, k),
        "continuity": continuity(ranks, on_map, k),
        "overlap": float(neighbour_overlap(ranks, on_map, k).mean()),
    }


def in_processes(
    work: Callable[..., Any], arguments: Sequence[tuple], title: str, unit: str
) -> Iterator[Any]:
    """Call ``work`` with each arguments, in several processes; the results do not depend on it."""
    results = Parallel(n_jobs=min(cpu_count(), WORKERS), return_as="generator")(
        delayed(work)(*given) for given in arguments
    )
    yield from tqdm(results, title, total=len(arguments), disable=None, unit=unit)
