"""Natural English sentences for experiments without a task, and the user's own texts."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.corpora.columns import check_texts
from analysis.corpora.corpus import Corpus, tabulate
from analysis.corpora.grammar import vocabulary
from analysis.params import TextsData


def load() -> Corpus:
    """Return the project's own sentences: no labels, all in the split ``test``."""
    return _unlabelled(
        vocabulary(__file__), "sentences", "MIT, as the code that holds the sentences"
    )


def load_texts(data: TextsData) -> Corpus:
    """Return the texts that stand in the parameters: no labels, all in the split ``test``.

    Raises
    ------
    InputError
        If a text is blank or cannot be encoded.
    """
    return _unlabelled(check_texts("data.texts", data.texts), "texts", "the user's own")


def _unlabelled(texts: Sequence[str], source: str, licence: str) -> Corpus:
    return Corpus(
        examples=tabulate(["test"] * len(texts), texts),
        label_names=(),
        origin={"source": source, "licence": licence},
    )
