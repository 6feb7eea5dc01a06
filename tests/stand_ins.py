"""Models of the profiles in small: the same structure and kind of tokenizer, and random weights."""

from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from tokenizers import SentencePieceUnigramTokenizer, Tokenizer, decoders, models, pre_tokenizers
from tokenizers.processors import TemplateProcessing
from tokenizers.trainers import BpeTrainer
from transformers import (
    AutoConfig,
    AutoModel,
    BertJapaneseTokenizer,
    BertTokenizerFast,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
)

MOST = 64  # tokens
SIZES = {"vocab_size": 400, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
WIDE = SIZES | {"intermediate_size": 48, "max_position_embeddings": MOST}
CONFIGS = {
    "gpt2": {"vocab_size": 400, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": MOST},
    "gpt_neox": WIDE,
    "llama": WIDE | {"num_key_value_heads": 2},
    "t5": {
        **{"vocab_size": 400, "d_model": 32, "d_kv": 12, "d_ff": 48, "num_heads": 4},
        **{"num_layers": 2, "num_decoder_layers": 3, "feed_forward_proj": "relu"},
        **{"decoder_start_token_id": 0, "pad_token_id": 0, "eos_token_id": 1},
    },
    "bert": WIDE,
}


def save(directory: Path, kind: str, tokenizer: PreTrainedTokenizerBase) -> Path:
    """Write a model with random weights beside a tokenizer."""
    torch.manual_seed(0)
    ids = {name: getattr(tokenizer, name) for name in ("pad_token_id", "bos_token_id")}
    special = {} if kind == "t5" else ids | {"eos_token_id": tokenizer.eos_token_id}
    size = {"vocab_size": max(len(tokenizer), 400)}
    model = AutoModel.from_config(AutoConfig.for_model(kind, **CONFIGS[kind] | special | size))
    model.save_pretrained(directory)
    tokenizer.save_pretrained(directory)
    return directory


def bytes_of(texts: Sequence[str]) -> PreTrainedTokenizerBase:
    """Pieces of bytes, as of GPT-2, Pythia and Llama 3; no special token but the end of a text."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = BpeTrainer(
        vocab_size=400,
        special_tokens=["<|endoftext|>", "<|pad|>"],
        initial_alphabet=alphabet,
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    named = dict.fromkeys(("bos_token", "eos_token", "unk_token"), "<|endoftext|>")
    named["pad_token"] = "<|pad|>"
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=MOST, **named)


def begun(texts: Sequence[str]) -> PreTrainedTokenizerBase:
    """The same behind a token that begins every text, as of Llama 3."""
    tokenizer = bytes_of(texts)
    first = tokenizer.bos_token
    tokenizer.backend_tokenizer.post_processor = TemplateProcessing(
        single=f"{first} $A", special_tokens=[(first, tokenizer.bos_token_id)]
    )
    return tokenizer


def unigrams(texts: Sequence[str]) -> PreTrainedTokenizerBase:
    """Pieces of SentencePiece behind a sign for the blank, and a token that ends every text."""
    tokenizer = SentencePieceUnigramTokenizer()
    special = ["<pad>", "</s>", "<unk>"]
    tokenizer.train_from_iterator(
        texts, vocab_size=300, special_tokens=special, unk_token="<unk>", show_progress=False
    )
    tokenizer._tokenizer.post_processor = TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", 1)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer._tokenizer,
        model_max_length=MOST,
        **{"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"},
    )


def cased_words(texts: Sequence[str]) -> PreTrainedTokenizerBase:
    """WordPiece with capitals: all words of the texts, and their letters."""
    found = dict.fromkeys(word.strip(",.") for text in texts for word in text.split())
    letters = sorted({letter for text in texts for letter in text if not letter.isspace()})
    pieces = [*found, *letters, *(f"##{letter}" for letter in letters)]
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *dict.fromkeys(pieces)]
    return BertTokenizerFast(
        vocab={piece: place for place, piece in enumerate(vocabulary)},
        do_lower_case=False,
        model_max_length=MOST,
    )


def japanese_words(directory: Path) -> Callable[[Sequence[str]], PreTrainedTokenizerBase]:
    """Words by MeCab, cut into letters; ``directory`` is for the vocabulary."""

    def made(texts: Sequence[str]) -> PreTrainedTokenizerBase:
        letters = sorted({letter for text in texts for letter in text if not letter.isspace()})
        special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
        vocabulary = [*special, *letters, *(f"##{letter}" for letter in letters)]
        path = directory / "vocabulary.txt"
        path.write_text("\n".join(vocabulary), encoding="utf-8")
        return BertJapaneseTokenizer(
            str(path),
            word_tokenizer_type="mecab",
            subword_tokenizer_type="wordpiece",
            mecab_kwargs={"mecab_dic": "ipadic"},
            model_max_length=MOST,
        )

    return made
