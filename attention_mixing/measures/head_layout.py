"""Heads laid out by how far apart their attention is, without any features of maps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

from attention_mixing.capture.text import State
from attention_mixing.errors import InputError
from attention_mixing.measures.engine.definition import Measured, Values
from attention_mixing.methods.clustering import cluster
from attention_mixing.methods.head_distances import classical_mds, jensen_shannon_distances
from attention_mixing.settings.measures import Clusters

# Texts, and queries of each, over which heads are compared pair by pair, at a cost that grows with
# the square of the heads. Of a six-layer MiniLM before and after fine-tuning, distances over all
# queries of 64 short texts differ by 3 % from these, and their ranks correlate by .98.
DISTANCE_TEXTS, DISTANCE_QUERIES = 8, 16


def heads_by_distance(
    states: Sequence[State], main: pd.DataFrame, settings: Clusters, name: str
) -> tuple[pd.DataFrame, float]:
    """Compare heads by what they attend to, the heads of all variants in one plane.

    Parameters
    ----------
    states
        Of the model; texts are taken from the captured ones.
    main
        A row a head: ``variant``, ``layer``, ``head`` and the ``cluster`` of most of its maps.
    settings
        Number of clusters.
    name
        Of the experiment, for messages.

    Returns
    -------
    heads : DataFrame
        ``variant``, ``layer``, ``head``, place ``x``, ``y`` by Jensen-Shannon distance, ``cluster``
        by these distances, and the ``main`` cluster of the maps.
    share : float
        Part of the distances that the plane shows.

    Raises
    ------
    InputError
        If all heads are the same, or weights are none that can be compared.
    """
    ids = states[-1].examples["id"].to_numpy()
    few = ids[np.unique(np.linspace(0, len(ids) - 1, DISTANCE_TEXTS).round().astype(int))]
    texts = (
        np.concatenate([state.text(example)["attention"] for state in states]) for example in few
    )
    try:
        far = jensen_shannon_distances(texts, queries=DISTANCE_QUERIES)
        layout = classical_mds(far)
    except ValueError as error:
        raise InputError(f"heads of {name}: {error}.") from error
    table = main.rename(columns={"cluster": "main"}).reset_index(drop=True)
    # These distances are those of points, so that the layout loses nothing.
    k = min(settings.k, len(np.unique(layout.coordinates, axis=0)))
    table["cluster"] = cluster(layout.coordinates, "agglomerative", k) + 1
    table["x"], table["y"] = layout.coordinates.T[:2]
    return table[["variant", "layer", "head", "x", "y", "cluster", "main"]], layout.share[:2].sum()


def distance_agreements(heads: pd.DataFrame) -> Measured:
    """Compare the clusters of heads by distance with the main cluster of their maps, and layer.

    The heads are those of one variant, as :func:`heads_by_distance` gives them.
    """
    for kind in ("main", "layer"):
        agrees = adjusted_rand_score(heads["cluster"], heads[kind])
        yield Values("agreement", agrees, "distances", kind)
