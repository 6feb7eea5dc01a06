r"""Scores of attention taken apart by what wrote to the query and to the key.

The stream of a token is a sum of sources: its embeddings, what each head below has added, what each
feed-forward network has added, and constants. A normalisation sends each source on, divided by what
the whole is divided by (:mod:`attention_mixing.methods.layer`), and queries and keys are linear in
it, rotated by position or not. So the score is a sum over pairs of sources,

.. math:: s_{ij} = \alpha\, q_i \cdot k_j + p_{ij}
    = \alpha \sum_{a, b} q_i^a \cdot k_j^b + p_{ij},

with :math:`\alpha` the scale of the head and :math:`p_{ij}` what a model adds for the distance of
the tokens, which has no sources. Elhage et al. (2021), *A Mathematical Framework for Transformer
Circuits*, read the term of two embeddings off the weights; Kamath et al. (2025), *Tracing Attention
Computation Through Feature Interactions*, take pairs of features.

Sources come first in arrays, ``[source, token, ...]``. The first of them holds all that is
constant: offsets of normalisations and biases of linear maps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from attention_mixing.methods.layer import Norm, Residual, norm_divisor, norm_numerator
from attention_mixing.methods.shapes import checked_shapes

Sources = Float[np.ndarray, "source token model_dim"]


@checked_shapes
def normalised_sources(sources: Sources, norm: Norm | None) -> Sources:
    """Bring sources through a normalisation, with the divisor of their sum; None leaves them.

    Parameters
    ----------
    sources
        Of what is normalised, the constant one first, which takes up the offset.
    norm
        The normalisation.
    """
    if norm is None:
        return sources
    through = norm_numerator(sources, norm) / norm_divisor(sources.sum(axis=0), norm)[:, None]
    through[0] += norm.offset
    return through


@checked_shapes
def joined_sources(
    stream: Float[np.ndarray, "source token model_dim"],
    added: Float[np.ndarray, "added token model_dim"],
    residual: Residual,
) -> Float[np.ndarray, "all token model_dim"]:
    """Add the sources of what a step made to those of the stream.

    Parameters
    ----------
    stream
        Sources of the stream before the step, the constant one first.
    added
        Those of what its last module made, the constant one first.
    residual
        How the step joins the stream.

    Returns
    -------
    sources
        Of the stream after it: the constant one, the others of the stream, the others that were
        added.
    """
    made = normalised_sources(added, residual.of_output) * np.asarray(residual.scale, added.dtype)
    every = np.concatenate([stream, made[1:]])
    every[0] += made[0]
    return normalised_sources(every, residual.after)


@checked_shapes
def score_parts(
    query: Float[np.ndarray, "query_source head head_dim"],
    key: Float[np.ndarray, "key_source head head_dim"],
    scale: float,
) -> Float[np.ndarray, "head query_source key_source"]:
    """Take the score of a query and a key apart by pairs of sources.

    Parameters
    ----------
    query, key
        Of one token each, by source.
    scale
        Of the scores, such as one over the square root of ``head_dim``.

    Examples
    --------
    >>> query = np.array([[[1.0, 0.0]], [[2.0, 1.0]]])
    >>> score_parts(query, np.array([[[3.0, 1.0]]]), scale=0.5)[0]
    array([[1.5],
           [3.5]])
    """
    return np.asarray(scale * np.einsum("ahd,bhd->hab", query, key))


class ChangeBySource(NamedTuple):
    """What each source of a query, and of a key, has done to the change of a score, by head."""

    query: Float[np.ndarray, "query_source head"]
    key: Float[np.ndarray, "key_source head"]


@checked_shapes
def score_change(
    before: tuple[
        Float[np.ndarray, "query_source head head_dim"],
        Float[np.ndarray, "key_source head head_dim"],
    ],
    after: tuple[
        Float[np.ndarray, "query_source head head_dim"],
        Float[np.ndarray, "key_source head head_dim"],
    ],
    scale: float,
) -> ChangeBySource:
    r"""Part the change of a score between two states into that of the query and that of the key.

    .. math:: q'_i \cdot k'_j - q_i \cdot k_j
        = (q'_i - q_i) \cdot \tfrac{k_j + k'_j}{2} + \tfrac{q_i + q'_i}{2} \cdot (k'_j - k_j)

    is exact, and the only such division that treats both alike: each is what its change does, with
    the other one halfway. Both terms are linear in the change, and so sums over sources. A turn of
    queries and keys together, which leaves every score as it is, moves weight between the two; of
    a model and what it was fine-tuned to it is small.

    Parameters
    ----------
    before, after
        Query and key by source, the same sources in the same order.
    scale
        Of the scores, the same in both.

    Examples
    --------
    Only the key has changed.

    >>> query, key = np.array([[[1.0, 2.0]]]), np.array([[[3.0, 1.0]], [[0.0, 1.0]]])
    >>> change = score_change((query, key), (query, 2 * key), scale=1.0)
    >>> change.query.ravel(), change.key.ravel()
    (array([0.]), array([5., 2.]))
    """
    (query, key), (query_after, key_after) = before, after
    middle_query, middle_key = (
        (one.sum(axis=0) + other.sum(axis=0)) / 2
        for one, other in ((query, query_after), (key, key_after))
    )
    return ChangeBySource(
        scale * np.einsum("ahd,hd->ah", query_after - query, middle_key),
        scale * np.einsum("bhd,hd->bh", key_after - key, middle_query),
    )
