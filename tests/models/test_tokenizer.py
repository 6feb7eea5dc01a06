"""A loaded tokenizer makes the tokens that its model was trained with."""

import json

import pytest
from refusals import refusal
from tokenizers import Tokenizer, normalizers
from transformers import BertTokenizerFast

from attention_mixing.models.tokenizer import PROBES, STATED, load_tokenizer

VOCABULARY = {
    word: place for place, word in enumerate("[PAD] [UNK] [CLS] [SEP] [MASK] the The cat".split())
}


@pytest.fixture
def cased(tmp_path, make_model):
    """A model with a tokenizer that heeds case."""
    tokenizer = BertTokenizerFast(vocab=VOCABULARY, do_lower_case=False)
    tokenizer.save_pretrained(tmp_path)
    make_model("bert").save_pretrained(tmp_path)
    return tmp_path


def saved(directory) -> Tokenizer:
    return Tokenizer.from_file(str(directory / "tokenizer.json"))


def rewritten(directory, change) -> None:
    """Change what ``tokenizer.json`` says."""
    file = directory / "tokenizer.json"
    rules = json.loads(file.read_text(encoding="utf-8"))
    change(rules)
    file.write_text(json.dumps(rules), encoding="utf-8")


def silent(directory) -> None:
    """Drop the settings that say how the class is to split texts."""
    file = directory / "tokenizer_config.json"
    stated = json.loads(file.read_text(encoding="utf-8"))
    kept = {key: value for key, value in stated.items() if key not in STATED}
    file.write_text(json.dumps(kept), encoding="utf-8")


def agrees(directory) -> None:
    """Compare with the saved rules, also after what training does: saving and loading again."""
    loaded = load_tokenizer(directory)
    loaded.save_pretrained(directory / "again")
    (directory / "again" / "config.json").write_bytes((directory / "config.json").read_bytes())
    for tokenizer in (loaded, load_tokenizer(directory / "again")):
        for probe in (*PROBES, "The cat", "the The CAT"):
            assert tokenizer(probe)["input_ids"] == saved(directory).encode(probe).ids
        assert tokenizer("The", "cat")["input_ids"] == saved(directory).encode("The", "cat").ids
        assert (tokenizer.cls_token_id, tokenizer.mask_token_id) == (2, 4)
        assert tokenizer.model_input_names[1] == "token_type_ids"
        assert tokenizer.model_max_length == 40


def test_a_tokenizer_is_the_one_that_was_saved(cased):
    agrees(cased)
    assert load_tokenizer(cased).tokenize("The cat") == ["The", "cat"]


def test_case_is_heeded_without_the_settings_that_say_so(cased):
    """By class alone it would be lower-cased."""
    (cased / "tokenizer_config.json").unlink()
    agrees(cased)


def test_a_normaliser_that_the_class_does_not_know_is_kept(cased):
    """As that of XLM-RoBERTa, which makes one of wide and narrow letters."""
    rules = json.loads(normalizers.NFKC().__getstate__())
    rewritten(cased, lambda held: held.update(normalizer=rules))
    silent(cased)
    agrees(cased)
    assert load_tokenizer(cased).tokenize("\uff34he") == ["The"]


def test_a_pair_is_laid_out_as_it_was_saved(cased):
    """RoBERTa puts two separators between the texts, BERT one."""
    separator = {"SpecialToken": {"id": "[SEP]", "type_id": 0}}
    rewritten(cased, lambda held: held["post_processor"]["pair"].insert(2, separator))
    silent(cased)
    agrees(cased)


def test_special_tokens_that_are_not_in_the_vocabulary_are_refused(cased):
    """Which of the others they are, only the missing settings say."""

    def renamed(held):
        for token in (*held["added_tokens"], held["model"]):
            for key in ("content", "unk_token"):
                if key in token:
                    token[key] = token[key].replace("[UNK]", "<unk>")
        held["model"]["vocab"]["<unk>"] = held["model"]["vocab"].pop("[UNK]")

    (cased / "tokenizer_config.json").unlink()
    rewritten(cased, renamed)
    said = refusal(load_tokenizer, cased)
    assert "is not loaded as it was saved: as a BertTokenizer, by default, it splits " in said
    assert "its vocabulary lacks the special tokens of that class [UNK]; copy its" in said


def test_files_that_contradict_each_other_are_refused(cased):
    """One heeds case, the other does not, and neither says which the model was trained with."""
    rewritten(cased, lambda held: held["normalizer"].update(lowercase=True))
    said = refusal(load_tokenizer, cased)
    assert "states do_lower_case otherwise than tokenizer.json, and it splits 'The Cat" in said


def test_a_vocabulary_of_another_family_is_refused(tmp_path, make_model):
    """The words of a SentencePiece model, read as WordPiece: every text would be [UNK]."""
    make_model("bert").save_pretrained(tmp_path)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "▁the", "▁film", "▁good"]
    (tmp_path / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    assert "knows no word of its own vocabulary" in refusal(load_tokenizer, tmp_path)
