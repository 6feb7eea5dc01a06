"""What a fast tokenizer is made of, as data: two of the same parts split every text alike.

Left out is what splits no text: how tokens become text again, how a batch is cut and padded, and
which characters are told of a token. What is put around texts does not depend on them, so that two
texts show it: it is compared there.
"""

from __future__ import annotations

import json
from typing import Any

from tokenizers import Tokenizer

# In the model: empty and null are the same.
AFFIXES = ("continuing_subword_prefix", "end_of_word_suffix")
# Of an added token: whether it is called special changes no text.
MATCHES = ("id", "single_word", "lstrip", "rstrip", "normalized")

Parts = dict[str, Any]


def parts(backend: Tokenizer) -> Parts:
    """Return what decides how a tokenizer splits texts, by the names of ``tokenizer.json``.

    Steps of sequences are laid out one by one, and defaults written out.
    """
    content = json.loads(backend.to_str())
    model = {name: value for name, value in content["model"].items() if name != "dropout"}
    return {
        "normalizer": _steps(content["normalizer"], "normalizers"),
        "pre_tokenizer": _steps(content["pre_tokenizer"], "pretokenizers"),
        "model": model | {name: model.get(name) or None for name in AFFIXES},
        "added_tokens": {
            token["content"]: {name: token[name] for name in MATCHES}
            for token in content["added_tokens"]
        },
    }


def differing_part(given: Parts, saved: Parts) -> str | None:
    """Name the first part in which a tokenizer differs from the saved one; None if none does.

    Added tokens that the saved one lacks do not count: their names stand in no usual text, and
    ``tokenizer_config.json`` may add them.
    """
    own = {name: given["added_tokens"].get(name) for name in saved["added_tokens"]}
    compared = given | {"added_tokens": own}
    return next((name for name, part in saved.items() if compared[name] != part), None)


def _steps(part: dict[str, Any] | None, name: str) -> list[dict[str, Any]]:
    if part is None:
        return []
    if part["type"] == "Sequence":
        return [step for inner in part[name] for step in _steps(inner, name)]
    return [{key: value for key, value in part.items() if key != "trim_offsets"}]
