"""What the abstract still asks of the chapter *mixing*."""

from __future__ import annotations

from collections.abc import Sequence


def how_much_less(weights: Sequence[float], vectors: Sequence[float]) -> str:
    """Give the outcome of comparing what weights and what vectors mix in every model state."""
    pairs = list(zip(weights, vectors, strict=True))
    if all(2 * vector < weight for weight, vector in pairs):
        return "far_less"
    return "less" if all(vector < weight for weight, vector in pairs) else "depends"
