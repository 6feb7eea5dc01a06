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
    label_names
        What the labels 0..K-1 are called; empty without labels.
    origin
        Plain facts about where the texts come from, for the provenance page.
    """

    examples: pd.DataFrame
    label_names: tuple[str, ...]
    origin: dict[str, str]


def tabulate(
    splits: Sequence[str],
    texts: Sequence[str],
    labels: Sequence[int] | None = None,
    evidence: Sequence[list[Span]] | None = None,
    attractors: Sequence[int] | None = None,
) -> pd.DataFrame:
    """Lay out the rows of a corpus, given in the order train, validation, test.

    Parameters
    ----------
    splits, texts
        One entry per row.
    labels, evidence, attractors
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
        }
    )
