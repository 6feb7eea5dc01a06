"""From the pieces of a tokenizer to words, where readers ask for these.

Weights on the pieces of a word are added, and those of its pieces as queries averaged, so that rows
still sum to 1, if no key is left out: Clark, Khandelwal, Levy and Manning (2019), *What Does BERT
Look At? An Analysis of BERT's Attention*, BlackboxNLP, section 4.1. Attributions that add up to
what they explain are added, others averaged.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Literal

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import NDArray

from attention_mixing.methods.shapes import checked_shapes

# Scripts that are written without blanks, by the beginnings of the names of their characters.
_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")


def number_words(
    text: str, spans: Sequence[tuple[int, int]], special: Sequence[bool] | NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Give the number of the word that each token of a text belongs to, from 0 on.

    A token goes on with the word before it if they are pieces of one character, or if letters,
    digits or marks stand on both sides of where they meet. So a sign is a word of its own, and so
    is a special token, and each token of a script that is written without blanks. What a tokenizer
    puts before a word, which stands for no character, begins that word.

    Parameters
    ----------
    text
        Any text.
    spans
        ``[token]`` of ``(start, end)`` characters, ``(0, 0)`` of one that stands for none; those
        of special tokens are not read.
    special
        ``[token]``.

    Returns
    -------
    NDArray
        ``[token]``.

    Examples
    --------
    >>> number_words("unseen it", [(0, 2), (2, 6), (7, 9)], [False] * 3)
    array([0, 0, 1])
    """
    numbers = np.zeros(len(spans), np.int64)
    word, before, marked = -1, None, False
    for position, ((start, end), alone) in enumerate(zip(spans, special, strict=True)):
        mark = not alone and start == end == 0
        goes_on = marked or (before is not None and not mark and _joined(text, before, start))
        word += alone or not goes_on
        numbers[position] = word
        before, marked = None if alone else end, mark
    return numbers


def _joined(text: str, before: int, start: int) -> bool:
    if start < before:  # pieces of one character
        return True
    return start == before and all(map(_spaced_letter, text[start - 1 : start + 1]))


def _spaced_letter(character: str) -> bool:
    """Tell whether a character is part of a word, in a script that puts blanks between words."""
    kind = unicodedata.category(character)[0]
    return kind in "LNM" and not unicodedata.name(character, "").startswith(_UNSPACED)


@checked_shapes
def of_words(
    scores: Float[np.ndarray, "*layers query key"],
    queries: Int[np.ndarray, " query"],
    keys: Int[np.ndarray, " key"],
) -> Float[np.ndarray, "*layers query_word key_word"]:
    """Bring matrices of pieces to words: sums over those of a key, means over those of a query.

    So that what a word draws from others still sums to what its pieces draw.

    Parameters
    ----------
    scores
        What each query draws from each key.
    queries, keys
        Number of the word that a piece belongs to, from 0 on; -1 of none, which is left out.
    """
    return _means(queries) @ scores @ _members(keys).T


@checked_shapes
def scores_of_words(
    scores: Float[np.ndarray, "*layers token"],
    words: Int[np.ndarray, " token"],
    how: Literal["sum", "mean"],
) -> Float[np.ndarray, "*layers word"]:
    """Bring scores of tokens to words.

    Parameters
    ----------
    scores
        Of each token.
    words
        As :func:`of_words` has them.
    how
        Whether the scores of pieces are added or averaged.
    """
    return scores @ (_members(words) if how == "sum" else _means(words)).T


def _members(words: NDArray[np.int64]) -> NDArray[np.float64]:
    """Tell which piece belongs to which word, ``[word, piece]``."""
    return (np.arange(words.max(initial=-1) + 1)[:, None] == words).astype(np.float64)


def _means(words: NDArray[np.int64]) -> NDArray[np.float64]:
    members = _members(words)
    return members / members.sum(axis=1, keepdims=True)
