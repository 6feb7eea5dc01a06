"""Tokenizers of every usual kind, each made of a few lines of text, with a model that fits it.

Nothing is fetched: vocabularies are written out, or trained on :data:`CORPUS`.
"""

import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import sentencepiece
import torch
import transformers
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from tokenizers.pre_tokenizers import ByteLevel
from transformers import BertJapaneseTokenizer, NllbTokenizer, PreTrainedTokenizerFast

CORPUS = (
    "the cat sat on the mat",
    "a café by the sea, naïve and warm",
    "the film was not very good, but the music was",
    "か が かな がか かが",
    "日本語 の 研究 は 楽しい",
)
BERT_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
ROBERTA_SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
PIECES = "the cat cafe naive film sat a か ##か ##s ##t s ##ea , 。 日 本 語 . !".split()
CASED_PIECES = "the The Cat cat café film FILM sat a か が ##が ##s ##é , 。 日 本 語 . !".split()
JAPANESE_WORDS = (
    "自然 言語 処理 の 研究 は 、 東京 で 2020 年 に 。 が ##ん ##ば テスト 平成 caf ##é the film "
    "a ##b ##c b c"
).split()
MOST = 64  # tokens of a text
WIDTH = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
BERT = WIDTH | {"intermediate_size": 24, "max_position_embeddings": MOST}
# RoBERTa counts positions from the padding index + 1.
ROBERTA = BERT | {"max_position_embeddings": MOST + 2, "pad_token_id": 1}
LLAMA = BERT | {"pad_token_id": 0}
GPT2 = {"n_positions": MOST, "n_embd": 16, "n_layer": 2, "n_head": 2}
T5 = {"d_model": 16, "d_kv": 8, "d_ff": 24, "num_layers": 2, "num_heads": 2}
BART = {
    **{"d_model": 16, "encoder_layers": 2, "decoder_layers": 2, "max_position_embeddings": MOST},
    **{"encoder_attention_heads": 2, "decoder_attention_heads": 2},
    **{"encoder_ffn_dim": 24, "decoder_ffn_dim": 24},
}
SIZES: dict[str, dict[str, Any]] = {
    "bert": BERT,
    "xlm-roberta": ROBERTA,
    "roberta": ROBERTA,
    "camembert": ROBERTA,
    "llama": LLAMA,
    "gpt2": GPT2,
    "ctrl": {"n_positions": MOST, "n_embd": 16, "n_layer": 2, "n_head": 2, "dff": 24},
    "t5": T5 | {"decoder_start_token_id": 0},
    "marian": BART,
    "m2m_100": BART,
}


def fitting(directory: Path, family: str, vocabulary: int, **options: Any) -> None:
    """Save a tiny model of random weights beside the files of a tokenizer."""
    torch.manual_seed(0)
    sizes = SIZES[family] | {"vocab_size": vocabulary} | options
    config = transformers.AutoConfig.for_model(family, **sizes)
    head = transformers.AutoModelForSeq2SeqLM if config.is_encoder_decoder else None
    (head or transformers.AutoModel).from_config(config).save_pretrained(directory)


