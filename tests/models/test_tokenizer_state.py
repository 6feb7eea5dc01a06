"""A tokenizer splits a text in one way, and in languages that somebody stated."""

import json

import pandas as pd
import pytest
import tokenizers_made as made
from refusals import refusal
from transformers import AutoConfig, AutoModel, AutoTokenizer

from attention_mixing.capture import capture_text
from attention_mixing.models.tokenizer import load_tokenizer
from attention_mixing.models.tokenizer_state import samples, without_sampling
from attention_mixing.models.training_rows import target_rows
from attention_mixing.settings.experiment import Length

TRANSLATOR = {"decoder_start_token_id": 2}
TEXT = "the cat the cat the cat"


def restated(directory, **stated) -> None:
    file = directory / "tokenizer_config.json"
    made.write_json(file, json.loads(file.read_text(encoding="utf-8")) | stated)


@pytest.fixture
def nllb(tmp_path):
    """A translator from German, without a language of targets."""
    made.pieces_of_a_language(tmp_path)
    made.fitting(tmp_path, "m2m_100", 300, **TRANSLATOR)
    return tmp_path


def loaded(directory):
    return AutoModel.from_pretrained(directory), AutoTokenizer.from_pretrained(directory)


def test_a_loaded_tokenizer_without_a_target_language_is_refused_and_left_as_it_is(nllb):
    model, tokenizer = loaded(nllb)
    said = refusal(capture_text, "the cat", model=(model, tokenizer), target="cat")
    assert "tgt_lang was not stated, for which transformers would take deu_Latn; state it" in said
    assert tokenizer.tgt_lang is None


def test_so_is_one_that_has_read_a_target_in_the_language_of_its_sources(nllb):
    """It then says that this is the language of targets."""
    model, tokenizer = loaded(nllb)
    tokenizer(text_target="cat")
    assert tokenizer.tgt_lang == "deu_Latn"
    assert "tgt_lang was not stated" in refusal(
        capture_text, "the cat", model=(model, tokenizer), target="cat"
    )


@pytest.mark.parametrize("language", ["fra_Latn", "deu_Latn"])
def test_a_target_is_read_in_the_language_that_was_stated(nllb, language):
    """Also where that is the one of the source."""
    restated(nllb, tgt_lang=language)
    for model in (nllb, loaded(nllb)):
        text = capture_text("the cat", model=model, target="the cat the")
        assert text.of("encoder").tokens["token"].tolist()[0] == "deu_Latn"
        read = text.of("decoder").tokens["token"].tolist()
        assert read == ["</s>", language, "▁the", "▁cat", "▁the"]


def test_a_language_that_is_set_on_a_tokenizer_is_heeded(nllb):
    model, tokenizer = loaded(nllb)
    tokenizer.tgt_lang = "fra_Latn"
    text = capture_text("the cat", model=(model, tokenizer), target="the")
    assert text.of("decoder").tokens["token"].tolist() == ["</s>", "fra_Latn", "▁the"]


def test_a_target_to_learn_with_a_token_that_the_model_lacks_is_refused(nllb):
    restated(nllb, tgt_lang="fra_Latn")
    tokenizer, config = load_tokenizer(nllb), AutoConfig.from_pretrained(nllb)
    tokenizer.add_tokens(["<image>"])
    config.vocab_size = tokenizer.convert_tokens_to_ids("<image>")
    length = Length(max_tokens=40, longer="refuse")
    examples = pd.DataFrame({"text": ["the cat"], "target": ["the <image>"]})
    said = refusal(target_rows, examples, tokenizer, length, config)
    assert "a text has the token '<image>' of the id" in said
    (row,) = target_rows(examples.assign(target="the cat"), tokenizer, length, config)
    assert row["labels"] == tokenizer(text_target="the cat")["input_ids"]


def test_merges_are_not_left_out_by_chance(tmp_path):
    made.bytes_by_chance(tmp_path)
    made.fitting(tmp_path, "llama", 400)
    tokenizer = load_tokenizer(tmp_path)
    read = [tokenizer.tokenize(TEXT) for _ in range(20)]
    assert read == [["the", "Ġcat", "Ġthe", "Ġcat", "Ġthe", "Ġcat"]] * 20


def test_a_loaded_tokenizer_is_read_without_chance_and_left_as_it_is(tmp_path):
    made.bytes_by_chance(tmp_path)
    made.fitting(tmp_path, "llama", 400)
    model, tokenizer = loaded(tmp_path)
    for _ in range(5):
        read = capture_text(TEXT, model=(model, tokenizer)).tokens["token"].tolist()
        assert read == ["the", "Ġcat", "Ġthe", "Ġcat", "Ġthe", "Ġcat"]
    assert tokenizer.backend_tokenizer.model.dropout == 0.5


def test_pieces_are_not_drawn_by_chance(tmp_path):
    made.pieces_by_chance(tmp_path)
    made.fitting(tmp_path, "m2m_100", 400, decoder_start_token_id=0)
    pieces = "▁ t h e ▁m at ▁ o n ▁ t h e ▁s e a".split()
    model, tokenizer = loaded(tmp_path)
    for given in (tmp_path, (model, tokenizer)):
        for _ in range(5):
            text = capture_text("the cat", model=given, target="the mat on the sea")
            assert text.of("decoder").tokens["token"].tolist()[2:] == pieces
    assert samples(tokenizer)


def test_a_tokenizer_without_chance_is_used_as_it_is(tokenizer):
    assert without_sampling(tokenizer) is tokenizer
