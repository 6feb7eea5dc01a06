"""What an image classifier sees: the input of its head, in evaluation mode, from safetensors."""

import json
import sys

import numpy as np
import pytest
import torch
import transformers

from attention_mixing.errors import InputError
from attention_mixing.models.image_classifier import IMAGES, ImageClassifier
from attention_mixing.models.source import locate
from attention_mixing.settings.sources import LocalModel

CPU = {"device": torch.device("cpu"), "precision": "float32"}
PREPROCESSING = {
    "do_normalize": True,
    "image_mean": [0.485, 0.456, 0.406],
    "image_std": [0.229, 0.224, 0.225],
    "size": {"shortest_edge": 224},
}


def resnet():
    config = transformers.ResNetConfig(
        embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1], layer_type="basic", num_labels=5
    )
    model = transformers.ResNetForImageClassification(config)
    # Statistics as after training: those of a new model would hide evaluation mode.
    for module in model.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.running_mean.uniform_(-1, 1)
            module.running_var.uniform_(0.5, 2)
    return model


def vit():
    config = transformers.ViTConfig(
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        image_size=32,
        num_labels=5,
    )
    return transformers.ViTForImageClassification(config)


KINDS = {"resnet": resnet, "vit": vit}


@pytest.fixture
def save(tmp_path):
    def save(kind, **preprocessing):
        torch.manual_seed(0)
        model = KINDS[kind]().eval()
        model.save_pretrained(tmp_path)
        content = json.dumps(PREPROCESSING | preprocessing)
        (tmp_path / "preprocessor_config.json").write_text(content, encoding="utf-8")
        return model

    return save


def load(path, side=32):
    return ImageClassifier(
        locate(LocalModel(source="local", name=str(path)), images=True), side, **CPU
    )


def images(count=3, side=32):
    return np.random.default_rng(0).random((count, side, side))


def normalised(grey):
    mean, deviation = (
        torch.tensor(PREPROCESSING[name]).view(3, 1, 1) for name in ("image_mean", "image_std")
    )
    return (torch.tensor(grey, dtype=torch.float32)[:, None].repeat(1, 3, 1, 1) - mean) / deviation


@pytest.mark.parametrize("kind", KINDS)
def test_the_head_makes_the_models_answer_of_the_features(kind, save, tmp_path):
    model = save(kind)
    found = load(tmp_path)
    features = found.features(images())
    assert found.size == 16
    assert features.dtype == np.float32
    assert features.shape == (3, 16)
    with torch.inference_mode():
        answer = model(normalised(images())).logits
        head = model.classifier[-1] if kind == "resnet" else model.classifier
        np.testing.assert_allclose(head(torch.tensor(features)), answer, atol=1e-5)


def test_batches_change_nothing(save, tmp_path):
    save("resnet")
    many = images(IMAGES + 3)
    found = load(tmp_path)
    alone = np.concatenate([found.features(each[None]) for each in many])
    np.testing.assert_allclose(found.features(many), alone, atol=1e-6)


def test_values_are_brought_to_the_scale_of_the_directory(save, tmp_path):
    save("resnet")
    plain = load(tmp_path).features(images())
    save("resnet", rescale_factor=1 / 510)
    np.testing.assert_allclose(load(tmp_path).features(2 * images()), plain, atol=1e-5)
    mean, deviation = PREPROCESSING["image_mean"][0], PREPROCESSING["image_std"][0]
    save("resnet", image_mean=[mean] * 3, image_std=[deviation] * 3)
    grey = load(tmp_path).features(images())
    save("resnet", do_normalize=False)
    by_hand = load(tmp_path).features((images() - mean) / deviation)
    np.testing.assert_allclose(by_hand, grey, atol=1e-4)


def test_preprocessing_that_is_not_told_is_refused(save, tmp_path):
    save("resnet", image_mean=None)
    with pytest.raises(InputError, match="names no image_mean"):
        load(tmp_path)
    (tmp_path / "preprocessor_config.json").unlink()
    with pytest.raises(InputError, match=r"no readable preprocessor_config\.json"):
        load(tmp_path)


def test_a_size_that_the_model_cannot_read_is_refused(save, tmp_path):
    save("vit", size={"height": 32, "width": 32})
    with pytest.raises(InputError, match=r"heads\.side is 24 but .* trained with, 32"):
        load(tmp_path, side=24)


def test_neither_torchvision_nor_pillow_is_needed(save, tmp_path, monkeypatch):
    for module in ("torchvision", "PIL"):
        monkeypatch.setitem(sys.modules, module, None)
    save("resnet")
    assert load(tmp_path).features(images()).shape == (3, 16)
