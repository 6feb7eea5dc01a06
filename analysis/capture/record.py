"""Run texts through a model and read every array out of it, free of padding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import PreTrainedModel

from analysis.capture.store import AXES
from analysis.models.attention import AttentionCall, record_attention
from analysis.models.classes import classifies
from analysis.models.device import autocast, evaluating
from analysis.models.encode import Encoded, pad
from analysis.models.points import record_points


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
        ``attention`` ``[layer, head, query, key]``; ``query``, ``key``, ``value``
        ``[layer, head, token, head_dim]``; the feature points as in :mod:`analysis.models.points`.
    logits
        ``[label]`` if the model has a head that :func:`analysis.models.classes.classifies`, else
        None.
    """
    with (
        evaluating(model, device),
        torch.inference_mode(),
        record_attention(model) as calls,
        record_points(model) as points,
        autocast(device, precision),
    ):
        for start in range(0, len(encoded), batch_size):
            calls.clear()
            for outputs in points.values():
                outputs.clear()
            rows = encoded[start : start + batch_size]
            output = model(**pad(rows, model.config, device))
            logits = output.logits.double().cpu().numpy() if classifies(model) else None
            read = {name: _layers(name, calls, points) for name in AXES}
            for row, text in enumerate(rows):
                n = len(text.input_ids)
                yield (
                    {name: _unpadded(name, x[row], n) for name, x in read.items()},
                    logits[row] if logits is not None else None,
                )


def _layers(
    name: str, calls: list[AttentionCall], points: dict[str, list[torch.Tensor]]
) -> NDArray[np.float32]:
    """Gather one array of a batch, ``[batch, ...]`` with the axes of ``AXES``."""
    outputs = points[name] if name in points else [getattr(call, name) for call in calls]
    # Layer by layer off the device: it never holds a second copy of the whole.
    on_cpu = [output.float().cpu() for output in outputs]
    return (torch.stack(on_cpu, dim=1) if AXES[name][0] == "layer" else on_cpu[0]).numpy()


def _unpadded(name: str, array: NDArray[np.float32], tokens: int) -> NDArray[np.float32]:
    """Cut the padding off: the token axis is the last but one, for attention the last as well."""
    return array[..., :tokens, :tokens] if name == "attention" else array[..., :tokens, :]
