"""What the configuration of a model says of its numbers; it needs no torch.

How a model is put together is read off the model (:mod:`attention_mixing.models.structure`), not
from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attention_mixing.errors import InputError, quoted
from attention_mixing.settings.experiment import Length
from attention_mixing.settings.values import MOST

# What configurations call the numbers of layers, of heads and of tokens at most.
LAYERS = ("num_hidden_layers", "n_layers", "n_layer", "num_layers", "encoder_layers")
HEADS = ("num_attention_heads", "n_heads", "n_head", "num_heads", "encoder_attention_heads")
POSITIONS = ("max_position_embeddings", "n_positions")


def layers_and_heads(config: Mapping[str, Any]) -> tuple[int, int]:
    """Count the layers, and the heads of a layer, by the ``config.json`` of a model.

    A configuration that does not say is refused.
    """
    return _number(config, LAYERS), _number(config, HEADS)


def positions(config: Mapping[str, Any]) -> int:
    """Count the places of tokens that a model has, by its ``config.json``.

    The padding before the first token has places too, and the model may take fewer tokens
    (:func:`attention_mixing.models.dummy_inputs.most_tokens`). One that states none knows positions
    relative to each other only, as T5, and has :data:`MOST`.
    """
    return next((int(config[name]) for name in POSITIONS if config.get(name) is not None), MOST)


def _number(config: Mapping[str, Any], names: tuple[str, ...]) -> int:
    for name in names:
        if config.get(name) is not None:
            return int(config[name])
    raise InputError(
        f"the configuration of a {config.get('model_type')} has no {names[0]}; allowed: an encoder "
        "or a decoder of texts; choose such a model."
    )


def require_positions(length: Length, most: int, place: str = "") -> None:
    """Refuse to read more tokens at once than the ``most`` that a model takes.

    Messages put ``place``, such as the path of the section, before ``length``.
    """
    if length.max_tokens > most:
        longer = "; a longer context is read in windows" if length.stride else ""
        raise InputError(
            f"{place}length.max_tokens is {length.max_tokens} but the model takes at most {most} "
            f"tokens; lower it{longer}."
        )


def require_possible(config: Mapping[str, Any], file: Path) -> None:
    """Refuse a ``config.json`` that no encoder can have.

    That is one with an impossible number of parts, a padding token beyond its vocabulary, or what
    :func:`require_computed` refuses. ``transformers`` loads a model without layers, and breaks over
    others in ways of its own.
    """
    vocabulary = config.get("vocab_size")
    for names in (LAYERS, HEADS, POSITIONS, ("vocab_size",), ("pad_token_id",)):
        for key in names:
            value = config.get(key)
            padding = key == "pad_token_id"
            if key not in config or (padding and value is None):
                continue
            allowed = (
                range(vocabulary) if padding and type(vocabulary) is int else range(1, MOST + 1)
            )
            if type(value) is not int or value not in allowed:
                raise InputError(
                    f"{file} has {key} {quoted(value)}; allowed: {allowed[0]} to {allowed[-1]}; "
                    "copy the model again."
                )
    require_computed(config, str(file))


def require_computed(config: Mapping[str, Any], name: str) -> None:
    """Refuse what a model may be configured to, and is not read.

    That is attention to another text, and relative positions by ``position_embedding_type``.
    Messages call the model ``name``.
    """
    if config.get("add_cross_attention"):
        raise InputError(
            f"{name} has add_cross_attention {quoted(config['add_cross_attention'])}: it is the "
            "decoder of a pair; allowed: false; choose a whole model."
        )
    # Of former versions of transformers; this one computes without them, and says nothing.
    if (embedded := config.get("position_embedding_type") or "absolute") != "absolute":
        raise InputError(
            f"{name} has position_embedding_type {quoted(embedded)}, which transformers no longer "
            "computes; allowed: absolute; choose another model."
        )
