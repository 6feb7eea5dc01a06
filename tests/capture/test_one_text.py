"""One text in memory, read out of a model of every family."""

import numpy as np
import pytest
import torch
from transformers import CamembertTokenizer, RobertaTokenizerFast, XLMRobertaTokenizer

from analysis.capture import capture_text
from analysis.capture.attention import using
from analysis.errors import InputError
from analysis.models.architecture import ARCHITECTURES

TEXT = "the brown capybara is sleeping now"


@pytest.fixture(scope="module", params=ARCHITECTURES)
def model(request, make_model):
    return make_model(request.param)


def test_attention_is_that_of_the_model(model, tokenizer):
    text = capture_text(TEXT, model=(model, tokenizer))
    ids = torch.tensor([tokenizer(TEXT)["input_ids"]])
    with torch.inference_mode(), using(model, "eager"):
        own = torch.cat(model(ids, output_attentions=True).attentions)
    assert text["attention"].shape == own.shape
    np.testing.assert_allclose(text["attention"], own, atol=1e-5)


def test_weights_are_those_of_the_model(model, tokenizer):
    """The captured context, through the output projection as it was read, is the output."""
    text = capture_text(TEXT, model=(model, tokenizer))
    for layer, weights in enumerate(text.weights):
        projected = text["context"][layer] @ weights.attention_output.weight
        np.testing.assert_allclose(
            projected + weights.attention_output.bias, text["attention_output"][layer], atol=1e-5
        )


@pytest.fixture
def own_tokenizer(model, tokenizer):
    """A tokenizer of the family's own kind, of one vocabulary as far as the kinds go."""
    kind, words = model.config.model_type, list(tokenizer.get_vocab())
    if kind in ("bert", "distilbert"):
        return tokenizer
    most = {"model_max_length": tokenizer.model_max_length}
    if kind == "roberta":
        pieces = ["<pad>", "<unk>", "<s>", "</s>", "<mask>", *sorted(set(TEXT.replace(" ", "Ġ")))]
        vocabulary = {piece: index for index, piece in enumerate(pieces)}
        return RobertaTokenizerFast(vocab=vocabulary, merges=[], **most)
    whole = [(f"▁{word}", -1.0) for word in words if word.isalpha()]
    special = [(piece, 0.0) for piece in ("<s>", "<pad>", "</s>", "<unk>", "<mask>")]
    families = {"xlm-roberta": XLMRobertaTokenizer, "camembert": CamembertTokenizer}
    return families[kind](vocab=[*special, *whole, ("▁", -9.0)], **most)


def test_a_directory_holds_the_same_model(model, own_tokenizer, tmp_path):
    model.save_pretrained(tmp_path)
    own_tokenizer.save_pretrained(tmp_path)
    loaded, named = (capture_text(TEXT, model=one) for one in ((model, own_tokenizer), tmp_path))
    np.testing.assert_array_equal(loaded["attention"], named["attention"])
    assert "".join(spelled(named)) == TEXT.replace(" ", "")


def spelled(text) -> list[str]:
    rows = text.tokens[~text.special]
    return [text.example["text"][row.start : row.end] for row in rows.itertuples()]


def test_tokens_are_traced_to_characters(make_model, tokenizer):
    text = capture_text("a dull plot", model=(make_model("bert"), tokenizer))
    assert spelled(text) == ["a", "dull", "plot"]
    assert text.tokens["token"].tolist() == ["[CLS]", "a", "dull", "plot", "[SEP]"]


def test_a_pair_is_one_text(make_model, tokenizer):
    text = capture_text("a dull plot", pair="bad!", model=(make_model("bert"), tokenizer))
    assert spelled(text) == ["a", "dull", "plot", "bad", "!"]
    assert text.tokens["word"].dropna().tolist() == [0, 1, 2, 3, 4]
    assert text["attention"].shape[-1] == 8


def test_a_classifier_predicts(make_model, tokenizer):
    model = make_model("bert", "ForSequenceClassification")
    text = capture_text(TEXT, model=(model, tokenizer))
    with torch.inference_mode():
        (logits,) = model(**tokenizer(TEXT, return_tensors="pt")).logits
    assert text.example["prediction"] == int(logits.argmax())
    assert text.example["probability"] == pytest.approx(float(logits.softmax(-1).max()), abs=1e-6)


def test_arrays_can_be_changed_and_stay(make_model, tokenizer):
    text = capture_text(TEXT, model=(make_model("bert"), tokenizer))
    text["attention"][:] = 0
    assert text["attention"].any()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the text '' has no token the model knows of; give one with a word in it."),
        ("the " * 50, "the text has 52 tokens, but the model takes at most 40; shorten the text."),
    ],
)
def test_texts_that_no_model_reads(make_model, tokenizer, text, said):
    with pytest.raises(InputError, match=said.replace(".", r"\.")):
        capture_text(text, model=(make_model("bert"), tokenizer))


def test_other_families_are_refused(make_model, tokenizer):
    with pytest.raises(InputError, match="gpt2"):
        capture_text(TEXT, model=(make_model("gpt2"), tokenizer))
