"""Score a fine-tuned model on test texts."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch

from attention_mixing.methods.answers import question_scores, squad_scores
from attention_mixing.models.batch import NOT_ASKED, pad_rows
from attention_mixing.models.device import autocast, evaluating
from attention_mixing.models.encode import encode_examples, encode_questions
from attention_mixing.models.load import load_answering, load_classifier, load_language_model
from attention_mixing.models.next_word import next_word_rows
from attention_mixing.models.predict import answer_logits, answer_text, predict, read_answer, score
from attention_mixing.models.tokenizer import load_tokenizer
from attention_mixing.params.sections import Length

BATCH_SIZE = 64  # of forward passes; decides speed and memory, not results
BLOCK = 1000  # questions whose logits are held at once
THRESHOLD = 0.0  # on null score minus score of the best span, as BERT has it


def score_texts(
    directory: Path, test: pd.DataFrame, length: Length, *, device: torch.device, precision: str
) -> tuple[dict[str, Any], pd.DataFrame]:
    """Classify the test texts and score the predictions.

    Parameters
    ----------
    directory
        Of the fine-tuned model.
    test
        Rows of a corpus, with ``id``, ``text`` and ``label``.
    length
        As the model was trained with.
    device, precision
        As in :func:`attention_mixing.models.predict.predict`.

    Returns
    -------
    metrics, predictions
        As :func:`attention_mixing.models.predict.score` gives them, and ``id`` of each text.
    """
    tokenizer = load_tokenizer(directory)
    logits = predict(
        load_classifier(directory),
        encode_examples(test, tokenizer, length),
        device=device,
        precision=precision,
        batch_size=BATCH_SIZE,
    )
    metrics, predictions = score(np.stack(logits), test["label"].tolist())
    predictions.insert(0, "id", test["id"])
    return metrics, predictions


def perplexity(
    directory: Path, test: pd.DataFrame, length: Length, *, device: torch.device, precision: str
) -> float:
    """Compute the perplexity of a language model: e to the mean surprise at a token.

    Parameters
    ----------
    directory
        Of the fine-tuned model.
    test
        Rows of a corpus, with ``text`` and ``continuation``.
    length
        Of text and continuation together.
    device, precision
        As in :func:`attention_mixing.models.predict.predict`.

    Returns
    -------
    float
        At least 1; the surprise at a token, in nats, is given those before it.
    """
    tokenizer, model = load_tokenizer(directory), load_language_model(directory)
    rows = next_word_rows(test, tokenizer, length, model.config)
    surprise, tokens = 0.0, 0
    with evaluating(model, device), torch.inference_mode(), autocast(device, precision):
        for start in range(0, len(rows), BATCH_SIZE):
            batch = pad_rows(rows[start : start + BATCH_SIZE], model.config, device)
            count = int((batch["labels"][:, 1:] != NOT_ASKED).sum())
            surprise += float(model(**batch).loss) * count
            tokens += count
    return math.exp(surprise / tokens)


def score_answers(
    directory: Path, test: pd.DataFrame, length: Length, *, device: torch.device, precision: str
) -> tuple[dict[str, Any], pd.DataFrame]:
    """Answer the test questions and score the answers.

    Parameters
    ----------
    directory
        Of the fine-tuned model.
    test
        Rows of a corpus of questions.
    length
        ``max_tokens`` of a window and ``stride``.
    device, precision
        As in :func:`attention_mixing.models.predict.predict`.

    Returns
    -------
    metrics
        Of :func:`attention_mixing.methods.answers.squad_scores`, in the official names, at the
        threshold ``THRESHOLD``.
    predictions
        ``id``, ``question_id``, ``answer`` (empty for "no answer"), ``span`` (the best span, which
        would be the answer if there had to be one), ``no_answer`` (null score minus the score of
        that span), ``exact``, ``f1``.
    """
    tokenizer, model = load_tokenizer(directory), load_answering(directory)
    rows: list[dict[str, Any]] = []
    for start in range(0, len(test), BLOCK):
        block = test.iloc[start : start + BLOCK]
        questions = encode_questions(block, tokenizer, length)
        logits = answer_logits(
            model,
            questions,
            device=device,
            precision=precision,
            batch_size=BATCH_SIZE,
        )
        for example, question, windows in zip(block.itertuples(), questions, logits, strict=True):
            reading = read_answer(question, windows)
            text, gold = str(example.text), list(example.answers)
            answer = answer_text(text, question, reading.answer(THRESHOLD))
            exact, f1 = question_scores(answer, gold)
            rows.append(
                {
                    "id": example.id,
                    "question_id": example.question_id,
                    "answer": answer,
                    "span": answer_text(text, question, reading.span),
                    "no_answer": reading.difference,
                    "exact": float(exact),
                    "f1": f1,
                }
            )
    predictions = pd.DataFrame(rows)
    by_question = predictions.set_index("question_id")
    metrics = squad_scores(
        by_question["span"].to_dict(),
        dict(zip(test["question_id"], map(list, test["answers"]), strict=True)),
        by_question["no_answer"].to_dict(),
        threshold=THRESHOLD,
    )
    return metrics, predictions
