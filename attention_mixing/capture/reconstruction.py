"""Attention of every layer rebuilt step by step, and compared with what the model computes.

:mod:`attention_mixing.models.attention` puts a function of this project in the place of the
model's; here scores and weights are read off the model's own eager implementation, so that a
reconstruction can be compared with them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from transformers import PreTrainedModel

from attention_mixing.errors import InputError
from attention_mixing.methods.layer import Linear, apply_norm
from attention_mixing.methods.scaled_dot_product import attention_layer, heads_of
from attention_mixing.models.attention import using
from attention_mixing.models.batch import pad
from attention_mixing.models.encode import Encoded
from attention_mixing.models.layer_weights import into_heads, weights_of
from attention_mixing.models.passes import read_passes
from attention_mixing.models.weights import LayerWeights

Arrays = dict[str, NDArray[np.float32]]
Floats = NDArray[np.float64]

# Of the largest value of a step. Rounding in single precision stays far below it; attention of
# another kind (no scale, positions in the scores) is far above.
TOLERANCE = 1e-4

# Step -> the arrays of it that are compared with the model's.
STEPS = {
    "projections": ("query", "key", "value"),
    "scores": ("scores",),
    "weights": ("attention",),
    "context": ("context",),
    "output": ("output",),
    "block": ("block",),
}


def rebuilt_attention(
    model: PreTrainedModel, encoded: Encoded, name: str
) -> tuple[dict[str, Floats], Arrays, NDArray[np.bool_], list[dict[str, Any]]]:
    """Rebuild the attention of every layer on a text, and compare each step with the model's.

    Parameters
    ----------
    model
        The bare model, in evaluation mode. Left as it was.
    encoded
        The text.
    name
        What messages call the model.

    Returns
    -------
    ours, theirs
        Step -> array of all layers.
    visible
        Which keys each query may see, ``[layer, query, key]``.
    compared
        How far each step is off.

    Raises
    ------
    InputError
        If a step differs by more than ``TOLERANCE``.
    """
    theirs, visible = record_steps(model, pad([encoded], model.config, model.device))
    of_layers = zip(weights_of(model, name).layers, into_heads(model, name), strict=True)
    steps = [
        _layer({step: array[layer] for step, array in theirs.items()}, visible[layer], *weights)
        for layer, weights in enumerate(of_layers)
    ]
    common = [step for step in steps[0] if all(step in layer for layer in steps)]
    ours = {step: np.stack([layer[step] for layer in steps]) for step in common}
    return ours, theirs, visible, _compared(ours, theirs, visible, name)


def _layer(
    theirs: Arrays, visible: NDArray[np.bool_], weights: LayerWeights, into: list[Linear | None]
) -> dict[str, Floats]:
    """Rebuild the attention of one layer from what enters it.

    Queries, keys and values that are no linear map of what attention reads, such as those that are
    turned by their positions, are taken as the model has them, and not returned.
    """
    read = apply_norm(theirs["input"].astype(np.float64), weights.attention.before)
    heads = len(theirs["query"])
    rebuilt = {}
    for name, linear in zip(STEPS["projections"], into, strict=True):
        if linear is not None:
            groups = linear.weight.shape[1] // theirs[name].shape[-1]
            rebuilt[name] = heads_of(read, *linear, groups).repeat(heads // groups, axis=0)
    inner = {name: rebuilt.get(name, theirs[name]) for name in STEPS["projections"]}
    return rebuilt | attention_layer(
        theirs["input"],
        **inner,
        output=weights.projection,
        residual=weights.attention,
        visible=visible,
    )


def _compared(
    ours: dict[str, Floats], theirs: Arrays, visible: NDArray[np.bool_], model: str
) -> list[dict[str, Any]]:
    """Largest deviation of every step from the model, over all layers and heads."""
    if ours["scores"].shape != theirs["scores"].shape:
        raise InputError(
            f"the attention of {model} is not plain scaled dot-product attention: a part of it "
            "goes to no token; choose another model for report.focus.experiment."
        )
    pairs: dict[str, tuple[NDArray, NDArray]] = {name: (ours[name], theirs[name]) for name in ours}
    # What hides a key is the lowest number there is, or less.
    mask = visible[:, None]
    pairs["scores"] = np.where(mask, ours["scores"], 0), np.where(mask, theirs["scores"], 0)
    compared = []
    for step, arrays in STEPS.items():
        names = [name for name in arrays if name in ours]
        if not names:
            continue
        deviation = max(float(np.abs(np.subtract(*pairs[name])).max()) for name in names)
        largest = max(float(np.abs(pairs[name][1]).max()) for name in names)
        if not deviation <= TOLERANCE * largest:  # true for nan as well
            raise InputError(
                f"{step} rebuilt from the weights of {model} differ from the model's own by "
                f"{deviation:.2g}, more than {TOLERANCE:g} of their largest value: its attention "
                "is not plain scaled dot-product attention; choose another model for "
                "report.focus.experiment."
            )
        compared.append(
            {
                "step": step,
                "shape": list(ours[names[0]].shape[1:]),
                "deviation": deviation,
                "largest": largest,
            }
        )
    return compared


def record_steps(
    model: PreTrainedModel, inputs: dict[str, Tensor]
) -> tuple[Arrays, NDArray[np.bool_]]:
    """Run one text through a model, in float32, and read every step of every layer.

    Parameters
    ----------
    model
        The bare model, in evaluation mode. Left as it was.
    inputs
        What it is called with, ``[1, token]`` each, on its device.

    Returns
    -------
    arrays
        In float32: ``input`` ``[layer, token, model_dim]``, what enters the layer; ``query``,
        ``key``, ``value`` ``[layer, head, token, head_dim]``, as attention compares and sums them,
        those of groups for each of their heads; ``scores``, the input of the softmax, and
        ``attention``, its output, ``[layer, head, query, key]``; ``context``, the input of the
        output projection, ``output``, that of the projection, ``[layer, token, ...]``; ``block``,
        the stream after what attention adds.
    visible
        Which keys each query may see, ``[layer, query, key]``.
    """
    tensors: dict[str, list[Tensor]] = {}
    with torch.inference_mode():
        with read_passes(model) as read:
            model(**inputs)
            blocks = read.points("")["attention_block"]
            for layer, block in zip(read.layers(), blocks, strict=True):
                first = layer.steps[0]
                assert first.call is not None  # the first step of a layer is its attention
                of_layer = {name: first.call.of_heads(name) for name in ("query", "key", "value")}
                of_layer |= {"input": layer.entered, "visible": first.call.visible}
                of_layer |= {"context": first.given, "output": first.made, "block": block}
                for name, tensor in of_layer.items():
                    tensors.setdefault(name, []).append(tensor)
        with using(model, "eager"), _Softmax() as softmax:
            model(**inputs)
    tensors |= {"scores": softmax.inputs, "attention": softmax.outputs}
    arrays = {name: torch.cat(of_layers).cpu().numpy() for name, of_layers in tensors.items()}
    visible = arrays.pop("visible")
    return {name: array.astype(np.float32) for name, array in arrays.items()}, visible


class _Softmax(TorchFunctionMode):
    """Keep what goes into each softmax of attention and what comes out of it, inside the block."""

    def __init__(self) -> None:
        super().__init__()
        self.inputs: list[Tensor] = []
        self.outputs: list[Tensor] = []

    def __torch_function__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        result = function(*args, **(kwargs or {}))
        # Experts are chosen by a softmax too, over fewer axes.
        if function is nn.functional.softmax and args[0].ndim == 4:
            self.inputs.append(args[0])
            self.outputs.append(result)
        return result
