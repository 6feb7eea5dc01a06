"""Every kind of tokenizer at every door: its own ids, and the characters of the text, or a refusal.

Doors are the library, the check before a run, the stages that prepare and capture, what training
reads, and the page of one text. The reference is the tokenizer by itself: ``tokenizer.json`` as the
tokenizers library reads it, else what ``AutoTokenizer`` loads. Where it tells characters, spans are
compared with these; where it does not, with the letters that they are to spell; and for every text
with what was worked out by hand.
"""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from unicodedata import category, normalize

import pandas as pd
import pytest
import tiny_experiment as tiny
import tokenizers_made as made
from explorer.unpacking import texts_of
from hypothesis import given
from hypothesis import strategies as st
from refusals import one_sentence, refusal
from sweeps import sampled
from tokenizers import Tokenizer
from transformers import (
    AutoConfig,
    AutoModel,
    AutoTokenizer,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
)
from typer.testing import CliRunner

from analysis.checks.runnable import try_out
from analysis.parameters import Params
from analysis.stages.capture import capture
from analysis.stages.prepare import prepare
from attention_mixing.__main__ import app
from attention_mixing.capture import capture_text
from attention_mixing.capture.one_text import RecordedText
from attention_mixing.errors import InputError
from attention_mixing.models import encode
from attention_mixing.models.tokenizer import load_tokenizer
from attention_mixing.models.training_rows import next_word_rows, target_rows, training_rows
from attention_mixing.settings.experiment import Length

pytestmark = pytest.mark.slow

EXPERIMENT = "sentences"
SHORT = 5  # tokens, to which texts are cut


@dataclass(frozen=True)
class Kind:
    """A tokenizer, and a model that is read with it.

    Attributes
    ----------
    write
        Writes the files of the tokenizer into an empty directory.
    files
        All that it writes.
    family
        ``model_type`` of the model.
    texts
        Texts, each with what its ordinary tokens stand for, divided by ``|``; ``_`` is a space, or
        nothing.
    rendered
        Characters of all texts that are unknown, altered and left out.
    target
        The same as a text, of what the decoder of an encoder-decoder reads.
    options
        Of the configuration of the model.
    """

    write: Callable[[Path], None]
    files: str
    family: str
    texts: dict[str, str]
    rendered: tuple[int, int, int]
    target: tuple[str, str] | None = None
    options: dict[str, Any] = field(default_factory=dict)

    def make(self, directory: Path) -> Path:
        """Write tokenizer and model."""
        directory.mkdir(exist_ok=True)
        self.write(directory)
        assert sorted(one.name for one in directory.iterdir()) == sorted(self.files.split())
        made.fitting(directory, self.family, 400, **self.options)
        return directory


