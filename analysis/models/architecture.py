"""Where the parts of each known encoder are, and what its configuration says of their numbers.

One table of module paths below the base model serves the hooks of a running model
(``analysis.models.points``) and the weights that measures read (``analysis.models.weights``); it
needs no torch.

====================  ==========================================================================
part                  what
====================  ==========================================================================
word                  word embedding
embedding             the whole embedding, position, type and layer normalisation included
query, key, value     projections into the heads of the attention
attention_output      output projection of the attention
attention_norm        layer normalisation after the attention's residual
attention_block       module whose output is that of ``attention_norm``
ffn_input             first linear layer of the feed-forward block
ffn_output            second linear layer of the feed-forward block
ffn_norm              layer normalisation after the feed-forward block's residual
layer_output          module whose output is that of ``ffn_norm``
====================  ==========================================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis.errors import InputError
from analysis.params.sections import MOST, Length

if TYPE_CHECKING:
    from torch import nn
    from transformers import PreTrainedModel

# ``{}`` stands for the layer, counted from 0.
_BERT = {
    "word": "embeddings.word_embeddings",
    "embedding": "embeddings",
    "query": "encoder.layer.{}.attention.self.query",
    "key": "encoder.layer.{}.attention.self.key",
    "value": "encoder.layer.{}.attention.self.value",
    "attention_output": "encoder.layer.{}.attention.output.dense",
    "attention_norm": "encoder.layer.{}.attention.output.LayerNorm",
    "attention_block": "encoder.layer.{}.attention.output",
    "ffn_input": "encoder.layer.{}.intermediate.dense",
    "ffn_output": "encoder.layer.{}.output.dense",
    "ffn_norm": "encoder.layer.{}.output.LayerNorm",
    "layer_output": "encoder.layer.{}",
}
_DISTILBERT = {
    "word": "embeddings.word_embeddings",
    "embedding": "embeddings",
    "query": "transformer.layer.{}.attention.q_lin",
    "key": "transformer.layer.{}.attention.k_lin",
    "value": "transformer.layer.{}.attention.v_lin",
    "attention_output": "transformer.layer.{}.attention.out_lin",
    "attention_norm": "transformer.layer.{}.sa_layer_norm",
    "attention_block": "transformer.layer.{}.sa_layer_norm",
    "ffn_input": "transformer.layer.{}.ffn.lin1",
    "ffn_output": "transformer.layer.{}.ffn.lin2",
    "ffn_norm": "transformer.layer.{}.output_layer_norm",
    "layer_output": "transformer.layer.{}",
}
# ELECTRA is left out: it projects between embedding and encoder, so the embedding point would have
# another width.
ARCHITECTURES = {
    "bert": _BERT,
    "roberta": _BERT,
    "xlm-roberta": _BERT,
    "camembert": _BERT,
    "distilbert": _DISTILBERT,
}
# First linear layer of a classification head, the activation after it, second linear layer.
_ROBERTA_HEAD = ("classifier.dense", "tanh", "classifier.out_proj")
CLASSIFIERS = dict.fromkeys(ARCHITECTURES, _ROBERTA_HEAD) | {
    "bert": ("pooler.dense", "tanh", "classifier"),
    "distilbert": ("pre_classifier", "relu", "classifier"),
}
# What can stand between the layers of a feed-forward block, as ``transformers`` calls it
# (:data:`analysis.methods.whole_layer.ACTIVATIONS`).
ACTIVATIONS = ("gelu", "gelu_new", "relu")
ACTIVATION_KEYS = dict.fromkeys(ARCHITECTURES, "hidden_act") | {"distilbert": "activation"}
# Count positions from the padding index + 1.
PADDING_FIRST = ("roberta", "xlm-roberta", "camembert")


def architecture(model_type: str, name: str = "the model") -> dict[str, str]:
    """Look up the module paths of the architecture that a model's configuration names.

    Parameters
    ----------
    model_type
        As ``config.json`` has it.
    name
        What messages call the model.

    Raises
    ------
    InputError
        If it is not in the table.
    """
    if model_type not in ARCHITECTURES:
        raise InputError(
            f"{name} is a {model_type}, whose feature points are not known; allowed: "
            f"{', '.join(ARCHITECTURES)}; choose such a model."
        )
    return ARCHITECTURES[model_type]


def layers_and_heads(config: Mapping[str, Any]) -> tuple[int, int]:
    """Count them by the configuration of a model.

    Raises
    ------
    InputError
        If its architecture is not known.
    """
    architecture(config["model_type"])
    layers, heads = _layers_and_heads(config)
    return config[layers], config[heads]


def positions(config: Mapping[str, Any]) -> int:
    """Count the tokens that a model takes at most, by its configuration.

    Raises
    ------
    InputError
        If its architecture is not known.
    """
    architecture(str(config.get("model_type")))
    first = config.get("pad_token_id", 1) + 1 if config["model_type"] in PADDING_FIRST else 0
    return int(config["max_position_embeddings"]) - first


def require_positions(length: Length, most: int, place: str = "") -> None:
    """Refuse to read more tokens at once than a model takes; ``place`` leads to ``length``.

    Raises
    ------
    InputError
        With the number that it takes.
    """
    if length.max_tokens > most:
        longer = "; a longer context is read in windows" if length.stride else ""
        raise InputError(
            f"{place}length.max_tokens is {length.max_tokens} but the model takes at most {most} "
            f"tokens; lower it{longer}."
        )


def require_possible(config: Mapping[str, Any], file: Path) -> None:
    """Refuse a configuration that no encoder of a known architecture can have.

    ``transformers`` loads a model without layers, and breaks over others in ways of its own.

    Raises
    ------
    InputError
        On a number of its parts, a padding token beyond its vocabulary, or as
        :func:`require_computed`.
    """
    if str(config.get("model_type")) not in ARCHITECTURES:
        return
    numbers = {"pad_token_id": 0, **config}  # many leave the padding out
    if numbers["pad_token_id"] is None and config["model_type"] not in PADDING_FIRST:
        numbers["pad_token_id"] = 0
    layers, heads = _layers_and_heads(config)
    for key in (layers, heads, "max_position_embeddings", "vocab_size", "pad_token_id"):
        allowed = range(numbers["vocab_size"]) if key == "pad_token_id" else range(1, MOST + 1)
        given = numbers.get(key)
        if type(given) is not int or given not in allowed:
            raise InputError(
                f"{file} has {key} {given!r}; allowed: {allowed[0]} to {allowed[-1]}; copy the "
                "model again."
            )
    require_computed(config, str(file))


def require_computed(config: Mapping[str, Any], name: str) -> None:
    """Refuse what a model of a known architecture may be configured to, and is not read.

    Parameters
    ----------
    config
        Of the model.
    name
        What messages call it.

    Raises
    ------
    InputError
        On a decoder, relative positions, or an activation that is not known.
    """
    for key in ("is_decoder", "add_cross_attention"):
        if config.get(key):
            raise InputError(
                f"{name} has {key} {config[key]!r}: it is no encoder; allowed: false; choose an "
                "encoder."
            )
    # Of former versions of transformers; this one computes without them, and says nothing.
    if (embedded := config.get("position_embedding_type") or "absolute") != "absolute":
        raise InputError(
            f"{name} has position_embedding_type {embedded!r}, which transformers no longer "
            "computes; allowed: absolute; choose another model."
        )
    activation = config.get(ACTIVATION_KEYS[config["model_type"]], "gelu")
    if activation not in ACTIVATIONS:
        raise InputError(
            f"{name} has the activation {activation!r}; allowed: {', '.join(ACTIVATIONS)}; choose "
            "another model."
        )


def _layers_and_heads(config: Mapping[str, Any]) -> tuple[str, str]:
    if config["model_type"] == "distilbert":
        return "n_layers", "n_heads"
    return "num_hidden_layers", "num_attention_heads"


def modules(model: PreTrainedModel, part: str) -> list[nn.Module]:
    """Find a part in a running model: one module a layer, or one in all of the embedding."""
    path = architecture(model.config.model_type)[part]
    layers = model.config.num_hidden_layers if "{}" in path else 1
    return [model.base_model.get_submodule(path.format(layer)) for layer in range(layers)]
