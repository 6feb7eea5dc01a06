"""How much vectors depend on other tokens, measured by replacing these, and how near methods come.

Special tokens are never replaced. So matrices are held against what was measured in the rows and
columns of ordinary tokens alone, each row divided by what it has left there.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from attention_mixing.attributions.catalogue import entry, select
from attention_mixing.attributions.matrices import of_layers, of_model
from attention_mixing.attributions.through import SETTINGS, ThroughLayers, through_layers
from attention_mixing.capture.text import Text
from attention_mixing.measures.engine.definition import (
    LAYER,
    SHARE,
    SIGNED,
    Given,
    Gives,
    Measure,
    Measured,
    Values,
    each_of,
    gives,
)
from attention_mixing.methods.arrays import defined_mean
from attention_mixing.methods.dependence import beside_truth, effect_shares
from attention_mixing.methods.dependence import dependence as dependence_of
from attention_mixing.settings.derived import JOINT, STREAMS

Matrices = NDArray[np.float64]

IN_LAYER = entry("raw")
# They ask no model: all tokens that one can stem from alike, or each for itself.
BASELINES = ("symbols", "identity")
ERRORS = ("mixing_error", "total_variation")
ORDER = "rank_correlation"


def dependence(text: Text, given: Given) -> Measured:
    """Share of each ordinary token that others account for, and how far methods are from it.

    ``dependence`` behind every layer, from the input on, mean over tokens; ``own_source``, the
    share of tokens that depend on themselves more than on any other; ``without_first``, dependence
    where nobody attends to the first token, in a model of one text; of every method
    ``mixing_error``, ``total_variation`` and ``rank_correlation``
    (:func:`attention_mixing.methods.dependence.beside_truth`), means over tokens. Of an
    encoder-decoder, those of its encoder, and of source and target together; what its decoder alone
    attends to is not all that a token of the target depends on, and gives nothing.
    """
    from attention_mixing.capture.dependence import measured_shares  # torch takes seconds to start

    drawn = {name: given.settings[f"dependence.{name}"] for name in ("draws", "seed")}
    measured = measured_shares(text, **drawn)
    if measured is None:
        return
    yield Values("dependence", dependence_of(measured.values).mean(axis=-1))
    own = np.arange(len(measured.tokens) - len(measured.queries), len(measured.tokens))
    yield Values("own_source", (measured.values.argmax(axis=-1) == own).mean(axis=-1))
    if not text.stream and (alone := measured_shares(text, **drawn, without_first=True)):
        yield Values("without_first", dependence_of(alone.values).mean(axis=-1))
    rows, columns = np.ix_(measured.queries, measured.tokens)
    for label, matrices in _matrices(text, through_layers(given.settings)):
        shares = effect_shares(np.abs(matrices[:, rows, columns]))
        compared = beside_truth(shares, measured.values)
        of_layers = {name: defined_mean(compared[name], axis=-1) for name in (*ERRORS, ORDER)}
        yield from each_of(of_layers, subject=label)


def _matrices(text: Text, settings: ThroughLayers) -> Iterator[tuple[str, Matrices]]:
    """Give what is held against dependence, ``[layer, query, key]``, each with its label."""
    if text.stream != JOINT:  # a layer of a decoder attends to two texts, one after the other
        yield IN_LAYER.name, of_layers(IN_LAYER, text, settings).values
    for one in select(through="product"):
        if one.defined(text):
            yield one.label(whole=True), of_model(one, text, settings).values
    stems = _stems(text)
    queries, keys = stems.shape[1:]
    itself = np.broadcast_to(np.eye(queries, keys, k=keys - queries), stems.shape)
    yield from zip(BASELINES, (effect_shares(stems), itself), strict=True)


def _stems(text: Text) -> Matrices:
    """Tell by 1 or 0 which input tokens each can stem from, ``[layer, query, key]``."""
    within = text.of(STREAMS[1]) if text.stream == JOINT else text
    tokens, layers = len(within.tokens), len(within.weights)
    every = np.ones((layers, tokens, len(text.tokens)))
    if within.reached is not None:
        every[..., -tokens:] = within.reached
    return every


def _declared() -> tuple[Gives, ...]:
    methods = (
        IN_LAYER.name,
        *(one.label(whole=True) for one in select(through="product")),
        *BASELINES,
    )
    return (
        *gives(("dependence", "without_first"), LAYER, SHARE),
        Gives("own_source", LAYER, SHARE, saturates=True),
        *gives(ERRORS, LAYER, SHARE, subject=methods),
        Gives(ORDER, LAYER, SIGNED, subject=methods),
    )


READ = ("device", "dependence.draws", "dependence.seed", *SETTINGS[:2])
MEASURES = tuple(
    Measure(name, dependence, gives=_declared, settings=READ, panel="dependence.texts", joint=joint)
    for name, joint in (("dependence", False), ("joint_dependence", True))
)
