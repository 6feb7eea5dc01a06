"""Why a head attends where it does: a score taken apart, as ``score.js`` shows it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from attention_mixing.explorer.packed import pack_numbers

if TYPE_CHECKING:  # which imports torch, and pages are made without it
    from attention_mixing.capture.score_parts import ScoreParts, Writer
    from attention_mixing.capture.text import Text

# What modules of embeddings are called: the first that matches says of what they are.
EMBEDDINGS = {
    "type": "type|segment",
    "position": "pos|wpe",
    "word": "word|tok|wte|shared|embed",
}


@dataclass(frozen=True)
class ShownScore:
    """The score of a query and a key in one head, in every state.

    Attributes
    ----------
    layer, head, query, key
        Counted from 0.
    parts
        State -> the scores of the layer; None where they are no sum of parts of sources
        (:class:`attention_mixing.capture.score_parts.NotASum`).
    """

    layer: int
    head: int
    query: int
    key: int
    parts: Mapping[str, ScoreParts | None]

    @property
    def place(self) -> list[int]:
        """Layer and head from 1, query and key from 0, as an address has them."""
        return [self.layer + 1, self.head + 1, self.query, self.key]

    def content(self) -> dict[str, Any]:
        """Give the file: ``states``, with sources of query and key and ``parts`` of their pairs.

        A source is ``[kind, layer, head, of, stream]``, where ``of`` is that of
        :func:`embedding_of`. A state whose score is no sum has none of
        these. ``position`` is what is added for places, and ``score`` all together.
        """
        return {
            "states": {state: self._of_state(parts) for state, parts in self.parts.items()},
        }

    def _of_state(self, parts: ScoreParts | None) -> dict[str, Any]:
        if parts is None:
            return {}
        return {
            "queries": [_listed(source) for source in parts.query_sources],
            "keys": [_listed(source) for source in parts.key_sources],
            "parts": pack_numbers(parts.parts[self.head]),
            "position": float(f"{parts.position[self.head]:.6g}"),
            "score": float(f"{parts.score[self.head]:.6g}"),
        }


def score_in_states(
    texts: Mapping[str, Text], layer: int, head: int, query: int, key: int
) -> ShownScore:
    """Take a score apart in every state of a text; layer, head and tokens count from 0."""
    from attention_mixing.capture.score_parts import NotASum, decomposed_score

    parts: dict[str, ScoreParts | None] = {}
    for state, text in texts.items():
        try:
            parts[state] = decomposed_score(text, layer, query, key)
        except NotASum:
            parts[state] = None
    return ShownScore(layer, head, query, key, parts)


def _listed(source: Writer) -> list[Any]:
    return [source.kind, source.layer, source.head, embedding_of(source.name), source.stream]


def embedding_of(name: str) -> str:
    """Tell of what an embedding is by its name: ``word``, ``position``, ``type``; else empty."""
    return next((of for of, names in EMBEDDINGS.items() if re.search(names, name)), "")
