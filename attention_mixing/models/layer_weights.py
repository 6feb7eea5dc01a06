"""Weights of the layers of a running model, and of its head, by its structure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from itertools import islice, product
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional
from transformers import PreTrainedModel

from attention_mixing.errors import InputError
from attention_mixing.methods.layer import (
    Classifier,
    Linear,
    Norm,
    Residual,
    after_norm,
    apply_norm,
)
from attention_mixing.models.attention import record_attention
from attention_mixing.models.classification import has_sequence_head
from attention_mixing.models.components import apply_linear, close, is_linear, linear, norm
from attention_mixing.models.dummy_inputs import dummy_inputs, structure_of
from attention_mixing.models.passes import first_tensor, read_passes
from attention_mixing.models.structure import Layer, Step
from attention_mixing.models.weights import LayerWeights, ModelWeights

# What can stand between the layers of a classification head, as ``transformers`` calls it
# (:data:`attention_mixing.methods.alti_logit.SECANTS`).
HEADS: dict[str, Callable[[Tensor], Tensor]] = {
    "tanh": torch.tanh,
    "relu": functional.relu,
    "gelu": functional.gelu,
}


def weights_of(model: PreTrainedModel, name: str = "the model") -> ModelWeights:
    """Take the weights of a loaded model, in its precision: of its layers and a classifier's head.

    The model, which messages call ``name``, is to be in float32 and evaluation mode. One with a
    layer that is not as :class:`LayerWeights` has it, or a head that is not as :class:`Classifier`
    has it, is refused.
    """
    structure = structure_of(model, name)
    layers = [_of_layer(model, layer, structure.norms, name) for layer in structure.layers]
    if has_sequence_head(model):
        head = _classifier(model)
        if head is None:
            activations = ", ".join(HEADS)
            raise InputError(
                f"{name} has a head that does not read the first or the last token by one linear "
                f"map, or by two with {activations} in between; choose a model with such a head."
            )
        return ModelWeights(layers, *head)
    # Without a head, a token that the whole text can reach is the one to be read.
    read_layers = [layer for layer in structure.layers if layer.stream in ("", "encoder")]
    ahead = any(layer.sees_ahead for layer in read_layers)
    return ModelWeights(layers, None, read=0 if ahead else -1)


def has_readable_head(model: PreTrainedModel) -> bool:
    """Tell whether the head of a classifier is as :class:`Classifier` has it.

    The model is to be in float32 and evaluation mode, and read as it computes.
    """
    return _classifier(model) is not None


@torch.no_grad()
def _classifier(model: PreTrainedModel) -> tuple[Classifier, int] | None:
    """Read the head of a classifier, and the row of the token that it reads.

    None where the head does something else than :class:`Classifier`.
    """
    called: list[tuple[nn.Module, Tensor]] = []

    def note(module: nn.Module, args: tuple[Tensor, ...], output: object) -> None:
        if args and isinstance(args[0], Tensor) and args[0].is_floating_point():
            called.append((module, args[0]))

    leaves = [module for module in model.modules() if not any(module.children())]
    with ExitStack() as hooks, read_passes(model) as read:
        for module in leaves:
            hooks.enter_context(module.register_forward_hook(note))
        logits = model(**dummy_inputs(model)[0])[0]
        *_, top = read.layers()
    maps = (linear(m, of.shape[-1]) for m, of in reversed(called) if is_linear(m, of.shape[-1]))
    second, first = (*islice(maps, 2), None, None)[:2]
    width = top.left.shape[-1]
    norms = (
        norm(module, width)
        for module, of in reversed(called)
        if of.shape == top.left.shape and of.equal(top.left)
    )
    before = next((normalisation for normalisation in norms if normalisation is not None), None)
    if second is not None:
        for row, final in product((0, -1), (None, before)):
            rows = torch.as_tensor(apply_norm(top.left.cpu().numpy(), final)[:, row]).to(logits)
            if second.weight.shape[0] == width and close(apply_linear(second, rows), logits, 1e-5):
                return Classifier(final, None, None, second), row
            if first is None or first.weight.shape != (width, second.weight.shape[0]):
                continue
            for activation, function in HEADS.items():
                if close(apply_linear(second, function(apply_linear(first, rows))), logits, 1e-5):
                    return Classifier(final, first, activation, second), row
    return None


def _of_layer(
    model: PreTrainedModel, layer: Layer, norms: Mapping[str, Norm], name: str
) -> LayerWeights:
    """Take what measures need of a layer of one attention, and of one network if one follows.

    A layer that is made of something else is refused.
    """

    def refuse(what: str) -> InputError:
        return InputError(
            f"{name} {what} in {layer.path}; allowed: layers of one attention and one feed-forward "
            "network, in this order, a decoder with attention to a source in between; choose such "
            "a model."
        )

    networks = [False] if layer.stream == "decoder" else [False, True]
    if [step.attention is None for step in layer.steps] != networks:
        raise refuse(f"adds {len(layer.steps)} things to its stream")
    attention, network = (*layer.steps, None)[:2]
    assert attention is not None
    if len(attention.context) + attention.gated > 1:
        raise refuse("does more to the context of its heads than to normalise it or to gate it")
    (context,) = (norms[path] for path in attention.context) if attention.context else (None,)
    projection = linear(model.get_submodule(attention.modules[-1]), attention.width)
    if context is not None:
        matrix, constant = projection
        projection = Linear(after_norm(context, matrix), context.offset @ matrix + constant)
    return LayerWeights(
        projection,
        attention=residual_of(model, attention, norms),
        network=None if network is None else residual_of(model, network, norms),
        beside=network is not None and network.beside,
        context=context,
        gated=attention.gated,
        stream=layer.stream,
    )


def into_heads(model: PreTrainedModel, name: str) -> list[list[Linear | None]]:
    """Take the projections into queries, keys and values of every layer, ``[layer][projection]``.

    None where something is done to what they make before it is compared or summed, such as a
    rotation by position, or where one map makes several of them. The model, which messages call
    ``name``, is to be in float32 and evaluation mode.
    """
    return [
        [
            None if path is None else linear(model.get_submodule(path), layer.steps[-1].width)
            for path in layer.attention.into_heads
        ]
        for layer in structure_of(model, name).layers
    ]


@torch.no_grad()
def value_maps(model: PreTrainedModel) -> list[Linear]:
    """Take the linear maps from what each attention reads to the values of its heads, ``[layer]``.

    Whatever modules they are made of: in one pass, every attention is given unit vectors in place
    of the stream, and the values that come of them are the matrix. Heads that share values have
    them once. The model is to be in evaluation mode, and its layers of one stream.
    """
    given = dummy_inputs(model)[0]
    with read_passes(model) as read:
        model(**given)
        modules = dict.fromkeys(call.module for call in read.attention)
        stream = next(read.layers()).entered
    _, tokens, width = stream.shape
    texts = -(-(width + 1) // tokens)
    rows = stream.new_zeros(texts * tokens, width)
    rows[1 : width + 1] = torch.eye(width).to(rows)  # behind one that shows the constant
    rows = rows.reshape(texts, tokens, width)

    def instead(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        entering = first_tensor(args, kwargs)
        named = {name: rows if value is entering else value for name, value in kwargs.items()}
        return tuple(rows if value is entering else value for value in args), named

    with ExitStack() as stack:
        calls = stack.enter_context(record_attention(model))
        for module in modules:
            stack.enter_context(module.register_forward_pre_hook(instead, with_kwargs=True))
        model(**{name: ids.expand(texts, -1) for name, ids in given.items()})
    maps = []
    for call in calls:
        constant, *matrix = call.value.transpose(1, 2).flatten(2).flatten(0, 1)[: width + 1]
        weight = torch.stack(matrix) - constant
        maps.append(Linear(weight.cpu().numpy(), constant.cpu().numpy()))
    return maps


def residual_of(model: PreTrainedModel, step: Step, norms: Mapping[str, Norm]) -> Residual:
    """Take the residual connection by which a step joins the stream.

    ``norms`` has the normalisations by the paths of their modules.
    """
    scale: float | NDArray
    if isinstance(step.scale, str):
        scale = model.get_parameter(step.scale).detach().cpu().numpy().copy()
    else:
        scale = step.scale
    before, of_output, after = (
        None if path is None else norms[path] for path in (step.before, step.of_output, step.after)
    )
    return Residual(before, of_output, after, scale)
