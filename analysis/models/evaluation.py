"""Score a fine-tuned model on test texts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from analysis.methods.answers import question_scores, squad_scores
from analysis.params.sections import Length

if TYPE_CHECKING:
    import torch

BATCH_SIZE = 64  # of forward passes; decides speed and memory, not results
BLOCK = 1000  # questions whose logits are held at once
THRESHOLD = 0.0  # on null score minus score of the best span, as BERT has it


def score_texts(
    directory: Path, test: pd.DataFrame, length: Length, *, device: torch.device, precision: str
) -> tuple[dict[str, Any], pd.DataFrame]:
    """Classify the test texts; metrics and predictions as :func:`analysis.models.predict.score`.

    Beside them ``truncated`` and ``tokens_per_text``.
    """
    from analysis.models.encode import encode_examples
    from analysis.models.load import load_classifier, load_tokenizer
    from analysis.models.predict import predict, score

    tokenizer = load_tokenizer(directory)
    encoded = encode_examples(test, tokenizer, length)
    logits = predict(
        load_classifier(directory),
        tokenizer,
        encoded,
        device=device,
        precision=precision,
        batch_size=BATCH_SIZE,
    )
    metrics, predictions = score(np.stack(logits), test["label"].tolist())
    predictions.insert(0, "id", test["id"])
    metrics |= {
        "truncated": sum(e.truncated for e in encoded),
        "tokens_per_text": sum(len(e.input_ids) for e in encoded) / len(encoded),
    }
    return metrics, predictions


def score_answers(
    directory: Path, test: pd.DataFrame, length: Length, *, device: torch.device, precision: str
) -> tuple[dict[str, Any], pd.DataFrame]:
    """Answer the test questions.

    Returns
    -------
    metrics
        Of :func:`analysis.methods.answers.squad_scores`, in the official names, at the threshold
        ``THRESHOLD``; ``questions`` and their ``windows``; ``truncated`` (questions whose context
        takes more than one window), ``questions_cut`` (too long themselves), ``tokens_per_text``
        (of all windows of a question).
    predictions
        ``id``, ``question_id``, ``answer`` (empty for "no answer"), ``span`` (the best span, which
        would be the answer if there had to be one), ``no_answer`` (null score minus the score of
        that span), ``exact``, ``f1``.
    """
    from analysis.models.answering import answer_logits, answer_text, read_answer
    from analysis.models.encode import encode_questions
    from analysis.models.load import load_answering, load_tokenizer

    tokenizer, model = load_tokenizer(directory), load_answering(directory)
    counts = dict.fromkeys(("windows", "truncated", "questions_cut"), 0)
    tokens = 0
    rows: list[tuple[str, str, float]] = []
    for start in range(0, len(test), BLOCK):
        block = test.iloc[start : start + BLOCK]
        questions = encode_questions(block, tokenizer, length)
        logits = answer_logits(
            model,
            tokenizer,
            questions,
            device=device,
            precision=precision,
            batch_size=BATCH_SIZE,
        )
        for text, question, windows in zip(block["text"], questions, logits, strict=True):
            reading = read_answer(question, windows)
            span, answer = reading.span, reading.answer(THRESHOLD)
            rows.append(
                (
                    answer_text(text, question, answer),
                    answer_text(text, question, span),
                    reading.difference,
                )
            )
            counts["windows"] += len(question.windows)
            counts["truncated"] += len(question.windows) > 1
            counts["questions_cut"] += question.cut
            tokens += sum(len(window.input_ids) for window in question.windows)
    predictions = test[["id", "question_id"]].join(
        pd.DataFrame(rows, columns=["answer", "span", "no_answer"])
    )
    ids = predictions["question_id"]
    gold = dict(zip(ids, map(list, test["answers"]), strict=True))
    predictions[["exact", "f1"]] = [
        question_scores(answer, gold[question])
        for question, answer in zip(ids, predictions["answer"], strict=True)
    ]
    metrics = squad_scores(
        dict(zip(ids, predictions["span"], strict=True)),
        gold,
        dict(zip(ids, predictions["no_answer"], strict=True)),
        threshold=THRESHOLD,
    )
    counted = {"questions": len(test), **counts, "tokens_per_text": tokens / len(test)}
    return {**metrics, **counted}, predictions
