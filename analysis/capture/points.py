"""The feature points of an encoder, and which module of which architecture gives each of them.

============== ============================================================= =====================
point          what                                                          shape
============== ============================================================= =====================
word           word embedding                                                ``[token, d]``
embedding      after position and type, and layer normalisation              ``[token, d]``
context        input of the attention output projection                      ``[layer, token, d]``
attention_output  after that projection                                      ``[layer, token, d]``
attention_block   after residual and layer normalisation                     ``[layer, token, d]``
ffn_output     after the second linear layer of the feed-forward block       ``[layer, token, d]``
layer_output   after residual and layer normalisation                        ``[layer, token, d]``
============== ============================================================= =====================

``context`` comes from the attention function; the others from forward hooks.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from torch import Tensor, nn
from transformers import PreTrainedModel

from analysis.errors import InputError


@dataclass(frozen=True)
class Architecture:
    """Module paths below the base model; ``{}`` stands for the layer, counted from 0."""

    word: str
    embedding: str
    attention_output: str
    attention_block: str
    ffn_output: str
    layer_output: str


_BERT = Architecture(
    word="embeddings.word_embeddings",
    embedding="embeddings",
    attention_output="encoder.layer.{}.attention.output.dense",
    attention_block="encoder.layer.{}.attention.output",
    ffn_output="encoder.layer.{}.output.dense",
    layer_output="encoder.layer.{}",
)
_DISTILBERT = Architecture(
    word="embeddings.word_embeddings",
    embedding="embeddings",
    attention_output="transformer.layer.{}.attention.out_lin",
    attention_block="transformer.layer.{}.sa_layer_norm",
    ffn_output="transformer.layer.{}.ffn",
    layer_output="transformer.layer.{}",
)
# ELECTRA is left out: it projects between embedding and encoder, so the embedding point would have
# another width.
ARCHITECTURES = {
    "bert": _BERT,
    "roberta": _BERT,
    "xlm-roberta": _BERT,
    "camembert": _BERT,
    "distilbert": _DISTILBERT,
}


def architecture(model: PreTrainedModel) -> Architecture:
    """Look up where the feature points of a model are."""
    kind = model.config.model_type
    if kind not in ARCHITECTURES:
        raise InputError(
            f"the model is a {kind}, whose feature points are not known; allowed: "
            f"{', '.join(ARCHITECTURES)}; choose such a model."
        )
    return ARCHITECTURES[kind]


@contextmanager
def record_points(model: PreTrainedModel) -> Iterator[dict[str, list[Tensor]]]:
    """Record the output of every feature point inside the block.

    Yields
    ------
    dict
        Point name -> list of ``[batch, token, d]``, one entry a layer (one in all for ``word`` and
        ``embedding``) and forward pass; clear the lists between passes.
    """
    known = architecture(model)
    base = model.base_model
    points: dict[str, list[Tensor]] = {name: [] for name in known.__dataclass_fields__}
    handles = []
    for name, path in vars(known).items():
        layers = range(model.config.num_hidden_layers) if "{}" in path else [0]
        for layer in layers:
            module = base.get_submodule(path.format(layer))
            handles.append(module.register_forward_hook(_keep_in(points[name])))
    try:
        yield points
    finally:
        for handle in handles:
            handle.remove()


def _keep_in(outputs: list[Tensor]):
    def hook(module: nn.Module, inputs: tuple, output: Tensor | tuple[Tensor, ...]) -> None:
        outputs.append(output[0] if isinstance(output, tuple) else output)

    return hook
