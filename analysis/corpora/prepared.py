"""Read back what the prepare stage wrote."""

from __future__ import annotations

import pandas as pd

from analysis.artifacts import read_artifact
from analysis.corpora.corpus import Corpus
from analysis.paths import artifact


def read_corpus(experiment: str) -> Corpus:
    """Read texts and names of labels from ``artifacts/EXPERIMENT/corpus``.

    Raises
    ------
    InputError
        If it is missing or corrupted.
    """
    directory = artifact(experiment, "corpus")
    examples = read_artifact(directory / "examples.parquet")
    return Corpus(examples, read_artifact(directory / "labels.json", tuple[str, ...]))


def choose(examples: pd.DataFrame, count: int) -> pd.DataFrame:
    """Take ``count`` texts, as evenly over the labels as can be, each label in file order.

    A table that is sorted by label would otherwise give texts of one label only.
    """
    turn = examples.groupby(examples["label"].fillna(-1)).cumcount()
    chosen = turn.sort_values(kind="stable").index[:count].sort_values()
    return examples.loc[chosen].reset_index(drop=True)
