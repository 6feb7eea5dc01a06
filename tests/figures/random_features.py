"""Rows of the summary and maps that the chapter *features* shows, with random numbers."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from analysis.figures import feature_maps, features
from analysis.figures.words import words
from analysis.methods.projection import POINT_SETS

LANGUAGES = ("en", "ja")
COLUMNS = ["experiment", "variant", "of", "kind", "measure", "layer", "mean", "low", "high"]
# Everything that changes what there is to draw.
RUNS = {
    "all": {},
    "neither": {"tuned": (), "labelled": ()},
    "no fine-tuning": {"tuned": ()},
    "no labels": {"labelled": ()},
    "one text": {"points": "all62", "texts": 1},
    "many": {"layers": 13, "texts": 9},
}


def vocabulary(language="en"):
    return words(language, **features.OWN_WORDS, **feature_maps.OWN_WORDS)


class Made(NamedTuple):
    """What the notebook reads; maps and texts by experiment."""

    trust: pd.DataFrame
    silhouettes: pd.DataFrame
    distances: pd.DataFrame
    maps: dict[str, pd.DataFrame]
    texts: dict[str, pd.DataFrame]


def results(
    experiments=("plain", "reviews"),
    *,
    tuned=("reviews",),
    labelled=("reviews",),
    texts=2,
    layers=2,
    points="seed38",
):
    """Make up what is measured of every experiment, point by point as the summary has it."""
    rng = np.random.default_rng(0)
    names = POINT_SETS[points]
    places = [("word", 0), ("embedding", 0)]
    places += [(point, layer + 1) for point in names for layer in range(layers)]
    states = [
        (experiment, variant)
        for experiment in experiments
        for variant in ("pretrained", *(["finetuned"] if experiment in tuned else []))
    ]

    def rows(point, found):
        made = pd.DataFrame(found, columns=COLUMNS).astype({"layer": int, "mean": float})
        return features.along(made, point, names)

    trust = [
        (*state, method, point, measure, layer, rng.uniform(), np.nan, np.nan)
        for state in states
        for method in features.METHODS
        for point, layer in places
        for measure in (*features.TRUST, *(["shift"] if state[1] == "finetuned" else []))
    ]
    trust += [
        (*state, "", point, "moved", layer, rng.uniform(), np.nan, np.nan)
        for state in states
        for point, layer in places[1:]
    ]
    silhouettes = [
        (*state, point, vector, "silhouette", layer, 0.1, 0.0, 0.2)
        for state in states
        if state[0] in labelled
        for point, layer in places
        for vector in ("first", "mean")
    ]
    distances = [
        (*state, point, tokens, "cosine_distance", layer, 0.1, 0.0, 0.2)
        for state in states
        if state[1] == "finetuned"
        # Such as are measured of points that are not mapped.
        for point, layer in [("query", 1), *places]
        for tokens in ("all", "first")
    ]
    found = rows("kind", trust)
    return Made(
        found,
        rows("of", silhouettes),
        rows("of", distances),
        {
            name: _maps(found[found["experiment"] == name], texts, name in labelled)
            for name in experiments
        },
        {name: _texts(texts, name in labelled) for name in experiments},
    )


def _maps(trust, texts, labelled):
    rng = np.random.default_rng(1)
    tokens = pd.DataFrame(
        [
            {"example_id": 7 + text, "position": position, "token": token}
            | {"start": 2 * position, "end": 2 * position + 1}
            | {
                "is_special": token == "[CLS]",
                "is_evidence": token == "good" if labelled else pd.NA,
            }
            for text in range(texts)
            for position, token in enumerate(["[CLS]", "a", "good", "longest", "tiny"])
        ]
    ).astype({"is_evidence": "boolean"})
    every = trust[trust["measure"] == "overlap"].rename(columns={"of": "method"})
    maps = every[["variant", "method", "point", "layer"]].merge(tokens, how="cross")
    x, y = rng.normal(size=(2, len(maps)))
    return feature_maps.with_trust(maps.assign(x=x, y=y), trust)


def _texts(texts, labelled):
    return pd.DataFrame(
        {
            "example_id": range(7, 7 + texts),
            "text": ["a good <longest> tiny text"] * texts,
            "label": [f"class {i % 2}" if labelled else "" for i in range(texts)],
        }
    )
