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
from contextlib import ExitStack, contextmanager
from typing import Literal

from torch import Tensor, nn
from transformers import PreTrainedModel

from analysis.models.architecture import modules

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
        Name -> part, as :mod:`analysis.models.architecture` calls it, and side of it; the feature
        points unless others are asked for.

    Yields
    ------
    dict
        Name -> list of ``[batch, token, d]``, one entry a layer (one in all for ``word`` and
        ``embedding``) and forward pass; clear the lists between passes.
    """
    found: dict[str, list[Tensor]] = {name: [] for name in points}
    with ExitStack() as stack:
        for name, (part, side) in points.items():
            for module in modules(model, part):
                stack.enter_context(module.register_forward_hook(_keep_in(found[name], side)))
        yield found


def _keep_in(kept: list[Tensor], side: Side):
    def hook(module: nn.Module, inputs: tuple, output: Tensor | tuple[Tensor, ...]) -> None:
        seen = inputs if side == "input" else output
        kept.append(seen[0] if isinstance(seen, tuple) else seen)

    return hook
