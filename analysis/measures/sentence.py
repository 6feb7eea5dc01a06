"""AttentionViz rebuilt on one sentence: the study that the geometry chapter grew from."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.capture.text import Text
from analysis.measures.geometry import attained, defined_mean, order_spreads
from analysis.measures.measure import Field, Given, Measure, Measured, Values
from analysis.methods.attentionviz import (
    SEED_SCALES,
    SEED_SHIFTS,
    SeedSearch,
    optimal_scale,
    own_correlation,
    pair_moments,
    pooled_correlation,
    principal_plane,
    project,
    scaled,
    seed_search,
    translate_keys,
    vector_moments,
)

Floats = NDArray[np.float64]
Vectors = tuple[Floats, Floats]
WAYS = ("before", "seed", "after")


def sentence(text: Text, given: Given) -> Measured:
    """Draw what the study draws of one text, for every layer and head.

    The vectors are taken three ways: ``before``, as the model has them; ``seed``, with the constant
    ``a`` added to every coordinate of the keys and the scale ``c`` that the study's grid finds for
    the layer; ``after``, with the keys of the text translated to its queries and the closed form.
    Where there is no such constant or scale, the vectors are neither moved nor scaled by it; a
    cosine of a vector of length zero is not a number.

    Values are of layers: what the grid chose, beside the same over all pairs, and how much c
    matters in either order. Shown: ``attention`` ``[layer, head, query, key]``, and for each way
    ``dot`` and ``cosine`` distance of the same shape and the ``query`` and ``key`` in the plane of
    their principal components, ``[layer, head, token, 2]``; ``grid``, a row for each layer, ``a``
    and ``c``, with the study's correlation; ``pairs``, a row for each layer, head and query with
    its strongest key, and for each pair of ``geometry.pair``, whether or not it is the
    ``strongest``; the distance of the two in the plane is divided by the mean distance of all
    queries and keys there.
    """
    pair, tokens = given.params.geometry.pair, text.tokens["token"].to_numpy()
    asked = np.outer(tokens == pair.query, np.isin(tokens, pair.keys))
    attention, queries, keys = (text[kind] for kind in ("attention", "query", "key"))
    arrays: dict[str, list[Floats]] = {}
    grids: list[pd.DataFrame] = []
    layers: list[dict[str, float]] = []
    pairs: list[pd.DataFrame] = []
    for layer, weights in enumerate(attention):
        query, key = queries[layer].astype(np.float64), keys[layer].astype(np.float64)
        found = seed_search(query, key)
        grids.append(_grid(found).assign(layer=layer + 1))
        layers.append(_layer(query, key, found))
        apart = {}
        for way, vectors in _ways(query, key, found).items():
            plane = principal_plane(*(vector_moments(side) for side in vectors))
            drawn = project(vectors[0], plane), project(vectors[1], plane)
            distance = np.linalg.norm(drawn[0][:, :, None] - drawn[1][:, None], axis=-1)
            apart[way] = _quotient(distance, distance.mean(axis=(-1, -2), keepdims=True))
            dot, cosine = _dot_and_cosine(*vectors)
            for kind, values in zip(
                ("dot", "cosine", "query", "key"), (dot, cosine, *drawn), strict=True
            ):
                arrays.setdefault(f"{kind}_{way}", []).append(values)
        strongest = (query @ key.swapaxes(-1, -2)).argmax(axis=-1)
        pairs.append(_pairs(strongest, asked, weights, apart).assign(layer=layer + 1))
    for measure in layers[0]:
        yield Values(measure, np.array([of_layer[measure] for of_layer in layers]))
    yield Field("attention", attention, ("layer", "head", "query", "key"), shown=True)
    for name, layered in arrays.items():
        axes = ("layer", "head", "token", "axis" if name.startswith(("query", "key")) else "token")
        yield Field(name, np.stack(layered).astype(np.float32), axes, shown=True)
    table = pd.concat(pairs, ignore_index=True)
    table["query_token"] = np.take(tokens, table["query"])
    table["key_token"] = np.take(tokens, table["key"])
    yield Field("grid", pd.concat(grids, ignore_index=True), shown=True)
    yield Field("pairs", table, shown=True)


def _ways(query: Floats, key: Floats, found: SeedSearch) -> dict[str, Vectors]:
    translated = translate_keys(query, key)
    scale, _ = optimal_scale(pair_moments(query, translated))
    a, c = (0.0, 1.0) if np.isnan(found.scale) else (found.shift, found.scale)
    return {
        "before": (query, key),
        "seed": scaled(query, key + a, c),
        "after": scaled(query, translated, attained(scale)),
    }


def _grid(found: SeedSearch) -> pd.DataFrame:
    shifts, scales = np.meshgrid(SEED_SHIFTS, SEED_SCALES, indexing="ij")
    return pd.DataFrame(
        {"a": shifts.ravel(), "c": scales.ravel(), "correlation": found.grid.ravel()}
    )


def _layer(query: Floats, key: Floats, found: SeedSearch) -> dict[str, float]:
    """Tell what c does to the correlation of one layer, in the study's way and in others."""
    centred = translate_keys(query, key)
    return {
        "a": found.shift,
        "c": found.scale,
        "correlation": found.correlation,
        "spread": found.spread,
        "own_before": own_correlation(query, key),
        "all_before": float(defined_mean(pooled_correlation(query, key))),
        "all_after": float(defined_mean(pooled_correlation(query, centred))),
        **{measure: float(spread) for measure, spread in order_spreads(query, key).items()},
    }


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


MEASURES = (
    Measure("sentence", sentence, reads=("attention", "query", "key"), settings=("geometry.pair",)),
)
