"""Two tokenizers of the same parts split all texts alike; a part that differs is seen as data."""

import json

import pytest
import tokenizers_made as made
from tokenizers import Tokenizer, normalizers, pre_tokenizers, processors
from transformers import GPT2Tokenizer, NllbTokenizer, PreTrainedTokenizerFast

from attention_mixing.models.tokenizer import PROBES, load_tokenizer
from attention_mixing.models.tokenizer_parts import differing_part, parts


def of_bytes(**settings) -> Tokenizer:
    """A tokenizer of bytes, with other settings of how it cuts words."""
    tokenizer = made.of_bytes((), prefix=False)
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, **settings)
    return tokenizer


def changed(change) -> Tokenizer:
    """The same, with other content of its file."""
    content = json.loads(of_bytes().to_str())
    change(content)
    return Tokenizer.from_str(json.dumps(content))


def test_the_same_parts_are_the_same():
    assert differing_part(parts(of_bytes()), parts(of_bytes())) is None


@pytest.mark.parametrize(
    "change",
    [
        lambda held: held.update(decoder=None),
        lambda held: held.update(normalizer={"type": "Sequence", "normalizers": []}),
        lambda held: held.update(
            pre_tokenizer={"type": "Sequence", "pretokenizers": [held["pre_tokenizer"]]}
        ),
        lambda held: held["pre_tokenizer"].update(trim_offsets=False),
        lambda held: held["model"].update(dropout=0.1, end_of_word_suffix=""),
        lambda held: held.update(padding=None, truncation=None),
    ],
)
def test_what_splits_no_text_otherwise_does_not_count(change):
    assert differing_part(parts(of_bytes()), parts(changed(change))) is None
    other = changed(lambda held: (change(held), held["model"].update(dropout=None)))
    for probe in PROBES:
        assert other.encode(probe).ids == of_bytes().encode(probe).ids


@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("normalizer", lambda held: held.update(normalizer={"type": "NFC"})),
        ("pre_tokenizer", lambda held: held["pre_tokenizer"].update(use_regex=False)),
        ("pre_tokenizer", lambda held: held.update(pre_tokenizer=None)),
        ("model", lambda held: held["model"]["merges"].pop()),
        ("model", lambda held: held["model"].update(ignore_merges=True)),
    ],
)
def test_the_part_that_differs_is_named(part, change):
    assert differing_part(parts(of_bytes()), parts(changed(change))) == part


def test_an_added_token_counts_where_the_saved_one_has_it():
    plain, larger = of_bytes(), of_bytes()
    larger.add_tokens(["2023"])
    assert differing_part(parts(larger), parts(plain)) is None
    assert differing_part(parts(plain), parts(larger)) == "added_tokens"


def saved_beside(directory, tokenizer: PreTrainedTokenizerFast, family="gpt2", **options):
    """Save a tokenizer beside a model."""
    tokenizer.save_pretrained(directory)
    made.fitting(directory, family, 400, **options)
    return directory


def test_a_tokenizer_that_is_made_of_what_was_saved_keeps_its_class(tmp_path):
    vocabulary = made.byte_vocabulary("<|endoftext|>")
    merges = [tuple(merge.split()) for merge in made.MERGES]
    given = GPT2Tokenizer(vocab=vocabulary, merges=merges, add_prefix_space=True, pad_token="!")
    loaded = load_tokenizer(saved_beside(tmp_path, given))
    assert type(loaded) is GPT2Tokenizer
    assert loaded.add_prefix_space and loaded.pad_token == "!"


def test_saved_rules_that_no_sample_shows_are_kept(tmp_path):
    """As of Llama 3, of which a class makes numbers of any length."""
    made.digits_by_three(tmp_path)
    made.fitting(tmp_path, "gpt2", 400)
    saved = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    loaded = load_tokenizer(tmp_path)
    for text in ("the 2023", "2023202320", *PROBES):
        assert loaded(text)["input_ids"] == saved.encode(text).ids
    assert loaded.tokenize("the 2023") == ["the", "Ġ", "202", "3"]
    assert loaded.eos_token == "<|endoftext|>"


def test_a_class_that_marks_languages_keeps_them_with_the_saved_rules(tmp_path):
    """Of the characters at the end of a text, no sample shows what becomes."""
    made.pieces_between_languages(tmp_path)
    file = tmp_path / "tokenizer.json"
    saved = Tokenizer.from_file(str(file))
    saved.normalizer = normalizers.Sequence([normalizers.Strip(left=False, right=True)])
    saved.save(str(file))
    made.fitting(tmp_path, "m2m_100", 400, decoder_start_token_id=2)
    loaded = load_tokenizer(tmp_path)
    assert type(loaded) is NllbTokenizer
    assert loaded("the cat ").tokens() == ["deu_Latn", "▁the", "▁cat", "</s>"]
    assert loaded(text_target="the cat ").tokens() == ["fra_Latn", "▁the", "▁cat", "</s>"]


def test_types_of_tokens_are_those_that_were_saved(tmp_path):
    """As BERT's pairs, of which a model was trained with one type alone."""
    made.wordpiece_cased(tmp_path)
    file = tmp_path / "tokenizer.json"
    saved = Tokenizer.from_file(str(file))
    saved.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:0 [SEP]:0",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    saved.save(str(file))
    made.fitting(tmp_path, "bert", 400)
    assert set(load_tokenizer(tmp_path)("the", "cat")["token_type_ids"]) == {0}
