"""What fine-tuning changes, and where: attention, features and weights before and after."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from attention_mixing.addresses import ALL
from attention_mixing.attributions.blocks import entered
from attention_mixing.capture.network import network
from attention_mixing.capture.text import Text
from attention_mixing.errors import ANEW, InputError
from attention_mixing.measures.engine.definition import (
    HEAD,
    LAYER,
    POSITIVE,
    SHARE,
    CapturedCorpus,
    Given,
    Gives,
    Measure,
    Measured,
    OfCorpus,
    Values,
    compared,
    each_of,
    gives,
)
from attention_mixing.methods.change import cosine_distance, jensen_shannon, relative_change
from attention_mixing.methods.projection import INPUT_POINTS, POINT_SETS

# Points without layers stand for layer 0; the others begin with layer 1.
POINTS = (*INPUT_POINTS, *POINT_SETS["all62"])
TOKENS = ("all", "first")
BY_HEAD = ("query", "key", "value")  # weights whose columns belong to heads
MATRICES = (*BY_HEAD, "attention_output", "ffn_input", "ffn_output")
WEIGHTS = tuple(f"weights/{matrix}" for matrix in MATRICES)


def change(before: Text, after: Text, given: Given) -> Measured:
    """How far the fine-tuned model is from the pretrained one on the same text.

    Of ``attention``, by head: the ``distance`` of a row, root of its Jensen-Shannon divergence,
    mean over rows. A layer also changes because those below it did; ``distance_alone`` is what its
    own queries and keys make of the pretrained model's input. Of every feature point (its layer 0
    for the points below the first) the ``cosine_distance`` of a token, and of the output of every
    layer the ``relative_change`` of all tokens as one matrix: ``facet`` is ``all``, the mean over
    the tokens of the text, or ``first``, the one that the classifier reads.
    """
    if not before.tokens[["position", "token"]].equals(after.tokens[["position", "token"]]):
        raise InputError(
            f"{before.state.captured} and {after.state.captured} are not of the same texts and "
            f"tokens; delete {after.state.captured.parent} and {ANEW}."
        )
    yield from each_of(_attention(before, after), subject="attention", facet="all")
    for point in POINTS:
        layer = 0 if point in INPUT_POINTS else 1
        old, new = (text[point] if layer else text[point][None] for text in (before, after))
        for kind in TOKENS:
            chosen = [after.read] if kind == "first" else slice(None)
            pair = old[:, chosen], new[:, chosen]
            turned = cosine_distance(*pair).mean(axis=-1)
            yield Values("cosine_distance", turned, point, kind, layer)
            if point == "layer_output":
                yield Values("relative_change", relative_change(*pair), point, kind)


def weight_change(corpus: CapturedCorpus, given: Given) -> OfCorpus:
    """``relative_change`` of the matrices of each layer (``weights/MATRIX``).

    Of the columns of a head, and with head 0 of the whole matrix. Biases are left out: that of the
    keys moves no attention, and a vector beside a matrix would need a scale of its own.
    """
    before, after = corpus.states
    heads = len(before.text(before.examples["id"].iloc[0]).layer("attention", 0))
    layers = [
        [network(state).matrices(layer) for state in (before, after)]
        for layer in range(len(before.weights))
    ]
    for matrix in MATRICES:
        if not all(matrix in of_state for both in layers for of_state in both):
            continue
        pairs = [[of_state[matrix] for of_state in both] for both in layers]
        parts = {"whole": pairs}
        if matrix in BY_HEAD:
            parts["heads"] = [[np.stack(np.split(weight.T, heads)) for weight in p] for p in pairs]
        for by_layer in parts.values():
            changed = [relative_change(*pair) for pair in by_layer]
            yield after.variant, ALL, [Values("relative_change", changed, f"weights/{matrix}")]


def _attention(before: Text, after: Text) -> dict[str, NDArray[np.float64]]:
    """Distances ``[layer, head]``, mean over queries."""
    compared: dict[str, Sequence[NDArray]] = {"distance": (before["attention"], after["attention"])}
    if before.stream != "decoder":  # which looks at a source in between
        stream = entered(before)
        # Before too from the model: what half precision stores differs a little.
        compared["distance_alone"] = [
            network(text).attention(*text.ids, stream) for text in (before, after)
        ]
    return {
        name: np.stack(
            [np.sqrt(jensen_shannon(*layer)).mean(axis=-1) for layer in zip(*pair, strict=True)]
        )
        for name, pair in compared.items()
    }


MEASURES = (
    Measure(
        "change",
        change,
        gives=(
            *gives(
                ("distance", "distance_alone"), HEAD, SHARE, subject=("attention",), facet=("all",)
            ),
            Gives("cosine_distance", LAYER, (0.0, 2.0), subject=POINTS, facet=TOKENS),
            Gives("relative_change", LAYER, POSITIVE, subject=("layer_output",), facet=TOKENS),
        ),
        settings=("device",),
        kind="pair",
        defined=compared,
    ),
    Measure(
        "weight_change",
        weight_change,
        gives=(Gives("relative_change", HEAD, POSITIVE, subject=WEIGHTS),),
        settings=("device",),
        kind="corpus",
        defined=compared,
    ),
)
