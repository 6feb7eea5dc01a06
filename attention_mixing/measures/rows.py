"""What every token of a text draws on, by the methods that the explorer sets abreast.

Rows of all tokens are too large to keep of every text; they are taken of those that are shown.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from attention_mixing.attributions.matrices import labelled, queries_of
from attention_mixing.attributions.through import SETTINGS, through_layers
from attention_mixing.capture.text import Text
from attention_mixing.explorer.columns import DEPENDENCE, METHODS
from attention_mixing.measures.engine.definition import Field, Given, Measure, Measured
from attention_mixing.settings.derived import JOINT


def rows(text: Text, given: Given) -> Measured:
    """Rows of every method, ``[layer, query, key]``, each summing to 1.

    Fields ``METHOD``; of a target, over the tokens of source and target. Of a text with more tokens
    than ``propagation.flow_sources``, rows of flow that were not asked for are not numbers; nor are
    rows by ALTI where nothing brings a token nearer to what it becomes.
    """
    settings = through_layers(given.settings)
    if text.stream == JOINT:  # flow is followed from every token of a target
        settings = replace(settings, flow_sources=None)
    for method in METHODS:
        matrix = labelled(method, text, settings)
        yield Field(method, matrix.shares_of_all(queries_of(text)).astype(np.float32))


def measured_rows(text: Text, given: Given) -> Measured:
    """To which shares tokens depend on ordinary tokens, field ``dependence``, as rows of methods.

    Measured by replacing tokens (:func:`attention_mixing.capture.dependence.measured_shares`);
    nothing where there is nothing to replace, and of a decoder without its source.
    """
    from attention_mixing.capture.dependence import measured_shares  # torch takes seconds to start

    measured = measured_shares(
        text, draws=given.settings["dependence.draws"], seed=given.settings["dependence.seed"]
    )
    if measured is not None:
        yield Field(DEPENDENCE, measured.matrix.astype(np.float32))


REPLACING = ("device", "dependence.draws", "dependence.seed")

MEASURES = (
    Measure("rows", rows, settings=SETTINGS),
    Measure("rows_of_target", rows, settings=SETTINGS, joint=True),
    Measure("measured_rows", measured_rows, settings=REPLACING),
    Measure("measured_rows_of_target", measured_rows, settings=REPLACING, joint=True),
)
