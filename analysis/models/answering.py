"""Ask a model that reads answers out of contexts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from analysis.methods.answers import Reading, Span, best_span
from analysis.models.device import autocast
from analysis.models.encode import Question, pad

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

Logits = list[NDArray[np.float64]]
"""``[token]`` for each window."""


def answer_logits(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    questions: Sequence[Question],
    *,
    device: torch.device,
    precision: str,
    batch_size: int,
) -> list[tuple[Logits, Logits]]:
    """Start and end logits of every window of every question, in the order of ``questions``.

    Windows of similar length share a batch, so little is computed on padding, which is cut off
    again.

    Parameters
    ----------
    model
        With a head of question answering.
    tokenizer, questions
        See :func:`analysis.models.encode.encode_questions`.
    device, precision, batch_size
        As in :func:`analysis.models.predict.predict`; a batch counts windows.
    """
    import torch
    from tqdm import tqdm

    model = model.to(device).eval()  # type: ignore[arg-type]
    passes = [window for question in questions for window in question.windows]
    order = np.argsort([len(window.input_ids) for window in passes], kind="stable")
    found: dict[int, tuple[NDArray[np.float64], NDArray[np.float64]]] = {}
    with torch.inference_mode(), autocast(device, precision):
        for begin in tqdm(range(0, len(order), batch_size), "answer", disable=None, unit="batch"):
            rows = order[begin : begin + batch_size].tolist()
            batch = pad([passes[row] for row in rows], tokenizer)
            output = model(**{name: torch.tensor(x, device=device) for name, x in batch.items()})
            starts, ends = (
                logits.double().cpu().numpy() for logits in (output.start_logits, output.end_logits)
            )
            for row, start, end in zip(rows, starts, ends, strict=True):
                tokens = len(passes[row].input_ids)
                found[row] = start[:tokens].copy(), end[:tokens].copy()
    answers = []
    row = 0
    for question in questions:
        own = [found[row + window] for window in range(len(question.windows))]
        answers.append(([start for start, _ in own], [end for _, end in own]))
        row += len(own)
    return answers


def read_answers(
    questions: Sequence[Question], logits: Sequence[tuple[Logits, Logits]]
) -> list[Reading]:
    """Find the best spans of every question, and how they compare with "no answer"."""
    return [
        best_span(starts, ends, question.bounds, first=question.first)
        for question, (starts, ends) in zip(questions, logits, strict=True)
    ]


def answer_text(text: str, question: Question, span: Span | None) -> str:
    """Spell an answer as the context does; nothing for None, "no answer"."""
    if span is None:
        return ""
    return text[question.offsets[span.start, 0] : question.offsets[span.end, 1]]
