"""Rows of the summary that the chapter *faithfulness* shows, with random numbers."""

from types import SimpleNamespace

import made_summary
import numpy as np

from analysis.figures import faithfulness, faithfulness_tables
from analysis.figures.words import words

LANGUAGES = ("en", "ja")


def vocabulary(language="en"):
    return words(language, "faithfulness")


def rows(**columns):
    """Rows of a summary with random means and an interval around each."""
    table = made_summary.rows(variant="finetuned", **columns)
    mean = np.random.default_rng(len(table)).uniform(0.2, 0.8, len(table))
    return table.assign(mean=mean, low=mean - 0.1, high=mean + 0.1)


def results(experiments=("reviews",), layers=3, evidence=True):
    """What the chapter reads of the summary, each under the name of who reads it."""
    here, methods = {"experiment": experiments}, faithfulness.JUDGED
    measures = faithfulness.MEASURES if evidence else faithfulness.MEASURES[1:]
    judged = faithfulness.PAIRED_MEASURES if evidence else faithfulness.PAIRED_MEASURES[1:]
    depth = {"layer": range(1, layers + 1)}
    paired = rows(**here, of=methods, minus=faithfulness_tables.PAIRED_WITH, measure=judged)
    starts = rows(**here, rule=faithfulness.RULES, sign=["for", "against"], **depth)
    return SimpleNamespace(
        final=rows(**here, of=methods, measure=measures),
        auc=rows(**here, of=methods, measure=["roc_auc"]),
        found=rows(**here, of=methods, measure=["roc_auc", "average_precision"]),
        layers=rows(
            **here, of=faithfulness.LAYERED, kind=["cls", "max"], measure=measures, **depth
        ),
        agreement=rows(**here, of=methods, kind=methods),
        paired=paired[paired["of"] != paired["minus"]].assign(dropped=0, stands_out=True),
        starts=starts,
    )
