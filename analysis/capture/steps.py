"""What a model computes at every step of its attention, read off its own eager implementation.

:mod:`analysis.capture.attention` puts a function of this project in the place of the model's; here
the model runs as it is, so that a reconstruction can be compared with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from transformers import PreTrainedModel

from analysis.models.architecture import architecture

RECORDED = (
    "input",
    "query",
    "key",
    "value",
    "scores",
    "attention",
    "context",
    "output",
    "block",
)


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
    before = model.config._attn_implementation
    model.set_attn_implementation("eager")
    try:
        with torch.inference_mode(), _hooks(model) as steps, _Softmax() as softmax:
            model(**inputs)
    finally:
        model.set_attn_implementation(before)
    arrays = {name: torch.cat(steps[name]).float().cpu().numpy() for name in steps if steps[name]}
    heads = int(model.config.num_attention_heads)
    for name in ("query", "key", "value"):
        layers, tokens, width = arrays[name].shape
        arrays[name] = arrays[name].reshape(layers, tokens, heads, width // heads).swapaxes(1, 2)
    for name, seen in (("scores", softmax.inputs), ("attention", softmax.outputs)):
        arrays[name] = torch.cat(seen).float().cpu().numpy()
    return {name: arrays[name] for name in RECORDED}


@contextmanager
def _hooks(model: PreTrainedModel) -> Iterator[dict[str, list[Tensor]]]:
    """Keep inputs and outputs of the modules that are steps, a ``[1, token, dim]`` a layer."""
    known = architecture(model.config.model_type)
    steps: dict[str, list[Tensor]] = {name: [] for name in RECORDED}
    handles = []

    def output_of(path: str, name: str) -> None:
        def hook(module: nn.Module, inputs: tuple[Any, ...], output: Any) -> None:
            steps[name].append(output)

        handles.append(model.base_model.get_submodule(path).register_forward_hook(hook))

    def input_of(path: str, name: str) -> None:
        def hook(module: nn.Module, inputs: tuple[Any, ...]) -> None:
            steps[name].append(inputs[0])

        handles.append(model.base_model.get_submodule(path).register_forward_pre_hook(hook))

    for layer in range(model.config.num_hidden_layers):
        input_of(known.query.format(layer), "input")
        output_of(known.query.format(layer), "query")
        output_of(known.key.format(layer), "key")
        output_of(known.value.format(layer), "value")
        input_of(known.attention_output.format(layer), "context")
        output_of(known.attention_output.format(layer), "output")
        output_of(known.attention_block.format(layer), "block")
    try:
        yield steps
    finally:
        for handle in handles:
            handle.remove()


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
