"""Weights read from files are those of the loaded model."""

from dataclasses import fields

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from analysis.errors import InputError
from analysis.models.architecture import modules
from analysis.models.weights import LayerWeights, read_layers

PARTS = [field.name for field in fields(LayerWeights) if field.name != "activation"]


@pytest.fixture
def saved(make_model, tmp_path):
    """Return ``saved(kind, head=None)``: a model in ``tmp_path``, no tensor like any other."""

    def save(kind, head=None, **options):
        model = make_model(kind, head)
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.add_(0.1 * torch.rand_like(parameter))
        model.save_pretrained(tmp_path, **options)
        return model

    return save


def normalised(x, eps):
    return (x - x.mean(axis=1, keepdims=True)) / np.sqrt(x.var(axis=1, keepdims=True) + eps)


@pytest.mark.parametrize(
    ("kind", "head"),
    [("bert", None), ("roberta", "ForSequenceClassification"), ("distilbert", None)],
)
def test_what_is_read_computes_what_the_module_computes(saved, tmp_path, kind, head):
    model = saved(kind, head)
    layers = read_layers(tmp_path)
    assert [layer.activation for layer in layers] == ["gelu", "gelu"]
    for part in PARTS:
        for layer, module in zip(layers, modules(model, part), strict=True):
            read = getattr(layer, part)
            x = torch.rand(3, read.weight.shape[0])
            with torch.inference_mode():
                expected = module(x).numpy()
            if part.endswith("norm"):
                ours = normalised(x.numpy(), read.eps) * read.weight + read.bias
            else:
                ours = x.numpy() @ read.weight + read.bias
            np.testing.assert_allclose(ours, expected, atol=1e-5)


def test_weights_split_over_files_are_found(saved, tmp_path):
    model = saved("bert", max_shard_size="20KB")
    assert len(list(tmp_path.glob("*.safetensors"))) > 1
    whole = model.encoder.layer[1].output.dense.bias.detach()
    np.testing.assert_array_equal(read_layers(tmp_path)[1].ffn_output.bias, whole)


def test_a_missing_weight_is_named(saved, tmp_path):
    saved("bert")
    path = tmp_path / "model.safetensors"
    tensors = load_file(path)
    del tensors["encoder.layer.1.output.dense.bias"]
    save_file(tensors, path)
    with pytest.raises(InputError, match=r"lack encoder\.layer\.1\.output\.dense\.bias"):
        read_layers(tmp_path)


def test_normalisations_by_their_old_names_are_found(saved, tmp_path):
    """As in google-bert/bert-base-uncased."""
    model = saved("bert")
    renamed = {
        name.replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta"): tensor
        for name, tensor in model.state_dict().items()
    }
    assert any(name.endswith("gamma") for name in renamed)
    save_file(renamed, tmp_path / "model.safetensors")
    for read, module in zip(read_layers(tmp_path), modules(model, "ffn_norm"), strict=True):
        np.testing.assert_array_equal(read.ffn_norm.weight, module.weight.detach())
        np.testing.assert_array_equal(read.ffn_norm.bias, module.bias.detach())


def test_a_type_that_numpy_lacks_is_refused(make_model, tmp_path):
    make_model("bert").to(torch.bfloat16).save_pretrained(tmp_path)
    with pytest.raises(InputError, match="stored as BF16; allowed: F32, F16"):
        read_layers(tmp_path)
