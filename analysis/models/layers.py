"""Weights of the layers of a running model, and of its head, by its structure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import islice

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import PreTrainedModel

from analysis.errors import InputError
from analysis.methods.norm import Norm
from analysis.methods.weights import Classifier, LayerNorm, Linear
from analysis.models.classes import has_sequence_head
from analysis.models.parts import close, is_linear, linear, vectors
from analysis.models.reading import probing, read_passes, structure_of
from analysis.models.structure import Layer
from analysis.models.weights import LayerWeights, ModelWeights

# What can stand between the layers of a feed-forward network, as ``transformers`` calls it
# (:data:`analysis.methods.whole_layer.ACTIVATIONS`).
ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": functional.gelu,
    "gelu_new": partial(functional.gelu, approximate="tanh"),
    "relu": functional.relu,
}
# The same for a classification head (:data:`analysis.methods.alti_logit.SECANTS`).
HEADS: dict[str, Callable[[Tensor], Tensor]] = {
    "tanh": torch.tanh,
    "relu": functional.relu,
    "gelu": functional.gelu,
}


def weights_of(model: PreTrainedModel, name: str = "the model") -> ModelWeights:
    """Take the weights of a loaded model, in its precision.

    Parameters
    ----------
    model
        In float32 and evaluation mode.
    name
        What messages call it.

    Raises
    ------
    InputError
        If its tokens do not see each other, or a layer is not as :class:`LayerWeights` has it.
    """
    structure = structure_of(model, name)
    if structure.masked:
        raise InputError(
            f"{name} hides tokens from each other, so that it is no encoder of whole texts; "
            "allowed: a model in which every token sees all others; choose one."
        )
    layers = [_of_layer(model, layer, structure.norms, name) for layer in structure.layers]
    classifier = _classifier(model, name) if has_sequence_head(model) else None
    return ModelWeights(layers, classifier)


@torch.no_grad()
def _classifier(model: PreTrainedModel, name: str) -> Classifier:
    """Read the head of a classifier that reads the first token by two linear maps.

    Raises
    ------
    InputError
        If it does something else.
    """
    called: list[tuple[nn.Module, int]] = []

    def note(module: nn.Module, given: tuple[Tensor, ...], output: object) -> None:
        if given and isinstance(given[0], Tensor) and given[0].is_floating_point():
            called.append((module, given[0].shape[-1]))

    leaves = [module for module in model.modules() if not any(module.children())]
    with ExitStack() as hooks, read_passes(model) as read:
        for module in leaves:
            hooks.enter_context(module.register_forward_hook(note))
        logits = model(**probing(model)[0])[0]
        *_, last = read.layers()
    last_two = islice((linear(*each) for each in reversed(called) if is_linear(*each)), 2)
    second, first = (*last_two, None, None)[:2]
    if first is not None and second is not None:
        for activation, function in HEADS.items():
            ours = _through(second, function(_through(first, last.left[:, 0])))
            if close(ours, logits, 1e-5):
                return Classifier(first, activation, second)
    known = ", ".join(HEADS)
    raise InputError(
        f"{name} has a head that does not read the first token by two linear maps with {known} in "
        "between; choose a model with such a head."
    )


def _of_layer(
    model: PreTrainedModel, layer: Layer, norms: Mapping[str, Norm], name: str
) -> LayerWeights:
    """Take the weights of a layer that is put together as BERT's."""

    def refuse(what: str) -> InputError:
        return InputError(
            f"{name} {what} in {layer.path}; allowed: layers of one attention and one feed-forward "
            "network, each with its residual and a layer normalisation after it; choose such a "
            "model."
        )

    if [step.attention is None for step in layer.steps] != [False, True]:
        raise refuse(f"adds {len(layer.steps)} things to its stream")
    attention, network = layer.steps
    after: list[LayerNorm] = []
    for step in layer.steps:
        if step.after is None or step.before or step.of_output or step.beside or step.scale != 1:
            raise refuse("does not normalise after each step, and nowhere else")
        gain, offset, eps, centring = norms[step.after]
        if not centring:
            raise refuse("normalises without centring")
        after.append(LayerNorm(gain, offset, eps))
    if attention.context or attention.gated:
        raise refuse("does something to the context of its heads")
    width = after[0].weight.shape[0]
    taken = [model.get_submodule(path) for path in attention.into_heads if path is not None]
    if len(taken) != len(attention.into_heads):
        raise refuse("does something to its queries or keys")
    query, key, value = (linear(module, width) for module in taken)
    projection = model.get_submodule(attention.modules[-1])
    modules = [model.get_submodule(path) for path in network.modules]
    read = _network(modules, width)
    if read is None:
        raise refuse(
            f"has a network of other parts than two linear maps and {', '.join(ACTIVATIONS)}"
        )
    first, second, activation = read
    return LayerWeights(
        query=query,
        key=key,
        value=value,
        attention_output=linear(projection, value.weight.shape[1]),
        attention_norm=after[0],
        ffn_input=first,
        ffn_output=second,
        ffn_norm=after[1],
        activation=activation,
    )


@torch.no_grad()
def _network(modules: Sequence[nn.Module], width: int) -> tuple[Linear, Linear, str] | None:
    """Read modules that are two linear maps with an activation in between."""
    called: list[tuple[nn.Module, int]] = []

    def note(module: nn.Module, given: tuple[Tensor, ...], output: Tensor) -> None:
        called.append((module, given[0].shape[-1]))

    inner = [m for module in modules for m in module.modules() if not any(m.children())]
    rows = made = vectors(width, modules[0], 0)
    hooks = [module.register_forward_hook(note) for module in inner]
    for module in modules:
        made = module(made)
    for hook in hooks:
        hook.remove()
    found = [linear(*each) for each in called if is_linear(*each)]
    if len(found) != 2:
        return None
    first, second = found
    for name, activation in ACTIVATIONS.items():
        if close(_through(second, activation(_through(first, rows))), made, 1e-5):
            return first, second, name
    return None


def _through(weights: Linear, rows: Tensor) -> Tensor:
    matrix, constant = (torch.as_tensor(array).to(rows) for array in weights)
    return rows @ matrix + constant
