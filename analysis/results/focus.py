"""The text in focus, as the maps of the chapters show it: token by token, or word by word."""

from __future__ import annotations

from itertools import groupby
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.fonts import drawable
from analysis.results.summary import arrays, states, table
from analysis.runs.parameters import RunParameters
from attention_mixing.methods.words import number_words, of_words


class FocusText(NamedTuple):
    """Text that is shown token by token, as measured in the last state of its model.

    Attributes
    ----------
    text
        The whole text.
    state
        State of the model, such as ``finetuned``.
    names
        What rows and columns stand for.
    matrices
        Name -> ``[..., query, key]`` (:func:`attention_mixing.measures.focus.matrices`).
    """

    text: str
    state: str
    names: list[str]
    matrices: dict[str, NDArray[np.floating]]


def focus_text(params: RunParameters) -> FocusText:
    """Read the text in focus; by words where ``report.focus.words`` asks for them."""
    focus = params.report.focus
    state = states("matrices", focus.experiment)[-1]
    matrices = dict(arrays("matrices", focus.experiment, state))
    tokens = table("matrices", "tokens", focus.experiment, state)
    text, names = tokens["text"].iloc[0], tokens["token"].tolist()
    if focus.words:
        words = numbered(text, tokens)
        names = in_words(text, tokens, words)
        matrices = {
            name: of_words(matrix.astype(np.float64), words, words)
            for name, matrix in matrices.items()
        }
    return FocusText(text, state, [drawable(name) for name in names], matrices)


def numbered(text: str, tokens: pd.DataFrame) -> NDArray[np.int64]:
    """Tell the word of each token (:func:`attention_mixing.methods.words.number_words`)."""
    spans = [*zip(tokens["start"], tokens["end"], strict=True)]
    return number_words(text, spans, tokens["is_special"].tolist())


def in_words(text: str, tokens: pd.DataFrame, words: NDArray[np.int64]) -> list[str]:
    """Name words: one of several tokens by its characters, any other as its token is."""
    names = []
    for _, chosen in groupby(range(len(words)), key=words.__getitem__):
        pieces = tokens.iloc[[*chosen]]
        # A mark that is put before a word stands for no character.
        spans = pieces.loc[pieces["start"] < pieces["end"], ["start", "end"]]
        several = text[spans["start"].min() : spans["end"].max()].strip() if len(spans) else ""
        names.append(several if several and len(pieces) > 1 else str(pieces["token"].iloc[0]))
    return names
