"""Predictions do not depend on how they are batched."""

import numpy as np
import pytest
import torch

from attention_mixing.models.predict import predict

CPU = {"device": torch.device("cpu"), "precision": "float32"}


@pytest.fixture(scope="module")
def model(make_model):
    return make_model("bert", "ForSequenceClassification", num_labels=3)


@pytest.mark.parametrize("batch_size", [2, 64])
def test_answers_are_those_of_the_model_alone(model, tokenizer, encoded, texts, batch_size):
    logits = predict(model, encoded, batch_size=batch_size, **CPU)
    for row, text in zip(logits, texts, strict=True):
        with torch.inference_mode():
            expected = model(**tokenizer(text, return_tensors="pt")).logits[0]
        np.testing.assert_allclose(row, expected, atol=1e-5)


def test_a_model_left_in_training_mode_is_asked_without_dropout(model, tokenizer, encoded):
    expected = predict(model, encoded, batch_size=4, **CPU)
    model.train()
    np.testing.assert_array_equal(predict(model, encoded, batch_size=4, **CPU), expected)
