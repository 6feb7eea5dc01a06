"""A model that is handed over loaded is read as it computes, and left alone."""

import copy

import numpy as np
import pytest
import torch
from refusals import refusal
from torch import nn
from torch.nn.utils import prune
from transformers import BertTokenizerFast

from attention_mixing.capture import capture_text
from attention_mixing.models.layer_weights import into_heads
from attention_mixing.models.user_models import accept

CPU = torch.device("cpu")


def same_numbers(model, tokenizer, expected):
    network, _ = accept(model, tokenizer, CPU)
    ids = torch.tensor([[2, 5, 7, 3]])
    with torch.inference_mode():
        torch.testing.assert_close(network(ids)[0], expected.eval()(ids)[0], rtol=1e-5, atol=1e-6)
    return network


def test_a_model_is_taken_as_it_is(make_model, tokenizer):
    model = make_model("bert")
    assert same_numbers(model, tokenizer, model) is model


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_another_precision_is_read_in_float32_and_left(make_model, tokenizer, dtype):
    model = make_model("bert").to(dtype)
    network = same_numbers(model, tokenizer, copy.deepcopy(model).float())
    assert {parameter.dtype for parameter in network.parameters()} == {torch.float32}
    assert {parameter.dtype for parameter in model.parameters()} == {dtype}


def test_chunks_and_training_are_left_as_they_are(make_model, tokenizer):
    model = make_model("bert", chunk_size_feed_forward=1).train()
    network = same_numbers(model, tokenizer, make_model("bert"))
    assert not network.training
    assert model.training
    assert model.encoder.layer[0].chunk_size_feed_forward == 1


def test_a_part_in_training_mode_is_left_so(make_model, tokenizer):
    model = make_model("bert")
    model.encoder.train()
    same_numbers(model, tokenizer, make_model("bert"))
    assert model.encoder.training


def test_tuples_are_read_by_name(make_model, tokenizer):
    model = make_model("bert")
    model.config.return_dict = False
    same_numbers(model, tokenizer, make_model("bert"))
    assert not model.config.return_dict


class Adapted(nn.Linear):
    """A linear layer as adapters put it in the place of a plain one."""


def adapted(model):
    query = model.encoder.layer[1].attention.self.query
    other = Adapted(query.in_features, query.out_features)
    other.load_state_dict(query.state_dict())
    model.encoder.layer[1].attention.self.query = other
    return model


class Wrapped(nn.Module):
    """A model as the adapters' library wraps it."""

    def merge_and_unload(self):
        raise NotImplementedError


def compiled_in_place(model):
    model.compile()
    return model


def pruned(model):
    prune.l1_unstructured(model.encoder.layer[0].attention.self.query, "weight", 0.5)
    return model


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda _: Wrapped(), "merge its adapter first, with merge_and_unload()"),
        (torch.compile, "give it as it was before torch.compile"),
        (nn.DataParallel, "DataParallel, which cannot be read from inside; allowed: a PreTrained"),
        (lambda model: model.to("meta"), "weights that are not in memory"),
        (compiled_in_place, "BertModel is compiled; give it as it was before compile()"),
    ],
)
def test_what_is_no_plain_model_is_refused(make_model, tokenizer, change, said):
    assert said in refusal(accept, change(make_model("bert")), tokenizer, CPU)


def test_a_model_on_several_devices_is_asked_for_itself(make_model, tokenizer):
    model = nn.DataParallel(make_model("bert"))
    assert refusal(accept, model, tokenizer, CPU).endswith("; give its .module.")
    accept(model.module, tokenizer, CPU)


@pytest.mark.parametrize("change", [pruned, adapted])
def test_a_linear_layer_is_read_whatever_it_is_built_of(make_model, tokenizer, change):
    model, _ = accept(change(make_model("bert")), tokenizer, CPU)
    for layer, (query, _, _) in zip(model.encoder.layer, into_heads(model, "tiny"), strict=True):
        rows = torch.randn(3, 32)
        with torch.inference_mode():
            expected = layer.attention.self.query(rows).numpy()
        np.testing.assert_allclose(rows.numpy() @ query.weight + query.bias, expected, atol=1e-5)


def test_a_tokenizer_that_does_not_fit_is_refused(make_model, tokenizer):
    model = make_model("bert")
    assert "the tokenizer is a str; allowed" in refusal(accept, model, "bert-base-uncased", CPU)
    larger = BertTokenizerFast(vocab=tokenizer.get_vocab() | {"capybaras": 32})
    said = refusal(accept, model, larger, CPU)
    assert "has tokens of ids up to 32, but the model has those up to 31: they belong to" in said


def test_a_token_that_was_added_is_refused_where_a_text_has_it(make_model, tokenizer):
    larger = copy.deepcopy(tokenizer)
    larger.add_tokens(["capybaras"])
    model = make_model("bert")
    accepted, given = accept(model, larger, CPU)
    assert (accepted, given) == (model, larger)
    assert len(capture_text("the film", model=(model, larger)).tokens) == 4
    said = refusal(capture_text, "the capybaras", model=(model, larger))
    assert "has the token 'capybaras' of the id 32, but the model has those up to 31" in said


def test_a_decoder_without_its_encoder_is_refused(make_model, tokenizer):
    crossing = make_model("bert", is_decoder=True, add_cross_attention=True)
    assert "has add_cross_attention True" in refusal(accept, crossing, tokenizer, CPU)
