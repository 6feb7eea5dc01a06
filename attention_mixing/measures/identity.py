"""What remains of a token: its features against its own input and against other tokens."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_mixing.addresses import OTHER_LAYER
from attention_mixing.capture.network import network
from attention_mixing.capture.text import Text
from attention_mixing.measures.engine.definition import (
    LAYER,
    POSITIVE,
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
from attention_mixing.measures.token_kinds import KINDS, token_kinds
from attention_mixing.methods.identity import (
    LayerMoments,
    anisotropy,
    effective_rank,
    identified,
    linear_cka,
    relative_residual,
    self_similarity,
)
from attention_mixing.methods.massive_activations import massive, over_median, token_of_largest

# Whether a layer keeps its skip connection and its feed-forward block beside its attention.
PARTS = {
    "attention_only": (False, False),
    "without_skip": (False, True),
    "without_ffn": (True, False),
}
POINTS = ("layer_output", "before_norm")  # where massive activations are looked for


class TokenMoments:
    """Moments of the features of all tokens, layer by layer and of every two layers.

    Layer 0 is the input of the first. Gives the ``effective_rank`` of every layer, and linear
    ``cka`` of every layer with every other (``subject``).
    """

    def __init__(self, given: Given) -> None:
        self.moments: dict[tuple[int, int], LayerMoments] = {}

    def add(self, text: Text) -> None:  # noqa: D102
        features = layers(text)
        for pair in combinations_with_replacement(range(len(features)), 2):
            self.moments.setdefault(pair, LayerMoments()).add(*features[list(pair)])

    def merge(self, other: TokenMoments) -> None:  # noqa: D102
        for pair, moments in other.moments.items():
            self.moments.setdefault(pair, LayerMoments()).merge(moments)

    def result(self) -> NDArray[np.float64]:
        """Mean of all tokens, ``[layer, dim]``."""
        depth = max(layer for layer, _ in self.moments) + 1
        return np.stack([self.moments[layer, layer].first_mean for layer in range(depth)])

    def measured(self) -> Measured:  # noqa: D102
        depth = range(len(self.result()))
        ranks = [effective_rank(self.moments[layer, layer]) for layer in depth]
        yield Values("effective_rank", ranks, layer=0)
        for other in depth:
            pairs = [sorted((layer, other)) for layer in depth]  # the same both ways
            cka = [
                linear_cka(
                    *(self.moments[pair] for pair in ((low, high), (low, low), (high, high)))
                )
                for low, high in pairs
            ]
            yield Values("cka", cka, subject=str(other), layer=0)


def identity(text: Text, given: Given) -> Measured:
    """Means over the tokens of a text, layer 0 being the input of the first.

    ``self_similarity`` (cosine of a token to its own input), ``identifiability`` (share of tokens
    whose nearest input is their own), ``similarity`` and ``similarity_centred`` (mean cosine of two
    tokens of the text, as they are and without the mean of all tokens of all texts, so that a
    direction common to everything does not count).
    """
    features, mean = layers(text), given["token_moments"]
    with np.errstate(invalid="ignore"):
        measures: dict[str, Any] = {
            "self_similarity": self_similarity(features, features[0]).mean(axis=-1),
            "identifiability": identified(features, features[0]).mean(axis=-1),
            "similarity": anisotropy(features),
            "similarity_centred": anisotropy(features - mean[:, None]),
        }
    return each_of(measures, layer=0)


def rank_collapse(text: Text, given: Given) -> Measured:
    """Share of the features that tokens do not have in common (``relative_residual``).

    Layer 0 is the input of the first. Of the ``whole`` model, as it was captured, and of what the
    same weights make with the ``PARTS`` of each layer, where attention is computed anew; not so of
    a decoder that looks at a source, which is no part of either.
    """
    captured = layers(text)
    yield Values("relative_residual", relative_residual(captured), subject="whole", layer=0)
    if text.stream == "decoder":
        return
    for name, (skip, feed_forward) in PARTS.items():
        outputs = network(text).features(*text.ids, skip=skip, feed_forward=feed_forward)
        features = np.concatenate([captured[:1].astype(np.float64), outputs])
        yield Values("relative_residual", relative_residual(features), subject=name, layer=0)


def massive_activations(text: Text, given: Given) -> Measured:
    """Extreme coordinates, of every ``layer_output`` and ``before_norm``, of the sum that it is of.

    A layer adds up its residual stream and normalises the sum: only before is a magnitude free to
    grow. ``massive`` counts massive activations; ``largest`` is the largest magnitude,
    ``largest_over_median`` divided by the median magnitude of the layer; ``largest_at`` is 1 for
    the ``facet`` of token that has it, else 0. The sum is not known of a decoder that looks at a
    source before it.
    """
    points = {"layer_output": text["layer_output"]}
    if text.stream != "decoder":
        points["before_norm"] = text["attention_block"] + text["ffn_output"]
    for point, features in points.items():
        measures = {
            "massive": massive(features).sum(axis=(-2, -1)),
            "largest": np.abs(features).max(axis=(-2, -1)),
            "largest_over_median": over_median(features).max(axis=(-2, -1)),
        }
        yield from each_of(measures, subject=point)
        tokens = token_of_largest(features)
        for kind, chosen in token_kinds(text.tokens).items():
            if kind != "all":
                yield Values("largest_at", chosen[tokens], subject=point, facet=kind)


def layers(text: Text) -> NDArray[np.float32]:
    """Features of a text after every layer, the input of the first in front."""
    return np.concatenate([text["embedding"][None], text["layer_output"]])


MEASURES = (
    Measure(
        "token_moments",
        TokenMoments,
        gives=(
            Gives("effective_rank", LAYER, POSITIVE),
            Gives("cka", LAYER, SHARE, subject=(OTHER_LAYER,)),
        ),
        kind="accumulator",
    ),
    Measure(
        "identity",
        identity,
        gives=(
            *gives(("self_similarity", "similarity", "similarity_centred"), LAYER, SIGNED),
            Gives("identifiability", LAYER, SHARE, saturates=True),
        ),
        after=("token_moments",),
    ),
    Measure(
        "rank_collapse",
        rank_collapse,
        gives=(Gives("relative_residual", LAYER, POSITIVE, subject=("whole", *PARTS)),),
        settings=("device",),
    ),
    Measure(
        "massive_activations",
        massive_activations,
        gives=(
            *gives(("massive", "largest", "largest_over_median"), LAYER, POSITIVE, subject=POINTS),
            Gives("largest_at", LAYER, SHARE, subject=POINTS, facet=KINDS[1:], saturates=True),
        ),
    ),
)