def write_lines(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def write_json(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


def numbered(words: Iterable[str]) -> dict[str, int]:
    return {word: place for place, word in enumerate(words)}


# --- files of tokenizers --------------------------------------------------------------------------


def wordpiece_vocabulary(directory: Path) -> None:
    write_lines(directory / "vocab.txt", (*BERT_SPECIAL, *PIECES))


def wordpiece_cased(directory: Path) -> None:
    """Without the settings, of which the class of BERT would make a lower-casing one."""
    made = Tokenizer(models.WordPiece(numbered((*BERT_SPECIAL, *CASED_PIECES)), unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=False)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    made.add_special_tokens(list(BERT_SPECIAL))
    made.save(str(directory / "tokenizer.json"))


# Pieces of bytes of which others are made, by how they stand in vocabularies.
MERGES = ("t h", "Ġ th", "th e", "Ġth e", "c a", "ca t", "Ġ cat", "ã ģ", "ãģ ĭ", "Ã ©", "Ġ a")


def byte_vocabulary(*special: str) -> dict[str, int]:
    made = [merge.replace(" ", "") for merge in MERGES]
    return numbered(dict.fromkeys((*special, *sorted(ByteLevel.alphabet()), *made)))


def bytes_in_two_files(directory: Path) -> None:
    write_json(directory / "vocab.json", byte_vocabulary("<|endoftext|>"))
    write_lines(directory / "merges.txt", ("#version: 0.2", *MERGES))


def of_bytes(special: tuple[str, ...], *, prefix: bool) -> Tokenizer:
    merges = [tuple(merge.split()) for merge in MERGES]
    made = Tokenizer(models.BPE(byte_vocabulary(*special), merges))
    made.pre_tokenizer = ByteLevel(add_prefix_space=prefix)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens(list(special))
    return made


def bytes_with_a_space(directory: Path) -> None:
    made = of_bytes(ROBERTA_SPECIAL, prefix=True)
    made.post_processor = processors.RobertaProcessing(
        ("</s>", 2), ("<s>", 0), add_prefix_space=True
    )
    made.save(str(directory / "tokenizer.json"))


def bytes_alone(directory: Path) -> None:
    """Nothing is put before or behind a text, and no token is special."""
    made = PreTrainedTokenizerFast(tokenizer_object=of_bytes((), prefix=False))
    made.save_pretrained(directory)


def unigram(directory: Path) -> None:
    pieces = [*((one, 0.0) for one in ROBERTA_SPECIAL), ("▁", -3.0), ("▁the", -2.0)]
    pieces += [(one, -4.0) for one in ("▁caf", "é", "e", "cat", "か", "が", "日本", "語", "s", "a")]
    made = Tokenizer(models.Unigram(pieces, unk_id=3))
    made.normalizer = normalizers.Sequence([normalizers.NFKC()])
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders.Metaspace()
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s> $B </s>",
        special_tokens=[("<s>", 0), ("</s>", 2)],
    )
    made.add_special_tokens(list(ROBERTA_SPECIAL))
    made.save(str(directory / "tokenizer.json"))


def words(directory: Path) -> None:
    known = ("[PAD]", "[UNK]", "<s>", "the", "cat", "café", "かが", "か", "sat", ",", "🙂")
    made = Tokenizer(models.WordLevel(numbered(known), unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A $B:1", special_tokens=[("<s>", 2)]
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="[PAD]", unk_token="[UNK]", bos_token="<s>"
    )
    tokenizer.save_pretrained(directory)


def pieces(path: Path, corpus: Iterable[str] = CORPUS, **settings: Any) -> None:
    """Train a model of SentencePiece, and write it."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(corpus),
        model_writer=model,
        **{"hard_vocab_limit": False, "vocab_size": 120, "minloglevel": 2} | settings,
    )
    path.write_bytes(model.getvalue())


def pieces_of_t5(directory: Path) -> None:
    pieces(directory / "spiece.model", pad_id=0, eos_id=1, unk_id=2, bos_id=-1)


def pieces_of_xlm(directory: Path) -> None:
    pieces(directory / "sentencepiece.bpe.model")


def pieces_of_llama(directory: Path) -> None:
    """Of a character that it has not seen, the bytes are tokens."""
    pieces(
        directory / "tokenizer.model",
        **{"model_type": "bpe", "byte_fallback": True, "vocab_size": 340},
        **{"normalization_rule_name": "identity", "remove_extra_whitespaces": False},
    )


def pieces_of_llama_by_name(directory: Path) -> None:
    """Of the class that its model's files name, without which transformers takes another."""
    pieces_of_llama(directory)
    stated = {"tokenizer_class": "LlamaTokenizer", "add_bos_token": True}
    write_json(directory / "tokenizer_config.json", stated)


TARGETS = ("die katze saß auf der matte", "ein café am meer", "der film war gut")


def pieces_of_each(directory: Path) -> list[list[str]]:
    """A model of pieces for each of two languages; gives the pieces, without special ones."""
    found = []
    for name, corpus in (("source.spm", CORPUS), ("target.spm", TARGETS)):
        pieces(directory / name, corpus, vocab_size=70)
        found.append(known_pieces(directory / name))
    return found


def known_pieces(file: Path) -> list[str]:
    model = sentencepiece.SentencePieceProcessor(model_file=str(file))
    return [model.id_to_piece(place) for place in range(3, model.get_piece_size())]


def pieces_of_marian(directory: Path) -> None:
    """One vocabulary for both languages, with the name of one."""
    source, target = pieces_of_each(directory)
    known = dict.fromkeys(("</s>", "<unk>", ">>de<<", *source, *target, "<pad>"))
    write_json(directory / "vocab.json", numbered(known))


def pieces_of_marian_apart(directory: Path) -> None:
    """A vocabulary for each language, of two sizes."""
    names = ("vocab.json", "target_vocab.json")
    for name, known in zip(names, pieces_of_each(directory), strict=True):
        write_json(directory / name, numbered(("</s>", "<unk>", *known, "<pad>")))
    write_json(directory / "tokenizer_config.json", {"separate_vocabs": True})


def pieces_of_languages(directory: Path, **stated: Any) -> None:
    """In Python, as of M2M100; before a text stands its language."""
    file = directory / "sentencepiece.bpe.model"
    pieces(file)
    special = ("<s>", "<pad>", "</s>", "<unk>")
    write_json(directory / "vocab.json", numbered((*special, *known_pieces(file))))
    write_json(directory / "tokenizer_config.json", {"src_lang": "en", **stated})


def pieces_of_two_languages(directory: Path) -> None:
    pieces_of_languages(directory, tgt_lang="de")


def japanese(vocabulary: Path, how: str, **more: Any) -> BertJapaneseTokenizer:
    """Words by MeCab, then pieces or characters; in Python, without characters of the text."""
    return BertJapaneseTokenizer(
        str(vocabulary),
        word_tokenizer_type="mecab",
        subword_tokenizer_type=how,
        mecab_kwargs={"mecab_dic": "ipadic"},
        **more,
    )


def japanese_of(directory: Path, how: str, words: Iterable[str]) -> None:
    file = directory / "made.txt"
    write_lines(file, (*BERT_SPECIAL, *words))
    japanese(file, how).save_pretrained(directory)
    file.unlink()


def japanese_pieces(directory: Path) -> None:
    japanese_of(directory, "wordpiece", (*JAPANESE_WORDS, "か"))


def japanese_characters(directory: Path) -> None:
    characters = {one for word in (*JAPANESE_WORDS, "か") for one in word.removeprefix("##")}
    japanese_of(directory, "character", sorted(characters))


def marked_behind(directory: Path) -> None:
    """In Python; behind a piece that the word goes on after stands a mark, as no text has it."""
    letters = sorted(set("TheCatsat.filmgood"))
    write_json(
        directory / "vocab.json", numbered(["<unk>", *letters, *(f"{x}@@" for x in letters)])
    )
    write_lines(directory / "merges.txt", ("#version: 0.2", "s a"))


def words_or_marked_behind(directory: Path) -> None:
    """The same, with a few words that are not cut."""
    marked_behind(directory)
    known = json.loads((directory / "vocab.json").read_text(encoding="utf-8"))
    write_json(directory / "vocab.json", numbered([*known, "The", "Cat", "sat."]))
    merges = ("T h", "Th e</w>", "C a", "Ca t</w>", "s a", "sa t", "sat .</w>")
    write_lines(directory / "merges.txt", ("#version: 0.2", *merges))


def digits_by_three(directory: Path) -> None:
    """Of a class that does not know how digits are cut."""
    merges = [*MERGES, "2 0", "20 2", "202 3"]
    vocabulary = byte_vocabulary("<|endoftext|>")
    for number in ("20", "202", "2023"):
        vocabulary[number] = len(vocabulary)
    made = Tokenizer(models.BPE(vocabulary, [tuple(merge.split()) for merge in merges]))
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(r"\p{N}{1,3}"), "isolated"),
            ByteLevel(add_prefix_space=False),
        ]
    )
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens(["<|endoftext|>"])
    made.save(str(directory / "tokenizer.json"))
    stated = {"tokenizer_class": "GPT2Tokenizer", "add_prefix_space": False}
    write_json(directory / "tokenizer_config.json", stated)


