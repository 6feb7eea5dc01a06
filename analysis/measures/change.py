"""What fine-tuning changes, and where: attention, features and weights before and after."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from analysis.capture.text import Text
from analysis.errors import InputError
from analysis.measures.measure import (
    ALL,
    Corpus,
    Given,
    Measure,
    Measured,
    OfCorpus,
    Values,
    trained,
)
from analysis.methods.change import LAST, cosine_distance, jensen_shannon, relative_change
from analysis.methods.identity import Moments, linear_cka
from analysis.models.weights import LayerWeights

# Points without layers stand for layer 0; the others begin with layer 1.
INPUTS = ("word", "embedding")
POINTS = (
    *INPUTS,
    "query",
    "key",
    "value",
    "context",
    "attention_output",
    "attention_block",
    "ffn_output",
    "layer_output",
)
COMPARED = ("embedding", "layer_output")  # by CKA as well
TOKENS = {"all": slice(None), "first": slice(1)}
BY_COLUMN = ("query", "key", "value")  # weights whose columns belong to heads
BY_ROW = ("attention_output",)  # and whose rows do
MATRICES = (*BY_COLUMN, *BY_ROW, "ffn_input", "ffn_output")


def change(before: Text, after: Text, given: Given) -> Measured:
    """How far the fine-tuned model is from the pretrained one on the same text.

    ``kind`` is ``all``, the mean over the tokens of the text, or ``first``, the one that the
    classifier reads. Of ``attention``, by head: the Jensen-Shannon ``divergence`` of a row and its
    root, the ``distance``. A layer also changes because those below it did; ``distance_alone`` is
    what its own queries and keys make of the pretrained model's input. Of every feature point (its
    layer 0 for the points below the first): the ``cosine_distance`` of a token and the
    ``relative_change`` of all tokens as one matrix; queries, keys and values are those of all
    heads side by side. ``MEASURE_last`` is the share that the last two layers have of the sum over
    all.
    """
    if not before.tokens[["position", "token"]].equals(after.tokens[["position", "token"]]):
        raise InputError(
            f"{before.state.captured} and {after.state.captured} are not of the same texts and "
            f"tokens; delete {after.state.captured.parent} and run `dvc repro`."
        )
    for kind, measures in _attention(before, after).items():
        for measure, values in measures.items():
            yield Values(measure, values, "attention", kind)
            yield Values(f"{measure}_last", _last_share(values.mean(axis=1)), "attention", kind)
    for point in POINTS:
        old, new = _features(before, point), _features(after, point)
        for kind, chosen in TOKENS.items():
            pair = old[:, chosen], new[:, chosen]
            measures = {
                "cosine_distance": cosine_distance(*pair).mean(axis=-1),
                "relative_change": np.asarray(relative_change(*pair)),
            }
            for measure, values in measures.items():
                yield Values(measure, values, point, kind, layer=0 if point in INPUTS else 1)
                if point not in INPUTS:
                    yield Values(f"{measure}_last", _last_share(values), point, kind)


def weight_change(corpus: Corpus, given: Given) -> OfCorpus:
    """``relative_change`` of the matrices of each layer (``weights/MATRIX``), and ``cka``.

    Of the columns of a head (of its rows in ``attention_output``), and with head 0 of the whole
    matrix. Biases are left out: that of the keys moves no attention, and a vector beside a matrix
    would need a scale of its own. Linear ``cka`` of the features before with those after is over
    all tokens of all texts: 1 where the space was only turned, moved or scaled.
    """
    old_state, new_state = corpus.states
    for matrix in MATRICES:
        whole, by_head = [], []
        for layers in zip(old_state.weights, new_state.weights, strict=True):
            old, new = (getattr(layer, matrix).weight for layer in layers)
            whole.append(float(relative_change(old, new)))
            if matrix in BY_COLUMN:
                old, new = old.T, new.T
            if matrix in BY_COLUMN + BY_ROW:
                heads = _heads(old_state)
                by_head.append(
                    relative_change(*(np.stack(np.split(one, heads)) for one in (old, new)))
                )
        of = f"weights/{matrix}"
        yield new_state.variant, ALL, Values("relative_change", whole, of)
        yield (
            new_state.variant,
            ALL,
            Values("relative_change_last", _last_share(np.array(whole)), of),
        )
        if by_head:
            yield new_state.variant, ALL, Values("relative_change", np.array(by_head), of)
    moments: dict[tuple[str, int], list[Moments]] = {}
    for example in old_state.examples["id"]:
        for point in COMPARED:
            old, new = (_features(s.text(example), point) for s in (old_state, new_state))
            for layer, (one, other) in enumerate(zip(old, new, strict=True)):
                parts = moments.setdefault((point, layer), [Moments() for _ in range(3)])
                for part, pair in zip(
                    parts, ((one, other), (one, one), (other, other)), strict=True
                ):
                    part.add(*pair)
    for (point, layer), parts in moments.items():
        first = 0 if point in INPUTS else 1
        value = linear_cka(*parts)
        yield new_state.variant, ALL, Values("cka", value, point, "all", layer + first)


def _heads(state: Any) -> int:
    return len(state.text(state.examples["id"].iloc[0]).layer("query", 0))


def _attention(before: Text, after: Text) -> dict[str, dict[str, NDArray[np.float64]]]:
    """Kind of tokens -> measure -> ``[layer, head]``."""
    inputs = before["embedding"]
    found: dict[str, dict[str, list]] = {kind: {} for kind in TOKENS}
    weights = zip(before.state.weights, after.state.weights, strict=True)
    for layer, pair in enumerate(weights):
        old, new = (text.layer("attention", layer) for text in (before, after))
        divergence = jensen_shannon(old, new)  # [head, query]
        # Before too from the weights: what half precision stores differs a little.
        alone = jensen_shannon(*(_attention_of(inputs, own, len(old)) for own in pair))
        measured = {
            "divergence": divergence,
            "distance": np.sqrt(divergence),
            "distance_alone": np.sqrt(alone),
        }
        for kind, chosen in TOKENS.items():
            for measure, rows in measured.items():
                found[kind].setdefault(measure, []).append(rows[:, chosen].mean(axis=-1))
        inputs = before.layer("layer_output", layer)
    return {kind: {m: np.array(rows) for m, rows in own.items()} for kind, own in found.items()}


def _attention_of(
    inputs: NDArray[np.float32], weights: LayerWeights, heads: int
) -> NDArray[np.float32]:
    """Attention that the queries and keys of a layer pay to its input, ``[head, query, key]``."""
    query, key = (
        (inputs @ linear.weight + linear.bias).reshape(len(inputs), heads, -1).swapaxes(0, 1)
        for linear in (weights.query, weights.key)
    )
    return softmax(query @ key.swapaxes(1, 2) / math.sqrt(query.shape[-1]), axis=-1)


def _features(text: Text, point: str) -> NDArray[np.float32]:
    """Vectors of one point, ``[layer, token, dim]``; those of heads side by side."""
    vectors = text[point]
    if point in INPUTS:
        return vectors[None]
    if point in BY_COLUMN:
        layers, heads, tokens, head_dim = vectors.shape
        return vectors.swapaxes(1, 2).reshape(layers, tokens, heads * head_dim)
    return vectors


def _last_share(values: NDArray[np.float64]) -> float:
    """Share that the last layers have of the sum over all; nan where nothing changed."""
    total = values.sum()
    return float(values[-LAST:].sum() / total) if total > 0 else math.nan


MEASURES = (
    Measure("change", change, kind="pair", reads=(*POINTS, "attention"), defined=trained),
    Measure("weight_change", weight_change, kind="corpus", reads=COMPARED, defined=trained),
)
