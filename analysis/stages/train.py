"""Fine-tune the model of an experiment, and score it; without a task there is nothing to do."""

from __future__ import annotations

import shutil
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import pandas as pd

from analysis.corpora.prepared import read_corpus
from analysis.methods.calibration import reliability
from analysis.models.source import inspect, locate
from analysis.packages import made_with
from analysis.params import Params, located
from analysis.paths import CHECKPOINTS, artifact
from analysis.stage import first_process, replacing, run, write_json

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


def train(params: Params, name: str) -> None:
    """Write ``artifacts/EXPERIMENT/train``: the fine-tuned model, and how it was made.

    Of every seed (``SEED/``) ``model/``; ``history.csv``, its learning curve;
    ``predictions.parquet`` of the test split; of a classifier ``reliability.csv``. ``facts.json``
    has the means of the scores, ``evaluate``, and of each of ``seeds`` its own and the ``sha256``
    of the model's files. An experiment without a task has these facts alone, and they are empty.
    """
    settings = located(params, name).train
    seeds = settings.seeds if settings else ()
    if not first_process():  # it trains with the first, which writes what they have made
        for seed in seeds:
            _finetune(params, name, seed)
        return
    facts: dict[str, Any] = {}
    with replacing(artifact(name, "train")) as directory:
        directory.mkdir()
        for seed in seeds:
            own = directory / str(seed)
            model, tokenizer, history = _finetune(params, name, seed)
            for part in (model, tokenizer):
                part.save_pretrained(own / "model")
            history.to_csv(own / "history.csv", index=False, float_format="%.6g")
            scores = _evaluate(params, name, own)
            sha256 = inspect(own / "model", name=name).sha256
            facts[str(seed)] = {"evaluate": scores, "sha256": sha256}
        every = [one["evaluate"] for one in facts.values()]
        means = {score: fmean(one[score] for one in every) for score in every[0]} if every else {}
        write_json(directory / "facts.json", {"evaluate": means, "seeds": facts})
        write_json(directory / "packages.json", made_with(Path(__file__)))
    # Many times the size of the model, and of no use once it is whole.
    shutil.rmtree(CHECKPOINTS / name, ignore_errors=True)


def _finetune(
    params: Params, name: str, seed: int
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase, pd.DataFrame]:
    """Train; the model of the best evaluation, its tokenizer and the learning curve."""
    from analysis.models.device import deterministic, resolve
    from analysis.models.finetune import finetune, training_rows
    from analysis.models.load import load_answering, load_classifier
    from analysis.models.tokenizer import load_tokenizer

    experiment = located(params, name)
    settings = experiment.train
    assert settings is not None  # it has this seed
    device = resolve(params.device)
    files = locate(experiment.model)
    corpus = read_corpus(name)
    tokenizer = load_tokenizer(files.path)
    answering = experiment.task == "question_answering"
    deterministic(seed)  # the new head is drawn when the model is loaded
    if answering:
        model = load_answering(files.path, new_head=True, dropout=settings.dropout)
    else:
        model = load_classifier(files.path, corpus.label_names, settings.dropout)
    training, validation = (
        training_rows(corpus.split(split), tokenizer, experiment.length, model.config)
        for split in ("train", "validation")
    )
    model, history = finetune(
        model,
        training,
        validation,
        settings,
        seed=seed,
        device=device,
        precision=params.precision,
        checkpoints=CHECKPOINTS / name / str(seed),
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
