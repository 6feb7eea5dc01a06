"""Which part of a layer each weight of a model is of, and models with some parts of another."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Literal, TypeVar, get_args

from torch import Tensor
from transformers import PreTrainedModel

from attention_mixing.errors import InputError
from attention_mixing.models.dummy_inputs import structure_of

__all__ = ["ROLES", "Role", "exchanged", "weight_roles"]

_Model = TypeVar("_Model", bound=PreTrainedModel)
Role = Literal["query_key", "value_output", "feed_forward", "rest"]
ROLES: tuple[Role, ...] = get_args(Role)
"""Queries and keys; values and what is made of the context of heads; feed-forward networks; all
else, such as normalisations and embeddings."""


def weight_roles(model: PreTrainedModel) -> dict[str, Role]:
    """Tell of which part of a layer each parameter of a model is.

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
        If it is put together in a way that is not read, or queries, keys and values have no linear
        maps of their own.
    """
    modules: dict[str, Role] = {}
    for layer in structure_of(model).layers:
        for step in layer.steps:
            if step.attention is None:
                modules |= dict.fromkeys(step.modules, "feed_forward")
                continue
            maps = [path for path in step.into_heads if path is not None]
            if len({*maps}) != 3:
                raise InputError(
                    f"the attention of {layer.path} has no linear maps of its own for queries, "
                    "keys and values that are used as they are; allowed: attention such as BERT's; "
                    "choose another model."
                )
            modules |= dict.fromkeys(maps[:2], "query_key")
            modules |= dict.fromkeys([maps[2], *step.modules], "value_output")
    return {
        name: next((role for path, role in modules.items() if name.startswith(f"{path}.")), "rest")
        for name, _ in model.named_parameters()
    }


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
