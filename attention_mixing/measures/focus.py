"""The one text that pages show token by token: matrices too large to keep of every text."""

from __future__ import annotations

import numpy as np

from attention_mixing.capture.text import Text
from attention_mixing.measures.attention_blocks import contributions
from attention_mixing.measures.definition import Field, Given, Measure, Measured
from attention_mixing.measures.propagation import propagate


def matrices(text: Text, given: Given) -> Measured:
    """Tokens, contribution matrices, and what every method propagates from every token.

    Shown: ``tokens``; ``contributions/SCOPE`` with rows that sum to 1; ``METHOD`` of
    :class:`attention_mixing.measures.propagation.Propagated`; and ``head``, the first head of the
    first layer.
    """
    tokens = text.shown_tokens.assign(text=text.example["text"])
    yield Field("tokens", tokens, shown=True)
    for scope, matrix in contributions(text).items():
        yield Field(f"contributions/{scope}", matrix.astype(np.float32), shown=True)
    every = np.arange(len(tokens))
    ratio = text.field("mixing")["ratio"]
    propagated = propagate(text, ratio, every, given.params.propagation)
    for method, matrix in propagated.matrices.items():
        yield Field(method, matrix.astype(np.float32), shown=True)
    yield Field("head", text["attention"][0, 0], shown=True)


MEASURES = (
    Measure("matrices", matrices, settings=("propagation", "report.focus"), after=("mixing",)),
)