BYTES = {
    "the cat  é か が": "the|cat|_|_|é|_|か|_|が|が",
    "A 🙂 q, the cat": "A|_|🙂|🙂|🙂|🙂|_|q|,|the|cat",
}
# The mark of a word that begins with a piece of its own stands for nothing.
SEPARATE = {
    "the cat  café か が": "_|t|h|e|ca|t|ca|f|é|か|が",
    "a 🙂 Q ﬁlm 日本語": "a|_|🙂|_|Q|_|ﬁ|ﬁ|l|m|_|日|本|語",
}
KINDS: dict[str, Kind] = {
    "WordPiece, vocab.txt": Kind(
        made.wordpiece_vocabulary,
        "vocab.txt",
        "bert",
        {
            "The  Café, か が!": "The|Café|,|か|が|!",
            "sat 🙂 日本q語。": "sat|🙂|日|本|q|語|。",
            "cafe\u0301 seas": "cafe|s|ea|s",
        },
        (2, 2, 1),  # 🙂 q, é が, and an accent
    ),
    "WordPiece, tokenizer.json": Kind(
        made.wordpiece_cased,
        "tokenizer.json",
        "bert",
        {
            "the The  Café café, が": "the|The|Café|café|,|が",
            "sat 🙂 FILM q cafés。": "sat|🙂|FILM|q|café|s|。",
        },
        (6, 0, 0),  # Café 🙂 q
    ),
    "bytes, vocab.json and merges.txt": Kind(
        made.bytes_in_two_files, "vocab.json merges.txt", "gpt2", BYTES, (0, 0, 0)
    ),
    "bytes, tokenizer.json": Kind(
        made.bytes_with_a_space,
        "tokenizer.json",
        "roberta",
        {text: spelled.replace("A", "_|A") for text, spelled in BYTES.items()},
        (0, 0, 0),
    ),
    "bytes without special tokens": Kind(
        made.bytes_alone, "tokenizer.json tokenizer_config.json", "llama", BYTES, (0, 0, 0)
    ),
    "Unigram, tokenizer.json": Kind(
        made.unigram,
        "tokenizer.json",
        "camembert",
        {
            "the café  か が": "the|caf|é|_|_|か|_|が",
            "the 🙂 日本語 q ﬁ": "the|_|🙂|_|日本|語|_|q|_|ﬁ",
        },
        (3, 0, 0),  # 🙂 q ﬁ
    ),
    "words, tokenizer.json": Kind(
        made.words,
        "tokenizer.json tokenizer_config.json",
        "llama",
        {"the cat  café か が": "the|cat|café|か|が", "sat 🙂, the q": "sat|🙂,|the|q"},
        (4, 0, 0),  # が 🙂, q
    ),
    "pieces, spiece.model": Kind(
        made.pieces_of_t5,
        "spiece.model",
        "t5",
        SEPARATE,
        (2, 0, 0),  # 🙂 Q
        ("the  music 🙂 がか", "_|t|h|e|m|u|s|i|c|_|🙂|が|か"),
    ),
    "pieces, sentencepiece.bpe.model": Kind(
        made.pieces_of_xlm, "sentencepiece.bpe.model", "xlm-roberta", SEPARATE, (2, 0, 0)
    ),
    "pieces, tokenizer.model": Kind(
        made.pieces_of_llama_by_name,
        "tokenizer.model tokenizer_config.json",
        "llama",
        {
            "the cat  café か が": "the|c|at|_|c|afé|か|が",
            "a 🙂 Q ﬁlm 日本語": "a|_|🙂|🙂|🙂|🙂|_|Q|_|ﬁ|ﬁ|ﬁ|lm|日|本語",
        },
        (0, 0, 0),
    ),
    "pieces of two languages": Kind(
        made.pieces_of_marian,
        "source.spm target.spm vocab.json",
        "marian",
        {
            "the cat  café か が": "_|t|h|e|ca|t|ca|f|é|か|が",
            "a 🙂 Q ﬁlm 日本語": "a|_|🙂|_|Q|_|ﬁ|ﬁ|l|m|_|日|本|語",
            "か\u3099 e\u0301 the": "か\u3099|_|e\u0301|_|t|h|e",
            ">>de<< the 🙂 cat": ">>de<<|_|t|h|e|_|🙂|ca|t",
            ">>fr<< the 🙂 cat": ">>fr<<|_|t|h|e|_|🙂|ca|t",
        },
        (10, 0, 0),  # 🙂 Q 🙂 >>fr<< 🙂
        ("🙂 saß  die matte ﬁ", "_|🙂|_|s|a|ß|d|i|e|m|at|t|e|_|ﬁ|ﬁ"),
        {"decoder_start_token_id": 0, "pad_token_id": 0},
    ),
    "pieces of two vocabularies": Kind(
        made.pieces_of_marian_apart,
        "source.spm target.spm vocab.json target_vocab.json tokenizer_config.json",
        "marian",
        {
            "the cat  café か が": "_|t|h|e|ca|t|ca|f|é|か|が",
            "a 🙂 Q ﬁlm 日本語": "a|_|🙂|_|Q|_|ﬁ|ﬁ|l|m|_|日|本|語",
        },
        (2, 0, 0),  # 🙂 Q
        ("🙂 saß  die matte ﬁ", "_|🙂|_|s|a|ß|d|i|e|m|at|t|e|_|ﬁ|ﬁ"),
        {
            **{"decoder_start_token_id": 0, "pad_token_id": 0, "decoder_vocab_size": 100},
            **{"share_encoder_decoder_embeddings": False, "tie_word_embeddings": False},
        },
    ),
    "pieces behind a language": Kind(
        made.pieces_of_two_languages,
        "sentencepiece.bpe.model vocab.json tokenizer_config.json",
        "m2m_100",
        {
            "the cat  café か が": "_|t|h|e|ca|t|ca|f|é|か|が",
            "a 🙂 Q ﬁlm 日本語": "a|_|🙂|_|Q|_|ﬁ|ﬁ|l|m|_|日|本|語",
        },
        (2, 0, 0),  # 🙂 Q
        ("the  music 🙂 ㍻", "_|t|h|e|m|u|s|i|c|_|🙂|_|㍻"),
        {"decoder_start_token_id": 0},
    ),
    "Japanese words in pieces": Kind(
        made.japanese_pieces,
        "vocab.txt tokenizer_config.json",
        "bert",
        {
            "東京の  研究は、café が": "東京|の|研究|は|、|caf|é|が",
            "か 🙂 ﬁlm ２０２０年": "か|🙂|ﬁlm|２０２０|年",
            "か\u3099 the ##": "か\u3099|the|##",
        },
        (3, 0, 0),  # 🙂 ##
    ),
    "Japanese words in characters": Kind(
        made.japanese_characters,
        "vocab.txt tokenizer_config.json",
        "bert",
        {
            "東京の  研究は、café が": "東|京|の|研|究|は|、|c|a|f|é|が",
            "か 🙂 ﬁlm ２０２０年": "か|🙂|ﬁ|ﬁ|l|m|２|０|２|０|年",
            "か\u3099 the ##": "か\u3099|t|h|e|#|#",
            "nCatCat": "n|C|a|t|C|a|t",
        },
        (6, 0, 0),  # 🙂 ## n C C
    ),
    "digits by three beside a class that knows of none": Kind(
        made.digits_by_three,
        "tokenizer.json tokenizer_config.json",
        "gpt2",
        {"the 2023": "the|_|202|3", "20 cat 2": "20|cat|_|2"},
        (0, 0, 0),
    ),
    "bytes that are left apart by chance": Kind(
        made.bytes_by_chance,
        "tokenizer.json tokenizer_config.json",
        "llama",
        BYTES,
        (0, 0, 0),
    ),
    "pieces by chance": Kind(
        made.pieces_by_chance,
        "sentencepiece.bpe.model vocab.json tokenizer_config.json",
        "m2m_100",
        {"the cat  café か が": "_|t|h|e|ca|t|ca|f|é|か|が", "the film": "_|t|h|e|_|f|i|l|m"},
        (0, 0, 0),
        ("the  music", "_|t|h|e|m|u|s|i|c"),
        {"decoder_start_token_id": 0},
    ),
    "pieces between languages": Kind(
        made.pieces_between_languages,
        "tokenizer.json tokenizer_config.json",
        "m2m_100",
        {"the cat": "the|cat", "cat 🙂": "cat|_|🙂"},
        (1, 0, 0),  # 🙂
        ("cat the", "cat|the"),
        {"decoder_start_token_id": 2, "vocab_size": 300},
    ),
    "marks before words": Kind(
        made.marks_before_words,
        "tokenizer.json tokenizer_config.json",
        "llama",
        {"中文 the 文": "_|中|文|the|_|文", " 中 a": "_|中|a"},
        (0, 0, 0),
    ),
    "marks before words between blanks": Kind(
        made.marks_between_blanks,
        "tokenizer.json tokenizer_config.json",
        "llama",
        {"中文 the 文": "_|中|文|the|_|文", " 中 a": "_|中|a"},
        (0, 0, 0),
    ),
    "marks before texts in bytes": Kind(
        made.marks_in_bytes,
        "tokenizer.json tokenizer_config.json",
        "llama",
        {
            "中文 a": "_|_|_|中|文|_|_|_|a",
            "é 中": "_|_|_|é|é|_|_|_|中",
            " 中": "_|_|_|_|_|_|中",
        },
        (0, 0, 0),
    ),
    "a token that was added to what the model has": Kind(
        made.words_and_an_image,
        "tokenizer.json tokenizer_config.json",
        "llama",
        {"the cat The": "the|cat|The", "cat the 🙂": "cat|the|🙂"},
        (1, 0, 0),  # 🙂
        options={"vocab_size": 5},
    ),
    "words in Python": Kind(
        made.words_or_marked_behind,
        "vocab.json merges.txt",
        "ctrl",
        {
            "The Cat sat.": "The|Cat|sat.",
            "sat.  The q 🙂 Cat": "sat.|The|q|🙂|Cat",
            "The é が Cat": "The|é|が|Cat",
        },
        (4, 0, 0),  # q 🙂 é が
    ),
}
TRANSLATORS = [name for name, kind in KINDS.items() if kind.target]
OF_ONE_TEXT = [name for name in KINDS if name not in TRANSLATORS]
IN_PYTHON = (
    *("pieces of two languages", "pieces of two vocabularies", "pieces behind a language"),
    *("Japanese words in pieces", "Japanese words in characters", "words in Python"),
)
DECODERS = ("gpt2", "llama", "ctrl")
# A tokenizer, a text, and what is said of it.
REFUSED = {
    "marks that no text has": (
        Kind(made.marked_behind, "vocab.json merges.txt", "ctrl", {}, (0, 0, 0)),
        "The Cat sat.",
        "the token 'T@@' of the tokenizer is not found in the text 'The Cat sat.'",
    ),
    "a text with such marks": (
        KINDS["words in Python"],
        "The film",
        "the token 'f@@' of the tokenizer is not found in the text 'The film",
    ),
    "a word that could be what is unknown": (
        KINDS["words in Python"],
        "The q Cat Cat",
        "the token 'Cat' of the tokenizer is found at several places in the text 'The q Cat Cat",
    ),
    "no language of targets": (
        Kind(
            made.pieces_of_languages,
            "sentencepiece.bpe.model vocab.json tokenizer_config.json",
            "m2m_100",
            {},
            (0, 0, 0),
            options={"decoder_start_token_id": 0},
        ),
        "the cat",
        "marks each text with its language, and its tokenizer_config.json does not state tgt_lang, "
        "for which transformers would take en; state src_lang and tgt_lang there",
    ),
    "no language of targets beside tokenizer.json": (
        Kind(
            made.pieces_of_a_language,
            "tokenizer.json tokenizer_config.json",
            "m2m_100",
            {},
            (0, 0, 0),
            options={"decoder_start_token_id": 2},
        ),
        "the cat",
        "does not state tgt_lang, for which transformers would take deu_Latn; state src_lang",
    ),
    "no language at all": (
        Kind(
            made.pieces_of_no_language,
            "tokenizer.json tokenizer_config.json",
            "m2m_100",
            {},
            (0, 0, 0),
            options={"decoder_start_token_id": 2},
        ),
        "the cat",
        "does not state src_lang and tgt_lang, for which transformers would take eng_Latn; state",
    ),
    "a language that is unknown": (
        Kind(
            made.pieces_of_an_unknown_language,
            "tokenizer.json tokenizer_config.json",
            "m2m_100",
            {},
            (0, 0, 0),
            options={"decoder_start_token_id": 2},
        ),
        "the cat",
        "has tgt_lang 'fra', which its vocabulary does not know; allowed",
    ),
    "an id beyond the model": (
        Kind(
            made.words_with_a_hole,
            "tokenizer.json tokenizer_config.json",
            "llama",
            {},
            (0, 0, 0),
            options={"vocab_size": 100},
        ),
        "the cat",
        "has tokens of ids up to 500, but the model has those up to 99: they belong to different",
    ),
    "a text with an added token that the model lacks": (
        KINDS["a token that was added to what the model has"],
        "the <image>",
        "a text has the token '<image>' of the id 5, but the model has those up to 4; leave it out",
    ),
    "words of no class": (
        Kind(made.words_of_no_class, "tokenizer.json", "bert", {}, (0, 0, 0)),
        "the cat",
        "as a BertTokenizer, by default, it splits 'The Cat sat.' into nothing (WordPiece error: "
        "Missing [UNK] token from the vocabulary), and its vocabulary lacks the special tokens of "
        "that class [UNK], [SEP], [PAD], [CLS], [MASK]; copy its tokenizer_config.json, or state "
        'there "tokenizer_class": "PreTrainedTokenizerFast"',
    ),
    "words of a class of pieces": (
        Kind(
            made.words_of_a_class_of_pieces,
            "tokenizer.json tokenizer_config.json",
            "bert",
            {},
            (0, 0, 0),
        ),
        "the cat",
        "('dict' object is not an instance of 'Sequence'); its tokenizer.json is not of the class "
        'that tokenizer_config.json names, or that the family of its model has by default; state "',
    ),
    "capitals alone": (
        Kind(made.capitals, "vocab.txt", "bert", {}, (0, 0, 0)),
        "A C D",
        "knows no word of its own vocabulary: it makes small letters of capitals, and its "
        'vocabulary has capitals alone; state "do_lower_case": false in its tokenizer_config.json',
    ),
    "no token for what is unknown": (
        Kind(made.words_without_unknown, "tokenizer.json", "llama", {}, (0, 0, 0)),
        "the cat",
        "cannot read 'The Cat sat.' (WordLevel error: Missing [UNK] token from the vocabulary); "
        "allowed: a tokenizer that reads any text, with a token in its vocabulary for what",
    ),
    "pieces of no class": (
        Kind(made.pieces_of_llama, "tokenizer.model", "llama", {}, (0, 0, 0)),
        "the cat",
        "is not loaded as tokenizer.model says: it splits 'the cat' into t he ▁c at, but "
        "tokenizer.model into ▁the ▁c at; copy tokenizer_config.json",
    ),
}


