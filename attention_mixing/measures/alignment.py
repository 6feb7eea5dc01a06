"""Which words of a source and its target stand for each other, and the links that models give.

A word of the target is linked to the word of the source from which it draws most
(:mod:`attention_mixing.methods.alignment`), and links are held against those that are known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attention_mixing.capture.text import Text
from attention_mixing.measures.engine.definition import Values
from attention_mixing.methods.alignment import alignment, linked
from attention_mixing.methods.words import of_words

# Which row of the decoder a word of the target is read at: that which tells it, or that which is
# given it, one step later.
STEPS = ("told", "given")
AGREEMENT = ("alignment_error", "alignment_precision", "alignment_recall")
# The first of these over those words of the target alone that have a sure link and are no signs.
CONTENT = "content_error"
ERRORS = (*AGREEMENT, CONTENT)


class KnownLinks:
    """Which words of a text and of its target stand for each other, and where these are.

    Parameters
    ----------
    text
        Of source and target.
    spans
        A row a link: ``[start, end)`` in characters of the target and of the source, and 1 if it is
        sure or 0 if it is possible.

    Attributes
    ----------
    sure, possible
        ``[target word, source word]``.
    source
        Word of each token of the source, -1 of a special one.
    rows
        Step -> word of each row of the decoder, -1 of none.
    there, content
        Which words of the target have a row; which of these have a sure link and a letter.
    """

    def __init__(self, text: Text, spans: NDArray[np.int64]) -> None:
        encoder, decoder = text.of("encoder"), text.of("decoder")
        target, source = (str(stream.example["text"]) for stream in (decoder, encoder))
        of_target, of_source = word_starts(target), word_starts(source)
        self.sure = np.zeros((len(of_target), len(of_source)), bool)
        self.possible = self.sure.copy()
        at_target, at_source = (
            np.searchsorted(starts, spans[:, column], side="right") - 1
            for starts, column in ((of_target, 0), (of_source, 2))
        )
        self.possible[at_target, at_source] = True
        self.sure[at_target[spans[:, 4] == 1], at_source[spans[:, 4] == 1]] = True
        self.source = words_of_tokens(encoder.tokens, of_source)
        word_of_row = words_of_tokens(decoder.tokens, of_target)
        # The row before is that which tells a word; the last one tells the end.
        self.rows = {"told": np.append(word_of_row[1:], -1), "given": word_of_row}
        # A target that was cut has words without a row, and a text words without tokens.
        self.there = np.isin(np.arange(len(of_target)), word_of_row)
        self.sure &= self.there[:, None] & np.isin(np.arange(len(of_source)), self.source)
        self.possible &= self.there[:, None]
        letters = [any(map(str.isalnum, word)) for word in target.split()]
        self.content = self.sure.any(axis=1) & np.array(letters, bool)


def word_starts(text: str) -> NDArray[np.int64]:
    """Give the characters at which words begin, which are parted by blanks."""
    blank = np.array([True, *map(str.isspace, text)])
    return np.flatnonzero(blank[:-1] & ~blank[1:])


def words_of_tokens(tokens: pd.DataFrame, starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Tell the number of the word that each token is of; -1 for special tokens.

    ``tokens`` has a row a token, with its ``end`` in characters and whether it ``is_special``;
    words begin at ``starts``, as :func:`word_starts` gives them.
    """
    # Some tokenizers count the blank before a word as its own.
    word = np.searchsorted(starts, tokens["end"].to_numpy() - 1, side="right") - 1
    return np.where(tokens["is_special"].to_numpy(bool), -1, word)


def known_links(text: Text) -> KnownLinks | None:
    """Give the links of a text; None if none is known to be sure."""
    spans = text.example.get("alignment")
    if spans is None or not len(spans):
        return None
    links = KnownLinks(text, np.stack([*spans]).astype(np.int64))
    return links if links.sure.any() else None


def link_errors(
    matrices: NDArray[np.floating],
    links: KnownLinks,
    *,
    subject: str,
    steps: Sequence[str] = STEPS,
) -> Iterator[Values]:
    """Hold the links of matrices of a method against those that are known.

    Matrices are ``[layer, target, source]`` or ``[layer, head, target, source]``. Each of the
    steps, at which words are read, becomes the ``facet`` of its values.
    """
    for step in steps:
        measured = _errors_of_links(matrices, links, links.rows[step])
        for name, values in zip(ERRORS, measured, strict=True):
            yield Values(name, values, subject=subject, facet=step)


def _errors_of_links(
    matrices: NDArray[np.floating], links: KnownLinks, rows: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Give each of :data:`ERRORS` of every matrix, whose rows link these words of the target."""
    targets, sources = links.sure.shape
    places = matrices.shape[:-2]
    measured = np.full((len(ERRORS), *places), np.nan)
    # Words that were cut off have no rows.
    present = np.unique(rows[rows >= 0])
    renumbered = np.full(targets + 1, -1)
    renumbered[present] = np.arange(len(present))
    # Special tokens stand behind the words.
    special = links.source < 0
    columns = np.where(special, sources + np.cumsum(special) - 1, links.source)
    for index in np.ndindex(places):
        matrix = matrices[index].astype(np.float64)
        if np.isnan(matrix).any():
            continue
        chosen = np.zeros_like(links.sure)
        chosen[present] = linked(of_words(matrix, renumbered[rows], columns))[:, :sources]
        agreement = alignment(chosen, links.sure, links.possible)
        of_content = np.nan
        if links.content.any():
            by_content = (
                words_linked[links.content] for words_linked in (chosen, links.sure, links.possible)
            )
            of_content = alignment(*by_content).error
        measured[(slice(None), *index)] = (*agreement, of_content)
    return measured


def baseline_errors(links: KnownLinks) -> Iterator[Values]:
    """Errors of links that no model gave: by chance, and at the same place (``subject``)."""
    there, count = links.there, int(links.there.sum())
    size = np.unique(links.source[links.source >= 0]).size
    blind = (links.sure.sum() + links.possible.sum()) / size
    yield Values("baseline_error", 1 - blind / (count + links.sure.sum()), subject="chance")
    same = np.zeros_like(links.sure)
    target, source = links.sure.shape
    near = np.minimum(np.arange(target), source - 1)
    same[np.arange(target), near] = there
    error = alignment(same, links.sure, links.possible).error
    yield Values("baseline_error", error, subject="diagonal")
