"""Where the parts of two kinds of encoder are, by name: what is read off them has to agree."""

import copy

import torch
from torch import nn
from transformers import PreTrainedModel

# ``{}`` stands for the layer, counted from 0.
BERT = {
    "word": "embeddings.word_embeddings",
    "attention_output": "encoder.layer.{}.attention.output.dense",
    "attention_norm": "encoder.layer.{}.attention.output.LayerNorm",
    "ffn_input": "encoder.layer.{}.intermediate.dense",
    "ffn_norm": "encoder.layer.{}.output.LayerNorm",
}
DISTILBERT = {
    "word": "embeddings.word_embeddings",
    "attention_output": "transformer.layer.{}.attention.out_lin",
    "attention_norm": "transformer.layer.{}.sa_layer_norm",
    "ffn_input": "transformer.layer.{}.ffn.lin1",
    "ffn_norm": "transformer.layer.{}.output_layer_norm",
}


def modules(model: PreTrainedModel, part: str) -> list[nn.Module]:
    """Find a part of every layer, the lowest first."""
    path = (DISTILBERT if model.config.model_type == "distilbert" else BERT)[part]
    layers = range(model.config.num_hidden_layers)
    return [model.base_model.get_submodule(path.format(layer)) for layer in layers]


def without(model: PreTrainedModel, layer: int, head: int) -> PreTrainedModel:
    """Return a copy whose output projection does not read a head; both are counted from 1."""
    other = copy.deepcopy(model)
    projection = modules(other, "attention_output")[layer - 1]
    size = projection.weight.shape[1] // model.config.num_attention_heads
    with torch.no_grad():
        projection.weight[:, (head - 1) * size : head * size] = 0
    return other