@pytest.fixture(scope="module")
def directory_of(tmp_path_factory):
    """Return ``directory_of(kind)``: its directory, made once, to be left as it is."""
    directories: dict[int, Path] = {}

    def directory(kind: Kind) -> Path:
        if id(kind) not in directories:
            directories[id(kind)] = kind.make(tmp_path_factory.mktemp("model"))
        return directories[id(kind)]

    return directory


# --- the reference --------------------------------------------------------------------------------

Span = tuple[int, int]


class Own:
    """The tokenizer of a directory, without the project."""

    def __init__(self, directory: Path, *, by_class: bool = False) -> None:
        file, settings = directory / "tokenizer.json", directory / "tokenizer_config.json"
        stated = json.loads(settings.read_text()) if settings.is_file() else {}
        # Languages are put around texts by the class.
        if file.is_file() and not by_class and "tgt_lang" not in stated:
            saved = Tokenizer.from_file(str(file))
            self.tokenizer = PreTrainedTokenizerFast(tokenizer_object=saved)
        else:
            by_chance = {"sp_model_kwargs": {}} if "sp_model_kwargs" in stated else {}
            self.tokenizer = AutoTokenizer.from_pretrained(directory, **by_chance)
        if hasattr(getattr(self.tokenizer, "_tokenizer", None), "model"):
            made.without_chance(self.tokenizer.backend_tokenizer)

    def read(self, *texts: str, target: bool = False) -> tuple[list[int], list[bool]]:
        """Ids, and which of them are special."""
        names = ("text_target",) if target else ("text", "text_pair")
        given = dict(zip(names, texts, strict=False))
        found = self.tokenizer(**given, return_special_tokens_mask=True)
        return found["input_ids"], [one == 1 for one in found["special_tokens_mask"]]

    def spans(self, *texts: str) -> list[Span] | None:
        """Characters of both texts with a space between; None where the tokenizer tells none."""
        if not self.tokenizer.is_fast:
            return None
        (found,) = self.tokenizer(*texts).encodings
        moved = {None: 0, 0: 0, 1: len(texts[0]) + 1}
        parts = zip(found.offsets, found.sequence_ids, strict=True)
        return [(start + moved[part], end + moved[part]) for (start, end), part in parts]


