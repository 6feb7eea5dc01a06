"""Read back what the prepare stage wrote."""

from __future__ import annotations

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
