"""Measures of every matrix of sources: its mixing, and which tokens it points at."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from analysis.capture.fields import TokenScores
from analysis.measures.definition import (
    LAYER,
    POSITIVE,
    SHARE,
    Gives,
    Values,
    each_of,
    gives,
)
from analysis.methods.attention import entropy, row_scores
from analysis.methods.rollout import row_distance

# What is read of a matrix to score input tokens.
ROWS: tuple[Literal["cls", "max"], ...] = ("cls", "max")


def of_matrices(
    matrices: NDArray[np.float64],
    special: NDArray[np.bool_],
    *,
    of: str,
    sources: NDArray[np.intp] | None = None,
) -> Iterator[Values]:
    """Summarise row-stochastic matrices of every layer by means over the tokens of the text.

    Parameters
    ----------
    matrices
        ``[layer, query, key]``, every row summing to 1; the first row is that of the first token.
    special
        ``[token]``, whether it is a special token.
    of
        Name of the method.
    sources
        ``[query]``, tokens whose rows they are; None where every token has one.

    Returns
    -------
    Iterator
        ``mixing`` (share that goes to others), ``entropy`` and ``cls_entropy`` (all rows and the
        first, divided by ln n), ``special_share`` (weight on special tokens), ``row_distance`` (how
        far rows are apart), ``own_source`` (share of tokens that are their own largest source).
    """
    nats = math.log(matrices.shape[-1])
    rows = entropy(matrices) / nats if nats else np.zeros(matrices.shape[:2])
    tokens = np.arange(matrices.shape[-1]) if sources is None else sources
    measured = {
        "mixing": 1 - matrices[:, np.arange(len(tokens)), tokens].mean(axis=1),
        "entropy": rows.mean(axis=1),
        "cls_entropy": rows[:, 0],
        "special_share": matrices[:, :, special].sum(axis=2).mean(axis=1),
        "row_distance": np.array([float(row_distance(matrix)) for matrix in matrices]),
        "own_source": (matrices.argmax(axis=-1) == tokens).mean(axis=1),
    }
    return each_of(measured, of=of)


def matrix_quantities(of: Iterable[str]) -> tuple[Gives, ...]:
    """Declare what :func:`of_matrices` gives, of some methods."""
    methods = tuple(of)
    shares = ("mixing", "entropy", "cls_entropy", "special_share")
    return (
        *gives(shares, LAYER, SHARE, of=methods),
        Gives("row_distance", LAYER, POSITIVE, of=methods),
        Gives("own_source", LAYER, SHARE, of=methods, saturates=True),
    )


def scores(method: str, matrices: NDArray[np.float64]) -> Iterator[TokenScores]:
    """Score input tokens by the matrices of every layer, ``[layer, query, key]``."""
    for rows in ROWS:
        yield TokenScores(method, rows, row_scores(matrices, rows).astype(np.float32))