def agree(rows: pd.DataFrame, own: Own, *texts: str) -> None:
    """Compare a table of tokens with the tokenizer."""
    ids, special = own.read(*texts)
    assert rows["id"].tolist() == ids
    assert rows["is_special"].tolist() == special
    spans = own.spans(*texts)
    if spans is None:
        require_letters(rows, " ".join(texts), own.tokenizer.unk_token)
    else:
        for told, span, name in zip(spans_of(rows), spans, rows["token"], strict=True):
            # Of a mark, the tokenizer tells the character behind it.
            assert told == span or (told == (0, 0) and name in PUT_IN)


def agree_in_target(rows: pd.DataFrame, own: Own, kind: Kind) -> None:
    """Compare what a decoder reads: the token it begins with, and all of the target but the last.

    What they stand for was worked out by hand.
    """
    assert kind.target is not None
    text, spelled = kind.target
    ids, special = own.read(text, target=True)
    assert rows["id"].tolist() == [kind.options.get("decoder_start_token_id", 0), *ids[:-1]]
    assert rows["is_special"].tolist() == [True, *special[:-1]]
    if not own.tokenizer.is_fast:
        require_letters(rows, text, own.tokenizer.unk_token)
    assert sources(rows, text) == spelled


# What is put before words, whole and in bytes.
PUT_IN = ("▁", "Ġ", "<0xE2>", "<0x96>", "<0x81>")


