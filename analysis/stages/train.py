"""Fine-tune the model of an experiment, and score it; without a task there is nothing to do."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from analysis.corpora.prepared import read_corpus
from analysis.methods.calibration import reliability
from analysis.models.source import inspect, locate
from analysis.params import Params, located
from analysis.params.sections import Train
from analysis.paths import CHECKPOINTS, artifact
from analysis.stage import first_process, replacing, run, write_json

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


def train(params: Params, name: str) -> None:
    """Write ``artifacts/EXPERIMENT/train``: the fine-tuned model, and how it was made.

    ``model/``; ``history.csv``, its learning curve; ``predictions.parquet`` of the test split; of a
    classifier ``reliability.csv``; ``facts.json`` with its scores, ``evaluate``, and the ``sha256``
    of the model's files. An experiment without a task has these facts alone, and they are empty.
    """
    experiment = located(params, name)
    if not first_process():  # it trains with the first, which writes what they have made
        if experiment.train is not None:
            _finetune(params, name, experiment.train)
        return
    facts: dict[str, Any] = {"evaluate": {}}
    with replacing(artifact(name, "train")) as directory:
        directory.mkdir()
        if experiment.train is not None:
            model, tokenizer, history = _finetune(params, name, experiment.train)
            for part in (model, tokenizer):
                part.save_pretrained(directory / "model")
            history.to_csv(directory / "history.csv", index=False, float_format="%.6g")
            facts["evaluate"] = _evaluate(params, name, directory)
            facts["sha256"] = inspect(directory / "model", name=name).sha256
        write_json(directory / "facts.json", facts)
    # Many times the size of the model, and of no use once it is whole.
    shutil.rmtree(CHECKPOINTS / name, ignore_errors=True)


def _finetune(
    params: Params, name: str, settings: Train
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase, pd.DataFrame]:
    """Train; the model of the best evaluation, its tokenizer and the learning curve."""
    from analysis.models.device import deterministic, resolve
    from analysis.models.finetune import finetune, training_rows
    from analysis.models.load import load_answering, load_classifier, load_tokenizer

    experiment = located(params, name)
    device = resolve(params.device)
    files = locate(experiment.model)
    corpus = read_corpus(name)
    tokenizer = load_tokenizer(files.path)
    answering = experiment.task == "question_answering"
    training, validation = (
        training_rows(corpus.split(split), tokenizer, experiment.length)
        for split in ("train", "validation")
    )
    deterministic(settings.seed)  # the new head is drawn when the model is loaded
    if answering:
        model = load_answering(files.path, new_head=True, dropout=settings.dropout)
    else:
        model = load_classifier(files.path, corpus.label_names, settings.dropout)
    model, history = finetune(
        model,
        tokenizer,
        training,
        validation,
        settings,
        device=device,
        precision=params.precision,
        checkpoints=CHECKPOINTS / name,
        model_sha256=files.sha256,
    )
    return model, tokenizer, history


def _evaluate(params: Params, name: str, directory: Path) -> dict[str, Any]:
    """Score the model on the test split."""
    from analysis.models.device import repeatable, resolve
    from analysis.models.evaluation import score_answers, score_texts

    experiment = located(params, name)
    repeatable()
    answering = experiment.task == "question_answering"
    scores, predictions = (score_answers if answering else score_texts)(
        directory / "model",
        read_corpus(name).split("test"),
        experiment.length,
        device=resolve(params.device),
        precision=params.precision,
    )
    predictions.to_parquet(directory / "predictions.parquet", index=False)
    if not answering:
        right = predictions["label"] == predictions["prediction"]
        curve = reliability(predictions["probability"].to_numpy(), right.to_numpy())
        curve.to_csv(directory / "reliability.csv", index=False, float_format="%.6g")
    return scores


if __name__ == "__main__":
    run(train, "experiments", together=True)
