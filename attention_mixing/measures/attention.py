"""Weights of every head, layer by layer: attention sinks, and effective attention."""

from __future__ import annotations

import numpy as np

from attention_mixing.capture.text import Text
from attention_mixing.measures.engine.definition import (
    HEAD,
    POSITIVE,
    SHARE,
    SIGNED,
    Given,
    Gives,
    Measure,
    Measured,
    Values,
    each_of,
    over_layers,
)
from attention_mixing.methods.attention import key_importance
from attention_mixing.methods.effective_attention import (
    correlation,
    effective_attention,
    remaining_share,
)
from attention_mixing.methods.mixing import transformed_values

LENGTHS = ("longer", "shorter")  # of a text, beside the dimensions of a head


def sinks(text: Text, given: Given) -> Measured:
    """Weight on a key, mean over the queries that see it, of every head (``sink``).

    ``facet``: on the ``first`` token, and on ``any``, the key with the largest; of a model that
    lets a part of its attention go to no token, that part is on ``none``. ``excess`` is what the
    first token gets beyond uniform attention to all that a query sees, which gives it much where
    early queries of a decoder see little else.
    """
    importance = key_importance(text["attention"], text.visible)
    yield Values("sink", importance[..., 0], facet="first")
    every = np.ones_like(text["attention"][:, 0], dtype=bool)
    sight = (every if text.visible is None else text.visible)[:, None]
    uniform = key_importance(sight / sight.sum(axis=-1, keepdims=True), text.visible)
    yield Values("excess", importance[..., 0] - uniform[..., 0], facet="first")
    yield Values("sink", importance.max(axis=-1), facet="any")
    if not (text["mass"] == 1).all():
        yield Values("sink", 1 - text["mass"].mean(axis=-1), facet="none")


def effective_weights(text: Text, given: Given) -> Measured:
    """Effective attention of every head, ``facet`` being ``longer`` or ``shorter``.

    That is whether the text has more tokens than a head has dimensions. ``null_space`` has the
    dimensions of what may be added to a row unseen, mean over rows; ``effective_share`` is the
    share of a row's length that remains, ``effective_correlation`` that of effective attention with
    the weights. What holds exactly is measured too: how far what was removed moves the output,
    beside the largest entry of the output (``null_output``).
    """
    attention, value = text["attention"], text["value"]
    _, _, tokens, head_dim = value.shape
    of_layers, moved = [], []
    for layer, weights in enumerate(text.weights):
        maps, projection = attention[layer].astype(np.float64), weights.projection.weight
        visible = text.sight(layer)
        visible_keys = tokens if visible is None else visible.sum(axis=-1)
        effective, rank = effective_attention(maps, value[layer], projection, visible)
        gate = 1.0 if text.gate is None else text.gate[layer].astype(np.float64)
        whole, removed = (
            np.abs(transformed_values(matrix @ value[layer] * gate, projection)).max()
            for matrix in (maps, maps - effective)
        )
        moved.append(removed / whole)
        of_layers.append(
            {
                "null_space": (visible_keys - rank).mean(axis=-1),
                "effective_share": remaining_share(maps, effective),
                "effective_correlation": correlation(maps, effective),
            }
        )
    kind = LENGTHS[tokens <= head_dim]
    yield from each_of(over_layers(of_layers), facet=kind)
    yield Values("null_output", max(moved), facet=kind)


MEASURES = (
    Measure(
        "sinks",
        sinks,
        gives=(
            Gives("sink", HEAD, SHARE, facet=("first", "any", "none")),
            Gives("excess", HEAD, SIGNED, facet=("first",)),
        ),
    ),
    Measure(
        "effective_attention",
        effective_weights,
        gives=(
            Gives("null_space", HEAD, POSITIVE, facet=LENGTHS),
            Gives("effective_share", HEAD, SHARE, facet=LENGTHS),
            Gives("effective_correlation", HEAD, SIGNED, facet=LENGTHS),
            Gives("null_output", range=POSITIVE, facet=LENGTHS),
        ),
    ),
)
