"""What a model computes at every step of its attention, read off its own eager implementation.

:mod:`analysis.models.attention` puts a function of this project in the place of the model's; here
the model runs as it is, so that a reconstruction can be compared with it.
"""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from transformers import PreTrainedModel

from analysis.models.attention import using
from analysis.models.reading import structure_of


def record_steps(
    model: PreTrainedModel, inputs: dict[str, Tensor]
) -> dict[str, NDArray[np.float32]]:
    """Run one text through an encoder, in float32, and read every step of every layer.

    Parameters
    ----------
    model
        The bare encoder, in evaluation mode, whose layers normalise after attention. Left as it
        was.
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
    steps: dict[str, list[Tensor]] = {}
    places = _places(model)
    with (
        ExitStack() as hooks,
        torch.inference_mode(),
        using(model, "eager"),
        _Softmax() as softmax,
    ):
        for name, path, side in places:
            hook = partial(_keep, steps.setdefault(name, []), side)
            hooks.enter_context(model.get_submodule(path).register_forward_hook(hook))
        model(**inputs)
    steps |= {"scores": softmax.inputs, "attention": softmax.outputs}
    arrays = {name: torch.cat(seen).float().cpu().numpy() for name, seen in steps.items()}
    heads = int(model.config.num_attention_heads)
    for name in ("query", "key", "value"):
        layers, tokens, width = arrays[name].shape
        arrays[name] = arrays[name].reshape(layers, tokens, heads, width // heads).swapaxes(1, 2)
    return arrays


def _places(model: PreTrainedModel) -> dict[tuple[str, str, str], None]:
    """Where to read each step: its name, the path of a module, and which side of it."""
    places: dict[tuple[str, str, str], None] = {}  # layers may share a module
    for layer in structure_of(model).layers:
        attention = layer.attention
        projection = attention.modules[-1]
        query, key, value = attention.into_heads
        for name, path, side in (
            ("input", query, "input"),
            ("query", query, "output"),
            ("key", key, "output"),
            ("value", value, "output"),
            ("context", projection, "input"),
            ("output", projection, "output"),
            ("block", attention.after, "output"),
        ):
            if path is None:
                raise ValueError(f"{layer.path} has no module for its {name}")
            places[name, path, side] = None
    return places


def _keep(
    kept: list[Tensor], side: str, module: nn.Module, given: tuple[Tensor, ...], output: Tensor
) -> None:
    kept.append(given[0] if side == "input" else output)


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
