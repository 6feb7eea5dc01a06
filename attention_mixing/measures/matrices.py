"""Measures of every matrix of sources: its mixing, and which tokens it points at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from attention_mixing.capture.text import Text
from attention_mixing.measures.engine.definition import (
    LAYER,
    POSITIVE,
    SHARE,
    Gives,
    Values,
    each_of,
    gives,
)
from attention_mixing.methods.attention import relative_entropy
from attention_mixing.methods.rollout import row_distance


def of_matrices(
    matrices: NDArray[np.float64],
    text: Text,
    *,
    subject: str,
    seen: NDArray[np.bool_] | None,
    sources: NDArray[np.intp] | None = None,
) -> Iterator[Values]:
    """Summarise row-stochastic matrices of every layer by means over the tokens of the text.

    Parameters
    ----------
    matrices
        ``[layer, query, key]``, every row summing to 1; nothing is measured of a layer in which
        something is not a number.
    text
        Whose they are.
    of
        Name of the method.
    seen
        ``[layer, token, token]``, which keys a token may see, or which input tokens it can stem
        from; None for all.
    sources
        ``[query]``, tokens whose rows they are, the first and the last among them; None where every
        token has one.

    Returns
    -------
    Iterator
        ``mixing`` (share that goes to others), ``entropy`` and ``cls_entropy`` (of all rows and of
        that of the token that the prediction is read from, by the largest entropy that they can
        have; rows that see one key alone have none), ``special_share`` (weight on special tokens),
        ``row_distance`` (how far rows are apart), ``own_source`` (share of tokens that are their
        own largest source).
    """
    tokens = np.arange(matrices.shape[-1]) if sources is None else sources
    rows = relative_entropy(matrices, None if seen is None else seen[:, tokens])
    chosen = ~np.isnan(rows)
    rows[~chosen] = 0
    measured = {
        "mixing": 1 - matrices[:, np.arange(len(tokens)), tokens].mean(axis=1),
        "entropy": rows.sum(axis=1) / np.maximum(chosen.sum(axis=1), 1),
        "cls_entropy": rows[:, text.read],
        "special_share": matrices[:, :, text.special].sum(axis=2).mean(axis=1),
        "row_distance": np.array([float(row_distance(matrix)) for matrix in matrices]),
        "own_source": (matrices.argmax(axis=-1) == tokens).mean(axis=1),
    }
    undefined = np.isnan(matrices).any(axis=(1, 2))
    return each_of(
        {name: np.where(undefined, np.nan, values) for name, values in measured.items()},
        subject=subject,
    )


def matrix_quantities(labels: Iterable[str]) -> tuple[Gives, ...]:
    """Declare what :func:`of_matrices` gives, of some methods."""
    methods = tuple(labels)
    shares = ("mixing", "entropy", "cls_entropy", "special_share")
    return (
        *gives(shares, LAYER, SHARE, subject=methods),
        Gives("row_distance", LAYER, POSITIVE, subject=methods),
        Gives("own_source", LAYER, SHARE, subject=methods, saturates=True),
    )