def spans_of(rows: pd.DataFrame) -> list[Span]:
    return list(zip(rows["start"].tolist(), rows["end"].tolist(), strict=True))


def sources(rows: pd.DataFrame, text: str) -> str:
    """What ordinary tokens stand for, as :class:`Kind` has it."""
    own = rows[~rows["is_special"]]
    return "|".join(text[slice(*span)].strip() or "_" for span in spans_of(own))


SILENT = ("Mn", "Cf", "Cc")  # accents, joiners, control characters


def letters(text: str) -> str:
    """A text as it is compared: without case, width, accents, spaces, and marks of vocabularies."""
    plain = normalize("NFKD", text.replace("##", "").replace("▁", "")).casefold()
    return "".join(one for one in plain if not one.isspace() and category(one) not in SILENT)


def require_letters(rows: pd.DataFrame, text: str, unknown: str) -> None:
    """Compare what tokens spell with the characters that they are told to stand for.

    These are in the order of the text. Of several tokens for a character, all have it.
    """
    own = rows[~rows["is_special"]]
    assert set(spans_of(rows[rows["is_special"]])) <= {(0, 0)}
    known: list[tuple[Span, list[str]]] = []
    for span, token in zip(spans_of(own), own["token"], strict=True):
        start, end = span
        if start == end:
            assert token == unknown or letters(token) == ""
        elif known and start < known[-1][0][1]:
            (first, behind), tokens = known[-1]
            assert start in (first, behind - 1)
            assert end >= behind
            known[-1] = (first, end), [*tokens, token]
        else:
            known.append((span, [token]))
    for (start, end), tokens in known:
        if unknown not in tokens:
            assert letters(text[start:end]) == letters("".join(tokens))


def uncovered(rows: pd.DataFrame, text: str) -> int:
    """Count the characters, but blanks, that no token stands for."""
    covered = {place for span in spans_of(rows) for place in range(*span)}
    return sum(not one.isspace() for place, one in enumerate(text) if place not in covered)


