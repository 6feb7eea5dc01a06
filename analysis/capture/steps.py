"""What a model computes at every step of its attention, read off its own eager implementation.

:mod:`analysis.models.attention` puts a function of this project in the place of the model's; here
the model runs as it is, so that a reconstruction can be compared with it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from transformers import PreTrainedModel

from analysis.models.attention import using
from analysis.models.points import Side, record_points

# What is read of which module of a layer; scores and attention are what the softmax sees.
MODULES: dict[str, tuple[str, Side]] = {
    "input": ("query", "input"),
    "query": ("query", "output"),
    "key": ("key", "output"),
    "value": ("value", "output"),
    "context": ("attention_output", "input"),
    "output": ("attention_output", "output"),
    "block": ("attention_block", "output"),
}


def record_steps(
    model: PreTrainedModel, inputs: dict[str, Tensor]
) -> dict[str, NDArray[np.float32]]:
    """Run one text through an encoder, in float32, and read every step of every layer.

    Parameters
    ----------
    model
        The bare encoder, in evaluation mode. Left as it was.
    inputs
        What it is called with, ``[1, token]`` each, on its device.

    Returns
    -------
    dict
        ``input`` ``[layer, token, model_dim]``, what enters the layer; ``query``, ``key``,
        ``value`` ``[layer, head, token, head_dim]``; ``scores``, the input of the softmax, and
        ``attention``, its output, ``[layer, head, query, key]``; ``context``, the input of the
        output projection, ``output``, that of the projection, and ``block``, after residual and
        layer normalisation, ``[layer, token, model_dim]``.
    """
    with (
        torch.inference_mode(),
        using(model, "eager"),
        record_points(model, MODULES) as modules,
        _Softmax() as softmax,
    ):
        model(**inputs)
    steps = modules | {"scores": softmax.inputs, "attention": softmax.outputs}
    arrays = {name: torch.cat(seen).float().cpu().numpy() for name, seen in steps.items()}
    heads = int(model.config.num_attention_heads)
    for name in ("query", "key", "value"):
        layers, tokens, width = arrays[name].shape
        arrays[name] = arrays[name].reshape(layers, tokens, heads, width // heads).swapaxes(1, 2)
    return arrays


class _Softmax(TorchFunctionMode):
    """Keep what goes into each softmax and what comes out of it, inside the block."""

    def __init__(self) -> None:
        super().__init__()
        self.inputs: list[Tensor] = []
        self.outputs: list[Tensor] = []

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None):
        result = function(*args, **(kwargs or {}))
        if function is nn.functional.softmax:
            self.inputs.append(args[0])
            self.outputs.append(result)
        return result