def bytes_by_chance(directory: Path) -> None:
    """Merges are left out at random, as in training (BPE dropout)."""
    made = of_bytes((), prefix=False)
    made.model.dropout = 0.5
    made.save(str(directory / "tokenizer.json"))
    stated = {"tokenizer_class": "PreTrainedTokenizerFast"}
    write_json(directory / "tokenizer_config.json", stated)


def without_chance(tokenizer: Tokenizer) -> None:
    """Merge all that can be merged."""
    if hasattr(tokenizer.model, "dropout"):
        tokenizer.model.dropout = None


def pieces_by_chance(directory: Path) -> None:
    """A way to cut a text is drawn at random, as in training (subword regularization)."""
    drawn = {"enable_sampling": True, "nbest_size": -1, "alpha": 0.1}
    pieces_of_languages(directory, tgt_lang="de", sp_model_kwargs=drawn)


def pieces_of_nllb(directory: Path, **languages: str) -> None:
    """A fast one; before a text stands its language."""
    known = ("<s>", "<pad>", "</s>", "<unk>", "▁", *"theca", "th", "the", "▁the", "ca", "cat")
    merges = [("t", "h"), ("th", "e"), ("▁", "the"), ("c", "a"), ("ca", "t"), ("▁", "cat")]
    vocabulary = numbered(dict.fromkeys((*known, "▁cat")))
    NllbTokenizer(vocab=vocabulary, merges=merges, src_lang="deu_Latn").save_pretrained(directory)
    file = directory / "tokenizer_config.json"
    stated = json.loads(file.read_text(encoding="utf-8"))
    write_json(file, stated | {"src_lang": None, "tgt_lang": None} | languages)


