"""The score of the opening view taken apart, and what fine-tuning changed of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attention_mixing.capture.score_parts import NotASum, ScoreChange, changed_score
from attention_mixing.explorer.content import ShownText
from attention_mixing.explorer.score import ShownScore, embedding_of, score_in_states


def shown_score(text: ShownText, selection: Mapping[str, Any]) -> ShownScore:
    """Take the score of a selection apart in every state; its letters are those of an address."""
    texts = {state: shown.text for state, shown in text.states.items()}
    return score_in_states(texts, *_place(selection))


def change_of_score(text: ShownText, selection: Mapping[str, Any]) -> dict[str, Any] | None:
    """Tell what changed the score of a selection between two states, by source.

    Returns
    -------
    dict or None
        ``experiment``, ``layer`` and ``head`` from 1, the tokens ``query`` and ``key`` as they are
        shown, the scores ``before`` and ``after``, both beyond the mean of the keys, and
        ``sources``: ``side`` (``query`` or ``key``), ``kind``, ``layer``, ``embedding``
        (:func:`attention_mixing.explorer.score.embedding_of`), and their ``change``, the heads of a
        layer together. None where there are no two states, or scores are no sums.
    """
    if len(text.states) < 2:
        return None
    layer, head, query, key = _place(selection)
    first, *_, last = (state.text for state in text.states.values())
    try:
        found = changed_score(first, last, layer, query, key)
    except NotASum:
        return None
    queries, keys = (tokens["token"] for tokens in text.tokens)
    return {
        "experiment": selection["e"],
        "layer": layer + 1,
        "head": head + 1,
        "query": str(queries.iloc[query]),
        "key": str(keys.iloc[key]),
        "before": float(found.before[head]),
        "after": float(found.after[head]),
        "sources": _by_source(found, head),
    }


def _place(selection: Mapping[str, Any]) -> tuple[int, int, int, int]:
    return selection["l"] - 1, selection["h"] - 1, selection["q"], selection["k"]


def _by_source(found: ScoreChange, head: int) -> list[dict[str, Any]]:
    changes: dict[tuple[str, str, int, str], float] = {}
    sides = (
        ("query", found.query_sources, found.by_query),
        ("key", found.key_sources, found.by_key),
    )
    for side, sources, by_source in sides:
        for source, change in zip(sources, by_source[:, head], strict=True):
            key = (side, source.kind, source.layer, embedding_of(source.name))
            changes[key] = changes.get(key, 0.0) + float(change)
    names = ("side", "kind", "layer", "embedding")
    return [
        dict(zip(names, key, strict=True)) | {"change": value} for key, value in changes.items()
    ]
