"""Fine-tune the model of an experiment; without a task there is nothing to train."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pandas as pd

from analysis.corpora.prepared import read_corpus
from analysis.params import Length, Params, Train, located
from analysis.paths import CHECKPOINTS, artifact, result
from analysis.stages.runner import replacing, run, write_json

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

    from analysis.models.finetune import Row

BLOCK = 1000  # questions that are encoded together; decides memory, not results
HISTORY = ("step", "epoch", "train_loss", "validation_loss", "validation_accuracy")


def train(params: Params, name: str) -> None:
    """Write the fine-tuned model, its learning curve ``history.csv`` and ``train.json``.

    An experiment without a task gets a model directory with nothing but a note and a curve without
    points, so that every experiment has the same artifacts.
    """
    experiment = located(params, name)
    if experiment.train is None:
        with replacing(artifact(name, "model")) as directory:
            directory.mkdir()
            note = "Nothing is trained in this experiment: the model stays as it was loaded.\n"
            (directory / "README.md").write_text(note, encoding="utf-8")
        _write_history(name, pd.DataFrame(columns=list(HISTORY)))
        write_json(result(name, "metrics", "train.json"), {"trained": False})
        return
    _finetune(params, name, experiment.train)


def _finetune(params: Params, name: str, settings: Train) -> None:
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
    checkpoints = CHECKPOINTS / name
    model, history = finetune(
        model,
        tokenizer,
        splits["train"][0],
        splits["validation"][0],
        settings,
        device=device,
        precision=params.precision,
        checkpoints=checkpoints,
        model_sha256=files.sha256,
    )
    with replacing(artifact(name, "model")) as directory:
        model.save_pretrained(directory)
        tokenizer.save_pretrained(directory)
    _write_history(name, history)
    best = history.loc[history["validation_loss"].idxmin()]
    counted = {split: counts for split, (_, counts) in splits.items()}
    write_json(
        result(name, "metrics", "train.json"),
        {
            "trained": True,
            "best_step": int(best["step"]),
            "validation_loss": float(best["validation_loss"]),
            "validation_accuracy": float(best["validation_accuracy"]),
            **{
                what: {split: counts[what] for split, counts in counted.items()}
                for what in counted["train"]
            },
        },
    )
    # Many times the size of the model, and of no use once it is whole.
    shutil.rmtree(checkpoints, ignore_errors=True)


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


def _write_history(name: str, history: pd.DataFrame) -> None:
    with replacing(result(name, "plots", "history.csv")) as path:
        history.to_csv(path, index=False, float_format="%.6g")


if __name__ == "__main__":
    run("train", train, "experiment")
