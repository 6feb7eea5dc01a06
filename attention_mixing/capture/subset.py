"""A subset of the texts of a table, the same for everything that takes as many."""

from __future__ import annotations

import pandas as pd


def choose(examples: pd.DataFrame, count: int | None) -> pd.DataFrame:
    """Take ``count`` texts, as evenly over the labels as can be, each label in file order.

    A table that is sorted by label would otherwise give texts of one label only. Fewer texts are
    always some of those that a larger count takes; None takes all. Rows keep their order and are
    numbered anew.
    """
    if count is None:
        return examples.reset_index(drop=True)
    turn = examples.groupby(examples["label"].fillna(-1)).cumcount()
    chosen = turn.sort_values(kind="stable").index[:count].sort_values()
    return examples.loc[chosen].reset_index(drop=True)
