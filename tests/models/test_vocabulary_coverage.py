"""How much of a text its tokens stand for, by tokenizers of every kind."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from attention_mixing.models.encode import encode
from attention_mixing.models.source import directory_of
from attention_mixing.models.tokenizer import load_tokenizer
from attention_mixing.models.vocabulary_coverage import rendering
from attention_mixing.settings.experiment import Length

LENGTH = Length(max_tokens=512, longer="refuse")  # cut off in the middle of a letter, it is lost


@pytest.fixture(scope="module")
def english():
    """Of the embedded model: uncased, with the words of English."""
    return load_tokenizer(directory_of("all-MiniLM-L6-v2"))


def of_bytes(**more) -> PreTrainedTokenizerFast:
    """A tokenizer that knows all bytes, and a few words."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=300, initial_alphabet=alphabet, show_progress=False)
    made.train_from_iterator(["the cat sat on the mat"] * 3, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=512, **more)


def of_pieces() -> PreTrainedTokenizerFast:
    """A tokenizer as of SentencePiece, with one token for every letter that it has not seen."""
    made = Tokenizer(
        models.Unigram([("<unk>", 0.0), ("▁the", -1.0), ("▁", -2.0), ("cat", -2.5)], 0)
    )
    made.normalizer = normalizers.NFKC()
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders.Metaspace()
    return PreTrainedTokenizerFast(
        tokenizer_object=made, unk_token="<unk>", pad_token="<unk>", model_max_length=512
    )


def read(tokenizer, *texts):
    return rendering(texts, encode(texts, tokenizer, LENGTH), tokenizer)


@pytest.mark.parametrize(
    ("text", "unknown", "altered", "left_out"),
    [
        ("The CAT sat, didn't it?", 0, 0, 0),  # case is no loss
        ("Café naïve", 0, 2, 0),
        ("が好き", 1, 1, 0),
        ("한국어", 0, 0, 0),  # in parts that make the same letters
        ("Привет", 0, 0, 0),
        ("สบาย", 4, 0, 0),
        ("🙂 cat", 1, 0, 0),
        ("ca\u00adt", 0, 0, 0),  # a soft hyphen does not show
        ("हिन्दी", 0, 0, 1),  # a mark that is taken off
    ],
)
def test_characters_are_counted_by_what_becomes_of_them(english, text, unknown, altered, left_out):
    found = read(english, text)
    assert (found.unknown, found.altered, found.left_out) == (unknown, altered, left_out)
    assert found.lost == pytest.approx((unknown + altered + left_out) / found.characters)


@given(
    st.text(
        alphabet=st.characters(codec="utf-8", exclude_categories=["Zs", "Cc"]),
        min_size=1,
        max_size=99,
    )
)
def test_bytes_lose_nothing_of_any_text(text):
    found = read(of_bytes(), text)
    assert found.lost == 0


def test_letters_that_no_piece_has_are_unknown_and_width_is_no_loss():
    found = read(of_pieces(), "\uff54\uff48\uff45 cat", "the dog")
    assert (found.characters, found.unknown, found.altered, found.words) == (12, 3, 0, 4)


def test_what_was_cut_off_is_not_counted(english):
    short = Length(max_tokens=4, longer="truncate")
    text = ["the cat sat on the mat"]
    found = rendering(text, encode(text, english, short), english)
    assert (found.characters, found.words, found.tokens) == (6, 2, 2)
