"""Who does the heavy arithmetic of clusters: scikit-learn, or RAPIDS cuML on a GPU.

Both are asked the same four things: products for principal components, centres of k-means, labels
of HDBSCAN, and a map by UMAP. They answer alike but not bit for bit: random starts are drawn by
generators of their own.

With cuML arrays go to the GPU and come back for every question. What is asked of batches that a
processor core is done with before they would have arrived (which of a few centres is nearest, in a
few dimensions) is asked of no engine.
"""

from __future__ import annotations

import warnings
from typing import Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]
Choice = Literal["auto", "scikit-learn", "cuml"]

CHOICES: tuple[Choice, ...] = get_args(Choice)


class Engine(Protocol):
    """What a clustering is computed with. Rows are ``[row, dim]``; distances are Euclidean."""

    name: str

    def products(self, rows: Floats) -> Floats:
        """Sum over rows of the products of all pairs of dimensions, ``[dim, dim]``."""

    def kmeans(self, rows: Floats, k: int, *, starts: int, seed: int) -> Floats:
        """Centres of the tightest of so many results of k-means, ``[cluster, dim]``."""

    def hdbscan(self, rows: Floats, smallest: int) -> Labels:
        """Clusters of at least so many rows, ``[row]``; -1 for rows in none."""

    def umap(self, rows: Floats, *, neighbors: int, min_dist: float, seed: int) -> Floats:
        """Map to the plane, ``[row, 2]``, centred."""


class ScikitLearn:
    """scikit-learn and umap-learn on the processor."""

    name = "scikit-learn"

    def products(self, rows: Floats) -> Floats:  # noqa: D102
        return rows.T @ rows

    def kmeans(self, rows: Floats, k: int, *, starts: int, seed: int) -> Floats:  # noqa: D102
        from sklearn.cluster import KMeans  # a second to import
        from sklearn.exceptions import ConvergenceWarning

        with warnings.catch_warnings():
            # A bootstrap sample may hold fewer different rows than clusters are asked for.
            warnings.filterwarnings("ignore", "Number of distinct clusters", ConvergenceWarning)
            return KMeans(k, n_init=starts, random_state=seed).fit(rows).cluster_centers_

    def hdbscan(self, rows: Floats, smallest: int) -> Labels:  # noqa: D102
        from sklearn.cluster import HDBSCAN

        return HDBSCAN(min_cluster_size=smallest, copy=True).fit_predict(rows)

    def umap(self, rows: Floats, *, neighbors: int, min_dist: float, seed: int) -> Floats:  # noqa: D102
        from analysis.methods.projection import umap_map

        return umap_map(rows, metric="euclidean", neighbors=neighbors, min_dist=min_dist, seed=seed)


class CuML:
    """RAPIDS cuML and CuPy on an NVIDIA GPU."""

    name = "cuml"

    def products(self, rows: Floats) -> Floats:  # noqa: D102
        import cupy

        there = cupy.asarray(rows)
        return cupy.asnumpy(there.T @ there)

    def kmeans(self, rows: Floats, k: int, *, starts: int, seed: int) -> Floats:  # noqa: D102
        from cuml.cluster import KMeans

        found = KMeans(n_clusters=k, n_init=starts, random_state=seed, output_type="numpy")
        return np.asarray(found.fit(rows).cluster_centers_, dtype=np.float64)

    def hdbscan(self, rows: Floats, smallest: int) -> Labels:  # noqa: D102
        from cuml.cluster.hdbscan import HDBSCAN

        found = HDBSCAN(min_cluster_size=smallest, output_type="numpy")
        return np.asarray(found.fit_predict(rows.astype(np.float32)), dtype=np.int64)

    def umap(self, rows: Floats, *, neighbors: int, min_dist: float, seed: int) -> Floats:  # noqa: D102
        from cuml.manifold import UMAP

        found = UMAP(
            n_neighbors=min(neighbors, len(rows) - 1),
            min_dist=min_dist,
            random_state=seed,
            output_type="numpy",
        )
        layout = np.asarray(found.fit_transform(rows.astype(np.float32)), dtype=np.float64)
        return layout - layout.mean(axis=0)


SCIKIT_LEARN = ScikitLearn()


def engine(choice: Choice) -> Engine:
    """Choose an engine.

    Parameters
    ----------
    choice
        ``scikit-learn``, ``cuml``, or ``auto``: cuML where it is installed and a GPU is there.

    Returns
    -------
    Engine
        Which one it is says its ``name``.

    Raises
    ------
    ValueError
        If there is no such engine, or cuML is asked for where it cannot work.
    """
    if choice not in CHOICES:
        raise ValueError(f"engine is {choice!r}; allowed: {', '.join(CHOICES)}")
    if choice == "scikit-learn":
        return SCIKIT_LEARN
    reason = _no_cuml()
    if reason is None:
        return CuML()
    if choice == "cuml":
        raise ValueError(f"engine is cuml, but {reason}; set auto or scikit-learn")
    return SCIKIT_LEARN


def _no_cuml() -> str | None:
    """Say why cuML cannot work here; None if it can."""
    try:
        import cupy

        if not cupy.cuda.is_available():
            return "there is no CUDA GPU"
        import cuml  # noqa: F401 - it may refuse to be imported without one
    except ImportError as error:
        return f"it is not installed ({error})"
    return None