def pieces_between_languages(directory: Path) -> None:
    pieces_of_nllb(directory, src_lang="deu_Latn", tgt_lang="fra_Latn")


def pieces_of_a_language(directory: Path) -> None:
    pieces_of_nllb(directory, src_lang="deu_Latn")


def pieces_of_no_language(directory: Path) -> None:
    pieces_of_nllb(directory)


def pieces_of_an_unknown_language(directory: Path) -> None:
    pieces_of_nllb(directory, src_lang="deu_Latn", tgt_lang="fra")


MARKED = ("<unk>", "▁", "中", "文", "▁a", "▁the")


def marked_before(directory: Path, cut: pre_tokenizers.PreTokenizer) -> None:
    """Before a word stands a mark, whatever stands there in the text."""
    made = Tokenizer(models.Unigram([(piece, -1.0) for piece in MARKED], unk_id=0))
    made.pre_tokenizer = cut
    made.decoder = decoders.Metaspace()
    PreTrainedTokenizerFast(tokenizer_object=made, unk_token="<unk>").save_pretrained(directory)


def marks_before_words(directory: Path) -> None:
    marked_before(directory, pre_tokenizers.Metaspace(prepend_scheme="always"))


def marks_between_blanks(directory: Path) -> None:
    cut = [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(prepend_scheme="always")]
    marked_before(directory, pre_tokenizers.Sequence(cut))


def marks_in_bytes(directory: Path) -> None:
    """What the vocabulary does not have, the mark as well, is cut into bytes."""
    known = ("<unk>", "中", "文", "a", *(f"<0x{byte:02X}>" for byte in range(256)))
    made = Tokenizer(models.BPE(numbered(known), [], unk_token="<unk>", byte_fallback=True))
    made.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    made.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    )
    PreTrainedTokenizerFast(tokenizer_object=made, unk_token="<unk>").save_pretrained(directory)


def words_of(vocabulary: dict[str, int], unknown: str = "[UNK]") -> Tokenizer:
    made = Tokenizer(models.WordLevel(vocabulary, unk_token=unknown))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    return made


def words_and_an_image(directory: Path) -> None:
    """A token is added that no text needs, and that the model does not have."""
    made = words_of(numbered(("[PAD]", "[UNK]", "the", "cat", "The")))
    made.add_special_tokens(["<image>"])
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=made, pad_token="[PAD]", unk_token="[UNK]")
    tokenizer.save_pretrained(directory)


def words_with_a_hole(directory: Path) -> None:
    made = words_of({"[UNK]": 0, "the": 1, "cat": 2, "dog": 500})
    PreTrainedTokenizerFast(tokenizer_object=made, unk_token="[UNK]").save_pretrained(directory)


def words_of_no_class(directory: Path) -> None:
    """Nothing says that it is not of the class of its model's family."""
    words_of(numbered(("[unk]", "the", "cat", "The")), "[unk]").save(
        str(directory / "tokenizer.json")
    )


def words_of_a_class_of_pieces(directory: Path) -> None:
    words_of_no_class(directory)
    write_json(directory / "tokenizer_config.json", {"tokenizer_class": "AlbertTokenizer"})


def words_without_unknown(directory: Path) -> None:
    words_of(numbered(("the", "cat"))).save(str(directory / "tokenizer.json"))


def capitals(directory: Path) -> None:
    """Amino acids, without the setting that says how the class is to read them."""
    write_lines(directory / "vocab.txt", (*BERT_SPECIAL, *"ACDEFGHIKLMNPQRSTVWY"))
