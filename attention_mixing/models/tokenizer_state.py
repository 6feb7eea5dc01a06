"""State of a tokenizer that changes what a text becomes: chance, and the languages of translators.

Some vocabularies are trained with other pieces at each pass: BPE leaves out merges at random
(Provilkov, Emelianenko and Voita 2020, *BPE-Dropout*, ACL, section 3.2, where a text is read
without), SentencePiece draws among ways to cut a text (Kudo 2018, *Subword Regularization*, ACL).
Files keep that setting. Like the dropout of a model, it is off when a text is read.

Translators put the language of a text before or behind it. Where none is stated, transformers takes
English for a source, and the language of the source for a target.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer
from transformers import PreTrainedTokenizerBase

from attention_mixing.errors import InputError

SOURCE, TARGET = "src_lang", "tgt_lang"
"""What tokenizers of transformers call the languages of a text and of its target."""


def samples(tokenizer: PreTrainedTokenizerBase) -> bool:
    """Tell whether a tokenizer splits a text by chance."""
    if tokenizer.is_fast:
        return bool(getattr(tokenizer.backend_tokenizer.model, "dropout", None))
    return any(model._enable_sampling for model in _piece_models(tokenizer))


def stop_sampling(tokenizer: PreTrainedTokenizerBase) -> None:
    """Make a tokenizer split a text in one way."""
    if not samples(tokenizer):
        return
    if tokenizer.is_fast:
        stop_dropout(tokenizer.backend_tokenizer)
    for model in _piece_models(tokenizer):
        model._enable_sampling = False


def stop_dropout(backend: Tokenizer) -> None:
    """Make the rules of a fast tokenizer merge all that can be merged."""
    if getattr(backend.model, "dropout", None):
        backend.model.dropout = None


def without_sampling(tokenizer: PreTrainedTokenizerBase) -> PreTrainedTokenizerBase:
    """Return a tokenizer that splits a text in one way; a copy, where the one given does not."""
    if not samples(tokenizer):
        return tokenizer
    copied = copy.deepcopy(tokenizer)
    stop_sampling(copied)
    return copied


def _piece_models(tokenizer: PreTrainedTokenizerBase) -> Iterator[Any]:
    """Give the models of SentencePiece that a tokenizer in Python holds."""
    # Japanese ones cut words first, and pieces by an object of their own.
    for holder in (tokenizer, getattr(tokenizer, "subword_tokenizer", None)):
        if holder is not None:
            held = vars(holder).values()
            yield from (one for one in held if hasattr(one, "_enable_sampling"))


def require_stated_languages(
    path: Path, tokenizer: PreTrainedTokenizerBase, stated: Mapping[str, Any], *, two: bool
) -> None:
    """Refuse a directory whose tokenizer marks languages that its settings do not state.

    ``stated`` is its ``tokenizer_config.json``; ``two`` says that the model reads a target.
    """
    if not marks_languages(tokenizer):
        return
    needed = (SOURCE, TARGET) if two else (SOURCE,)
    if missing := [name for name in needed if stated.get(name) is None]:
        raise InputError(
            f"the tokenizer in {path} marks each text with its language, and its "
            f"tokenizer_config.json does not state {' and '.join(missing)}, for which transformers "
            f"would take {_taken(tokenizer, missing)}; state {' and '.join(needed)} there, as its "
            "vocabulary names the languages."
        )


def require_target_language(tokenizer: PreTrainedTokenizerBase, name: str) -> None:
    """Refuse a loaded tokenizer that marks languages and was not told that of targets."""
    if not marks_languages(tokenizer):
        return
    source, target = getattr(tokenizer, SOURCE), getattr(tokenizer, TARGET)
    # After it has read a target, the language of its sources stands there.
    if target is None or (target == source and tokenizer.init_kwargs.get(TARGET) is None):
        taken = _taken(tokenizer, [TARGET])
        raise InputError(
            f"{name} marks each text with its language, and {TARGET} was not stated, for which "
            f"transformers would take {taken}; state it where the tokenizer is loaded, as "
            f'AutoTokenizer.from_pretrained(..., {TARGET}="..."), or in its tokenizer_config.json.'
        )


def require_known_languages(tokenizer: PreTrainedTokenizerBase, name: str) -> None:
    """Refuse languages that the vocabulary of a tokenizer does not know."""
    if not marks_languages(tokenizer):
        return
    for attribute, key in ((SOURCE, "text"), (TARGET, "text_target")):
        around = tokenizer(**{key: ""}, verbose=False)["input_ids"]
        if tokenizer.unk_token_id in around:
            raise InputError(
                f"{name} has {attribute} {getattr(tokenizer, attribute)!r}, which its vocabulary "
                "does not know; allowed: a language as its vocabulary names it; correct "
                f"{attribute} in its tokenizer_config.json, or where it is loaded."
            )


def marks_languages(tokenizer: PreTrainedTokenizerBase) -> bool:
    """Tell whether a tokenizer puts the language of a text beside it."""
    return hasattr(tokenizer, SOURCE) and hasattr(tokenizer, TARGET)


def _taken(tokenizer: PreTrainedTokenizerBase, missing: Sequence[str]) -> str:
    """Name the languages that transformers takes where none is stated."""
    source = getattr(tokenizer, SOURCE)
    languages = {SOURCE: source, TARGET: getattr(tokenizer, TARGET) or source}
    return " and ".join(dict.fromkeys(str(languages[name]) for name in missing))
