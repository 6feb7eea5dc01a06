"""Load a tokenizer so that it makes the tokens that its model was trained with.

A fast one, or one in Python whose tokens are found again in texts
(:mod:`attention_mixing.models.spans`).

``tokenizer.json`` is the truth, else a SentencePiece file. ``transformers`` builds a tokenizer by
its class and settings instead, which loses what the class does not know: the case where
``tokenizer_config.json`` is not there, the normaliser of XLM-RoBERTa, the mark before the first
word of Llama.
"""

from __future__ import annotations

from pathlib import Path

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
from attention_mixing.models.spans import tokenise
from attention_mixing.params.file import read_yaml

PROBES: tuple[str, ...] = tuple(
    read_yaml(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
)
PLAIN = "the cat"  # no class changes it before SentencePiece takes it apart
# Settings by which a class splits texts.
STATED = {"do_lower_case", "strip_accents", "tokenize_chinese_chars", "add_prefix_space"}


def load_tokenizer(path: Path) -> PreTrainedTokenizerBase:
    """Load the tokenizer of a model; it cuts texts on the right, at what the model takes at most.

    Refused is a directory without one, and a tokenizer that makes other tokens than those it was
    saved with, cannot be traced to characters, or belongs to another model.
    """
    # Without these, transformers makes up a tokenizer that knows no word.
    if not any((path / name).is_file() for name in VOCABULARIES):
        raise InputError(
            f"the model directory {path} holds no tokenizer; allowed: one of "
            f"{', '.join(VOCABULARIES)}; copy the model again, with its tokenizer."
        )
    try:
        config = AutoConfig.from_pretrained(path, local_files_only=True, trust_remote_code=False)
        tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(
            path, use_fast=True, local_files_only=True, trust_remote_code=False
        )
    except Exception as error:  # the tokenizers library raises plain Exception
        remedy = ""
        if any((path / name).is_file() for name in SENTENCEPIECE):
            remedy = (
                "; what a SentencePiece model says, save_pretrained writes into tokenizer.json "
                "where the tokenizer can be loaded"
            )
        if isinstance(error, ImportError):  # of what cuts Japanese into words
            remedy = "; what Japanese tokenizers need installs `pip install '.[japanese]'`"
        raise InputError(
            f"no tokenizer could be loaded from {path} ({first_line(error)}); the model directory "
            "must hold a config.json of a known architecture, and tokenizer.json or vocab.txt"
            f"{remedy}."
        ) from None
    if (path / "tokenizer.json").is_file() and tokenizer.is_fast:
        tokenizer = _as_saved(path, tokenizer)
    elif tokenizer.is_fast:
        _require_pieces(path, tokenizer)
    tokenizer.truncation_side = "right"  # of a longer text, the beginning is read
    # Older tokenizer files state no limit; the position embeddings always do.
    tokenizer.model_max_length = require_fitting(tokenizer, config, f"the tokenizer in {path}")
    return tokenizer


def require_fitting(tokenizer: PreTrainedTokenizerBase, config: PreTrainedConfig, name: str) -> int:
    """Refuse a tokenizer that a model cannot be read with; count the tokens that both take at most.

    It is refused, by the ``name`` that messages call it, if it knows more tokens than the model, or
    no word of its vocabulary; if it is not fast, and its tokens are not found again in texts; if it
    reads no target where the model does.
    """
    if not tokenizer.is_fast:
        tokenise(tokenizer, PROBES[0])
    if config.is_encoder_decoder:
        try:
            tokenizer(text_target=PROBES[0], verbose=False)
        except Exception as error:  # each class has its own
            raise InputError(
                f"{name} cannot read a target ({type(error).__name__}: {first_line(error)}); state "
                "the language of targets, tgt_lang, in its tokenizer_config.json."
            ) from None
    if len(tokenizer) > config.vocab_size:
        raise InputError(
            f"{name} knows {len(tokenizer)} tokens but the model {config.vocab_size}: they belong "
            "to different models; take both from one."
        )
    if tokenizer.unk_token_id is not None and not _knows_a_word(tokenizer):
        raise InputError(
            f"{name} knows no word of its own vocabulary: it is that of another family of models; "
            "take the tokenizer that the model was trained with."
        )
    return min(tokenizer.model_max_length, positions(config.to_dict()))


def _as_saved(path: Path, tokenizer: PreTrainedTokenizerBase) -> PreTrainedTokenizerBase:
    """Return a tokenizer that makes what its ``tokenizer.json`` makes of :data:`PROBES`.

    It is the one given where that does; else one with the saved rules, and with the special tokens
    of the one given. Where ``tokenizer_config.json`` says otherwise than ``tokenizer.json``,
    neither is to be preferred: that is refused, and so are special tokens that are not in the
    vocabulary.
    """
    saved = Tokenizer.from_file(str(path / "tokenizer.json"))
    saved.no_truncation()
    saved.no_padding()
    if _difference(tokenizer, saved) is None:
        return tokenizer
    special = tokenizer.special_tokens_map
    config = path / "tokenizer_config.json"
    stated = read_artifact(config) if config.is_file() else {}
    if not STATED & stated.keys() and all(
        saved.token_to_id(str(token)) is not None for token in special.values()
    ):
        tokenizer = PreTrainedTokenizerFast(
            tokenizer_object=saved,
            model_max_length=tokenizer.model_max_length,
            model_input_names=tokenizer.model_input_names,
            **special,
        )
    if difference := _difference(tokenizer, saved):
        raise InputError(
            f"the tokenizer in {path} is not loaded as it was saved: it splits {difference}; copy "
            "all files of the tokenizer from one model."
        )
    return tokenizer


def _require_pieces(path: Path, tokenizer: PreTrainedTokenizerBase) -> None:
    """Refuse a tokenizer that splits :data:`PLAIN` otherwise than its SentencePiece file.

    It may where a setting (:data:`STATED`) says so.
    """
    file = next((path / name for name in SENTENCEPIECE if (path / name).is_file()), None)
    config = path / "tokenizer_config.json"
    if file is None or (config.is_file() and STATED & read_artifact(config).keys()):
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
    for text, pair in (*((text, None) for text in PROBES), PROBES[:2]):
        expected = saved.encode(text, pair)
        try:
            ids = tokenizer(text, pair, verbose=False)["input_ids"]
        except Exception as error:  # as the tokenizers library raises it
            return f"{text!r} into nothing ({first_line(error)})"
        if ids != expected.ids:
            tokens = " ".join(tokenizer.convert_ids_to_tokens(ids))
            return f"{text!r} into {tokens}, but tokenizer.json into {' '.join(expected.tokens)}"
    return None


def _knows_a_word(tokenizer: PreTrainedTokenizerBase) -> bool:
    """Tell whether any entry of the vocabulary, written as text, is more than unknown."""
    special = {*tokenizer.all_special_ids}
    # Marks of word starts and of pieces, of all families.
    spelled = (token.strip("▁Ġ#") for token in tokenizer.get_vocab())
    ids = (
        tokenizer(word, add_special_tokens=False, verbose=False)["input_ids"]
        for word in spelled
        if word.isalnum()
    )
    return any(not special.issuperset(word) for word in ids)
