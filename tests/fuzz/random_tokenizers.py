"""Tokenizers that are drawn at random, part by part, each written beside a tiny model that fits it.

What is drawn crosses what users have met one by one: rules that a class does not know, settings
that contradict ``tokenizer.json``, chance, languages, and ids with holes.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tokenizers_made as made
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import MBart50Tokenizer, NllbTokenizer
from transformers.models.mbart50.tokenization_mbart50 import FAIRSEQ_LANGUAGE_CODES

WORDS = ("the", "cat", "The", "Cat", "2023", "12", "é", "café", "中文", "か", "が", "film", "A1")
ODD = ("🙂", "ﬁ", "xyz", "  ", "-", ",", "don't", "1234567", "e\u0301", "CAFÉ", "日本語")
MERGES = ("t h", "th e", "c a", "ca t", "2 0", "20 2", "202 3", "f i", "fi l", "fil m", "中 文")
SPECIALS = (
    ("[CLS]", "[PAD]", "[SEP]", "[UNK]", "[MASK]"),
    ("<s>", "<pad>", "</s>", "<unk>", "<mask>"),
    ("[start]", "[pad]", "[end]", "[unk]"),
    ("<|endoftext|>", "<pad>", "</s>", "<unk>"),
)
CLASSES = (
    *("PreTrainedTokenizerFast",) * 8,
    *("TokenizersBackend", "GPT2Tokenizer", "BertTokenizer"),
    *("RobertaTokenizer", "LlamaTokenizer", "XLMRobertaTokenizer", "T5Tokenizer", "MyTokenizer"),
    *("AlbertTokenizer", "DebertaTokenizer", "GemmaTokenizer", "MPNetTokenizer"),
)
FAMILIES = ("llama", "bert", "gpt2", "roberta")
DROPOUT = 0.4
TEXTS = 5


@dataclass(frozen=True)
class Case:
    """What was drawn.

    Attributes
    ----------
    seed
        Draws all of it.
    family
        ``model_type`` of the model.
    rules
        Says what ``tokenizer.json`` does, without chance.
    stated
        Of ``tokenizer_config.json``; None where there is no such file.
    rows
        How many tokens the model has.
    unknown
        The token for what the vocabulary does not know.
    texts
        To be read.
    target
        Of an encoder-decoder.
    """

    seed: int
    family: str
    rules: Tokenizer
    stated: dict[str, Any] | None
    rows: int
    unknown: str
    texts: list[str]
    target: str | None = None

    @property
    def languages(self) -> tuple[str | None, str | None]:
        """Stated languages of texts and targets."""
        stated = self.stated or {}
        return stated.get("src_lang"), stated.get("tgt_lang")


def write(seed: int, directory: Path) -> Case:
    """Draw a tokenizer, and write it with a model that has a row for each of its ids, or not."""
    chance = random.Random(seed)
    drawn = _translator if chance.random() < 0.15 else _tokenizer
    tokenizer, family, stated, rows, unknown = drawn(chance)
    if hasattr(tokenizer.model, "dropout") and chance.random() < 0.25:
        tokenizer.model.dropout = DROPOUT
    tokenizer.save(str(directory / "tokenizer.json"))
    if stated is not None:
        made.write_json(directory / "tokenizer_config.json", stated)
    options = {"pad_token_id": 1, "decoder_start_token_id": 2}
    made.fitting(directory, family, rows, **options)
    rules = Tokenizer.from_file(str(directory / "tokenizer.json"))
    made.without_chance(rules)
    texts = [_text(chance) for _ in range(TEXTS)]
    target = "the cat" if family == "m2m_100" else None
    return Case(seed, family, rules, stated, rows, unknown, texts, target)


def _text(chance: random.Random) -> str:
    pieces = [chance.choice(WORDS if chance.random() < 0.7 else ODD) for _ in range(6)]
    joined = "".join(piece + chance.choice((" ", " ", " ", "", "  ")) for piece in pieces)
    return chance.choice(("", " ", "")) + joined


# --- parts ----------------------------------------------------------------------------------------

Normalizer = normalizers.Normalizer | None
# With the family of its model, what is stated, rows of the model, and the token for the unknown.
Drawn = tuple[Tokenizer, str, dict[str, Any] | None, int, str]

NORMALIZERS: tuple[Callable[[], Normalizer], ...] = (
    *(lambda: None,) * 8,
    normalizers.NFC,
    normalizers.NFKC,
    normalizers.Lowercase,
    lambda: normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents()]),
    normalizers.BertNormalizer,
    lambda: normalizers.BertNormalizer(lowercase=False),
    lambda: normalizers.Strip(left=False, right=True),
    lambda: normalizers.Replace(Regex(" {2,}"), " "),
    lambda: normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]),
)
MARKS = ("always", "first", "never")


def _split(chance: random.Random) -> list[pre_tokenizers.PreTokenizer]:
    """What cuts before words are marked: nothing, digits by three or one by one, signs."""
    return chance.choice(
        (
            [],
            [],
            [pre_tokenizers.Split(Regex(r"\p{N}{1,3}"), "isolated")],
            [pre_tokenizers.Digits(individual_digits=True)],
            [pre_tokenizers.Punctuation()],
            [pre_tokenizers.WhitespaceSplit()],
        )
    )


def _marking(chance: random.Random) -> pre_tokenizers.PreTokenizer:
    return pre_tokenizers.Sequence(
        [*_split(chance), pre_tokenizers.Metaspace(prepend_scheme=chance.choice(MARKS))]
    )


def _of_words(chance: random.Random) -> pre_tokenizers.PreTokenizer:
    cut = chance.choice(
        (
            pre_tokenizers.Whitespace,
            pre_tokenizers.WhitespaceSplit,
            pre_tokenizers.BertPreTokenizer,
        )
    )
    return pre_tokenizers.Sequence([cut(), *_split(chance)])


def _numbers(names: Any, chance: random.Random) -> dict[str, int]:
    """Number names, sometimes with a hole before the last one."""
    vocabulary = made.numbered(dict.fromkeys(names))
    if chance.random() < 0.2:
        vocabulary[list(vocabulary)[-1]] = len(vocabulary) + chance.choice((3, 150))
    return vocabulary


def _word_level(chance: random.Random, special: tuple[str, ...]) -> Tokenizer:
    known = {part for word in (*WORDS, *ODD[:4]) for part in (word, word.lower())}
    vocabulary = _numbers((*special, *sorted(known), "-", ","), chance)
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=special[3]))
    tokenizer.pre_tokenizer = _of_words(chance)
    return tokenizer


def _word_piece(chance: random.Random, special: tuple[str, ...]) -> Tokenizer:
    letters = sorted({letter for word in WORDS for letter in word + word.lower()})
    pieces = (*letters, *(f"##{letter}" for letter in letters), "the", "cat", "##at", "film")
    vocabulary = _numbers((*special, *pieces), chance)
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token=special[3]))
    tokenizer.pre_tokenizer = _of_words(chance)
    tokenizer.decoder = decoders.WordPiece()
    return tokenizer


def _bytes(chance: random.Random, special: tuple[str, ...]) -> Tokenizer:
    merges = [*made.MERGES, "2 0", "20 2", "202 3", "1 2"]
    joined = [merge.replace(" ", "") for merge in merges]
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = _numbers((*special, *alphabet, *joined), chance)
    tokenizer = Tokenizer(models.BPE(vocabulary, [tuple(merge.split()) for merge in merges]))
    cut = pre_tokenizers.ByteLevel(
        add_prefix_space=chance.random() < 0.4, use_regex=chance.random() < 0.8
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([*_split(chance), cut])
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def _characters(
    chance: random.Random, special: tuple[str, ...], *, fallback: bool = False
) -> Tokenizer:
    letters = sorted({letter for word in WORDS for letter in word})
    joined = [merge.replace(" ", "") for merge in MERGES]
    marks = ["▁"] if chance.random() < 0.7 else []
    in_bytes = [f"<0x{byte:02X}>" for byte in range(256)] if fallback else []
    vocabulary = _numbers((*special, *in_bytes, *marks, *letters, *joined), chance)
    tokenizer = Tokenizer(
        models.BPE(
            vocabulary,
            [tuple(merge.split()) for merge in MERGES],
            unk_token=special[3],
            fuse_unk=chance.random() < 0.5,
            byte_fallback=fallback,
        )
    )
    tokenizer.pre_tokenizer = _marking(chance)
    tokenizer.decoder = decoders.Metaspace()
    return tokenizer


def _characters_or_bytes(chance: random.Random, special: tuple[str, ...]) -> Tokenizer:
    return _characters(chance, special, fallback=True)


def _unigram(chance: random.Random, special: tuple[str, ...]) -> Tokenizer:
    letters = sorted({letter for word in WORDS for letter in word})
    scores = [(name, 0.0) for name in special] + [("▁", -3.0), ("▁the", -1.0), ("cat", -2.0)]
    pieces = [*scores, *((letter, -5.0) for letter in letters)]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=3))
    tokenizer.pre_tokenizer = _marking(chance)
    tokenizer.decoder = decoders.Metaspace()
    return tokenizer


KINDS = (_word_level, _word_piece, _bytes, _bytes, _characters, _characters_or_bytes, _unigram)


def _layout(chance: random.Random, tokenizer: Tokenizer, special: tuple[str, ...]) -> None:
    """Put something around texts, or nothing."""
    first, last = ((name, tokenizer.token_to_id(name)) for name in (special[0], special[2]))
    how = chance.choice(("none", "template", "roberta", "bert", "bytes"))
    if how == "template":
        tokenizer.post_processor = processors.TemplateProcessing(
            single=f"{first[0]} $A",
            pair=f"{first[0]} $A {last[0]} $B:1",
            special_tokens=[first, last],
        )
    elif how == "roberta":
        tokenizer.post_processor = processors.RobertaProcessing(
            last, first, trim_offsets=chance.random() < 0.5, add_prefix_space=False
        )
    elif how == "bert":
        tokenizer.post_processor = processors.BertProcessing(last, first)
    elif how == "bytes":
        tokenizer.post_processor = processors.ByteLevel(trim_offsets=chance.random() < 0.5)


# Classes that are made for such a model, and know some of its rules.
FITTING = {
    _word_level: ("BertTokenizer",),
    _word_piece: ("BertTokenizer", "MPNetTokenizer"),
    _bytes: ("GPT2Tokenizer", "RobertaTokenizer"),
    _characters: ("LlamaTokenizer", "GemmaTokenizer"),
    _characters_or_bytes: ("LlamaTokenizer", "GemmaTokenizer"),
    _unigram: ("XLMRobertaTokenizer", "T5Tokenizer", "AlbertTokenizer"),
}


def _settings(
    chance: random.Random, special: tuple[str, ...], fitting: tuple[str, ...]
) -> dict[str, Any] | None:
    if chance.random() < 0.2:
        return None
    stated: dict[str, Any] = {}
    if chance.random() < 0.8:
        stated["tokenizer_class"] = chance.choice(fitting if chance.random() < 0.4 else CLASSES)
    if chance.random() < 0.5:
        stated |= {"unk_token": special[3], "pad_token": special[1]}
    for name in ("add_prefix_space", "do_lower_case"):
        if chance.random() < 0.2:
            stated[name] = chance.random() < 0.5
    return stated


def _tokenizer(chance: random.Random) -> Drawn:
    special = chance.choice(SPECIALS)
    kind = chance.choice(KINDS)
    tokenizer = kind(chance, special)
    if (normalizer := chance.choice(NORMALIZERS)()) is not None:
        tokenizer.normalizer = normalizer
    tokenizer.add_special_tokens(list(special))
    _layout(chance, tokenizer, special)
    rows = max(tokenizer.get_vocab().values()) + 1
    if chance.random() < 0.15:
        tokenizer.add_special_tokens(["<image>"])
    # Rows for some of the ids, where there is a hole.
    if rows > tokenizer.get_vocab_size() + 100 and chance.random() < 0.5:
        rows -= 100
    stated = _settings(chance, special, FITTING[kind])
    return tokenizer, chance.choice(FAMILIES), stated, rows, special[3]


# --- translators ----------------------------------------------------------------------------------


def _translator(chance: random.Random) -> Drawn:
    """Of a class that marks each text with its language; which, is stated or not."""
    letters = sorted({letter for word in WORDS for letter in word})
    known = ("<s>", "<pad>", "</s>", "<unk>")
    if chance.random() < 0.5:
        joined = [merge.replace(" ", "") for merge in MERGES]
        vocabulary = made.numbered(dict.fromkeys((*known, "▁", *letters, *joined)))
        merges = [tuple(merge.split()) for merge in MERGES]
        languages = ("deu_Latn", "fra_Latn", "jpn_Jpan")
        by_class = NllbTokenizer(vocab=vocabulary, merges=merges, src_lang=languages[0])
    else:
        pieces = [*known, "▁", "▁the", "cat", *letters, *FAIRSEQ_LANGUAGE_CODES, "<mask>"]
        languages = ("de_DE", "fr_XX", "ja_XX")
        by_class = MBart50Tokenizer(vocab=[(name, -2.0) for name in pieces], src_lang=languages[0])
    stated = {
        "tokenizer_class": type(by_class).__name__,
        "src_lang": chance.choice((languages[0], *languages, None)),
        "tgt_lang": chance.choice((*languages, None, "xx")),
    }
    tokenizer = Tokenizer.from_str(by_class.backend_tokenizer.to_str())
    if chance.random() < 0.5:
        tokenizer.normalizer = normalizers.Strip(left=False, right=True)
    if chance.random() < 0.3:
        cut = [*_split(chance), pre_tokenizers.Metaspace(prepend_scheme="always")]
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(cut)
    return tokenizer, "m2m_100", stated, max(tokenizer.get_vocab().values()) + 1, "<unk>"
