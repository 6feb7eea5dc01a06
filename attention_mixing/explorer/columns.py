"""What the explorer says of every token, a method a column: leave one out here, and it is gone.

Rows of all tokens are too large to keep of every text; they are taken of those that are shown.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from attention_mixing.attributions.catalogue import chosen, labelled, queries_of
from attention_mixing.capture.text import Text
from attention_mixing.measures.engine.definition import Field, Given, Measure, Measured
from attention_mixing.measures.propagation import SETTINGS, through_layers
from attention_mixing.params.derived import JOINT

# Of one layer; from the input of the model to the layer; and what a prediction owes to the token,
# beside what removing it does.
IN_LAYER = chosen("raw", "attnresln_n", "alti")
FROM_INPUT = chosen("rollout", "alti_rollout", "flow")
METHODS = (*IN_LAYER, *FROM_INPUT)
OF_PREDICTION = chosen("gradient_norm", "integrated_gradients")


def rows(text: Text, given: Given) -> Measured:
    """Rows of every method, ``[layer, query, key]``, each summing to 1.

    Fields ``METHOD``; of a target, over the tokens of source and target. Of a text with more tokens
    than ``propagation.flow_sources``, rows of flow that were not asked for are not numbers; nor are
    rows by ALTI where nothing brings a token nearer to what it becomes.
    """
    settings = through_layers(given)
    if text.stream == JOINT:  # flow is followed from every token of a target
        settings = replace(settings, flow_sources=None)
    for method in METHODS:
        matrix = labelled(method)(text, settings)
        yield Field(method, matrix.shares_of_all(queries_of(text)).astype(np.float32))


MEASURES = (
    Measure("rows", rows, settings=SETTINGS),
    Measure("rows_of_target", rows, settings=SETTINGS, joint=True),
)
