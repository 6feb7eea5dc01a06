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

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Literal

from torch import Tensor, nn
from transformers import PreTrainedModel

from analysis.models.architecture import architecture

Side = Literal["input", "output"]

POINTS = (
    "word",
    "embedding",
    "attention_output",
    "attention_block",
    "ffn_output",
    "layer_output",
)


@contextmanager
def record_points(
    model: PreTrainedModel,
    points: Mapping[str, tuple[str, Side]] = {name: (name, "output") for name in POINTS},
) -> Iterator[dict[str, list[Tensor]]]:
    """Record what goes into modules, or comes out of them, inside the block.

    Parameters
    ----------
    model
        Of a known architecture.
    points
        Name -> module, as :class:`analysis.models.architecture.Architecture` calls it, and side of
        it; the feature points unless others are asked for.

    Yields
    ------
    dict
        Name -> list of ``[batch, token, d]``, one entry a layer (one in all for ``word`` and
        ``embedding``) and forward pass; clear the lists between passes.
    """
    known = architecture(model.config.model_type)
    found: dict[str, list[Tensor]] = {name: [] for name in points}
    handles = []
    for name, (module, side) in points.items():
        path = getattr(known, module)
        for layer in range(model.config.num_hidden_layers) if "{}" in path else [0]:
            hooked = model.base_model.get_submodule(path.format(layer))
            handles.append(hooked.register_forward_hook(_keep_in(found[name], side)))
    try:
        yield found
    finally:
        for handle in handles:
            handle.remove()


def _keep_in(kept: list[Tensor], side: Side):
    def hook(module: nn.Module, inputs: tuple, output: Tensor | tuple[Tensor, ...]) -> None:
        seen = inputs if side == "input" else output
        kept.append(seen[0] if isinstance(seen, tuple) else seen)

    return hook