@cache
def loaded(directory: Path) -> tuple[PreTrainedTokenizerBase, Own]:
    """What the project loads, and the reference."""
    return load_tokenizer(directory), Own(directory)


# --- the library ----------------------------------------------------------------------------------


def read_from(model: Any, text: str, kind: Kind, own: Own) -> RecordedText:
    """Read a text, and compare its tokens, of an encoder-decoder those of its target as well."""
    if kind.target is None:
        read = capture_text(text, model=model)
    else:
        whole = capture_text(text, model=model, target=kind.target[0])
        agree_in_target(whole.of("decoder").tokens, own, kind)
        read = whole.of("encoder")
    agree(read.tokens, own, text)
    return read


@pytest.mark.parametrize("name", sampled(KINDS))
def test_the_library_reads_the_own_tokens(directory_of, name):
    kind = KINDS[name]
    own, lost = Own(directory_of(kind)), 0
    for text, spelled in kind.texts.items():
        read = read_from(directory_of(kind), text, kind, own)
        assert sources(read.tokens, text) == spelled
        assert read["attention"].shape[-1] == len(read.tokens)
        lost += uncovered(read.tokens, text)
    assert lost == kind.rendered[2]


@pytest.mark.parametrize("name", OF_ONE_TEXT)
def test_the_library_reads_the_own_tokens_of_a_pair(directory_of, name):
    directory = directory_of(KINDS[name])
    first, second, *_ = KINDS[name].texts
    for texts in ((first, second), (second, first)):
        read = capture_text(texts[0], pair=texts[1], model=directory)
        agree(read.tokens, Own(directory), *texts)
        assert sources(read.tokens, " ".join(texts)) == "|".join(
            KINDS[name].texts[text] for text in texts
        )


@pytest.mark.parametrize("name", KINDS)
def test_the_library_reads_the_tokens_of_a_loaded_tokenizer(directory_of, name):
    directory, kind = directory_of(KINDS[name]), KINDS[name]
    model = AutoModel.from_pretrained(directory), AutoTokenizer.from_pretrained(directory)
    for text in kind.texts:
        read_from(model, text, kind, Own(directory, by_class=True))


@pytest.mark.parametrize(
    ("name", "text", "spelled"),
    [
        ("pieces of two languages", "the </s> cat", "_|t|h|e|</s>|ca|t"),
        ("pieces behind a language", "the </s> cat", "_|t|h|e|</s>|ca|t"),
        ("Japanese words in pieces", "東京[MASK]の", "東京|[MASK]|の"),
        ("Japanese words in characters", "東京[MASK]の", "東|京|[MASK]|の"),
    ],
)
def test_a_special_token_that_the_text_has_is_one_of_it(directory_of, name, text, spelled):
    """A mask of special tokens counts it among those around the text in some classes."""
    directory = directory_of(KINDS[name])
    target = KINDS[name].target and KINDS[name].target[0]
    read = capture_text(text, model=directory, target=target)
    rows = (read if target is None else read.of("encoder")).tokens
    assert rows["id"].tolist() == Own(directory).read(text)[0]
    assert sources(rows, text) == spelled


ANY = st.lists(
    st.sampled_from([*"ab cat qé.か東京研🙂ﬁ㍻２#▁`", "か\u3099", "the", "  ", "ß"]), max_size=9
)


@pytest.mark.parametrize("name", IN_PYTHON)
@given(characters=ANY)
def test_tokens_of_any_text_stand_for_its_letters_or_are_refused(directory_of, name, characters):
    directory = directory_of(KINDS[name])
    tokenizer, own = loaded(directory)
    text = "".join(characters)
    try:
        read = encode.encode_one(text, None, tokenizer, made.MOST)
    except InputError as error:
        assert re.search(r"is (not )?found|no token the model knows", one_sentence(error))
    else:
        agree(read.table(text), own, text)
        # Such a mark is a space for SentencePiece.
        assert uncovered(read.table(text), text) <= text.count("▁")


# --- the pipeline ---------------------------------------------------------------------------------


def parameters(place: Path, directory: Path, texts: list[str], target: str | None) -> Params:
    """Parameters of an experiment with own texts and the model of a directory."""
    (place / "tiny-bert").symlink_to(directory)
    values = tiny.parameters(
        EXPERIMENT,
        data={"source": "texts", "texts": texts},
        anatomy={"text": texts[0], "layer": 1, "head": 1},
        projection={"examples": [*range(len(texts))]},
        clusters={"ks": [1, 2, 3], "k": 2, "smallest": 2, "sample": 10},
        report={"focus": {"experiment": EXPERIMENT, "example": 0}},
    )
    if target is None:
        return values
    # What is shown token by token is of one text.
    described = values.model_dump(mode="json")
    read = described["experiments"][EXPERIMENT]
    shown = {"model": {"source": "embedded"}, "data": {"source": "sentences"}}
    described["experiments"]["shown"] = read | shown
    described["report"]["focus"]["experiment"] = "shown"
    read["data"]["targets"] = [target] * len(texts)
    return Params.model_validate(described)


