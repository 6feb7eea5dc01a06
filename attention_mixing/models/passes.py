"""What a model computes, read off running passes at the places that its structure names.

================  =========================================================  =====================
point             what                                                       shape, of one text
================  =========================================================  =====================
word              word embedding                                             ``[token, d]``
embedding         what enters the first layer                                ``[token, d]``
context           what the output projection of the attention is given       ``[layer, token, d]``
attention_output  what attention adds to the stream                          ``[layer, token, d]``
attention_block   the stream after it                                        ``[layer, token, d]``
ffn_output        what the feed-forward network adds                         ``[layer, token, d]``
layer_output      the stream after that, which leaves the layer              ``[layer, token, d]``
entered           the stream that enters the layer                           ``[layer, token, d]``
================  =========================================================  =====================
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from attention_mixing.models.attention import AttentionCall, record_attention
from attention_mixing.models.dummy_inputs import structure_of
from attention_mixing.models.structure import Layer, Step, Structure

# What is read of each step of a layer: what it adds, and the stream after it.
OF_STEPS = ("attention_output", "attention_block", "ffn_output", "layer_output")
POINTS = ("word", "embedding", "entered", "context", *OF_STEPS)


@dataclass
class Pass:
    """What was read of the passes since the last :meth:`clear`, call by call.

    Attributes
    ----------
    attention
        Calls of the attention function.
    inputs, outputs
        Of modules, by their paths.
    word
        Word embeddings.
    """

    model: PreTrainedModel
    structure: Structure
    attention: list[AttentionCall] = field(default_factory=list)
    inputs: dict[str, list[Tensor]] = field(default_factory=dict)
    outputs: dict[str, list[Tensor]] = field(default_factory=dict)
    word: list[Tensor] = field(default_factory=list)

    def clear(self) -> None:
        """Forget what was read."""
        for read in (*self.inputs.values(), *self.outputs.values(), self.word):
            read.clear()
        self.attention.clear()

    def layers(self) -> Iterator[LayerPass]:
        """Give what each layer did in the only pass since."""
        called: dict[str, int] = {}

        def place(path: str) -> int:
            called[path] = called.get(path, -1) + 1
            return called[path]

        at, between = 0, torch.empty(0)
        for layer in self.structure.layers:
            # The layer of a decoder is two, which part at what its own attention makes of it.
            at = at if layer.stream == "cross" else place(layer.path)
            entered = between if layer.stream == "cross" else self.inputs[layer.path][at]
            text = entered.shape[:-1]  # some networks see all tokens of a batch in one row
            steps = []
            for step in layer.steps:
                path = step.modules[-1]
                index = place(path)
                call = None if step.attention is None else self.attention[step.attention]
                entering, output = (of[path][index] for of in (self.inputs, self.outputs))
                steps.append(StepPass(call, *(of.reshape(*text, -1) for of in (entering, output))))
            layer_pass = LayerPass(entered, self.outputs[layer.path][at], steps)
            if layer.stream == "decoder":
                *_, (_, between) = streams(self.model, layer, layer_pass)
                layer_pass = replace(layer_pass, left=between)
            yield layer_pass

    def of(self, stream: str) -> Iterator[tuple[Layer, LayerPass]]:
        """Give the layers of a stream, and what each did in the only pass since.

        Of an encoder-decoder, ``stream`` is ``encoder``, ``decoder`` or ``cross``; else empty.
        """
        for layer, read in zip(self.structure.layers, self.layers(), strict=True):
            if layer.stream == stream:
                yield layer, read

    def calls(self, stream: str) -> list[AttentionCall]:
        """List the calls of the attention function in a stream (:meth:`of`), ``[layer]``."""
        numbers = (layer.attention.attention for layer in self.structure.of(stream))
        return [self.attention[number] for number in numbers if number is not None]

    def points(self, stream: str) -> dict[str, list[Tensor]]:
        """Lay out the feature points of the only pass since in a stream (:meth:`of`).

        Each point of :data:`POINTS` has a list of ``[batch, token, ...]``: one for ``word`` and
        ``embedding``, else one a layer. In the stream ``decoder``, the network is that which
        follows the look at the source.
        """
        points: dict[str, list[Tensor]] = {point: [] for point in POINTS}
        # The words of a source are looked up before those of its target.
        points["word"] = [self.word[0 if stream == "encoder" else -1]]
        for layer, read in self.of(stream):
            points["entered"].append(read.entered)
            points["context"].append(read.steps[0].given)
            every = [of for step in streams(self.model, layer, read) for of in step]
            for point, of in zip(OF_STEPS, every, strict=False):
                points[point].append(of)
        if stream == "decoder":
            for layer, read in self.of("cross"):
                *_, (added, after) = streams(self.model, layer, read)
                points["ffn_output"].append(added)
                points["layer_output"].append(after)
        points["embedding"] = points["entered"][:1]
        return points

    def gates(self, stream: str) -> list[Tensor]:
        """Lay out what contexts of heads are multiplied with, ``[batch, head, query, head_dim]``.

        One a layer of a stream (:meth:`of`) in the only pass since, of ones where a layer has no
        gate; empty if none has.
        """
        if not any(layer.attention.gated for layer in self.structure.of(stream)):
            return []
        gates = []
        for layer, read in self.of(stream):
            (step,) = (step for step in read.steps if step.call is not None)
            assert step.call is not None
            ungated = torch.ones_like(step.call.context).transpose(1, 2)
            gates.append(step.gate if layer.attention.gated else ungated)
        return gates


@dataclass(frozen=True)
class StepPass:
    """What a step did: an attention and its output projection, or a feed-forward network.

    Attributes
    ----------
    call
        Of the attention function; None for a network.
    given, made
        Of the output projection, or of the last module of the network.
    """

    call: AttentionCall | None
    given: Tensor
    made: Tensor

    @property
    def gate(self) -> Tensor:
        """Ratio of what the projection is given to the context, ``[batch, head, query, head_dim]``.

        0 where the context is 0.
        """
        assert self.call is not None
        context = self.call.context
        entering = self.given.reshape(context.shape)
        ratio = torch.where(context == 0, torch.zeros_like(context), entering / context)
        return ratio.transpose(1, 2)


@dataclass(frozen=True)
class LayerPass:
    """Streams and steps of a layer in a pass.

    Attributes
    ----------
    entered, left
        The stream before and after the layer, ``[batch, token, d]``.
    steps
        What each step did, in their order.
    """

    entered: Tensor
    left: Tensor
    steps: list[StepPass]


@contextmanager
def read_passes(model: PreTrainedModel) -> Iterator[Pass]:
    """Read every pass of a model inside the block; clear what was read between passes.

    The model is to be in evaluation mode; refusals are those of
    :func:`attention_mixing.models.dummy_inputs.structure_of`. What is yielded grows with every
    pass.
    """
    structure = structure_of(model)
    record = Pass(model, structure)
    paths = dict.fromkeys(layer.path for layer in structure.layers)
    paths |= dict.fromkeys(step.modules[-1] for layer in structure.layers for step in layer.steps)
    with ExitStack() as stack:
        record.attention = stack.enter_context(record_attention(model))
        for path in paths:
            inputs = record.inputs.setdefault(path, [])
            outputs = record.outputs.setdefault(path, [])
            hook = partial(_keep, inputs, outputs)
            module = model.get_submodule(path)
            stack.enter_context(module.register_forward_hook(hook, with_kwargs=True))
        hook = partial(_keep, [], record.word)
        for words in word_embeddings(model):
            stack.enter_context(words.register_forward_hook(hook, with_kwargs=True))
        yield record


def word_embeddings(model: PreTrainedModel) -> list[nn.Module]:
    """List the modules that look up words, of an encoder-decoder those of both its parts.

    A table that both parts share is listed once.
    """
    parts = [model]
    if model.config.is_encoder_decoder:
        parts = [model.get_encoder(), model.get_decoder()]
    return list(dict.fromkeys(component.get_input_embeddings() for component in parts))


def _keep(
    inputs: list[Tensor],
    outputs: list[Tensor],
    module: nn.Module,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    output: Tensor | tuple[Tensor, ...],
) -> None:
    inputs.append(first_tensor(args, kwargs))
    outputs.append(output if isinstance(output, Tensor) else output[0])


def first_tensor(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor:
    """Find the stream among the arguments of a layer, or of a module of one: the first tensor.

    ``args`` and ``kwargs`` are as a hook is given them.
    """
    return next(value for value in (*args, *kwargs.values()) if isinstance(value, Tensor))


def streams(
    model: PreTrainedModel, layer: Layer, read: LayerPass
) -> Iterator[tuple[Tensor, Tensor]]:
    """Give what each step of a layer adds to the stream, and the stream after it.

    Both are ``[batch, token, d]``.
    """
    stream = read.entered
    for step, step_pass in zip(layer.steps, read.steps, strict=True):
        added = added_by(model, step, step_pass.made)
        stream = joined(model, step, stream, step_pass.made)
        yield added, stream


def joined(model: PreTrainedModel, step: Step, stream: Tensor, output: Tensor) -> Tensor:
    """Give the stream after a step, of the stream before it and of what its last module made.

    All are ``[..., d]``.
    """
    total = stream + added_by(model, step, output)
    return total if step.after is None else model.get_submodule(step.after)(total)


def made_by(model: PreTrainedModel, step: Step, rows: Tensor) -> Tensor:
    """Give what a network makes of the stream once it is normalised: its modules, one by one.

    ``step`` is a network. ``rows``, which its first module is given, and what comes of them are
    ``[batch, token, d]``.
    """
    text = rows.shape[:-1]  # experts see all tokens of a batch in one row, and some leave it so
    for path in step.modules:
        output = model.get_submodule(path)(rows)
        rows = output if isinstance(output, Tensor) else output[0]
    return rows.reshape(*text, -1)


def added_by(model: PreTrainedModel, step: Step, output: Tensor) -> Tensor:
    """Give what a step adds to the stream, of what its last module made, both ``[..., d]``."""
    if step.of_output is not None:
        output = model.get_submodule(step.of_output)(output)
    if isinstance(step.scale, str):
        return output * model.get_parameter(step.scale)
    return output if step.scale == 1 else output * step.scale
