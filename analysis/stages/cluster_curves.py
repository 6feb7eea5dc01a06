"""Numbers of clusters compared on a sample of the maps, and whether there is a best one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from analysis.methods.clustering import cluster
from analysis.methods.clustering_agreement import agreement, stability
from analysis.methods.clustering_number import distortions, elbow, gap, reference_distortions
from analysis.methods.clustering_quality import quality
from analysis.methods.engine import Engine
from analysis.params.sections import Clusters

Floats = NDArray[np.float64]

COLUMNS = [
    "method",
    "k",
    "distortion",
    "distortion_per_dimension",
    "silhouette",
    "calinski_harabasz",
    "stability",
    "stability_low",
    "stability_high",
    "agreement",
    "reference",
]


def curves(
    rows: Floats, families: ArrayLike, settings: Clusters, engine: Engine
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Cluster the sample with every method into every number of clusters.

    Parameters
    ----------
    rows
        ``[map, component]``.
    families
        ``[map]``, by rule.
    settings
        Numbers of clusters, resamples, references and seed.
    engine
        What k-means is computed with.

    Returns
    -------
    tuple
        A row for each method and number of clusters: figures of
        :func:`analysis.methods.clustering_quality.quality`; of k-means ``stability``, the mean
        adjusted Rand index of clusters of pairs of bootstrap samples, with the smallest and
        largest; the ``agreement`` with the families; of k-means ``reference``, the mean distortion
        of data without clusters. And ``elbow`` and ``gap``: which number the distortions
        speak for, if any. The gap statistic needs numbers that grow one by one, and is asked of the
        first that do.
    """
    ks = list(settings.ks)
    kmeans: dict[str, Any] = {"seed": settings.seed, "engine": engine}
    distortion = distortions(rows, ks, **kmeans)
    references = reference_distortions(rows, ks, references=settings.references, **kmeans)
    table = []
    for method in ("kmeans", "agglomerative"):
        for at, k in enumerate(ks):
            labels = cluster(rows, method, k=k, **kmeans)  # type: ignore[arg-type]
            figures = quality(rows, labels)._asdict()
            figures |= {"method": method, "k": k, "agreement": agreement(labels, families)}
            if method == "kmeans":
                figures |= {"reference": references[:, at].mean()}
                if k > 1:
                    found = stability(rows, k, resamples=settings.resamples, **kmeans)
                    names = ("stability", "stability_low", "stability_high")
                    values = (found.mean(), found.min(), found.max())
                    figures |= dict(zip(names, values, strict=True))
            table.append(figures)
    first = 1 + next((i for i, step in enumerate(np.diff(ks)) if step != 1), len(ks) - 1)
    bend = elbow(ks, distortion, references)
    gaps = gap(ks[:first], distortion[:first], references[:, :first])
    return pd.DataFrame(table)[COLUMNS], {
        "elbow": bend._asdict(),
        "gap": {"k": gaps.k, "ks": ks[:first], "gap": gaps.gap.tolist()}
        | {"error": gaps.error.tolist()},
    }
