"""Weights of a model's layers and of its head, beside what was captured from it.

:mod:`analysis.models.layers` takes them from the model that runs. A measure that needs a projection
or a layer normalisation starts in well under a second: reading them imports neither torch nor
transformers, and no file of the model is interpreted a second time.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from analysis.artifacts import read_artifact
from analysis.methods.weights import Classifier, LayerNorm, Linear

if TYPE_CHECKING:
    from transformers import PreTrainedConfig

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


def predicted_bytes(config: PreTrainedConfig) -> int:
    """Size of the weights of the layers of a model, in bytes; norms and biases aside."""
    width: int = config.hidden_size
    named = (getattr(config, key, None) for key in ("intermediate_size", "hidden_dim"))
    hidden: int = next(filter(None, named), 4 * width)  # where none is named, it is four times that
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
