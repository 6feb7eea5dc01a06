"""AttentionViz rebuilt on one sentence: the study that the geometry chapter grew from."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attention_mixing.capture.text import Text
from attention_mixing.measures.engine.definition import (
    LAYER,
    POSITIVE,
    SIGNED,
    Field,
    Given,
    Gives,
    Measure,
    Measured,
    Values,
    gives,
)
from attention_mixing.measures.geometry import (
    READS,
    attained,
    correlations,
    order_spreads,
)
from attention_mixing.methods.arrays import defined_mean
from attention_mixing.methods.attentionviz import (
    principal_plane,
    project,
    scaled,
    stacked,
    translate_keys,
    vector_moments,
)
from attention_mixing.methods.attentionviz_scale import (
    SEED_SCALES,
    SEED_SHIFTS,
    SeedSearch,
    optimal_scale,
    pair_moments,
    seed_search,
)

Floats = NDArray[np.float64]
Vectors = tuple[Floats, Floats]


def sentence(text: Text, given: Given) -> Measured:
    """Draw what the study draws of one text, for every layer and head.

    The vectors are taken three ways: ``before``, as the model has them; ``seed``, with the constant
    ``a`` added to every coordinate of the keys and the scale ``c`` that the study's grid finds for
    the layer; ``after``, with the keys of the text translated to its queries and the closed form.
    Where there is no such constant or scale, the vectors are neither moved nor scaled by it; a
    cosine of a vector of length zero is not a number.

    Values are of layers: what the grid chose, beside the same over all pairs, and how much c
    matters scaled first. Shown: ``attention`` ``[layer, head, query, key]``, and for each way
    ``dot`` and ``cosine`` distance of the same shape and the ``query`` and ``key`` in the plane of
    their principal components, ``[layer, head, token, 2]``; ``grid``, a row for each layer, ``a``
    and ``c``, with the study's correlation; ``pairs``, a row for each layer, head and query with
    its strongest key, and for each pair of ``geometry.pair``, whether or not it is the
    ``strongest``; the distance of the two in the plane is divided by the mean distance of all
    queries and keys there.
    """
    pair, tokens = given.settings["geometry.pair"], text.tokens["token"].to_numpy()
    asked = np.outer(tokens == pair.query, np.isin(tokens, pair.keys))
    attention, (query, key) = text["attention"], (text[kind].astype(np.float64) for kind in READS)
    searches = [seed_search(*vectors) for vectors in zip(query, key, strict=True)]
    yield Values("a", [search.shift for search in searches])
    yield Values("correlation", [search.correlation for search in searches])
    yield Values("spread", [search.spread for search in searches])
    yield Values("all_before", defined_mean(correlations(text, query, key)))
    spread = "scale_translate_spread"
    yield Values(spread, order_spreads(text)[spread])
    yield Field("attention", attention, shown=True)
    apart = {}
    every = np.ones(attention.shape[:1] + attention.shape[2:], bool)
    every = every if text.visible is None else text.visible
    for way, vectors in _ways(text, query, key, searches).items():
        plane = principal_plane(*(vector_moments(side) for side in vectors))
        points = [project(side, plane) for side in vectors]
        distance = np.linalg.norm(points[0][..., :, None, :] - points[1][..., None, :, :], axis=-1)
        apart[way] = _quotient(distance, distance.mean(axis=(-1, -2), keepdims=True))
        arrays = zip(("dot", "cosine", *READS), (*_dot_and_cosine(*vectors), *points), strict=True)
        for kind, values in arrays:
            yield Field(f"{kind}_{way}", values.astype(np.float32), shown=True)
    yield Field("grid", _grid(searches), shown=True)
    dot = query @ key.swapaxes(-1, -2)
    strongest = np.where(every[:, None], dot, -np.inf).argmax(axis=-1)
    pairs = _pairs(strongest, asked, attention, apart)
    names = text.shown_tokens["token"].to_numpy()
    pairs["query_token"], pairs["key_token"] = names[pairs["query"]], names[pairs["key"]]
    yield Field("pairs", pairs, shown=True)


def _ways(text: Text, query: Floats, key: Floats, searches: list[SeedSearch]) -> dict[str, Vectors]:
    translated = translate_keys(query, key)
    layers = zip(query, translated, map(text.sight, range(len(query))), strict=True)
    scale, _ = optimal_scale(stacked([pair_moments(*layer) for layer in layers]))
    chosen = [
        (0.0, 1.0) if np.isnan(search.scale) else (search.shift, search.scale)
        for search in searches
    ]
    # The same for every head of a layer.
    a, c = np.repeat(np.transpose(chosen)[..., None], scale.shape[1], axis=-1)
    return {
        "before": (query, key),
        "seed": scaled(query, key + a[..., None, None], c),
        "after": scaled(query, translated, attained(scale)),
    }


def _grid(searches: list[SeedSearch]) -> pd.DataFrame:
    grids = np.array([search.grid for search in searches])
    layer, shift, scale = np.indices(grids.shape).reshape(3, -1)
    columns = {"a": SEED_SHIFTS[shift], "c": SEED_SCALES[scale], "correlation": grids.ravel()}
    return pd.DataFrame(columns | {"layer": layer + 1})


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
    index = layer, head, query, key = np.nonzero(is_strongest | asked)
    return pd.DataFrame(
        {
            "head": head + 1,
            "query": query,
            "key": key,
            "asked": asked[query, key],
            "strongest": is_strongest[index],
            "attention": attention[index],
            **{f"distance_{way}": values[index] for way, values in apart.items()},
            "layer": layer + 1,
        }
    )


MEASURES = (
    Measure(
        "sentence",
        sentence,
        gives=(
            Gives("a", LAYER),
            *gives(("correlation", "all_before"), LAYER, SIGNED),
            *gives(("spread", "scale_translate_spread"), LAYER, POSITIVE),
        ),
        settings=("geometry.pair",),
    ),
)
