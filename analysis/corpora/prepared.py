"""Read back what the prepare stage wrote."""

from __future__ import annotations

import json

import pandas as pd

from analysis.corpora.corpus import Corpus
from analysis.errors import InputError
from analysis.paths import artifact


def read_corpus(experiment: str) -> Corpus:
    """Read texts and names of labels from ``artifacts/EXPERIMENT/corpus``.

    Raises
    ------
    InputError
        If it is missing or corrupted.
    """
    directory = artifact(experiment, "corpus")
    try:
        examples = pd.read_parquet(directory / "examples.parquet")
        labels = json.loads((directory / "labels.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise InputError(
            f"the prepared corpus {directory} is missing or corrupted; delete it and run "
            "`dvc repro` (or `dvc checkout`)."
        ) from None
    return Corpus(examples, tuple(labels))


def choose(examples: pd.DataFrame, count: int) -> pd.DataFrame:
    """Take ``count`` texts, as evenly over the labels as can be, each label in file order.

    A table that is sorted by label would otherwise give texts of one label only.
    """
    turn = examples.groupby(examples["label"].fillna(-1)).cumcount()
    chosen = turn.sort_values(kind="stable").index[:count].sort_values()
    return examples.loc[chosen].reset_index(drop=True)
