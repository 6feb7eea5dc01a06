"""Rows with clusters, drawn by lot."""

import numpy as np


def blobs(clusters=4, rows=160, dimensions=5, seed=0, apart=6.0):
    """Rows around corners of a simplex, and which corner: clusters of unequal size."""
    rng = np.random.default_rng(seed)
    weights = np.arange(clusters, 0, -1) + 2
    which = np.sort(rng.choice(clusters, rows, p=weights / weights.sum()))
    return apart * np.eye(clusters, dimensions)[which] + rng.normal(size=(rows, dimensions)), which
