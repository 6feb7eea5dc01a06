"""Tables of the chapter *faithfulness* as the stages write them, with random numbers."""

import numpy as np
import pandas as pd

from analysis.figures import explained_text, faithfulness, faithfulness_tables
from analysis.figures.words import words

LANGUAGES = ("en", "ja")


def vocabulary(language="en"):
    return words(
        language,
        **faithfulness.OWN_WORDS,
        **explained_text.OWN_WORDS,
        **faithfulness_tables.OWN_WORDS,
    )


def results(experiments=("reviews",), layers=3, evidence=True, rng=None):
    """Build tables as the stages write them, with random numbers."""
    rng = rng or np.random.default_rng(0)

    def values(measure):
        if measure in ("roc_auc", "average_precision") and not evidence:
            return {"mean": np.nan, "low": np.nan, "high": np.nan, "texts": 0}
        mean = rng.uniform(0.2, 0.8)
        return {"mean": mean, "low": mean - 0.1, "high": mean + 0.1, "texts": 9}

    measures = (*faithfulness.MEASURES, "average_precision")
    final, curves, together, paired = [], [], [], []
    for experiment in experiments:
        here = {"experiment": experiment}
        for method in faithfulness.JUDGED:
            final += [here | {"method": method, "measure": m} | values(m) for m in measures]
            together += [
                here | {"method": method, "other": other, "mean": 1.0 if method == other else 0.3}
                for other in faithfulness.JUDGED
            ]
            paired += [
                here
                | {"measure": m, "method": method, "other": other, "p": 0.5, "dropped": 0}
                | values(m)
                for m in faithfulness.PAIRED_MEASURES
                for other in faithfulness_tables.PAIRED_WITH
                if other != method
            ]
        signed = [f"{rule}{sign}" for rule in faithfulness.RULES for sign in ("", "_against")]
        curves += [
            here
            | {"variant": "finetuned", "method": method, "rows": rows, "first": first}
            | {"measure": m, "layer": layer}
            | values(m)
            for m in measures
            for rows in ("cls", "max")
            for layer in range(1, layers + 1)
            for method in (*faithfulness.LAYERED, *signed)
            for first in (range(1, layers + 1) if method in signed else [1])
        ]
    frames = (pd.DataFrame(rows) for rows in (final, curves, together, paired))
    return faithfulness.Results(*frames, "blank_out_mask")
