"""Where the parts of each known encoder are: module paths below its base model.

One table serves the hooks of a running model (``analysis.capture.points``) and the reading of
single weights from files (``analysis.models.weights``); it needs no torch.

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
from typing import TYPE_CHECKING, Any

from analysis.errors import InputError

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


def architecture(model_type: str) -> dict[str, str]:
    """Look up the module paths of the architecture that a model's configuration names.

    Raises
    ------
    InputError
        If it is not in the table.
    """
    if model_type not in ARCHITECTURES:
        raise InputError(
            f"the model is a {model_type}, whose feature points are not known; allowed: "
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
    if config["model_type"] == "distilbert":
        return config["n_layers"], config["n_heads"]
    return config["num_hidden_layers"], config["num_attention_heads"]


def modules(model: PreTrainedModel, part: str) -> list[nn.Module]:
    """Find a part in a running model: one module a layer, or one in all of the embedding."""
    path = architecture(model.config.model_type)[part]
    layers = model.config.num_hidden_layers if "{}" in path else 1
    return [model.base_model.get_submodule(path.format(layer)) for layer in range(layers)]
