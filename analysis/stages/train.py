"""Fine-tune the model of an experiment, and score it; without a task there is nothing to do."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from analysis.corpora.prepared import read_corpus
from analysis.methods.calibration import reliability
from analysis.params import Params, located
from analysis.params.sections import Length, Train
from analysis.paths import CHECKPOINTS, artifact
from analysis.stage import replacing, run, write_json

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

    from analysis.models.finetune import Row

BLOCK = 1000  # questions that are encoded together; decides memory, not results


def train(params: Params, name: str) -> None:
    """Write ``artifacts/EXPERIMENT/train``: the fine-tuned model, and how it was made.

    ``model/``; ``history.csv``, its learning curve; ``predictions.parquet`` of the test split, of
    question answering also ``predictions.json`` in the format of the official scorer of SQuAD 2.0;
    of a classifier ``reliability.csv``; ``facts.json`` with ``train`` and ``evaluate``. An
    experiment without a task has facts alone, which say so.
    """
    experiment = located(params, name)
    facts: dict[str, Any] = {"train": {"trained": False}, "evaluate": {"evaluated": False}}
    with replacing(artifact(name, "train")) as directory:
        directory.mkdir()
        if experiment.train is not None:
            facts["train"] = _finetune(params, name, experiment.train, directory)
            facts["evaluate"] = _evaluate(params, name, directory)
        write_json(directory / "facts.json", facts)
    # Many times the size of the model, and of no use once it is whole.
    shutil.rmtree(CHECKPOINTS / name, ignore_errors=True)


def _finetune(params: Params, name: str, settings: Train, directory: Path) -> dict[str, Any]:
    from analysis.models.device import deterministic, resolve
    from analysis.models.finetune import finetune
    from analysis.models.load import load_answering, load_classifier, load_tokenizer
    from analysis.models.source import locate

    experiment = located(params, name)
    device = resolve(params.device)
    files = locate(experiment.model)
    corpus = read_corpus(name)
    tokenizer = load_tokenizer(files.path)
    answering = experiment.task == "question_answering"
    read = _read_questions if answering else _read_texts
    splits = {
        split: read(corpus.split(split), tokenizer, experiment.length)
        for split in ("train", "validation")
    }
    deterministic(settings.seed)  # the new head is drawn when the model is loaded
    if answering:
        model = load_answering(files.path, new_head=True, dropout=settings.dropout)
    else:
        model = load_classifier(files.path, corpus.label_names, settings.dropout)
    model, history = finetune(
        model,
        tokenizer,
        splits["train"][0],
        splits["validation"][0],
        settings,
        device=device,
        precision=params.precision,
        checkpoints=CHECKPOINTS / name,
        model_sha256=files.sha256,
    )
    model.save_pretrained(directory / "model")
    tokenizer.save_pretrained(directory / "model")
    history.to_csv(directory / "history.csv", index=False, float_format="%.6g")
    best = history.loc[history["validation_loss"].idxmin()]
    counted = {split: counts for split, (_, counts) in splits.items()}
    return {
        "trained": True,
        "best_step": int(best["step"]),
        "validation_loss": float(best["validation_loss"]),
        "validation_accuracy": float(best["validation_accuracy"]),
        **{
            what: {split: counts[what] for split, counts in counted.items()}
            for what in counted["train"]
        },
    }


def _evaluate(params: Params, name: str, directory: Path) -> dict[str, Any]:
    """Score the model on the test split."""
    from analysis.models.device import repeatable, resolve
    from analysis.models.evaluation import score_answers, score_texts

    experiment = located(params, name)
    repeatable()
    answering = experiment.task == "question_answering"
    metrics, predictions = (score_answers if answering else score_texts)(
        directory / "model",
        read_corpus(name).split("test"),
        experiment.length,
        device=resolve(params.device),
        precision=params.precision,
    )
    predictions.to_parquet(directory / "predictions.parquet", index=False)
    if answering:
        answers = dict(zip(predictions["question_id"], predictions["answer"], strict=True))
        write_json(directory / "predictions.json", answers)
    else:
        right = predictions["label"] == predictions["prediction"]
        curve = reliability(predictions["probability"].to_numpy(), right.to_numpy())
        curve.to_csv(directory / "reliability.csv", index=False, float_format="%.6g")
    return {"evaluated": True, **metrics}


def _read_texts(
    texts: pd.DataFrame, tokenizer: PreTrainedTokenizerBase, length: Length
) -> tuple[list[Row], dict[str, int]]:
    """Return what is trained on, and how many texts were cut."""
    from analysis.models.encode import encode_examples
    from analysis.models.finetune import classification_rows

    encoded = encode_examples(texts, tokenizer, length)
    rows = classification_rows(encoded, texts["label"].tolist(), tokenizer)
    return rows, {"truncated": sum(text.truncated for text in encoded)}


def _read_questions(
    texts: pd.DataFrame, tokenizer: PreTrainedTokenizerBase, length: Length
) -> tuple[list[Row], dict[str, int]]:
    """Return the windows that are trained on, and what became of the questions.

    ``truncated`` are questions whose context takes more than one window, ``questions_cut`` those
    that are too long themselves, ``answers_cut`` answerable ones whose answer no window holds.
    """
    from analysis.models.encode import encode_questions
    from analysis.models.finetune import answering_rows

    rows: list[Row] = []
    counts = dict.fromkeys(("truncated", "questions_cut", "answers_cut"), 0)
    # Rows are a tenth of the size of what they are made from.
    for start in range(0, len(texts), BLOCK):
        block = texts.iloc[start : start + BLOCK]
        questions = encode_questions(block, tokenizer, length)
        rows += answering_rows(questions, tokenizer)
        counts["truncated"] += sum(len(question.windows) > 1 for question in questions)
        counts["questions_cut"] += sum(question.cut for question in questions)
        counts["answers_cut"] += sum(
            len(answers) > 0 and not question.positions.any()
            for answers, question in zip(block["answers"], questions, strict=True)
        )
    return rows, {"windows": len(rows), **counts}


if __name__ == "__main__":
    run("train", train, "experiment")
