"""Rows of the summary and maps that the chapter *features* shows, with random numbers."""

from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd

from analysis.figures import feature_maps, features
from analysis.figures.words import words
from analysis.methods.projection import POINT_SETS

LANGUAGES = ("en", "ja")
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
    return words(language, "features")


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
    states = [(name, "pretrained") for name in experiments] + [
        (name, "finetuned") for name in experiments if name in tuned
    ]
    # The last one is measured but not mapped.
    places = [("word", 0), ("embedding", 0), *product(names, range(1, layers + 1)), ("query", 1)]
    everywhere = pd.DataFrame(
        [(*state, *place) for state in states for place in places],
        columns=["experiment", "variant", "point", "layer"],
    )

    def measured(**columns):
        what = pd.DataFrame(product(*columns.values()), columns=list(columns))
        rows = everywhere.merge(what, how="cross")
        rows = rows.assign(mean=rng.uniform(size=len(rows)), low=0.0, high=0.2)
        return features.along(rows, "point", names)

    figures = measured(of=features.METHODS, measure=(*features.TRUST, "shift"))
    figures = figures[(figures["measure"] != "shift") | (figures["variant"] == "finetuned")]
    moved = measured(of=[""], measure=["moved"]).query("point != 'word'")
    silhouettes = measured(kind=("first", "mean"))
    return Made(
        pd.concat([figures, moved], ignore_index=True),
        silhouettes[silhouettes["experiment"].isin(labelled)],
        measured(kind=("all", "first")).query("variant == 'finetuned'"),
        {n: _maps(figures[figures["experiment"] == n], texts, n in labelled) for n in experiments},
        {n: _texts(texts, n in labelled) for n in experiments},
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
