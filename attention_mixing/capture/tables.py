"""What is written of captured texts beside their arrays: tables, counts, what queries see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import softmax

if TYPE_CHECKING:
    from attention_mixing.models.encode import Encoded


def examples_table(
    examples: pd.DataFrame, encoded: Sequence[Encoded], logits: Sequence[NDArray | None]
) -> pd.DataFrame:
    """Lay captured texts out as a table, a row a text.

    It is ``examples.parquet`` of :mod:`attention_mixing.capture.store`. Of each row of the corpus,
    ``encoded`` is what the model read and ``logits`` are ``[label]``, or None of a model without a
    classification head.
    """
    of_targets = ["target", "alignment"] if examples["target"].notna().any() else []
    table = examples[["id", "text", *of_targets, "label"]].copy()
    # Without a classification head there are neither.
    answers = [None if answer is None else softmax(answer) for answer in logits]
    table["prediction"] = pd.array([p if p is None else p.argmax() for p in answers], "Int64")
    table["probability"] = pd.array([p if p is None else p.max() for p in answers], "Float64")
    table["tokens"] = [len(e.input_ids) for e in encoded]
    table["truncated"] = [e.truncated for e in encoded]
    if of_targets:
        targets = [e.target for e in encoded if e.target is not None]
        table["target_tokens"] = [len(target.input_ids) for target in targets]
        table["target_truncated"] = [target.truncated for target in targets]
    return table


def tokens_table(examples: pd.DataFrame, encoded: Sequence[Encoded]) -> pd.DataFrame:
    """Lay the tokens of captured texts out as a table, a row a token, targets after their texts.

    It is ``tokens.parquet`` of :mod:`attention_mixing.capture.store`, of what
    :func:`examples_table` takes; ``is_evidence`` is missing where the corpus does not say it.
    """
    tables = []
    columns = (examples[name] for name in ("id", "text", "target", "evidence"))
    for example, source, target, evidence, text in zip(*columns, encoded, strict=True):
        rows = text.table(source)
        inside: Any = pd.NA  # not recorded
        if evidence is not None:
            inside = ~rows["is_special"] & np.array(
                [any(s < end and start < e for s, e in evidence) for start, end in text.spans]
            )
        parts = [rows.assign(is_evidence=inside)]
        if text.target is not None:
            of_target = text.target.table(target).assign(is_evidence=pd.NA, is_target=True)
            parts = [parts[0].assign(is_target=False), of_target]
        for rows_of_text in parts:
            rows_of_text.insert(0, "example_id", example)
            tables.append(rows_of_text.astype({"is_evidence": "boolean"}))
    return pd.concat(tables, ignore_index=True)


def sizes(encoded: Sequence[Encoded]) -> dict[str, int]:
    """Count texts (``examples``), their ``tokens``, and those that were cut (``truncated``)."""
    return {
        "examples": len(encoded),
        "tokens": sum(len(text.input_ids) for text in encoded),
        "truncated": sum(text.truncated for text in encoded),
    }


def sight(visible: NDArray[np.bool_]) -> set[str]:
    """Name what the queries of a text may see.

    Of the layers of ``visible``, ``[layer, query, key]``: ``all`` keys, ``earlier`` ones and
    themselves, or those in a window of either (``window``, ``earlier_window``).
    """
    earlier = np.tril(np.ones(visible.shape[1:], bool))
    kinds = set()
    for layer in visible:
        causal = not (layer & ~earlier).any()
        whole = bool(layer[earlier].all() if causal else layer.all())
        if causal:
            kinds.add("earlier" if whole else "earlier_window")
        else:
            kinds.add("all" if whole else "window")
    return kinds
