"""What a model computes at every step of its attention, read off its own eager implementation.

:mod:`attention_mixing.models.attention` puts a function of this project in the place of the
model's; here scores and weights are those of the model as it is, so that a reconstruction can be
compared with them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from transformers import PreTrainedModel

from attention_mixing.models.attention import using
from attention_mixing.models.passes import read_passes

Arrays = dict[str, NDArray[np.float32]]


@dataclass(frozen=True)
class Steps:
    """Every step of every layer on one text.

    Attributes
    ----------
    arrays
        ``input`` ``[layer, token, model_dim]``, what enters the layer; ``query``, ``key``,
        ``value`` ``[layer, head, token, head_dim]``, as attention compares and sums them, those of
        groups for each of their heads; ``scores``, the input of the softmax, and ``attention``, its
        output, ``[layer, head, query, key]``; ``context``, the input of the output projection,
        ``output``, that of the projection, ``[layer, token, ...]``; ``block``, the stream after
        what attention adds.
    visible
        Which keys each query may see, ``[layer, query, key]``.
    """

    arrays: Arrays
    visible: NDArray[np.bool_]


def record_steps(model: PreTrainedModel, inputs: dict[str, Tensor]) -> Steps:
    """Run one text through a model, in float32, and read every step of every layer.

    Parameters
    ----------
    model
        The bare model, in evaluation mode. Left as it was.
    inputs
        What it is called with, ``[1, token]`` each, on its device.

    Returns
    -------
    Steps
        In float32, heads of a group each with its keys and values.
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
    return Steps({name: array.astype(np.float32) for name, array in arrays.items()}, visible)


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
