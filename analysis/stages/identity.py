"""What remains of a token: its features against its own input and against other tokens."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.capture.store import Capture, variants
from analysis.methods.identity import (
    Moments,
    anisotropy,
    effective_rank,
    identified,
    linear_cka,
    self_similarity,
)
from analysis.params import Params
from analysis.paths import artifact, result
from analysis.stages.runner import replacing, run, write_json
from analysis.stages.summaries import curves, defined, nested

MEASURES = ("self_similarity", "identifiability", "similarity", "similarity_centred")


def identity(params: Params, name: str) -> None:
    """Write measures of every text and layer, and of all tokens together.

    ``results/E/identity.parquet`` holds a row for each variant, text and layer, layer 0 being the
    input of the first: ``self_similarity`` (cosine of a token to its own input),
    ``identifiability`` (share of tokens whose nearest input is their own), ``similarity`` and
    ``similarity_centred`` (mean cosine of two tokens of the text, as they are and without the mean
    of all tokens of all texts, so that a direction common to everything does not count). Over all
    tokens: ``effective_rank`` beside these in ``plots/identity.csv``, and linear CKA of every layer
    with every other in ``plots/cka.csv``.
    """
    rows: list[dict[str, Any]] = []
    spread: list[dict[str, Any]] = []
    alike: list[dict[str, Any]] = []
    for variant in variants(artifact(name, "capture")):
        capture = Capture(artifact(name, "capture", variant))
        moments: dict[tuple[int, int], Moments] = {}
        for example in capture.examples["id"]:
            features = _layers(capture, example)
            for pair in combinations_with_replacement(range(len(features)), 2):
                moments.setdefault(pair, Moments()).add(*features[list(pair)])
        layers = range(len(features))
        # Once more, now that the mean of all tokens is known.
        mean = np.stack([moments[layer, layer].first_mean for layer in layers])
        for example in capture.examples["id"]:
            rows += [
                {"variant": variant, "example_id": example, "layer": layer} | measures
                for layer, measures in enumerate(_measure(_layers(capture, example), mean))
            ]
        for layer in layers:
            rank = effective_rank(moments[layer, layer])
            spread.append({"variant": variant, "layer": layer, "effective_rank": rank})
        for layer in layers:
            for other in layers:
                low, high = sorted((layer, other))  # the same both ways
                value = linear_cka(moments[low, high], moments[low, low], moments[high, high])
                alike.append({"variant": variant, "layer": layer, "other": other, "cka": value})
    _write(params, name, pd.DataFrame(rows), pd.DataFrame(spread), pd.DataFrame(alike))


def _layers(capture: Capture, example: int) -> NDArray[np.float32]:
    """Features of a text after every layer, the input of the first in front."""
    embedding = capture.array(example, "embedding")
    return np.concatenate([embedding[None], capture.array(example, "layer_output")])


def _measure(features: NDArray[np.float32], mean: NDArray[np.float64]) -> list[dict[str, float]]:
    """Measures of one text, one row a layer; ``mean`` is that of all tokens, ``[layer, dim]``."""
    with np.errstate(invalid="ignore"):
        measures = {
            "self_similarity": self_similarity(features, features[0]).mean(axis=-1),
            "identifiability": identified(features, features[0]).mean(axis=-1),
            "similarity": anisotropy(features),
            "similarity_centred": anisotropy(features - mean[:, None]),
        }
    return [
        {measure: float(values[layer]) for measure, values in measures.items()}
        for layer in range(len(features))
    ]


def _write(
    params: Params, name: str, table: pd.DataFrame, spread: pd.DataFrame, alike: pd.DataFrame
) -> None:
    with replacing(result(name, "identity.parquet")) as path:
        table.to_parquet(path, index=False)
    settings: dict[str, Any] = {
        "keys": ["variant"],
        "measures": MEASURES,
        "bootstrap": params.bootstrap,
    }
    # One number over all tokens has no interval over texts.
    ranks = spread.rename(columns={"effective_rank": "mean"}).assign(
        measure="effective_rank", low=np.nan, high=np.nan, texts=table["example_id"].nunique()
    )
    with replacing(result(name, "plots", "identity.csv")) as path:
        drawn = pd.concat([curves(table, **settings), ranks])
        drawn.to_csv(path, index=False, float_format="%.6g")
    with replacing(result(name, "plots", "cka.csv")) as path:
        alike.to_csv(path, index=False, float_format="%.6g")
    summary = nested(table, **settings)
    for variant, part in spread.groupby("variant", sort=False):
        ends = part["effective_rank"]
        summary[str(variant)]["effective_rank"] = {
            "first": defined(ends.iloc[0]),
            "last": defined(ends.iloc[-1]),
        }
    write_json(result(name, "summaries", "identity.json"), summary)
    write_json(
        result(name, "metrics", "identity.json"),
        {
            variant: {measure: values["last"] for measure, values in measures.items()}
            for variant, measures in summary.items()
        },
    )


if __name__ == "__main__":
    run("identity", identity, "experiment")
