"""Read back what the prepare stage wrote."""

from __future__ import annotations

from attention_mixing.artifacts import read_artifact
from attention_mixing.corpora.corpus import Corpus
from attention_mixing.paths import artifact


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
