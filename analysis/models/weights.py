"""Weights of an encoder's layers and of its head, taken from the model that runs.

They are written beside what was captured from that model, so that a measure that needs a projection
or a layer normalisation starts in well under a second: reading them imports neither torch nor
transformers, and no file of the model is interpreted a second time.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from analysis.artifacts import read_artifact
from analysis.methods.weights import Classifier, LayerNorm, Linear
from analysis.models.architecture import ACTIVATION_KEYS, CLASSIFIERS, modules
from analysis.models.classes import has_sequence_head

if TYPE_CHECKING:
    from torch import nn
    from transformers import PreTrainedConfig, PreTrainedModel

ARRAYS, SETTINGS = "weights.safetensors", "weights.json"
_NAMES = ("weight", "bias")


@dataclass(frozen=True)
class LayerWeights:
    """Weights of one layer.

    Attributes
    ----------
    query, key, value
        Projections into the heads, ``[model_dim, head * head_dim]``: the columns of head h are
        ``h * head_dim`` to ``(h + 1) * head_dim``.
    attention_output
        Output projection of the attention, ``[head * head_dim, model_dim]``.
    attention_norm, ffn_norm
        Layer normalisations after the two residuals.
    ffn_input, ffn_output
        Linear layers of the feed-forward block.
    activation
        Its name between them, as ``transformers`` calls it.
    """

    query: Linear
    key: Linear
    value: Linear
    attention_output: Linear
    attention_norm: LayerNorm
    ffn_input: Linear
    ffn_output: Linear
    ffn_norm: LayerNorm
    activation: str


PARTS = tuple(part.name for part in fields(LayerWeights) if part.name != "activation")


@dataclass(frozen=True)
class ModelWeights:
    """Weights of a model.

    Attributes
    ----------
    layers
        The lowest first.
    classifier
        Of a model with a classification head.
    """

    layers: list[LayerWeights]
    classifier: Classifier | None


def weights_of(model: PreTrainedModel) -> ModelWeights:
    """Take the weights of a loaded model, in its precision.

    Raises
    ------
    InputError
        If the architecture is not known.
    """
    config = model.config.to_dict()
    activation = config[ACTIVATION_KEYS[config["model_type"]]]
    by_part = {part: list(map(_weights, modules(model, part))) for part in PARTS}
    layers = [
        LayerWeights(**dict(zip(PARTS, layer, strict=True)), activation=activation)
        for layer in zip(*by_part.values(), strict=True)
    ]
    classifier = None
    if has_sequence_head(model):
        dense, activation, output = CLASSIFIERS[config["model_type"]]
        base = model.base_model if dense.startswith("pooler") else model
        classifier = Classifier(
            _weights(base.get_submodule(dense)), activation, _weights(model.get_submodule(output))
        )
    return ModelWeights(layers, classifier)


def predicted_bytes(config: PreTrainedConfig) -> int:
    """Size of the weights of the layers of a model, in bytes; norms and biases aside."""
    hidden: int = getattr(config, "intermediate_size", None) or config.hidden_dim
    width: int = config.hidden_size
    return int(config.num_hidden_layers) * 4 * (4 * width**2 + 2 * width * hidden)


def write_weights(directory: Path, weights: ModelWeights) -> None:
    """Write weights as ``ARRAYS`` and what is no array as ``SETTINGS``."""
    from safetensors.numpy import save_file

    arrays: dict[str, NDArray] = {}
    settings: dict[str, Any] = {"layers": []}
    for number, layer in enumerate(weights.layers):
        parts = {part: getattr(layer, part) for part in PARTS}
        for part, tensors in parts.items():
            arrays |= {f"{number}.{part}.{name}": getattr(tensors, name) for name in _NAMES}
        norms = {part: norm.eps for part, norm in parts.items() if isinstance(norm, LayerNorm)}
        settings["layers"].append({"activation": layer.activation, "eps": norms})
    if weights.classifier is not None:
        dense, activation, output = weights.classifier
        for part, linear in {"dense": dense, "output": output}.items():
            arrays |= {f"classifier.{part}.{name}": getattr(linear, name) for name in _NAMES}
        settings["classifier"] = activation
    save_file(arrays, directory / ARRAYS)
    (directory / SETTINGS).write_text(json.dumps(settings) + "\n", encoding="utf-8")


def read_weights(directory: Path) -> ModelWeights:
    """Read what :func:`write_weights` wrote.

    Raises
    ------
    InputError
        If it is missing or damaged.
    """
    arrays = read_artifact(directory / ARRAYS)
    settings = read_artifact(directory / SETTINGS)

    def linear(path: str) -> Linear:
        return Linear(*(arrays[f"{path}.{name}"] for name in _NAMES))

    layers = [
        LayerWeights(
            **{  # type: ignore[arg-type]
                part: LayerNorm(*linear(f"{number}.{part}"), layer["eps"][part])
                if part in layer["eps"]
                else linear(f"{number}.{part}")
                for part in PARTS
            },
            activation=layer["activation"],
        )
        for number, layer in enumerate(settings["layers"])
    ]
    classifier = None
    if "classifier" in settings:
        dense, output = (linear(f"classifier.{part}") for part in ("dense", "output"))
        classifier = Classifier(dense, settings["classifier"], output)
    return ModelWeights(layers, classifier)


def _weights(module: nn.Module) -> Any:
    """Copy the weights of a linear layer, transposed, or of a layer normalisation."""
    weight, bias = (getattr(module, name).detach().cpu().numpy().copy() for name in _NAMES)
    if hasattr(module, "eps"):
        return LayerNorm(weight, bias, float(module.eps))  # type: ignore[arg-type]
    return Linear(np.ascontiguousarray(weight.T), bias)
