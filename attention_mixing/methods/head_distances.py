"""Distances between heads by what they attend to, and their layout in a plane.

The baseline of every clustering by features: Clark et al. (2019), *What Does BERT Look At?*,
BlackboxNLP, section 6.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Float64

from attention_mixing.methods.attention import head_mean
from attention_mixing.methods.change import jensen_shannon
from attention_mixing.methods.shapes import checked_shapes

Maps = Float[np.ndarray, "... _ _"]  # of a text, which are of different lengths
Distances = Float64[np.ndarray, "head head"]


class Layout(NamedTuple):
    """Result of :func:`classical_mds`.

    Attributes
    ----------
    coordinates
        Centred; dimensions from the widest to the narrowest. The largest coordinate of each is
        positive.
    share
        Of a dimension: its part of the sum of the positive eigenvalues.
    """

    coordinates: Float64[np.ndarray, "row dimension"]
    share: Float64[np.ndarray, " dimension"]


def jensen_shannon_distances(texts: Iterable[Maps], *, queries: int) -> Distances:
    """Distance of every head to every other over the queries of all texts.

    The root of the mean Jensen-Shannon divergence, in nats, of their rows
    (:func:`attention_mixing.methods.change.jensen_shannon`). Clark et al. take the sum itself. Its
    root is a distance that points in a space have (Endres and Schindelin 2003; Fuglede and Topsoe
    2004), and the mean does not grow with the texts.

    Parameters
    ----------
    texts
        For each text ``[..., query, key]``, rows summing to 1, such as ``[layer, head, query,
        key]``. The same heads in every text; read once, one at a time.
    queries
        At most so many of a text, evenly spread from the first to the last.

    Returns
    -------
    NDArray[float64]
        ``[head, head]``, heads of all layers one after the other, 0 to the root of ln 2.

    Raises
    ------
    ValueError
        As :func:`attention_mixing.methods.attention.head_mean`.
    """
    total, compared = 0.0, 0
    for text in texts:
        # Without a head axis, head_mean checks and renormalises.
        heads = head_mean(text.reshape(-1, *text.shape[-2:]))
        last = heads.shape[1] - 1
        heads = heads[:, np.linspace(0, last, min(queries, last + 1)).round().astype(int)]
        bits = [jensen_shannon(np.broadcast_to(head, heads.shape), heads) for head in heads]
        total = total + np.log(2) * np.sum(bits, axis=-1)
        compared += heads.shape[1]
    return np.sqrt(total / compared)


@checked_shapes
def classical_mds(distances: Float[np.ndarray, "row row"]) -> Layout:
    """Lay points out so that their distances are as given, exactly and without a random start.

    Distances that no points in any space have are met as closely as they can be.

    Raises
    ------
    ValueError
        If the distances are not symmetric and finite, or all are 0.

    References
    ----------
    Torgerson (1952), *Multidimensional scaling: I. Theory and method*, Psychometrika 17.
    """
    from sklearn.manifold import ClassicalMDS  # a second to import

    if not distances.any():
        raise ValueError(f"all {len(distances)} heads are identical; there is nothing to lay out")
    with np.errstate(invalid="ignore"):  # the roots of negative eigenvalues
        scaling = ClassicalMDS(len(distances), metric="precomputed").fit(distances)
    room = scaling.eigenvalues_ > 0
    share = scaling.eigenvalues_[room]
    return Layout(scaling.embedding_[:, room], share / share.sum())
