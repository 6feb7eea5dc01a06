"""Weights read from files are those of the loaded model."""

from dataclasses import fields

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from analysis.capture.record import record
from analysis.errors import InputError
from analysis.models.architecture import modules
from analysis.models.weights import LayerWeights, read_layers

PARTS = [field.name for field in fields(LayerWeights) if field.name != "activation"]


@pytest.mark.parametrize("kind", ["bert", "roberta", "distilbert"])
@pytest.mark.parametrize("head", [None, "ForSequenceClassification"])
def test_every_weight_is_that_of_the_module(make_model, tmp_path, kind, head):
    model = make_model(kind, head)
    model.save_pretrained(tmp_path)
    layers = read_layers(tmp_path)
    assert len(layers) == model.config.num_hidden_layers
    for index, layer in enumerate(layers):
        for part in PARTS:
            module = modules(model, part)[index]
            own, read = module.state_dict(), getattr(layer, part)
            weight = own["weight"].T if own["weight"].ndim == 2 else own["weight"]
            np.testing.assert_array_equal(read.weight, weight)
            np.testing.assert_array_equal(read.bias, own["bias"])
            if part.endswith("norm"):
                assert read.eps == module.eps
        assert layer.activation == "gelu"


@pytest.mark.parametrize("kind", ["bert", "roberta", "distilbert"])
def test_projections_give_the_captured_queries_keys_and_values(
    make_model, tokenizer, encoded, tmp_path, kind
):
    model = make_model(kind)
    model.save_pretrained(tmp_path)
    layers = read_layers(tmp_path)
    heads, head_dim = model.config.num_attention_heads, model.config.hidden_size // 4
    assert heads * head_dim == model.config.hidden_size
    cpu = {"device": torch.device("cpu"), "precision": "float32"}
    for captured, _ in record(model, tokenizer, encoded, batch_size=2, **cpu):
        inputs = [captured["embedding"], *captured["layer_output"][:-1]]
        for layer, (features, weights) in enumerate(zip(inputs, layers, strict=True)):
            for part in ("query", "key", "value"):
                linear = getattr(weights, part)
                for head in range(heads):
                    own = slice(head * head_dim, (head + 1) * head_dim)
                    np.testing.assert_allclose(
                        features @ linear.weight[:, own] + linear.bias[own],
                        captured[part][layer, head],
                        atol=1e-5,
                    )


def test_weights_split_over_files_are_found(make_model, tmp_path):
    model = make_model("bert")
    model.save_pretrained(tmp_path, max_shard_size="20KB")
    assert len(list(tmp_path.glob("*.safetensors"))) > 1
    whole = model.encoder.layer[1].output.dense.bias.detach()
    np.testing.assert_array_equal(read_layers(tmp_path)[1].ffn_output.bias, whole)


def test_a_missing_weight_is_named(make_model, tmp_path):
    make_model("bert").save_pretrained(tmp_path)
    path = tmp_path / "model.safetensors"
    tensors = load_file(path)
    del tensors["encoder.layer.1.output.dense.bias"]
    save_file(tensors, path)
    with pytest.raises(InputError, match=r"lack encoder\.layer\.1\.output\.dense\.bias"):
        read_layers(tmp_path)


def test_normalisations_by_their_old_names_are_found(make_model, tmp_path):
    """As in google-bert/bert-base-uncased."""
    make_model("bert").save_pretrained(tmp_path)
    path, expected = tmp_path / "model.safetensors", read_layers(tmp_path)
    renamed = {
        name.replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta"): tensor
        for name, tensor in load_file(path).items()
    }
    assert any(name.endswith("gamma") for name in renamed)
    save_file(renamed, path)
    for ours, theirs in zip(read_layers(tmp_path), expected, strict=True):
        np.testing.assert_array_equal(ours.ffn_norm.weight, theirs.ffn_norm.weight)
        np.testing.assert_array_equal(ours.attention_norm.bias, theirs.attention_norm.bias)


def test_a_type_that_numpy_lacks_is_refused(make_model, tmp_path):
    make_model("bert").to(torch.bfloat16).save_pretrained(tmp_path)
    with pytest.raises(InputError, match="stored as BF16; allowed: F32, F16"):
        read_layers(tmp_path)


def test_an_unknown_architecture_is_refused(make_model, tmp_path):
    make_model("gpt2").save_pretrained(tmp_path)
    with pytest.raises(InputError, match=r"is a gpt2.*allowed: bert"):
        read_layers(tmp_path)
