"""The feature points of an encoder, read off a running model by hooks.

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

from torch import Tensor, nn
from transformers import PreTrainedModel

from analysis.models.architecture import architecture

POINTS = (
    "word",
    "embedding",
    "attention_output",
    "attention_block",
    "ffn_output",
    "layer_output",
)


@contextmanager
def record_points(model: PreTrainedModel) -> Iterator[dict[str, list[Tensor]]]:
    """Record the output of every feature point inside the block.

    Yields
    ------
    dict
        Point name -> list of ``[batch, token, d]``, one entry a layer (one in all for ``word`` and
        ``embedding``) and forward pass; clear the lists between passes.
    """
    known = architecture(model.config.model_type)
    base = model.base_model
    points: dict[str, list[Tensor]] = {name: [] for name in POINTS}
    handles = []
    for name in POINTS:
        path = getattr(known, name)
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
