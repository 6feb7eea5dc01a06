"""Weights that measures read are those of the model that ran."""

import numpy as np
import pytest
import torch
from families import FAMILIES, build
from known_modules import modules
from safetensors.torch import load_file, save_file

from attention_mixing.methods.layer import Linear, Norm, Residual, apply_norm
from attention_mixing.models.layer_weights import weights_of
from attention_mixing.models.load import load_classifier, load_encoder
from attention_mixing.models.weights import (
    LayerWeights,
    ModelWeights,
    predicted_bytes,
    read_weights,
    write_weights,
)

KINDS = [
    ("bert", None),
    ("bert", "ForSequenceClassification"),
    ("roberta", "ForSequenceClassification"),
    ("distilbert", "ForSequenceClassification"),
    ("distilbert", None),
]


def drawn(make_model, kind, head=None):
    """A model of which no tensor is like any other."""
    model = make_model(kind, head)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.rand_like(parameter))
    return model


def kept(weights: ModelWeights, directory) -> ModelWeights:
    write_weights(directory, weights)
    return read_weights(directory)


@pytest.mark.parametrize(("kind", "head"), KINDS)
def test_what_is_kept_computes_what_the_module_computes(make_model, tmp_path, kind, head):
    model = drawn(make_model, kind, head)
    layers = kept(weights_of(model), tmp_path).layers
    for part in ("attention_output", "attention_norm", "ffn_norm"):
        for layer, module in zip(layers, modules(model, part), strict=True):
            x = torch.rand(3, 32)
            with torch.inference_mode():
                expected = module(x).numpy()
            if part == "attention_output":
                ours = x.numpy() @ layer.projection.weight + layer.projection.bias
            else:
                step = layer.attention if part == "attention_norm" else layer.network
                assert step._replace(after=None) == Residual()
                ours = apply_norm(x.numpy(), step.after)
            np.testing.assert_allclose(ours, expected, atol=1e-5)


@pytest.mark.parametrize(
    ("family", "head"),
    [
        *((family, "") for family in ("gpt_neox", "olmo2", "gemma2", "granite", "bert")),
        *((family, "ForSequenceClassification") for family in ("gpt2", "distilbert")),
    ],
)
def test_what_is_kept_is_what_was_read(make_model, tmp_path, family, head):
    make = build if family in FAMILIES else make_model
    given = weights_of(make(family, head, pad_token_id=0))
    found = kept(given, tmp_path)
    assert (given.classifier is None) == (not head)
    np.testing.assert_equal(found.classifier, given.classifier)
    assert found.read == given.read
    for ours, read in zip(found.layers, given.layers, strict=True):
        np.testing.assert_equal(vars(ours), vars(read))


def test_a_scale_for_every_coordinate_is_kept(tmp_path):
    gain = np.random.default_rng(0).normal(size=4).astype(np.float32)
    projection = Linear(np.eye(4, dtype=np.float32), gain)
    scaled = Residual(before=Norm(gain, 2 * gain, 1e-6, centring=False), scale=3 * gain)
    given = ModelWeights([LayerWeights(projection, scaled, Residual(scale=0.5), beside=True)], None)
    (found,) = kept(given, tmp_path).layers
    np.testing.assert_equal(vars(found), vars(given.layers[0]))


def test_a_file_left_beside_the_model_changes_nothing(model_directory):
    """Of several files with the same tensors, the one counts that the model was loaded from."""
    before = weights_of(load_encoder(model_directory)).layers[0].projection.weight
    other = {name: x + 1 for name, x in load_file(model_directory / "model.safetensors").items()}
    save_file(other, model_directory / "pytorch_model.safetensors", metadata={"format": "pt"})
    after = weights_of(load_encoder(model_directory)).layers[0].projection.weight
    np.testing.assert_array_equal(after, before)


def test_weights_split_over_files_are_those_of_the_whole(make_model, tmp_path):
    model = drawn(make_model, "bert")
    model.save_pretrained(tmp_path, max_shard_size="20KB")
    assert len(list(tmp_path.glob("*.safetensors"))) > 1
    found = weights_of(load_encoder(tmp_path)).layers[1].network.after.offset
    np.testing.assert_array_equal(found, model.encoder.layer[1].output.LayerNorm.bias.detach())


def test_normalisations_by_their_old_names_are_found(make_model, tmp_path):
    """As in google-bert/bert-base-uncased."""
    model = drawn(make_model, "bert")
    model.save_pretrained(tmp_path)
    renamed = {
        name.replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta"): tensor
        for name, tensor in model.state_dict().items()
    }
    assert any(name.endswith("gamma") for name in renamed)
    save_file(renamed, tmp_path / "model.safetensors", metadata={"format": "pt"})
    layers = weights_of(load_encoder(tmp_path)).layers
    for read, module in zip(layers, modules(model, "ffn_norm"), strict=True):
        np.testing.assert_array_equal(read.network.after.gain, module.weight.detach())


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_whatever_they_are_stored_in_they_are_those_that_compute(make_model, tmp_path, dtype):
    model = drawn(make_model, "bert", "ForSequenceClassification").to(dtype)
    model.save_pretrained(tmp_path)
    loaded = load_classifier(tmp_path)
    assert {parameter.dtype for parameter in loaded.parameters()} == {torch.float32}
    stored = model.bert.encoder.layer[0].attention.output.dense.weight.detach().float()
    found = kept(weights_of(loaded), tmp_path).layers[0].projection.weight
    np.testing.assert_array_equal(found, stored.T)


def test_their_size_is_known_before(make_model, tmp_path):
    weights = weights_of(make_model("distilbert"))
    write_weights(tmp_path, weights)
    stored = load_file(tmp_path / "weights.safetensors")
    assert sum(each.nbytes for each in stored.values()) == predicted_bytes(weights)
