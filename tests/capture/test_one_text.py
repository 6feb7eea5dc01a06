"""One text in memory, read out of a model of every family."""

import numpy as np
import pytest
import torch

from analysis.capture import capture_text
from analysis.errors import InputError
from analysis.models.attention import using

TEXT = "the brown capybara is sleeping now"


@pytest.mark.parametrize("kind", ["bert", "distilbert", "roberta", "xlm-roberta", "camembert"])
def test_attention_and_weights_are_those_of_the_model(make_model, tokenizer, kind):
    """The captured context, through the output projection as it was read, is the output."""
    model = make_model(kind)
    text = capture_text(TEXT, model=(model, tokenizer))
    ids = torch.tensor([tokenizer(TEXT)["input_ids"]])
    with torch.inference_mode(), using(model, "eager"):
        own = torch.cat(model(ids, output_attentions=True).attentions)
    np.testing.assert_allclose(text["attention"], own, atol=1e-5)
    for layer, weights in enumerate(text.weights):
        projected = text["context"][layer] @ weights.attention_output.weight
        np.testing.assert_allclose(
            projected + weights.attention_output.bias, text["attention_output"][layer], atol=1e-5
        )


@pytest.fixture(scope="module")
def classifier(make_model, tokenizer):
    return make_model("bert", "ForSequenceClassification"), tokenizer


def spelled(text) -> list[str]:
    rows = text.tokens[~text.special]
    return [text.example["text"][row.start : row.end] for row in rows.itertuples()]


def test_a_directory_holds_the_same_model(classifier, tmp_path):
    for one in classifier:
        one.save_pretrained(tmp_path)
    loaded, named = (capture_text(TEXT, model=model) for model in (classifier, tmp_path))
    np.testing.assert_array_equal(loaded["attention"], named["attention"])
    assert loaded.example.equals(named.example)
    assert "".join(spelled(named)) == TEXT.replace(" ", "")


def test_a_pair_is_one_text(classifier):
    text = capture_text("a dull plot", pair="bad!", model=classifier)
    assert spelled(text) == ["a", "dull", "plot", "bad", "!"]
    assert text.tokens["token"].tolist() == "[CLS] a dull plot [SEP] bad ! [SEP]".split()
    assert text["attention"].shape[-1] == 8


def test_a_classifier_predicts(classifier):
    model, tokenizer = classifier
    text = capture_text(TEXT, model=classifier)
    with torch.inference_mode():
        (logits,) = model(**tokenizer(TEXT, return_tensors="pt")).logits
    assert text.example["prediction"] == int(logits.argmax())
    assert text.example["probability"] == pytest.approx(float(logits.softmax(-1).max()), abs=1e-6)


def test_arrays_can_be_changed_and_stay(classifier):
    text = capture_text(TEXT, model=classifier)
    text["attention"][:] = 0
    assert text["attention"].any()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "'' has no token the model knows of; give one with a word in it"),
        ("the " * 50, "has 52 tokens, but the model takes at most 40; shorten"),
    ],
)
def test_texts_that_no_model_reads(classifier, text, said):
    with pytest.raises(InputError, match=said):
        capture_text(text, model=classifier)