def given_texts(kind: Kind) -> tuple[list[str], str | None]:
    """Texts, and a target, as parameters take them."""
    return list(kind.texts), None if kind.target is None else kind.target[0]


@pytest.mark.parametrize("name", KINDS)
def test_the_check_tries_the_own_tokens(directory_of, here, monkeypatch, capsys, name):
    kind, tried = KINDS[name], []
    read_by = encode.encode_examples

    def noting(*given):
        tried.extend(read_by(*given))
        return tried

    monkeypatch.setattr(encode, "encode_examples", noting)
    texts, target = given_texts(kind)
    own = Own(directory_of(kind))
    try_out(parameters(here, directory_of(kind), texts, target))
    for text, read in zip(texts, tried, strict=True):
        agree(read.table(text), own, text)
        if target is not None:
            agree_in_target(read.target.table(target), own, kind)
    share = sum(kind.rendered) / sum(not one.isspace() for text in texts for one in text)
    case = EXPERIMENT if target is None else f"{EXPERIMENT}-encoder"
    said = re.findall(f"^{case}: the model does not see (.+?) ", capsys.readouterr().out, re.M)
    assert said == ([f"{share:.0%}"] if share > 0.1 else [])


@pytest.mark.parametrize("name", sampled(KINDS))
def test_a_capture_holds_the_own_tokens(directory_of, here, name):
    kind = KINDS[name]
    texts, target = given_texts(kind)
    values = parameters(here, directory_of(kind), texts, target)
    tiny.note_trained(EXPERIMENT)
    prepare(values, EXPERIMENT)
    capture(values, EXPERIMENT)
    kept = Path("artifacts", EXPERIMENT, "capture")
    tokens = pd.read_parquet(kept / "pretrained" / "tokens.parquet")
    own = Own(directory_of(kind))
    assert tokens["example_id"].unique().tolist() == [*range(len(texts))]
    for number, text in enumerate(texts):
        rows = tokens[tokens["example_id"] == number]
        if target is not None:
            agree_in_target(rows[rows["is_target"]], own, kind)
            rows = rows[~rows["is_target"]]
        agree(rows, own, text)
        assert sources(rows, text) == kind.texts[text]
        assert rows["written"].tolist() == written(rows, text)
    facts = json.loads((kept / "facts.json").read_text(encoding="utf-8"))
    told = facts["rendering"]
    assert (told["unknown"], told["altered"], told["left_out"]) == kind.rendered


def written(rows: pd.DataFrame, text: str) -> list[str]:
    """What pages show of tokens: what each stands for, and which of several for it it is."""
    spans, shown = spans_of(rows), []
    for place, (span, token) in enumerate(zip(spans, rows["token"], strict=True)):
        source = text[slice(*span)].strip()
        if spans.count(span) > 1:
            source += f" {spans[: place + 1].count(span)}/{spans.count(span)}"
        mark = "##" if token.startswith("##") else ""
        shown.append(f"{mark}{source}" if text[slice(*span)].strip() else token)
    return shown


# --- training -------------------------------------------------------------------------------------


def following(texts: list[str]) -> str:
    """A word that comes next."""
    return texts[0].split()[0]


def rows_to_learn(kind: Kind, directory: Path, texts: list[str], most: int) -> Iterator[dict]:
    """What training reads of texts, or of these with a target or a word that follows."""
    length = Length(max_tokens=most, longer="truncate")
    examples = pd.DataFrame({"text": texts, "label": 1, "continuation": following(texts)})
    if kind.target is not None:
        examples["target"] = kind.target[0]
        lay_out = target_rows
    else:
        lay_out = next_word_rows if kind.family in DECODERS else training_rows
    config = AutoConfig.from_pretrained(directory)
    yield from lay_out(examples, load_tokenizer(directory), length, config)


def shortened(own: Own, text: str, most: int) -> list[int]:
    """Take the first tokens, and what the tokenizer puts behind all of them."""
    ids, special = own.read(text)
    behind = special[::-1].index(False)
    kept = min(len(ids), most) - behind
    return [*ids[:kept], *ids[len(ids) - behind :]]


