"""Weights of a model's layers and of its head, beside what was captured from it.

:mod:`attention_mixing.models.layer_weights` takes them from the model that runs. A measure that
needs a projection or a normalisation starts in well under a second: reading them imports neither
torch nor transformers, and no file of the model is interpreted a second time.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_mixing.artifacts import read_artifact
from attention_mixing.methods.layer import Classifier, Linear, Norm, Residual
from attention_mixing.settings.derived import TARGETS

ARRAYS, SETTINGS = "weights.safetensors", "weights.json"
NORMS = ("before", "of_output", "after")  # of a residual connection


@dataclass(frozen=True)
class LayerWeights:
    """What measures need of one layer: an attention, and the feed-forward network after it.

    Attributes
    ----------
    projection
        Output projection of the attention, ``[head * head_dim, model_dim]``, and what is linear in
        a normalisation before it.
    context
        The normalisation of the context of the heads before the projection, of which only the
        divisor is left to be done; None where there is none.
    attention, network
        How each joins the stream; no network follows the attention of a decoder to its own text,
        where it then looks at a source.
    beside
        Whether the network reads what the attention reads, not what it made of the stream.
    gated
        Whether the context of the heads is multiplied with a gate before the projection.
    stream
        As :class:`attention_mixing.models.structure.Layer` has it.
    """

    projection: Linear
    attention: Residual
    network: Residual | None
    beside: bool
    context: Norm | None = None
    gated: bool = False
    stream: str = ""


@dataclass(frozen=True)
class ModelWeights:
    """What measures need of a model.

    Attributes
    ----------
    layers
        The lowest first.
    classifier
        Of a model with a classification head.
    read
        Row of the token that a prediction is read from: 0, or -1 for the last one.
    """

    layers: list[LayerWeights]
    classifier: Classifier | None
    read: int = 0

    def of(self, stream: str) -> list[LayerWeights]:
        """Choose the layers of a stream, as :class:`LayerWeights` has it, the lowest first."""
        return [layer for layer in self.layers if layer.stream == stream]

    def read_in(self, stream: str) -> int:
        """Give the row of a stream's token that has seen all of its text: 0, or -1 for the last."""
        return -1 if stream in TARGETS else self.read


def predicted_bytes(weights: ModelWeights) -> int:
    """Predict the size of the arrays of weights in bytes, headers aside."""
    arrays, _ = _laid_out(weights)
    return sum(array.nbytes for array in arrays.values())


def write_weights(directory: Path, weights: ModelWeights) -> None:
    """Write weights into a cache, as ``ARRAYS`` and, what is no array, as ``SETTINGS``."""
    from safetensors.numpy import save_file

    arrays, settings = _laid_out(weights)
    save_file(arrays, directory / ARRAYS)
    (directory / SETTINGS).write_text(json.dumps(settings) + "\n", encoding="utf-8")


def _laid_out(weights: ModelWeights) -> tuple[dict[str, NDArray], dict[str, Any]]:
    """Lay weights out as arrays by name and as what is no array."""
    arrays: dict[str, NDArray] = {}

    def linear(path: str, linear_map: Linear) -> None:
        arrays.update({f"{path}.{name}": array for name, array in linear_map._asdict().items()})

    def noted_norm(path: str, norm: Norm) -> dict[str, Any]:
        arrays[f"{path}.gain"], arrays[f"{path}.offset"] = norm.gain, norm.offset
        return {"eps": norm.eps, "centring": norm.centring}

    def residual(path: str, connection: Residual) -> dict[str, Any]:
        noted: dict[str, Any] = {}
        for name in NORMS:
            if (norm := getattr(connection, name)) is not None:
                noted[name] = noted_norm(f"{path}.{name}", norm)
        if isinstance(connection.scale, np.ndarray):
            arrays[f"{path}.scale"] = connection.scale
        else:
            noted["scale"] = connection.scale
        return noted

    settings: dict[str, Any] = {"read": weights.read, "layers": []}
    for number, layer in enumerate(weights.layers):
        linear(f"{number}.projection", layer.projection)
        steps = {"attention": layer.attention, "network": layer.network}
        noted: dict[str, Any] = {
            step: residual(f"{number}.{step}", connection)
            for step, connection in steps.items()
            if connection is not None
        }
        if layer.context is not None:
            noted["context"] = noted_norm(f"{number}.context", layer.context)
        plain = {name: getattr(layer, name) for name in ("beside", "gated", "stream")}
        settings["layers"].append(noted | plain)
    if weights.classifier is not None:
        norm, dense, activation, output = weights.classifier
        settings["classifier"] = {"activation": activation, "norm": None}
        if norm is not None:
            settings["classifier"]["norm"] = noted_norm("classifier.norm", norm)
        if dense is not None:
            linear("classifier.dense", dense)
        linear("classifier.output", output)
    return arrays, settings


def read_weights(directory: Path) -> ModelWeights:
    """Read what :func:`write_weights` wrote; what is missing or damaged is refused."""
    arrays = read_artifact(directory / ARRAYS)
    settings = read_artifact(directory / SETTINGS)

    def linear(path: str) -> Linear:
        return Linear(*(arrays[f"{path}.{name}"] for name in Linear._fields))

    def norm(path: str, noted: dict[str, Any]) -> Norm:
        return Norm(arrays[f"{path}.gain"], arrays[f"{path}.offset"], **noted)

    def residual(path: str, noted: dict[str, Any]) -> Residual:
        norms = {name: norm(f"{path}.{name}", noted[name]) for name in NORMS if name in noted}
        return Residual(**norms, scale=noted.get("scale", arrays.get(f"{path}.scale")))

    layers = [
        LayerWeights(
            linear(f"{number}.projection"),
            attention=residual(f"{number}.attention", noted["attention"]),
            network=residual(f"{number}.network", noted["network"]) if "network" in noted else None,
            beside=noted["beside"],
            context=norm(f"{number}.context", noted["context"]) if "context" in noted else None,
            gated=noted["gated"],
            stream=noted["stream"],
        )
        for number, noted in enumerate(settings["layers"])
    ]
    classifier = None
    if (head := settings.get("classifier")) is not None:
        classifier = Classifier(
            norm("classifier.norm", head["norm"]) if head["norm"] else None,
            linear("classifier.dense") if head["activation"] else None,
            head["activation"],
            linear("classifier.output"),
        )
    return ModelWeights(layers, classifier, settings["read"])
