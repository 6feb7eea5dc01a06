"""Run texts through a model and read every array out of it, free of padding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from analysis.capture.attention import AttentionCall, record_attention, using
from analysis.capture.points import record_points
from analysis.capture.store import AXES
from analysis.models.architecture import modules
from analysis.models.device import autocast
from analysis.models.encode import Encoded, pad


def record(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
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
        ``[layer, head, token, head_dim]``; the feature points as in :mod:`analysis.capture.points`.
    logits
        ``[label]`` if the model has a classification head, else None.
    """
    model.to(device).eval()  # type: ignore[arg-type]
    with (
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
            output = model(**pad(rows, tokenizer, device))
            logits = output.logits.double().cpu().numpy() if "logits" in output else None
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


def deviations(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    encoded: Sequence[Encoded],
    *,
    device: torch.device,
) -> dict[str, float]:
    """Check the capture against the model itself, in float32.

    Returns
    -------
    dict
        Largest differences, as a share of the largest value of the layer; nan if a value is no
        finite number. ``attention`` (softmax of the captured Q Kᵀ · scaling against the weights of
        the model's eager attention), ``output`` (captured context through the model's output
        projection against the captured attention output), ``padding`` (layer output of a text
        in a padded batch against the same text alone).
    """
    options: dict[str, Any] = {"device": device, "precision": "float32"}
    captured, singly = (
        [arrays for arrays, _ in record(model, tokenizer, encoded, batch_size=size, **options)]
        for size in (len(encoded), 1)
    )
    projections = modules(model, "attention_output")
    worst = {"attention": 0.0, "output": 0.0, "padding": 0.0}
    with using(model, "eager"), torch.inference_mode():
        for arrays, single, text in zip(captured, singly, encoded, strict=True):
            alone = pad([text], tokenizer, device)
            eager = model(**alone, output_attentions=True).attentions
            outputs = [
                projection(torch.tensor(context, device=device))
                for projection, context in zip(projections, arrays["context"], strict=True)
            ]
            query, key = (torch.tensor(arrays[name]) for name in ("query", "key"))
            scores = query @ key.transpose(-1, -2) * query.shape[-1] ** -0.5
            compared = {
                "attention": (torch.softmax(scores, -1), torch.cat(eager).cpu()),
                "output": (torch.stack(outputs).cpu(), torch.tensor(arrays["attention_output"])),
                "padding": tuple(torch.tensor(own["layer_output"]) for own in (arrays, single)),
            }
            for name, (ours, theirs) in compared.items():
                worst[name] = np.maximum(worst[name], _relative(ours, theirs))  # keeps nan
    return {name: float(difference) for name, difference in worst.items()}


def _relative(ours: torch.Tensor, theirs: torch.Tensor) -> float:
    """Largest difference of two arrays ``[layer, ...]`` by the largest value of the layer."""
    difference, size = ((x.abs().flatten(1).amax(dim=1)) for x in (ours - theirs, theirs))
    return float((difference / size).max())
