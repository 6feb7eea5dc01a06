"""Map the feature points of one text to the plane."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from analysis.capture.store import Capture, variants
from analysis.errors import InputError
from analysis.methods.projection import INPUT_POINTS, SEED38_LAYER_POINTS, seed38, umap_map
from analysis.params import Params
from analysis.paths import artifact, result
from analysis.stages.runner import replacing, run, write_json

NEIGHBORS = 5  # of trustworthiness, the usual choice; fewer where the text is short
FEWEST_TOKENS = 6


def projection(params: Params, name: str) -> None:
    """Write ``projection.parquet``: a row for each variant, point, layer and token.

    Columns: variant, point, layer, position, token, start, end, is_special, is_evidence, x, y.
    """
    settings = params.projection
    frames: list[pd.DataFrame] = []
    metrics: dict[str, Any] = {}
    for variant in variants(artifact(name, "capture")):
        capture = Capture(artifact(name, "capture", variant))
        texts = capture.examples["id"]
        if settings.examples[0] >= len(texts):
            raise InputError(
                f"projection.examples is {settings.examples[0]} but {name} has only {len(texts)} "
                "captured texts; choose an earlier one (the first is 0) or capture more."
            )
        example = int(texts.iloc[settings.examples[0]])
        tokens = capture.tokens_of(example)
        if len(tokens) < FEWEST_TOKENS:
            raise InputError(
                f"projection.examples {settings.examples[0]} of {name} has {len(tokens)} tokens; a map "
                f"needs at least {FEWEST_TOKENS}; choose a longer text."
            )
        points = seed38(
            {p: capture.array(example, p) for p in (*INPUT_POINTS, *SEED38_LAYER_POINTS)}
        )
        trust = []
        for (point, layer), features in points.items():
            layout = umap_map(
                features,
                metric=settings.metric,
                neighbors=settings.neighbors,
                min_dist=settings.min_dist,
                seed=settings.seeds[0],
            )
            trust.append(_trustworthiness(features, layout, settings.metric))
            frames.append(
                tokens[["position", "token", "start", "end", "is_special", "is_evidence"]].assign(
                    variant=variant, point=point, layer=layer, x=layout[:, 0], y=layout[:, 1]
                )
            )
        metrics[variant] = {
            "maps": len(points),
            "tokens": len(tokens),
            "trustworthiness": float(np.mean(trust)),
            "trustworthiness_worst": float(np.min(trust)),
        }
    text = str(capture.examples["text"].iloc[settings.examples[0]])
    with replacing(result(name, "projection.parquet")) as path:
        pd.concat(frames, ignore_index=True).assign(text=text).to_parquet(path, index=False)
    write_json(result(name, "metrics", "projection.json"), metrics)


def _trustworthiness(features: np.ndarray, layout: np.ndarray, metric: str) -> float:
    """Share of map neighbours that are neighbours in full dimension (Venna and Kaski 2001)."""
    from sklearn.manifold import trustworthiness

    neighbors = min(NEIGHBORS, (len(features) - 1) // 2)
    return float(trustworthiness(features, layout, n_neighbors=neighbors, metric=metric))


if __name__ == "__main__":
    run("projection", projection, "experiment")
