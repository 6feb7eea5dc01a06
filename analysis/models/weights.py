"""Read single weights of an encoder's layers from its files, without loading the model.

A measure that needs a projection or a layer normalisation starts in well under a second:
neither torch nor transformers is imported.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.errors import InputError
from analysis.methods.weights import Classifier, LayerNorm, Linear
from analysis.models.architecture import CLASSIFIERS, architecture, layers_and_heads

Array = NDArray[np.float32]


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


def read_layers(directory: Path) -> list[LayerWeights]:
    """Read the layers of an encoder, the lowest first.

    Parameters
    ----------
    directory
        A Hugging Face model directory with ``config.json`` and ``*.safetensors``.

    Raises
    ------
    InputError
        If the architecture is not known, or a weight is missing or not in float32 or float16.
    """
    config = json.loads((directory / "config.json").read_text(encoding="utf-8"))
    return layers_of(config, _stored(directory))


def read_classifier(directory: Path) -> Classifier:
    """Read the classification head of a fine-tuned encoder; errors as of :func:`read_layers`."""
    config = json.loads((directory / "config.json").read_text(encoding="utf-8"))
    architecture(config["model_type"])
    dense, activation, output = CLASSIFIERS[config["model_type"]]
    tensor = _stored(directory)
    return Classifier(_linear(tensor, dense), activation, _linear(tensor, output))


def layers_of(config: dict[str, Any], tensor: Callable[[str], Array]) -> list[LayerWeights]:
    """Sort the weights of an encoder by layer, the lowest first.

    Parameters
    ----------
    config
        As ``config.json`` has it.
    tensor
        Reads one by its path below the base model.

    Raises
    ------
    InputError
        If the architecture is not known.
    """
    known = architecture(config["model_type"])
    layers, _ = layers_and_heads(config)
    # DistilBERT has other names, and no choice of eps.
    activation = config.get("hidden_act") or config["activation"]
    eps = config.get("layer_norm_eps", 1e-12)

    def linear(path: str) -> Linear:
        return _linear(tensor, path)

    def norm(path: str) -> LayerNorm:
        return LayerNorm(tensor(f"{path}.weight"), tensor(f"{path}.bias"), eps)

    return [
        LayerWeights(
            query=linear(known["query"].format(layer)),
            key=linear(known["key"].format(layer)),
            value=linear(known["value"].format(layer)),
            attention_output=linear(known["attention_output"].format(layer)),
            attention_norm=norm(known["attention_norm"].format(layer)),
            ffn_input=linear(known["ffn_input"].format(layer)),
            ffn_output=linear(known["ffn_output"].format(layer)),
            ffn_norm=norm(known["ffn_norm"].format(layer)),
            activation=activation,
        )
        for layer in range(layers)
    ]


def _linear(tensor: Callable[[str], Array], path: str) -> Linear:
    weight = tensor(f"{path}.weight")
    return Linear(np.ascontiguousarray(weight.T), tensor(f"{path}.bias"))


def _stored(directory: Path) -> Callable[[str], Array]:
    """Return what reads a tensor by its path below the base model."""
    from safetensors import safe_open

    tensors: dict[str, Any] = {}
    for file in sorted(directory.glob("*.safetensors")):
        opened = safe_open(file, "np")
        for name in opened.keys():
            # BERT's own files are older than the names of their normalisations.
            path = name.replace("Norm.gamma", "Norm.weight").replace("Norm.beta", "Norm.bias")
            tensors[path] = opened.get_slice(name)

    def read(path: str) -> Array:
        # A model with a head keeps its encoder under a prefix: bert.encoder..., roberta.encoder...
        name = next((n for n in tensors if n == path or n.endswith(f".{path}")), None)
        if name is None:
            raise InputError(f"the weights in {directory} lack {path}; name a complete model.")
        dtype = tensors[name].get_dtype()
        if dtype not in ("F32", "F16"):
            raise InputError(
                f"{name} in {directory} is stored as {dtype}; allowed: F32, F16; save the model "
                "again in one of them."
            )
        return tensors[name][:].astype(np.float32)

    return read
