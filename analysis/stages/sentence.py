"""AttentionViz rebuilt on one sentence: the study that the geometry chapter grew from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from safetensors.numpy import save_file

from analysis.capture.store import Capture
from analysis.methods.attentionviz import (
    SEED_SCALES,
    SEED_SHIFTS,
    SeedSearch,
    normalised,
    optimal_scale,
    own_correlation,
    pair_moments,
    pooled_correlation,
    principal_plane,
    project,
    scaled,
    seed_search,
    strongest_keys,
    translate_keys,
    vector_moments,
)
from analysis.params.sections import Pair

Floats = NDArray[np.float64]
Vectors = tuple[Floats, Floats]
WAYS = ("before", "seed", "after")
ORDER_SCALES = np.geomspace(0.5, 2, 9)


def write_sentence(
    directory: Path, variant: str, capture: Capture, example: int, pair: Pair
) -> None:
    """Write what the study draws of one text, for every layer and head.

    The vectors are taken three ways: ``before``, as the model has them; ``seed``, with the constant
    ``a`` added to every coordinate of the keys and the scale ``c`` that the study's grid finds for
    the layer; ``after``, with the keys of the text translated to its queries and the closed form.
    Where there is no such constant or scale, the vectors are neither moved nor scaled by it; a
    cosine of a vector of length zero is not a number.

    ``VARIANT.safetensors``: ``attention`` ``[layer, head, query, key]``, and for each way ``dot``
    and ``cosine`` distance of the same shape and the ``query`` and ``key`` in the plane of their
    principal components, ``[layer, head, token, 2]``. ``VARIANT-grid.parquet``: a row for each
    layer, ``a`` and ``c``, with the study's correlation. ``VARIANT-layers.parquet``: what the grid
    chose, beside the same over all pairs, and how much c matters in either order.
    ``VARIANT-pairs.parquet``: a row for each layer, head and query with its strongest key, and for
    each pair that was ``asked`` for, whether or not it is the ``strongest``; the distance of the
    two in the plane is divided by the mean distance of all queries and keys there.
    """
    attention = capture.array(example, "attention")
    queries, keys = (capture.array(example, kind).astype(float) for kind in ("query", "key"))
    tokens = capture.tokens_of(example)["token"].to_numpy()
    asked = np.outer(tokens == pair.query, np.isin(tokens, pair.keys))
    arrays: dict[str, list[Floats]] = {}
    grids: list[pd.DataFrame] = []
    layers: list[dict[str, Any]] = []
    pairs: list[pd.DataFrame] = []
    for layer, (query, key) in enumerate(zip(queries, keys, strict=True), start=1):
        found = seed_search(query, key)
        grids.append(_grid(found).assign(layer=layer))
        scale, _ = optimal_scale(pair_moments(query, translate_keys(query, key)))
        a, c = (0.0, 1.0) if np.isnan(found.scale) else (found.shift, found.scale)
        layers.append({"layer": layer} | _layer(query, key, found))
        ways: dict[str, Vectors] = {
            "before": (query, key),
            "seed": scaled(query, key + a, c),
            "after": normalised(query, key, attained(scale), order="translate-scale"),
        }
        apart = {}
        for way, (some_queries, some_keys) in ways.items():
            plane = principal_plane(vector_moments(some_queries), vector_moments(some_keys))
            drawn = project(some_queries, plane), project(some_keys, plane)
            distance = np.linalg.norm(drawn[0][:, :, None] - drawn[1][:, None], axis=-1)
            apart[way] = _quotient(distance, distance.mean(axis=(-1, -2), keepdims=True))
            dot, cosine = _dot_and_cosine(some_queries, some_keys)
            for kind, values in zip(
                ("dot", "cosine", "query", "key"), (dot, cosine, *drawn), strict=True
            ):
                arrays.setdefault(f"{kind}_{way}", []).append(values)
        pairs.append(
            _pairs(strongest_keys(query, key), asked, attention[layer - 1], apart).assign(
                layer=layer
            )
        )
    table = pd.concat(pairs, ignore_index=True)
    table["query_token"] = np.take(tokens, table["query"])
    table["key_token"] = np.take(tokens, table["key"])
    save_file(
        {"attention": attention} | {n: np.stack(v).astype(np.float32) for n, v in arrays.items()},
        directory / f"{variant}.safetensors",
    )
    for kind, frame in (
        ("grid", pd.concat(grids, ignore_index=True)),
        ("layers", pd.DataFrame(layers)),
        ("pairs", table),
    ):
        frame.to_parquet(directory / f"{variant}-{kind}.parquet", index=False)


def attained(scale: ArrayLike) -> Floats:
    """Leave vectors unscaled where no scale is best, or only a limit.

    Parameters
    ----------
    scale
        As :func:`analysis.methods.attentionviz.optimal_scale` gives it, ``[...]``.

    Returns
    -------
    NDArray[float64]
        The same, 1 in place of 0, infinity and what is not a number.
    """
    scales = np.asarray(scale, dtype=np.float64)
    return np.where(np.isfinite(scales) & (scales > 0), scales, 1.0)


def _grid(found: SeedSearch) -> pd.DataFrame:
    shifts, scales = np.meshgrid(SEED_SHIFTS, SEED_SCALES, indexing="ij")
    return pd.DataFrame(
        {"a": shifts.ravel(), "c": scales.ravel(), "correlation": found.grid.ravel()}
    )


def _layer(query: Floats, key: Floats, found: SeedSearch) -> dict[str, float]:
    """Tell what c does to the correlation of one layer, in the study's way and in others."""
    orders = {
        order: np.stack(
            [pooled_correlation(*normalised(query, key, c, order=order)) for c in ORDER_SCALES]
        )
        for order in ("translate-scale", "scale-translate")
    }
    return {
        "a": found.shift,
        "c": found.scale,
        "correlation": found.correlation,
        "spread": found.spread,
        "own_before": own_correlation(query, key),
        "all_before": _mean(pooled_correlation(query, key)),
        "all_after": _mean(pooled_correlation(query, translate_keys(query, key))),
        "translate_scale_spread": float(np.fmax.reduce(np.ptp(orders["translate-scale"], axis=0))),
        "scale_translate_spread": _mean(np.ptp(orders["scale-translate"], axis=0)),
    }


def _mean(values: Floats) -> float:
    """Mean of the heads for which a value is defined; nan where there is none."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else np.nan


def _quotient(values: Floats, divisor: Floats) -> Floats:
    return np.divide(values, divisor, out=np.full_like(values, np.nan), where=divisor > 0)


def _dot_and_cosine(query: Floats, key: Floats) -> tuple[Floats, Floats]:
    dot = query @ key.swapaxes(-1, -2)
    lengths = [np.linalg.norm(vectors, axis=-1) for vectors in (query, key)]
    return dot, 1 - _quotient(dot, lengths[0][..., :, None] * lengths[1][..., None, :])


def _pairs(
    strongest: NDArray[np.intp],
    asked: NDArray[np.bool_],
    attention: NDArray[np.float32],
    apart: dict[str, Floats],
) -> pd.DataFrame:
    """One row a head and pair that is the strongest of its query, or asked for, or both."""
    tokens = len(asked)
    is_strongest = np.arange(tokens) == strongest[..., None]
    place = np.nonzero(is_strongest | asked)
    return pd.DataFrame(
        {
            "head": place[0] + 1,
            "query": place[1],
            "key": place[2],
            "asked": asked[place[1:]],
            "strongest": is_strongest[place],
            "attention": attention[place],
            **{f"distance_{way}": values[place] for way, values in apart.items()},
        }
    )
