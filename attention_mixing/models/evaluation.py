"""Score a fine-tuned model on test texts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from scipy.special import log_softmax
from sklearn.metrics import f1_score

from attention_mixing.methods.calibration import expected_calibration_error, reliability
from attention_mixing.methods.question_answering import question_scores, squad_scores
from attention_mixing.models.batch import NOT_ASKED, pad_rows
from attention_mixing.models.device import autocast, evaluating
from attention_mixing.models.encode import encode_examples, encode_questions
from attention_mixing.models.load import (
    load_answering,
    load_classifier,
    load_language_model,
    load_translator,
)
from attention_mixing.models.predict import answer_logits, answer_text, predict, read_answer
from attention_mixing.models.self_check import require_unpadded
from attention_mixing.models.tokenizer import load_tokenizer
from attention_mixing.models.training_rows import next_word_rows, target_rows
from attention_mixing.settings.experiment import Length

BATCH_SIZE = 64  # of forward passes; decides speed and memory, not results
BLOCK = 1000  # questions whose logits are held at once
THRESHOLD = 0.0  # on null score minus score of the best span, as BERT has it


def score_texts(
    directory: Path, test: pd.DataFrame, length: Length, *, device: torch.device, precision: str
) -> tuple[dict[str, Any], pd.DataFrame]:
    """Classify the test texts by a fine-tuned model and score the predictions.

    The rows have ``id``, ``text`` and ``label``, and ``length`` is as the model was trained with;
    ``device`` and ``precision`` are as in :func:`attention_mixing.models.predict.predict`. Metrics
    and predictions are as :func:`score` gives them, with the ``id`` of each text.
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
    """Compute the perplexity of a fine-tuned language model: e to the mean surprise at a token.

    At least 1; the surprise at a token, in nats, is given those before it. The rows have ``text``
    and ``continuation``, and ``length`` is that of both together; ``device`` and ``precision`` are
    as in :func:`attention_mixing.models.predict.predict`.
    """
    tokenizer, model = load_tokenizer(directory), load_language_model(directory)
    rows = next_word_rows(test, tokenizer, length, model.config)
    surprise, tokens = 0.0, 0
    with evaluating(model, device), torch.inference_mode(), autocast(device, precision):
        for start in range(0, len(rows), BATCH_SIZE):
            require_unpadded(model, rows[start : start + BATCH_SIZE])
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
        Of :func:`attention_mixing.methods.question_answering.squad_scores`, in the official names,
        at the threshold ``THRESHOLD``.
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


def score_targets(
    directory: Path, test: pd.DataFrame, length: Length, *, device: torch.device, precision: str
) -> tuple[dict[str, Any], pd.DataFrame]:
    """Score an encoder-decoder on the targets of test texts.

    Parameters
    ----------
    directory
        Of the fine-tuned model.
    test
        Rows of a corpus, with ``id``, ``text`` and ``target``.
    length
        Of texts, and of targets.
    device, precision
        As in :func:`attention_mixing.models.predict.predict`.

    Returns
    -------
    metrics
        ``accuracy``, the share of the tokens of targets that are told from those before them;
        ``written``, the share of targets that are written token by token without a mistake, the
        most likely one always being taken.
    predictions
        ``id``, ``accuracy`` and ``written``.
    """
    tokenizer, model = load_tokenizer(directory), load_translator(directory)
    rows = target_rows(test, tokenizer, length, model.config)
    right, count, exact, scored = 0, 0, 0, []
    with evaluating(model, device), torch.inference_mode(), autocast(device, precision):
        for start in range(0, len(rows), BATCH_SIZE):
            require_unpadded(model, rows[start : start + BATCH_SIZE])
            batch = pad_rows(rows[start : start + BATCH_SIZE], model.config, device)
            labels = batch["labels"]
            predicted = model(**batch).logits.argmax(dim=-1)
            counted, hit = labels != NOT_ASKED, (predicted == labels) & (labels != NOT_ASKED)
            right, count = right + int(hit.sum()), count + int(counted.sum())
            del batch["labels"]
            written = model.generate(  # type: ignore[operator]
                **batch, do_sample=False, num_beams=1, max_new_tokens=length.max_tokens
            )
            texts = tokenizer.batch_decode(written, skip_special_tokens=True)
            for row, text in enumerate(texts):
                gold = labels[row][counted[row]]
                written_tokens = written[row][1 : 1 + len(gold)]
                exact += int(written_tokens.equal(gold))
                scored.append(
                    {"accuracy": float(hit[row].sum() / counted[row].sum()), "written": text}
                )
    predictions = pd.DataFrame(scored)
    predictions.insert(0, "id", test["id"])
    return {"accuracy": right / count, "written": exact / len(rows)}, predictions


def score(logits: NDArray[np.float64], labels: Sequence[int]) -> tuple[dict, pd.DataFrame]:
    """Score the predictions of a classifier.

    Parameters
    ----------
    logits
        ``[text, label]``.
    labels
        ``[text]``.

    Returns
    -------
    metrics
        ``accuracy``, ``f1`` (macro average over classes), ``loss`` (mean cross-entropy, nats),
        ``calibration_error`` (expected, 10 bins), ``examples``.
    predictions
        ``label``, ``prediction``, ``probability`` (of the prediction), ``probability_K`` (of class
        K), ``loss``.
    """
    truth = np.asarray(labels)
    log_probability = log_softmax(logits, axis=1)
    prediction = logits.argmax(axis=1)
    frame = pd.DataFrame(
        {
            "label": truth,
            "prediction": prediction,
            "probability": np.exp(log_probability.max(axis=1)),
            "loss": -log_probability[np.arange(len(truth)), truth],
        }
    )
    for k in range(logits.shape[1]):
        frame[f"probability_{k}"] = np.exp(log_probability[:, k])
    bins = reliability(frame["probability"].to_numpy(), prediction == truth)
    metrics = {
        "accuracy": float((prediction == truth).mean()),
        "f1": float(f1_score(truth, prediction, average="macro")),
        "loss": float(frame["loss"].mean()),
        "calibration_error": expected_calibration_error(bins),
        "examples": len(truth),
    }
    return metrics, frame
