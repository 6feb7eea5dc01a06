"""The one text that pages show token by token: matrices too large to keep of every text."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from attention_mixing.attributions.catalogue import contributions
from attention_mixing.attributions.matrices import of_layers
from attention_mixing.attributions.through import SETTINGS, through_layers
from attention_mixing.capture.text import Text
from attention_mixing.measures.engine.definition import Field, Given, Measure, Measured
from attention_mixing.measures.propagation import by_weights


def matrices(text: Text, given: Given) -> Measured:
    """Tokens, contribution matrices, and what every method propagates from every token.

    Shown: ``tokens``; ``contributions/METHOD`` with rows that sum to 1; ``METHOD`` of those that
    know attention weights; and ``head``, the first head of the first layer.
    """
    settings = replace(through_layers(given.settings), flow_sources=None)
    tokens = text.shown_tokens.assign(text=text.example["text"])
    yield Field("tokens", tokens, shown=True)
    for one in contributions():
        if one.defined(text):
            layers = of_layers(one, text, settings).values.astype(np.float32)
            yield Field(f"contributions/{one.name}", layers, shown=True)
    for method, matrix in by_weights(text, settings).items():
        yield Field(method, matrix.values.astype(np.float32), shown=True)
    yield Field("head", text["attention"][0, 0], shown=True)


MEASURES = (Measure("matrices", matrices, settings=SETTINGS),)
