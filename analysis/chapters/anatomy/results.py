"""Results of the stage *anatomy*: one text in one layer, rebuilt, and the small models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from analysis.fonts import drawable
from analysis.paths import result
from attention_mixing.artifacts import read_artifact
from attention_mixing.methods.scaled_dot_product import unscaled_scores

Floats = NDArray[np.floating]
# Attention of the small models -> what its queries and its keys are.
SMALL_MAPS = {
    "encoder/attention": ("tokens", "tokens"),
    "decoder/attention": ("tokens", "tokens"),
    "encoder_decoder/encoder": ("source", "source"),
    "encoder_decoder/decoder": ("tokens", "tokens"),
    "encoder_decoder/cross": ("tokens", "source"),
}


@dataclass(frozen=True)
class AnatomyResults:
    """Results of the stage ``anatomy``.

    Attributes
    ----------
    record
        ``results/anatomy/anatomy.json``.
    arrays
        ``results/anatomy/anatomy.safetensors``: of the text ``input``, ``context``, ``output``
        ``[layer, token, model_dim]``, ``query``, ``key``, ``value`` ``[layer, head, token,
        head_dim]``, ``scores``, ``attention`` ``[layer, head, query, key]``; of the small models
        those in :data:`SMALL_MAPS`.
    """

    record: Mapping[str, Any]
    arrays: Mapping[str, Floats]

    @property
    def tokens(self) -> list[str]:
        """Tokens of the text, as the figures can draw them."""
        return [drawable(token) for token in self.record["tokens"]]

    @property
    def place(self) -> tuple[int, int]:
        """Layer and head that are shown, counted from zero."""
        return self.record["layer"] - 1, self.record["head"] - 1

    def of_head(self, name: str) -> Floats:
        """One array of the head that is shown."""
        return self.arrays[name][self.place]

    def axes(self, name: str) -> tuple[list[str], list[str]]:
        """Return queries and keys of one of :data:`SMALL_MAPS`, as the figures can draw them."""
        small = self.record["small"][name.split("/")[0]]
        queries, keys = ([drawable(token) for token in small[axis]] for axis in SMALL_MAPS[name])
        return queries, keys

    def softmax_of_scores(self, *, scaled: bool) -> Floats:
        """Weights of the head that is shown, made of its scores: as they are, or without scale."""
        scores = self.of_head("scores")
        logits = scores if scaled else unscaled_scores(scores, self.record["head_dimension"])
        hidden = np.isnan(scores)
        return np.where(hidden, np.nan, softmax(np.where(hidden, -np.inf, logits), -1))

    @property
    def query(self) -> int:
        """Token whose weighted sum is shown: the one of the text that looks hardest elsewhere."""
        weights = self.of_head("attention").copy()
        np.fill_diagonal(weights, 0)
        inner = weights[1:-1].max(axis=1, initial=0)
        return int(inner.argmax()) + 1 if len(inner) else 0


def read_anatomy() -> AnatomyResults:
    """Read the results of the stage."""
    return AnatomyResults(
        read_artifact(result("anatomy", "anatomy.json")),
        read_artifact(result("anatomy", "anatomy.safetensors")),
    )
