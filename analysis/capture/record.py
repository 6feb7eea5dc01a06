"""Run texts through a model and read every array out of it, free of padding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import PreTrainedModel

from analysis.capture.store import AXES, GATED
from analysis.models.classes import classifies
from analysis.models.device import autocast, evaluating
from analysis.models.encode import Encoded, pad
from analysis.models.reading import Pass, read_passes


def record(
    model: PreTrainedModel,
    encoded: Sequence[Encoded],
    *,
    device: torch.device,
    precision: str,
    batch_size: int,
) -> Iterator[tuple[dict[str, NDArray[np.float32]], NDArray[np.float64] | None]]:
    """Read every array of every text, in the order of ``encoded``.

    Yields
    ------
    arrays
        ``attention`` ``[layer, head, query, key]``, rows summing to 1, and ``mass`` ``[layer, head,
        query]``, the share of attention that goes to tokens (less than 1 where a model lets a part
        of it go to none); ``visible`` ``[layer, query, key]``, whether some head may see the key;
        ``query``, ``key``, ``value`` ``[layer, head, token, head_dim]``,
        those of groups for each of their heads; ``gate`` ``[layer, head, query, head_dim]``, if the
        model has gates between its heads and their projection; the feature points as in
        :mod:`analysis.models.reading`.
    logits
        ``[label]`` if the model has a head that :func:`analysis.models.classes.classifies`, else
        None.
    """
    with (
        evaluating(model, device),
        torch.inference_mode(),
        read_passes(model) as read,
        autocast(device, precision),
    ):
        for start in range(0, len(encoded), batch_size):
            read.clear()
            rows = encoded[start : start + batch_size]
            output = model(**pad(rows, model.config, device))
            logits = output.logits.double().cpu().numpy() if classifies(model) else None
            layers = _layers(read)
            for row, text in enumerate(rows):
                n = len(text.input_ids)
                yield (
                    {name: _unpadded(name, x[row], n) for name, x in layers.items()},
                    logits[row] if logits is not None else None,
                )


def _layers(read: Pass) -> dict[str, NDArray[np.float32]]:
    """Gather the arrays of a batch, ``[batch, ...]`` with the axes of ``AXES``."""
    points, found = read.points(), {}
    gates = read.gates()
    for name, (axis, *_) in (AXES | GATED if gates else AXES).items():
        if name in GATED:
            outputs = gates
        else:
            outputs = points[name] if name in points else [c.of_heads(name) for c in read.attention]
        # Layer by layer off the device: it never holds a second copy of the whole.
        on_cpu = [(one if one.dtype == torch.bool else one.float()).cpu() for one in outputs]
        found[name] = (torch.stack(on_cpu, dim=1) if axis == "layer" else on_cpu[0]).numpy()
    return found


def _unpadded(name: str, array: NDArray[np.float32], tokens: int) -> NDArray[np.float32]:
    """Cut the padding off, along the axes of tokens."""
    if name == "mass":
        return array[..., :tokens]
    pairs = name in ("attention", "visible")
    return array[..., :tokens, :tokens] if pairs else array[..., :tokens, :]
