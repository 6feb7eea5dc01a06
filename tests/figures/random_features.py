"""Tables of the chapter *features* as the stages write them, with random numbers."""

import numpy as np
import pandas as pd

from analysis.figures import feature_maps, features
from analysis.figures.words import words
from analysis.methods.projection import POINT_SETS

LANGUAGES = ("en", "ja")
CHANGE = ["point", "tokens", "measure", "layer", "mean", "low", "high"]
SEPARATION = ["variant", "point", "vector", "measure", "layer", "mean", "low", "high"]
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


def results(
    experiments=("plain", "reviews"),
    *,
    tuned=("reviews",),
    labelled=("reviews",),
    texts=2,
    layers=2,
    points="seed38",
):
    """Build tables as the stages write them, with random numbers."""
    rng = np.random.default_rng(0)
    places = [("word", 0), ("embedding", 0)]
    places += [(point, layer + 1) for layer in range(layers) for point in POINT_SETS[points]]
    tokens = pd.DataFrame(
        [
            {"example_id": 7 + text, "position": position, "token": token}
            | {"start": 2 * position, "end": 2 * position + 1}
            | {"is_special": token == "[CLS]", "is_evidence": token == "good"}
            for text in range(texts)
            for position, token in enumerate(["[CLS]", "a", "good", "longest", "tiny"])
        ]
    )
    maps, read, trust, separation, change = {}, {}, [], [], []
    for experiment in experiments:
        states = ["pretrained", *(["finetuned"] if experiment in tuned else [])]
        known = experiment in labelled
        own = tokens.assign(
            is_evidence=tokens["is_evidence"].astype("boolean")
            if known
            else pd.array([pd.NA] * len(tokens), dtype="boolean")
        )
        keys = [
            {"variant": variant, "method": method, "point": point, "layer": layer}
            for variant in states
            for method in features.METHODS
            for point, layer in places
        ]
        maps[experiment] = pd.concat(
            [
                own.assign(**key, x=rng.normal(size=len(own)), y=rng.normal(size=len(own)))
                for key in keys
            ],
            ignore_index=True,
        )
        read[experiment] = pd.DataFrame(
            {
                "example_id": range(7, 7 + texts),
                "text": ["a good <longest> tiny text"] * texts,
                "label": [f"class {i % 2}" if known else "" for i in range(texts)],
            }
        )
        trust += [
            {"experiment": experiment}
            | key
            | {figure: rng.uniform() for figure in features.TRUST}
            | {"moved": np.nan if key["point"] == "word" else rng.uniform()}
            | {"shift": rng.uniform() if key["variant"] == "finetuned" else np.nan}
            for key in keys
        ]
        separation += [
            {"experiment": experiment, "variant": variant, "point": point, "layer": layer}
            | {"vector": vector, "measure": "silhouette", "mean": 0.1, "low": 0.0, "high": 0.2}
            for variant in states
            for point, layer in places
            for vector in ("first", "mean")
            if known
        ]
        change += [
            {"experiment": experiment, "point": point, "layer": layer, "tokens": which}
            | {"measure": "cosine_distance", "mean": 0.1, "low": 0.0, "high": 0.2}
            # Such as the stage writes of points that are not mapped.
            for point, layer in [("query", 1), *places]
            for which in ("all", "first")
            if experiment in tuned
        ]
    return features.Results(
        maps,
        read,
        pd.DataFrame(trust),
        pd.DataFrame(separation, columns=["experiment", *SEPARATION]),
        pd.DataFrame(change, columns=["experiment", *CHANGE]),
    )
