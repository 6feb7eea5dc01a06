"""The steps that are read off a model are its own."""

import numpy as np
import pytest
import torch

from attention_mixing.capture.reconstruction import record_steps
from attention_mixing.capture.record import record
from attention_mixing.models.attention import using


@pytest.fixture(scope="module", params=["bert", "distilbert", "gpt2", "llama"])
def model(request, make_model):
    return make_model(request.param, initializer_range=0.3)


@pytest.fixture(scope="module")
def inputs(encoded):
    return {"input_ids": torch.tensor([encoded[0].input_ids])}


@pytest.fixture(scope="module")
def steps(model, inputs):
    arrays, _ = record_steps(model, inputs)
    return arrays


def test_the_model_alone_gives_the_same_steps(model, steps, inputs):
    with torch.inference_mode(), using(model, "eager"):
        output = model(**inputs, output_attentions=True, output_hidden_states=True)
    np.testing.assert_array_equal(steps["attention"], torch.cat(output.attentions))
    np.testing.assert_array_equal(steps["input"], torch.cat(output.hidden_states[:-1]))


def test_the_steps_are_what_is_captured_elsewhere(model, steps, encoded, tokenizer):
    how = {"device": torch.device("cpu"), "precision": "float32", "batch_size": 1}
    ((captured, _),) = record(model, encoded[:1], **how)
    names = dict.fromkeys(("query", "key", "value", "attention", "context"))
    names |= {"output": "attention_output", "block": "attention_block"}
    for name, other in names.items():
        np.testing.assert_allclose(steps[name], captured[other or name], atol=1e-5)


def test_hidden_keys_are_those_without_weight(model, inputs):
    arrays, visible = record_steps(model, inputs)
    causal = model.config.model_type in ("gpt2", "llama")
    expected = np.tril(np.ones(visible.shape[1:], bool)) if causal else True
    assert (visible == expected).all()
    np.testing.assert_array_equal(
        visible[:, None] & (arrays["attention"] >= 0), arrays["attention"] > 0
    )


def test_scores_go_through_softmax_once(steps):
    rows = torch.tensor(steps["scores"]).softmax(-1)
    np.testing.assert_allclose(steps["attention"], rows, atol=1e-7)
    assert np.abs(steps["scores"][steps["scores"] > -1e30]).max() > 1


def hooks(model) -> int:
    return sum(len(m._forward_hooks) + len(m._forward_pre_hooks) for m in model.modules())


def test_a_model_is_left_as_it_was(model, inputs):
    before = model.config._attn_implementation, hooks(model)
    record_steps(model, inputs)
    assert (model.config._attn_implementation, hooks(model)) == before