@pytest.mark.parametrize("most", [SHORT, made.MOST])
@pytest.mark.parametrize("name", KINDS)
def test_training_reads_the_own_ids(directory_of, name, most):
    kind = KINDS[name]
    own, texts = Own(directory_of(kind)), list(kind.texts)
    rows = rows_to_learn(kind, directory_of(kind), texts, most)
    for text, row in zip(texts, rows, strict=True):
        decodes = kind.family in DECODERS
        ids = shortened(own, f"{text} {following(texts)}" if decodes else text, most)
        assert row["input_ids"] == ids
        assert row["attention_mask"] == [1] * len(ids)
        if kind.target is not None:
            assert row["labels"] == own.read(kind.target[0], target=True)[0][:most]
        else:
            assert row["labels"] == (ids if decodes else 1)
        assert most == made.MOST or len(ids) <= SHORT


@pytest.mark.parametrize("name", ["pieces, tokenizer.model", "Japanese words in pieces"])
def test_the_beginning_is_read_whatever_side_a_tokenizer_cuts(directory_of, tmp_path, name):
    kind = KINDS[name]
    directory = shutil.copytree(directory_of(kind), tmp_path / "model")
    file = directory / "tokenizer_config.json"
    stated = json.loads(file.read_text(encoding="utf-8"))
    made.write_json(file, stated | {"truncation_side": "left"})
    own, texts = Own(directory_of(kind)), list(kind.texts)
    length = Length(max_tokens=SHORT, longer="truncate")
    read = encode.encode(texts, load_tokenizer(directory), length)
    for text, one in zip(texts, read, strict=True):
        assert one.input_ids == shortened(own, text, SHORT)
        place = one.is_special.index(False)
        assert text.startswith(text[slice(*one.spans[place])].strip())


# --- the page -------------------------------------------------------------------------------------


def explained(directory: Path, *texts: str) -> list[dict]:
    """What the command writes of texts."""
    ran = CliRunner().invoke(app, ["explain", *texts, "--model", str(directory)])
    if ran.exception is not None:
        raise ran.exception
    page = Path("explained.html").read_text(encoding="utf-8")
    return [text["queries"] for text in texts_of(page)]


@pytest.mark.parametrize("name", OF_ONE_TEXT)
def test_the_page_shows_what_the_tokens_stand_for(directory_of, here, name):
    directory, texts = directory_of(KINDS[name]), KINDS[name].texts
    own = Own(directory)
    for text, shown in zip(texts, explained(directory, *texts), strict=True):
        ids, special = own.read(text)
        assert len(shown["tokens"]) == len(ids)
        names = own.tokenizer.convert_ids_to_tokens(ids)
        plain = [one.rsplit(" ", 1)[0] for one in shown["tokens"]]  # without "1/2"
        sources = iter(texts[text].split("|"))
        for one, name, is_special in zip(plain, names, special, strict=True):
            source = "_" if is_special else next(sources)
            mark = "##" if name.startswith("##") else ""
            assert one == (name if source == "_" else f"{mark}{source}")


@pytest.mark.parametrize("name", TRANSLATORS)
def test_the_page_asks_for_the_target_of_a_translator(directory_of, here, name):
    said = refusal(explained, directory_of(KINDS[name]), *KINDS[name].texts)
    assert "which reads a text and its target, and a text is given without one" in said
    assert not Path("explained.html").exists()


# --- refusals -------------------------------------------------------------------------------------


def by_library(place: Path, directory: Path, kind: Kind, text: str) -> None:
    capture_text(text, model=directory)


def by_check(place: Path, directory: Path, kind: Kind, text: str) -> None:
    try_out(parameters(place, directory, ["The Cat sat.", text], None))


def by_capture(place: Path, directory: Path, kind: Kind, text: str) -> None:
    values = parameters(place, directory, [text], None)
    tiny.note_trained(EXPERIMENT)
    prepare(values, EXPERIMENT)
    capture(values, EXPERIMENT)


def by_training(place: Path, directory: Path, kind: Kind, text: str) -> None:
    list(rows_to_learn(kind, directory, [text], made.MOST))


def by_page(place: Path, directory: Path, kind: Kind, text: str) -> None:
    explained(directory, text)


@pytest.mark.parametrize("door", [by_library, by_check, by_capture, by_training, by_page])
@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_traced_or_is_another_tokenizer_is_refused(directory_of, here, name, door):
    kind, text, said = REFUSED[name]
    assert said in refusal(door, here, directory_of(kind), kind, text)
    assert not list(here.glob("artifacts/*/capture"))
    assert not list(here.glob("*.html"))


def test_a_loaded_tokenizer_that_cannot_be_traced_is_refused(directory_of):
    kind, text, said = REFUSED["marks that no text has"]
    directory = directory_of(kind)
    model = AutoModel.from_pretrained(directory), AutoTokenizer.from_pretrained(directory)
    assert said in refusal(capture_text, text, model=model)
