"""The steps that are read off a model are its own."""

import numpy as np
import pytest
import torch

from analysis.capture.attention import using
from analysis.capture.record import record
from analysis.capture.steps import record_steps


@pytest.fixture(scope="module", params=["bert", "distilbert", "roberta"])
def model(request, make_model):
    return make_model(request.param, initializer_range=0.3)


@pytest.fixture(scope="module")
def text(encoded):
    return encoded[0]


@pytest.fixture(scope="module")
def steps(model, text):
    return record_steps(model, {"input_ids": torch.tensor([text.input_ids])})


def test_shapes_of_the_steps(steps, text):
    tokens = len(text.input_ids)
    for name in ("input", "context", "output", "block"):
        assert steps[name].shape == (2, tokens, 32)
    for name in ("query", "key", "value"):
        assert steps[name].shape == (2, 4, tokens, 8)
    for name in ("scores", "attention"):
        assert steps[name].shape == (2, 4, tokens, tokens)
    assert {array.dtype for array in steps.values()} == {np.dtype(np.float32)}


def test_the_model_alone_gives_the_same_steps(model, steps, text):
    with torch.inference_mode(), using(model, "eager"):
        output = model(
            torch.tensor([text.input_ids]), output_attentions=True, output_hidden_states=True
        )
    np.testing.assert_array_equal(steps["attention"], torch.cat(output.attentions))
    np.testing.assert_array_equal(steps["input"], torch.cat(output.hidden_states[:-1]))


def test_the_steps_are_what_is_captured_elsewhere(model, steps, text, tokenizer):
    ((captured, _),) = record(
        model, tokenizer, [text], device=torch.device("cpu"), precision="float32", batch_size=1
    )
    names = dict.fromkeys(("query", "key", "value", "attention", "context"))
    names |= {"output": "attention_output", "block": "attention_block"}
    for name, other in names.items():
        np.testing.assert_allclose(steps[name], captured[other or name], atol=1e-5)


def test_scores_go_through_softmax_once(steps):
    rows = torch.tensor(steps["scores"]).softmax(-1)
    np.testing.assert_allclose(steps["attention"], rows, atol=1e-7)
    assert np.abs(steps["scores"]).max() > 1


def test_a_model_is_left_as_it_was(model, text):
    before = model.config._attn_implementation
    hooks = sum(len(m._forward_hooks) + len(m._forward_pre_hooks) for m in model.modules())
    ids = torch.tensor([text.input_ids])
    first, second = (record_steps(model, {"input_ids": ids}) for _ in range(2))
    for name, array in first.items():
        np.testing.assert_array_equal(array, second[name])
    assert model.config._attn_implementation == before
    after = sum(len(m._forward_hooks) + len(m._forward_pre_hooks) for m in model.modules())
    assert after == hooks
