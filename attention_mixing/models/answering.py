"""Ask a model that reads answers out of contexts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from transformers import PreTrainedModel

from attention_mixing.methods.answers import AnswerReading, Span, best_span
from attention_mixing.models.encode import EncodedQuestion
from attention_mixing.models.predict import predict

Logits = list[NDArray[np.float64]]
"""Of each window ``[2, token]``: that the answer starts there, and that it ends there."""


def answer_logits(
    model: PreTrainedModel,
    questions: Sequence[EncodedQuestion],
    **options: Any,
) -> list[Logits]:
    """Logits of every question, in their order.

    Parameters
    ----------
    model
        With a head of question answering.
    questions
        See :func:`attention_mixing.models.encode.encode_questions`.
    options
        ``device``, ``precision`` and ``batch_size`` of
        :func:`attention_mixing.models.predict.predict`; a batch counts windows.
    """
    windows = [window for question in questions for window in question.windows]
    logits = iter(predict(model, windows, **options))
    return [[next(logits) for _ in question.windows] for question in questions]


def read_answer(question: EncodedQuestion, logits: Logits) -> AnswerReading:
    """Find the best span of a question, and how it compares with "no answer"."""
    starts, ends = ([window[side] for window in logits] for side in (0, 1))
    return best_span(starts, ends, question.bounds, first=question.first)


def answer_text(text: str, question: EncodedQuestion, span: Span | None) -> str:
    """Spell an answer as the context does; nothing for None, "no answer"."""
    if span is None:
        return ""
    return text[question.offsets[span.start, 0] : question.offsets[span.end, 1]]
