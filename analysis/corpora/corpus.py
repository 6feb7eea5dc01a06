"""The one shape that every corpus has, wherever its texts come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

SPLITS = ("train", "validation", "test")

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

        Of questions the text is the question, a line break and the context, and the label tells
        whether the context does not answer it. They have four more columns, null elsewhere:
        ``question_id`` (as given), ``context_start`` (nullable Int64, first character of the
        context in the text), ``answers`` (list of str, empty without an answer) and
        ``answer_starts`` (list of int, characters of the text).
    label_names
        What the labels 0..K-1 are called; empty without labels.
    origin
        Plain facts about where the texts come from, for the provenance page.
    first_tenth
        How many of the first tenth of the test texts are of each class, in the order in which they
        were read; None where that order is the project's own, or there are no labels.
    """

    examples: pd.DataFrame
    label_names: tuple[str, ...]
    origin: dict[str, str]
    first_tenth: tuple[int, ...] | None = None


def tabulate(
    splits: Sequence[str],
    texts: Sequence[str],
    labels: Sequence[int] | None = None,
    evidence: Sequence[list[Span]] | None = None,
    attractors: Sequence[int] | None = None,
    *,
    question_ids: Sequence[str] | None = None,
    context_starts: Sequence[int] | None = None,
    answers: Sequence[list[str]] | None = None,
    answer_starts: Sequence[list[int]] | None = None,
) -> pd.DataFrame:
    """Lay out the rows of a corpus, given in the order train, validation, test.

    Parameters
    ----------
    splits, texts
        One entry per row.
    labels, evidence, attractors, question_ids, context_starts, answers, answer_starts
        One entry per row, or None where the corpus does not record it.

    Returns
    -------
    pandas.DataFrame
        The columns of `Corpus.examples`.
    """
    absent = [None] * len(texts)
    return pd.DataFrame(
        {
            "id": pd.Series(range(len(texts)), dtype="int64"),
            "split": pd.Series(list(splits), dtype="str"),
            "text": pd.Series(list(texts), dtype="str"),
            "label": pd.Series(list(labels or absent), dtype="Int64"),
            "evidence": pd.Series(list(evidence or absent), dtype="object"),
            "attractors": pd.Series(list(attractors or absent), dtype="Int64"),
            "question_id": pd.Series(list(question_ids or absent), dtype="object"),
            "context_start": pd.Series(list(context_starts or absent), dtype="Int64"),
            "answers": pd.Series(list(answers or absent), dtype="object"),
            "answer_starts": pd.Series(list(answer_starts or absent), dtype="object"),
        }
    )
