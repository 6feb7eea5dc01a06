"""What every token of a text draws on, layer by layer: the methods that the explorer sets abreast.

Rows of all tokens are too large to keep of every text; they are taken of those that are shown.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from attention_mixing.capture.text import Text
from attention_mixing.measures.attention_blocks import alti_contributions, blocks
from attention_mixing.measures.definition import Field, Given, Measure, Measured
from attention_mixing.measures.mixing import MEASURED_SCOPE, rolled_out
from attention_mixing.measures.propagation import from_input, require_layer, spread_sources
from attention_mixing.measures.two_streams import followed
from attention_mixing.methods.attention import head_mean
from attention_mixing.methods.flow import attention_flow
from attention_mixing.methods.mixing import row_normalised
from attention_mixing.methods.rollout import attention_rollout, with_residual

# Of one layer; and from the input of the model to the layer.
IN_LAYER = ("raw", MEASURED_SCOPE, "alti")
FROM_INPUT = ("rollout", "alti_rollout", "flow")
METHODS = (*IN_LAYER, *FROM_INPUT)
SETTINGS = ("propagation.residual", "propagation.start_layer", "propagation.flow_sources")


def rows(text: Text, given: Given) -> Measured:
    """Rows of every method, ``[layer, query, key]``, each summing to 1.

    Fields ``METHOD``. Of a text with more tokens than ``propagation.flow_sources``, rows of flow
    that were not asked for are not numbers; nor are rows by ALTI where nothing brings a token
    nearer to what it becomes.
    """
    settings = given.params.propagation
    raw = head_mean(text["attention"])
    start = settings.start_layer
    require_layer(start, len(raw))
    mixed = with_residual(raw, settings.residual)
    sources = spread_sources(raw.shape[-1], settings.flow_sources)
    flow = attention_flow(mixed[start:], sources=sources, layers="all")
    flows = np.full(raw.shape, np.nan)
    flows[:, sources] = from_input(flow, sources, start)
    lengths = [row_normalised(block.norms(MEASURED_SCOPE)) for block in blocks(text)]
    nearer = alti_contributions(text)
    yield from _fields(
        {
            "raw": raw,
            MEASURED_SCOPE: np.stack(lengths),
            "alti": nearer,
            "rollout": attention_rollout(mixed, start_layer=start),
            "alti_rollout": rolled_out(nearer, start),
            "flow": flows / flows.sum(axis=-1, keepdims=True),
        }
    )


def rows_of_target(text: Text, given: Given) -> Measured:
    """Rows of every token of a target over source and target, ``[layer, target, token]``.

    As :func:`attention_mixing.measures.two_streams.followed` has them.
    """
    matrices = followed(text, given.params.propagation)
    yield from _fields({method: matrices[method] for method in METHODS})


def _fields(matrices: Mapping[str, NDArray[np.floating]]) -> Measured:
    return (Field(name, matrix.astype(np.float32)) for name, matrix in matrices.items())


MEASURES = (
    Measure("rows", rows, settings=SETTINGS),
    Measure("rows_of_target", rows_of_target, settings=SETTINGS, joint=True),
)
