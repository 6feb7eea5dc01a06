"""Ask a model with the head of its task, for classes or answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tqdm import tqdm
from transformers import PreTrainedModel

from attention_mixing.methods.question_answering import AnswerReading, Span, best_span
from attention_mixing.models.batch import inputs, pad
from attention_mixing.models.device import autocast, evaluating
from attention_mixing.models.encode import Encoded, EncodedQuestion
from attention_mixing.models.self_check import require_unpadded


def predict(
    model: PreTrainedModel,
    encoded: Sequence[Encoded],
    *,
    device: torch.device,
    precision: str,
    batch_size: int,
) -> list[NDArray[np.float64]]:
    """Compute the logits of every pass, in the order of ``encoded``.

    Texts of similar length share a batch, so little is computed on padding.

    Parameters
    ----------
    model
        With the head of its task. Left as it was.
    encoded
        What the model reads, a pass each.
    device
        Where to compute.
    precision
        ``float32``, ``bfloat16`` or ``float16``, of the forward passes.
    batch_size
        Passes that are computed together; decides speed and memory.

    Returns
    -------
    list of NDArray[float64]
        As :func:`unpadded_logits` gives them.

    Raises
    ------
    InputError
        If a text comes out of a padded batch otherwise than alone.
    """
    order = np.argsort([len(e.input_ids) for e in encoded], kind="stable").tolist()
    logits: dict[int, NDArray[np.float64]] = {}
    with evaluating(model, device), torch.inference_mode(), autocast(device, precision):
        for start in tqdm(range(0, len(order), batch_size), "predict", disable=None, unit="batch"):
            rows = order[start : start + batch_size]
            passes = [encoded[row] for row in rows]
            require_unpadded(model, [inputs(text, model.config) for text in passes])
            output = model(**pad(passes, model.config, device))
            logits |= zip(rows, unpadded_logits(output, passes), strict=True)
    return [logits[row] for row in range(len(encoded))]


def unpadded_logits(output: Any, passes: Sequence[Encoded]) -> list[NDArray[np.float64]]:
    """Take the logits of each pass out of what a model returns for a batch.

    ``output`` has ``logits``, or ``start_logits`` and ``end_logits``, and ``passes`` are in the
    order of the batch. Of each ``[label]``, or ``[2, token]`` for the start and the end of an
    answer.
    """
    if "logits" in output:
        return list(output.logits.double().cpu().numpy())
    starts, ends = (x.double().cpu().numpy() for x in (output.start_logits, output.end_logits))
    return [
        np.stack([start, end])[:, : len(text.input_ids)]
        for start, end, text in zip(starts, ends, passes, strict=True)
    ]


Logits = list[NDArray[np.float64]]
"""Of each window ``[2, token]``: that the answer starts there, and that it ends there."""


def answer_logits(
    model: PreTrainedModel,
    questions: Sequence[EncodedQuestion],
    **options: Any,
) -> list[Logits]:
    """Compute the logits of every question, in their order, ``[question][window]``.

    The model has a head of question answering. ``options`` are ``device``, ``precision`` and
    ``batch_size`` of :func:`attention_mixing.models.predict.predict`; a batch counts windows.
    """
    windows = [window for question in questions for window in question.windows]
    logits = iter(predict(model, windows, **options))
    return [[next(logits) for _ in question.windows] for question in questions]


def read_answer(question: EncodedQuestion, logits: Logits) -> AnswerReading:
    """Find the best span of a question, and how it compares with "no answer"."""
    starts, ends = ([window[side] for window in logits] for side in (0, 1))
    return best_span(starts, ends, question.bounds, first=question.first)


def answer_text(text: str, question: EncodedQuestion, span: Span | None) -> str:
    """Spell an answer as the context does; nothing for None, "no answer".

    ``text`` is question and context, and ``span`` counts context tokens.
    """
    if span is None:
        return ""
    return text[question.offsets[span.start, 0] : question.offsets[span.end, 1]]
