"""Which part of a layer each weight of a model is of, and models with some parts of another."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Literal, TypeVar, get_args

import torch
from torch import Tensor
from torch.nn import Parameter
from transformers import PreTrainedModel

from attention_mixing.errors import InputError
from attention_mixing.models.attention import record_attention
from attention_mixing.models.dummy_inputs import dummy_inputs, structure_of

__all__ = ["ROLES", "Role", "exchanged", "weight_roles"]

_Model = TypeVar("_Model", bound=PreTrainedModel)
Role = Literal["query_key", "value_output", "feed_forward", "rest"]
ROLES: tuple[Role, ...] = get_args(Role)
"""Queries and keys; values and what is made of the context of heads; feed-forward networks; all
else, such as normalisations and embeddings."""


def weight_roles(model: PreTrainedModel) -> dict[str, Role]:
    """Tell of which part of a layer each parameter of a model is.

    Of an attention that is what its queries and keys, or its values, are made of: gradients of a
    pass over a short text tell, whatever is done to them on the way.

    Parameters
    ----------
    model
        Of one text, in float32 and evaluation mode.

    Returns
    -------
    dict
        By the name of the parameter, one of :data:`ROLES`.

    Raises
    ------
    InputError
        If it is put together in a way that is not read, or queries, keys and values are made by the
        same weights.
    """
    roles: dict[str, Role] = {}
    layers = {layer.path: layer for layer in structure_of(model).layers}  # some are shared
    text, _ = dummy_inputs(model)
    with _every_gradient(model), record_attention(model) as calls:
        model(**text)
        for layer in layers.values():
            of_layer = _below(model, [layer.path])
            for step in layer.steps:
                norms = (step.before, step.of_output, step.after, *step.context)
                roles |= dict.fromkeys(_below(model, filter(None, norms)), "rest")
                own: Role = "feed_forward" if step.attention is None else "value_output"
                roles |= dict.fromkeys(_below(model, step.modules), own)
            for step in layer.steps:
                if step.attention is None:
                    continue
                call = calls[step.attention]
                left = {name: one for name, one in of_layer.items() if name not in roles}
                of_scores, of_values = _makes(left, call.query, call.key), _makes(left, call.value)
                if of_scores & of_values:
                    raise InputError(
                        f"the attention of {layer.path} makes queries, keys and values by the same "
                        f"weights ({', '.join(sorted(of_scores & of_values))}), of which none are "
                        "of values alone; allowed: attention such as BERT's or Llama's; choose "
                        "another model."
                    )
                roles |= dict.fromkeys(of_scores, "query_key")
                roles |= dict.fromkeys(of_values, "value_output")
    return {name: roles.get(name, "rest") for name, _ in model.named_parameters()}


@contextmanager
def _every_gradient(model: PreTrainedModel) -> Iterator[None]:
    """Have every parameter take part in gradients inside the block."""
    frozen = [one for one in model.parameters() if not one.requires_grad]
    for one in frozen:
        one.requires_grad_(True)
    try:
        with torch.enable_grad():
            yield
    finally:
        for one in frozen:
            one.requires_grad_(False)


def _below(model: PreTrainedModel, paths: Iterable[str]) -> dict[str, Parameter]:
    """Choose the parameters of modules, by their names."""
    starts = tuple(f"{path}." for path in paths)
    return {name: one for name, one in model.named_parameters() if name.startswith(starts)}


def _makes(parameters: Mapping[str, Parameter], *made: Tensor) -> set[str]:
    """Name the parameters that tensors are made with."""
    if not parameters:
        return set()
    slopes = torch.autograd.grad(
        [one.sum() for one in made],
        [*parameters.values()],
        retain_graph=True,
        allow_unused=True,
    )
    return {name for name, slope in zip(parameters, slopes, strict=True) if slope is not None}


def exchanged(model: _Model, other: _Model, roles: Iterable[Role]) -> _Model:
    """Make a copy of a model that has the weights of some parts from another.

    Parameters
    ----------
    model, other
        Of the same architecture. Left as they are.
    roles
        Which weights are the other's, of :data:`ROLES`.

    Returns
    -------
    PreTrainedModel
        Of their class, in evaluation mode.
    """
    chosen, of = {*roles}, weight_roles(model)
    made, given = copy.deepcopy(model), dict(other.named_parameters())
    weights: dict[str, Tensor] = {
        name: given[name].detach() for name, role in of.items() if role in chosen
    }
    made.load_state_dict(weights, strict=False)
    made.eval()
    return made
