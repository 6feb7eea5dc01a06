"""Score the fine-tuned model on the test split."""

import numpy as np
import pandas as pd

from analysis.methods.answers import question_scores, squad_scores
from analysis.methods.calibration import reliability
from analysis.params import Params, located
from analysis.paths import artifact, result
from analysis.stages.corpus import read_corpus
from analysis.stages.runner import replacing, run, write_json

BATCH_SIZE = 64  # of forward passes; decides speed and memory, not results
BLOCK = 1000  # questions whose logits are held at once
THRESHOLD = 0.0  # on null score minus score of the best span, as BERT has it


def evaluate(params: Params, name: str) -> None:
    """Write ``evaluate.json``, ``predictions.parquet``, ``predictions.json`` and reliability.

    ``predictions.json`` has the predicted answers in the format of the official scorer of SQuAD
    2.0; other tasks predict none. The reliability curve is of a classifier. An experiment without a
    task has neither predictions nor scores, and says so.
    """
    task = params.experiments[name].task
    curve = reliability(np.empty(0), np.empty(0, bool))
    answers: dict[str, str] = {}
    if task == "none":
        metrics: dict = {"evaluated": False}
        predictions = pd.DataFrame({"id": pd.Series(dtype="int64")})
    elif task == "classification":
        metrics, predictions = _score(params, name)
        curve = reliability(
            predictions["probability"].to_numpy(),
            (predictions["label"] == predictions["prediction"]).to_numpy(),
        )
    else:
        metrics, predictions = _answer(params, name)
        answers = dict(zip(predictions["question_id"], predictions["answer"], strict=True))
    with replacing(artifact(name, "predictions.parquet")) as path:
        predictions.to_parquet(path, index=False)
    write_json(artifact(name, "predictions.json"), answers)
    with replacing(result(name, "plots", "reliability.csv")) as path:
        curve.to_csv(path, index=False, float_format="%.6g")
    write_json(result(name, "metrics", "evaluate.json"), metrics)


def _score(params: Params, name: str) -> tuple[dict, pd.DataFrame]:
    from analysis.models.device import repeatable, resolve
    from analysis.models.encode import encode_examples
    from analysis.models.load import load_classifier, load_tokenizer
    from analysis.models.predict import predict, score

    experiment = located(params, name)
    device = resolve(params.device)
    repeatable()
    model_directory = artifact(name, "model")
    tokenizer = load_tokenizer(model_directory)
    test = read_corpus(name).split("test")
    encoded = encode_examples(test, tokenizer, experiment.length)
    logits = predict(
        load_classifier(model_directory),
        tokenizer,
        encoded,
        device=device,
        precision=params.precision,
        batch_size=BATCH_SIZE,
    )
    metrics, predictions = score(logits, test["label"].tolist())
    predictions.insert(0, "id", test["id"])
    metrics |= {
        "truncated": sum(e.truncated for e in encoded),
        "tokens_per_text": sum(len(e.input_ids) for e in encoded) / len(encoded),
    }
    return {"evaluated": True, **metrics}, predictions


def _answer(params: Params, name: str) -> tuple[dict, pd.DataFrame]:
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
    from analysis.models.answering import answer_logits, answer_text, read_answers
    from analysis.models.device import repeatable, resolve
    from analysis.models.encode import encode_questions
    from analysis.models.load import load_answering, load_tokenizer

    device = resolve(params.device)
    repeatable()
    model_directory = artifact(name, "model")
    tokenizer, model = load_tokenizer(model_directory), load_answering(model_directory)
    test = read_corpus(name).split("test")
    counts = dict.fromkeys(("windows", "truncated", "questions_cut"), 0)
    tokens = 0
    rows: list[tuple[str, str, float]] = []
    for start in range(0, len(test), BLOCK):
        block = test.iloc[start : start + BLOCK]
        questions = encode_questions(block, tokenizer, params.experiments[name].length)
        logits = answer_logits(
            model,
            tokenizer,
            questions,
            device=device,
            precision=params.precision,
            batch_size=BATCH_SIZE,
        )
        found = read_answers(questions, logits)
        for text, question, reading in zip(block["text"], questions, found, strict=True):
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
    return {"evaluated": True, **metrics, **counted}, predictions


if __name__ == "__main__":
    run("evaluate", evaluate, "experiment")
