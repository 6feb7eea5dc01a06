"""Links of words of a source and its target: which are known, and how well methods find them."""

from __future__ import annotations

from itertools import product

import pandas as pd

from analysis.results.summary import last
from attention_mixing.attributions.selections import (
    LINKED_BY_GRADIENTS,
    LINKED_FROM_INPUT,
    LINKED_IN_LAYER,
)

# What is held against known links, from above; gradients are of no layer.
LAYERED = (*LINKED_IN_LAYER, *LINKED_FROM_INPUT)
LINKED = (*LAYERED, *LINKED_BY_GRADIENTS)
STEPS = ("told", "given")
ERROR, CONTENT = "alignment_error", "content_error"
ERRORS = (ERROR, "alignment_precision", "alignment_recall", CONTENT)


def final_errors(rows: pd.DataFrame) -> pd.DataFrame:
    """Choose the errors of links in the last layer of a decoder, of the methods that are shown."""
    chosen = rows[rows["quantity"].isin(ERRORS) & rows["subject"].isin(LINKED)]
    gradients = chosen["subject"].isin(LINKED_BY_GRADIENTS)
    return pd.concat([last(chosen[~gradients]), chosen[gradients]], ignore_index=True)


def known_pairs(tokens: pd.DataFrame, links: pd.DataFrame) -> list[tuple[int, int]]:
    """List pairs of row and source token that stand for each other for sure."""
    words = tokens[~tokens["is_special"]]
    sure_pairs = []
    for link in links[links["sure"] == 1].itertuples():
        positions = (
            words[(words["is_target"] == target) & (words["start"] < end) & (words["end"] > start)][
                "position"
            ]
            for target, start, end in (
                (True, link.target_start, link.target_end),
                (False, link.source_start, link.source_end),
            )
        )
        # The row before is the one that tells a word.
        sure_pairs += [(row - 1, column) for row, column in product(*positions)]
    return sure_pairs


def step_means(rows: pd.DataFrame, quantity: str, step: str) -> pd.Series:
    """Give the mean over experiments of a quantity at one of :data:`STEPS`, by method."""
    chosen = rows[(rows["quantity"] == quantity) & (rows["facet"] == step)]
    return chosen.groupby("subject")["mean"].mean()


def better_step(linked: pd.DataFrame) -> str:
    """Name the step at which raw weights err less in every experiment; ``close`` if neither does.

    ``linked`` are rows of :func:`final_errors`.
    """
    errors = linked[(linked["quantity"] == ERROR) & (linked["subject"] == "raw")]
    ends = errors.groupby("facet").agg({"low": "min", "high": "max"}).loc[list(STEPS)]
    return next(
        (
            step
            for step, other in (STEPS, STEPS[::-1])
            if ends.loc[step, "high"] < ends.loc[other, "low"]
        ),
        "close",
    )
