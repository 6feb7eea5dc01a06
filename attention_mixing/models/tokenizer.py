"""Load a tokenizer so that it makes the tokens that its model was trained with.

A fast one, or one in Python whose tokens are found again in texts
(:mod:`attention_mixing.models.spans`).

``tokenizer.json`` is the truth, else a SentencePiece file. ``transformers`` builds a tokenizer by
its class and settings instead, which loses what the class does not know: the case where
``tokenizer_config.json`` is not there, the normaliser of XLM-RoBERTa, the mark before the first
word of Llama, digits by three. So both are compared in what they are made of, and in samples.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer
from transformers import (
    AutoConfig,
    AutoTokenizer,
    PreTrainedConfig,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
)

from attention_mixing.artifacts import read_artifact
from attention_mixing.errors import InputError, first_line
from attention_mixing.models.config import positions
from attention_mixing.models.source import SENTENCEPIECE, VOCABULARIES
from attention_mixing.models.spans import mark_before_words, tells_types, tokenise
from attention_mixing.models.tokenizer_parts import differing_part, parts
from attention_mixing.models.tokenizer_state import (
    marks_languages,
    require_known_languages,
    require_stated_languages,
    require_target_language,
    stop_dropout,
    stop_sampling,
)
from attention_mixing.yaml_text import read_yaml

_TRIED = read_yaml(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
PROBES: tuple[str, ...] = tuple(_TRIED["texts"])
# Settings by which a class splits texts, with a text that shows what rules do.
STATED: dict[str, str] = _TRIED["settings"]
PLAIN = "the cat"  # no class changes it before SentencePiece takes it apart


def load_tokenizer(path: Path) -> PreTrainedTokenizerBase:
    """Load the tokenizer of a model; it cuts texts on the right, at what the model takes at most.

    It splits a text in one way, also where its files say that it is to draw among several. Refused
    is a directory without one, and a tokenizer that makes other tokens than those it was saved
    with, cannot be traced to characters, belongs to another model, or marks texts with a language
    that is not stated.
    """
    # Without these, transformers makes up a tokenizer that knows no word.
    if not any((path / name).is_file() for name in VOCABULARIES):
        raise InputError(
            f"the model directory {path} holds no tokenizer; allowed: one of "
            f"{', '.join(VOCABULARIES)}; copy the model again, with its tokenizer."
        )
    config = None
    try:
        config = AutoConfig.from_pretrained(path, local_files_only=True, trust_remote_code=False)
        tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(
            path, use_fast=True, local_files_only=True, trust_remote_code=False
        )
    except Exception as error:  # the tokenizers library raises plain Exception
        remedy = _remedy(path, error, known=config is not None)
        raise InputError(
            f"no tokenizer could be loaded from {path} ({first_line(error)}); {remedy}."
        ) from None
    stop_sampling(tokenizer)
    settings = path / "tokenizer_config.json"
    stated: dict[str, Any] = read_artifact(settings) if settings.is_file() else {}
    require_stated_languages(path, tokenizer, stated, two=config.is_encoder_decoder)
    if (path / "tokenizer.json").is_file() and tokenizer.is_fast:
        tokenizer = _as_saved(path, tokenizer, stated)
    elif tokenizer.is_fast:
        _require_pieces(path, tokenizer, stated)
    tokenizer.truncation_side = "right"  # of a longer text, the beginning is read
    # Older tokenizer files state no limit; the position embeddings always do.
    tokenizer.model_max_length = require_fitting(tokenizer, config, f"the tokenizer in {path}")
    return tokenizer


def _remedy(path: Path, error: Exception, *, known: bool) -> str:
    """Say what to do about a tokenizer that is not loaded, of a ``known`` architecture or not."""
    must = (
        "the model directory must hold a config.json of a known architecture, and tokenizer.json "
        "or vocab.txt"
    )
    if isinstance(error, ImportError):  # of what cuts Japanese into words
        return f"{must}; what Japanese tokenizers need installs `pip install '.[japanese]'`"
    if known and _holds_rules(path):
        return (
            "its tokenizer.json is not of the class that tokenizer_config.json names, or that the "
            'family of its model has by default; state "tokenizer_class": '
            '"PreTrainedTokenizerFast" there'
        )
    if any((path / name).is_file() for name in SENTENCEPIECE):
        return (
            f"{must}; what a SentencePiece model says, save_pretrained writes into tokenizer.json "
            "where the tokenizer can be loaded"
        )
    return must


def _holds_rules(path: Path) -> bool:
    """Tell whether a directory has a ``tokenizer.json`` that can be read by itself."""
    try:
        Tokenizer.from_file(str(path / "tokenizer.json"))
    except Exception:  # as the tokenizers library raises it
        return False
    return True


def require_fitting(tokenizer: PreTrainedTokenizerBase, config: PreTrainedConfig, name: str) -> int:
    """Refuse a tokenizer that a model cannot be read with; count the tokens that both take at most.

    It is refused, by the ``name`` that messages call it, if its vocabulary, or what it puts around
    every text, has ids that the model has not, or no word of its own; if it is fast and cannot read
    a text, or is not and its tokens are not found again in texts; if it reads no target where the
    model does, or one in a language that is not stated. A token that was added to the vocabulary
    and has an id of its own beyond the model is refused in the texts that have it
    (:func:`attention_mixing.models.batch.inputs`).
    """
    _require_readable(tokenizer, name)
    if config.is_encoder_decoder:
        require_target_language(tokenizer, name)
        try:
            tokenizer(text_target=PROBES[0], verbose=False)
        except Exception as error:  # each class has its own
            raise InputError(
                f"{name} cannot read a target ({type(error).__name__}: {first_line(error)}); state "
                "the language of targets, tgt_lang, in its tokenizer_config.json."
            ) from None
        require_known_languages(tokenizer, name)
    produced = [*_own_ids(tokenizer), *tokenizer("", verbose=False)["input_ids"]]
    if (most := max(produced, default=0)) >= config.vocab_size:
        raise InputError(
            f"{name} has tokens of ids up to {most}, but the model has those up to "
            f"{config.vocab_size - 1}: they belong to different models; take both from one."
        )
    if tokenizer.unk_token_id is not None and not _knows_a_word(tokenizer):
        raise InputError(f"{name} knows no word of its own vocabulary: {_why_no_word(tokenizer)}.")
    return min(tokenizer.model_max_length, positions(config.to_dict()))


def _require_readable(tokenizer: PreTrainedTokenizerBase, name: str) -> None:
    """Refuse a tokenizer that cannot read a text, or whose tokens are not found again in it."""
    for probe in PROBES if tokenizer.is_fast else PROBES[:1]:
        try:
            tokenise(tokenizer, probe)
        except InputError:
            raise
        except Exception as error:  # the tokenizers library raises plain Exception
            raise InputError(_unreadable(name, probe, error)) from None


def _unreadable(name: str, text: str, error: Exception) -> str:
    return (
        f"{name} cannot read {text!r} ({first_line(error)}); allowed: a tokenizer that reads any "
        "text, with a token in its vocabulary for what it does not know; choose another."
    )


def _own_ids(tokenizer: PreTrainedTokenizerBase) -> set[int]:
    """Return the ids of a vocabulary that any text may have: without tokens that were added."""
    return {*tokenizer.get_vocab().values()} - {*tokenizer.get_added_vocab().values()}


def _as_saved(
    path: Path, tokenizer: PreTrainedTokenizerBase, stated: Mapping[str, Any]
) -> PreTrainedTokenizerBase:
    """Return a tokenizer that is made of what its ``tokenizer.json`` says, part by part.

    It is the one given where that is; else one with the saved rules, and with the special tokens of
    the one given. Refused is what :func:`_require_saved_rules` refuses, where samples tell both
    apart; where none does, nothing that is stated contradicts the saved rules.
    """
    saved = _saved_rules(path)
    part = differing_part(parts(tokenizer.backend_tokenizer), parts(saved))
    difference = _difference(tokenizer, saved)
    if part is None and difference is None:
        return tokenizer
    refused = f"the tokenizer in {path} is not loaded as it was saved"
    if marks_languages(tokenizer):
        return _with_saved_steps(tokenizer, saved, refused)
    if difference is not None:
        _require_saved_rules(tokenizer, saved, stated, f"it splits {difference}", refused)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=saved,
        model_max_length=tokenizer.model_max_length,
        model_input_names=tokenizer.model_input_names,
        **tokenizer.special_tokens_map,
    )
    if difference := _difference(tokenizer, saved):
        raise InputError(
            f"{refused}: it splits {difference}; copy all files of the tokenizer from one model."
        )
    return tokenizer


def _saved_rules(path: Path) -> Tokenizer:
    """Read ``tokenizer.json``, to split texts whole and in one way; one that cannot is refused."""
    saved = Tokenizer.from_file(str(path / "tokenizer.json"))
    saved.no_truncation()
    saved.no_padding()
    stop_dropout(saved)
    for probe in PROBES:
        try:
            saved.encode(probe)
        except Exception as error:  # as the tokenizers library raises it
            raise InputError(_unreadable(f"the tokenizer in {path}", probe, error)) from None
    return saved


def _require_saved_rules(
    tokenizer: PreTrainedTokenizerBase,
    saved: Tokenizer,
    stated: Mapping[str, Any],
    splits: str,
    refused: str,
) -> None:
    """Refuse a tokenizer of which the saved rules cannot take the place.

    Where ``tokenizer_config.json`` (``stated``) says otherwise, neither is to be preferred; where
    the vocabulary lacks special tokens of the class, which others they are, nothing says. The
    messages begin with ``refused``, and say what the tokenizer ``splits`` otherwise.
    """
    special = tokenizer.special_tokens_map.values()
    if missing := [token for token in special if saved.token_to_id(token) is None]:
        named = "as tokenizer_config.json says" if "tokenizer_class" in stated else "by default"
        raise InputError(
            f"{refused}: as a {type(tokenizer).__name__}, {named}, {splits}, and its vocabulary "
            f"lacks the special tokens of that class {', '.join(missing)}; copy its "
            'tokenizer_config.json, or state there "tokenizer_class": "PreTrainedTokenizerFast" '
            "and its own special tokens."
        )
    if contradicted := _contradicted(tokenizer.backend_tokenizer, saved, stated):
        raise InputError(
            f"{refused}: tokenizer_config.json states {', '.join(contradicted)} otherwise than "
            f"tokenizer.json, and {splits}; copy all files of the tokenizer from one model, or "
            "take that setting out."
        )


def _with_saved_steps(
    tokenizer: PreTrainedTokenizerBase, saved: Tokenizer, refused: str
) -> PreTrainedTokenizerBase:
    """Give a tokenizer the saved steps before its model; its class knows how it marks languages."""
    backend = tokenizer.backend_tokenizer
    backend.normalizer, backend.pre_tokenizer = saved.normalizer, saved.pre_tokenizer
    if part := differing_part(parts(backend), parts(saved)):
        raise InputError(
            f"{refused}: {part} of tokenizer.json is another than that of its class "
            f"{type(tokenizer).__name__}; copy all files of the tokenizer from one model."
        )
    return tokenizer


def _contradicted(backend: Tokenizer, saved: Tokenizer, stated: Mapping[str, Any]) -> list[str]:
    """Name the settings of :data:`STATED` that the class of a tokenizer heeds, not the saved rules.

    A setting that the class does not heed either is not why both differ.
    """
    heeded, saved_settings = _settings(backend), _settings(saved)
    return [
        name
        for name in STATED
        if stated.get(name) is not None and heeded[name] == stated[name] != saved_settings[name]
    ]


def _settings(rules: Tokenizer) -> dict[str, bool]:
    """Say which of the settings :data:`STATED` rules come to, by the texts that show it."""

    def normal(name: str) -> str:
        text = STATED[name]
        return text if rules.normalizer is None else rules.normalizer.normalize_str(text)

    accents = unicodedata.normalize("NFD", normal("strip_accents"))
    return {
        "do_lower_case": STATED["do_lower_case"] not in normal("do_lower_case"),
        "strip_accents": not any(map(unicodedata.combining, accents)),
        "tokenize_chinese_chars": STATED["tokenize_chinese_chars"]
        not in normal("tokenize_chinese_chars"),
        "add_prefix_space": mark_before_words(rules) != "",
    }


def _require_pieces(
    path: Path, tokenizer: PreTrainedTokenizerBase, stated: Mapping[str, Any]
) -> None:
    """Refuse a tokenizer that splits :data:`PLAIN` otherwise than its SentencePiece file.

    It may where a setting (:data:`STATED`) says so.
    """
    file = next((path / name for name in SENTENCEPIECE if (path / name).is_file()), None)
    if file is None or STATED.keys() & stated.keys():
        return
    from sentencepiece import SentencePieceProcessor  # of few models

    try:
        pieces = SentencePieceProcessor(model_file=str(file)).encode(PLAIN, out_type=str)
    except RuntimeError:  # a file of tiktoken may have such a name
        return
    tokens = tokenizer.tokenize(PLAIN)
    if tokenizer.convert_tokens_to_ids(tokens) != tokenizer.convert_tokens_to_ids(pieces):
        raise InputError(
            f"the tokenizer in {path} is not loaded as {file.name} says: it splits {PLAIN!r} into "
            f"{' '.join(tokens)}, but {file.name} into {' '.join(pieces)}; copy "
            "tokenizer_config.json, which names its class, or tokenizer.json from the model."
        )


def _difference(tokenizer: PreTrainedTokenizerBase, saved: Tokenizer) -> str | None:
    """Describe the first text that a tokenizer and the saved one take apart differently."""
    # Of a tokenizer that marks languages, these stand in its settings.
    around = not marks_languages(tokenizer)
    for text, pair in (*((text, None) for text in PROBES), PROBES[:2]):
        expected = saved.encode(text, pair, add_special_tokens=around)
        try:
            found = tokenizer(text, pair, add_special_tokens=around, verbose=False).encodings[0]
        except Exception as error:  # as the tokenizers library raises it
            return f"{text!r} into nothing ({first_line(error)})"
        if found.ids != expected.ids:
            given, wanted = " ".join(found.tokens), " ".join(expected.tokens)
            return f"{text!r} into {given}, but tokenizer.json into {wanted}"
        if tells_types(tokenizer) and found.type_ids != expected.type_ids:
            given, wanted = (" ".join(map(str, one.type_ids)) for one in (found, expected))
            return f"{text!r} into types {given}, but tokenizer.json into types {wanted}"
    return None


def _knows_a_word(tokenizer: PreTrainedTokenizerBase) -> bool:
    """Tell whether any entry of the vocabulary, written as text, is more than unknown."""
    special = {*tokenizer.all_special_ids}
    ids = (
        tokenizer(word, add_special_tokens=False, verbose=False)["input_ids"]
        for word in _words(tokenizer)
    )
    return any(not special.issuperset(word) for word in ids)


def _words(tokenizer: PreTrainedTokenizerBase) -> Iterator[str]:
    """Give the entries of a vocabulary that can be written as text."""
    # Marks of word starts and of pieces, of all families.
    spelled = (token.strip("▁Ġ#") for token in tokenizer.get_vocab())
    return (word for word in spelled if word.isalnum())


def _why_no_word(tokenizer: PreTrainedTokenizerBase) -> str:
    """Say why a tokenizer knows no word of its vocabulary, and what to do."""
    special = {*tokenizer.all_special_tokens}
    words = [word for word in _words(tokenizer) if word not in special]
    normalizer = tokenizer.backend_tokenizer.normalizer if tokenizer.is_fast else None
    if normalizer is not None:
        lowered = any(normalizer.normalize_str(word).strip() != word for word in words)
    else:
        lowered = bool(getattr(tokenizer, "do_lower_case", False))
    if lowered and words and not any(map(str.islower, words)):
        return (
            "it makes small letters of capitals, and its vocabulary has capitals alone; state "
            '"do_lower_case": false in its tokenizer_config.json'
        )
    return (
        "it is that of another family of models; take the tokenizer that the model was trained with"
    )
