"""Functions that a rule of arithmetic may name, from :mod:`analysis.methods`."""

from __future__ import annotations

from collections.abc import Callable

from analysis.methods.published_arithmetic import (
    dense_rank_error,
    feature_points,
    product,
    total,
    weighted_mean,
)

FUNCTIONS: dict[str, Callable[..., float]] = {
    "weighted_mean": weighted_mean,
    "feature_points": feature_points,
    "product": product,
    "total": total,
    "dense_rank_error": dense_rank_error,
}
