"""The one shape that every corpus has, wherever its texts come from."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import pandas as pd

from attention_mixing.artifacts import read_artifact

SPLITS = ("train", "validation", "test")

COLUMNS = {
    "split": "str",
    "text": "str",
    "label": "Int64",
    "evidence": "object",
    "attractors": "Int64",
    "continuation": "object",
    "target": "object",
    "alignment": "object",
    "question_id": "object",
    "context_start": "Int64",
    "answers": "object",
    "answer_starts": "object",
    "changed": "object",
    "counterfactuals": "object",
}

Span = list[int]
"""``[start, end)`` in characters of the text."""


@dataclass(frozen=True)
class Corpus:
    """Texts, their labels and, where known, the words that carry the label.

    Attributes
    ----------
    examples
        One row per text: ``id`` (int64, 0..N-1 in the order train, validation, test), ``split``,
        ``text``, ``label`` (nullable Int64), ``evidence`` (a list of ``[start, end)`` character
        spans, or None) and ``attractors`` (nullable Int64: nouns between subject and verb whose
        number is not the subject's; only the agreement grammar records it).

        Of texts to be continued the label is the word that comes next, and ``continuation`` (null
        elsewhere) all that follows, that word first.

        Of texts with a ``target``, such as a translation (null elsewhere), the words that stand for
        each other may be known: ``alignment`` has a link a row, ``[start, end)`` in characters of
        the target and of the text, and 1 if it is sure or 0 if it is possible; None where it is
        not.

        Of questions the text is the question, a line break and the context, and the label tells
        whether the context does not answer it. They have four more columns, null elsewhere:
        ``question_id`` (as given), ``context_start`` (nullable Int64, first character of the
        context in the text), ``answers`` (list of str, empty without an answer) and
        ``answer_starts`` (list of int, characters of the text).

        Texts of a grammar may have minimal pairs: ``changed`` has the ``[start, end)`` of each word
        that can be changed, ``counterfactuals`` the text with that word changed; else null.
    label_names
        What the labels 0..K-1 are called; empty without labels.
    origin
        Plain facts about where the texts come from, for the provenance page; empty where the corpus
        was read back from what the prepare stage wrote.
    first_tenth
        How many of the first tenth of the test texts are of each class, in the order in which they
        were read; None where that order is the project's own, there are no labels, or the corpus
        was read back.
    """

    examples: pd.DataFrame
    label_names: tuple[str, ...]
    origin: dict[str, str] = field(default_factory=dict)
    first_tenth: tuple[int, ...] | None = None

    @classmethod
    def read(cls, directory: Path) -> Self:
        """Read texts and names of labels back, as the stage *prepare* writes them.

        Parameters
        ----------
        directory
            Of ``examples.parquet`` and ``labels.json``.

        Raises
        ------
        InputError
            If one of them is missing or corrupted.
        """
        examples = read_artifact(directory / "examples.parquet")
        return cls(examples, read_artifact(directory / "labels.json", tuple[str, ...]))

    def split(self, name: str) -> pd.DataFrame:
        """Rows of one split, in order."""
        return self.examples[self.examples["split"] == name].reset_index(drop=True)


def tabulate(rows: pd.DataFrame) -> pd.DataFrame:
    """Lay out the rows of a corpus, given in the order train, validation, test.

    They have columns of `Corpus.examples` but the ``id``: ``split`` and ``text`` always; an absent
    one is what the corpus does not record. Others are left out.
    """
    absent = dict.fromkeys(COLUMNS.keys() - set(rows.columns))
    # By way of objects: where its columns were joined from pieces, a parquet file shows them.
    table = rows.assign(**absent)[list(COLUMNS)].astype(object).astype(COLUMNS)
    table.insert(0, "id", range(len(rows)))
    return table.reset_index(drop=True)
