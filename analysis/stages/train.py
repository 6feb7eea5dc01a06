"""Train the model of an experiment, and score it; without a task there is nothing to do."""

from __future__ import annotations

import shutil
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import pandas as pd

from analysis.parameters import Params, located
from analysis.paths import CHECKPOINTS, artifact
from analysis.pipeline.packages import made_with
from analysis.pipeline.stage import first_process, replacing, run, write_json
from attention_mixing.corpora import Corpus
from attention_mixing.methods.calibration import reliability
from attention_mixing.models.source import inspect, locate
from attention_mixing.settings.experiment import Experiment, Train
from attention_mixing.settings.sources import UntrainedModel

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

LANGUAGE_MODEL = "language-model"


def train(params: Params, name: str) -> None:
    """Write ``artifacts/EXPERIMENT/train``: the trained model, and how it was made.

    Every seed has a directory ``SEED/`` with ``model/``; ``history.csv``, its learning curve;
    ``predictions.parquet`` of the test split; of a classifier ``reliability.csv``. Of a model that
    learns next words ``model/`` is what chooses among those that are asked for
    (:func:`attention_mixing.models.next_word.choosing`), beside the whole ``language-model/``.
    ``facts.json`` has the means of the scores, ``evaluate``, and of each of ``seeds`` its own and
    the ``sha256`` of the model's files. An experiment without a task has these facts alone, and
    they are empty.
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
            seed_directory = directory / str(seed)
            model, tokenizer, history = _finetune(params, name, seed)
            if located(params, name).task == "language_modelling":
                for part in (model, tokenizer):
                    part.save_pretrained(seed_directory / LANGUAGE_MODEL)
                model = choosing_words(name, model, tokenizer)
            for part in (model, tokenizer):
                part.save_pretrained(seed_directory / "model")
            history.to_csv(seed_directory / "history.csv", index=False, float_format="%.6g")
            scores = _evaluate(params, name, seed_directory)
            sha256 = inspect(seed_directory / "model", name=name).sha256
            facts[str(seed)] = {"evaluate": scores, "sha256": sha256}
        every = [of_seed["evaluate"] for of_seed in facts.values()]
        means = (
            {score: fmean(of_seed[score] for of_seed in every) for score in every[0]}
            if every
            else {}
        )
        write_json(directory / "facts.json", {"evaluate": means, "seeds": facts})
        write_json(directory / "packages.json", made_with(Path(__file__)))
    # Many times the size of the model, and of no use once it is whole.
    shutil.rmtree(CHECKPOINTS / name, ignore_errors=True)


def _finetune(
    params: Params, name: str, seed: int
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase, pd.DataFrame]:
    """Train; the model of the best evaluation, its tokenizer and the learning curve."""
    from attention_mixing.models.device import deterministic, resolve
    from attention_mixing.models.finetune import finetune
    from attention_mixing.models.next_word import word_ids
    from attention_mixing.models.training_rows import next_word_rows, target_rows, training_rows

    experiment = located(params, name)
    settings = experiment.train
    assert settings is not None  # it has this seed
    device = resolve(params.device)
    corpus = Corpus.read(artifact(name, "corpus"))
    deterministic(seed)  # a new head, or a whole model, is drawn
    model, tokenizer, sha256 = begin(experiment, settings, corpus)
    next_words = experiment.task == "language_modelling"
    if next_words:  # words that cannot be chosen are told before training, not after it
        word_ids(tokenizer, corpus.label_names)
    rows = {"language_modelling": next_word_rows, "sequence_to_sequence": target_rows}
    lay_out = rows.get(experiment.task, training_rows)
    training, validation = (
        lay_out(corpus.split(split), tokenizer, experiment.length, model.config)
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
        model_sha256=sha256,
        next_words=next_words,
    )
    return model, tokenizer, history


def begin(
    experiment: Experiment, settings: Train, corpus: Corpus
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase, dict[str, str]]:
    """Load or draw what is trained: the model, its tokenizer, and what it is made of, by hashes."""
    from attention_mixing.models.load import (
        load_answering,
        load_classifier,
        load_language_model,
        load_translator,
    )
    from attention_mixing.models.tokenizer import load_tokenizer
    from attention_mixing.models.training_rows import whole_texts
    from attention_mixing.models.untrained import untrained

    if isinstance(experiment.model, UntrainedModel):
        train_split = corpus.split("train")
        two = experiment.task == "sequence_to_sequence"
        texts = [*train_split["text"], *train_split["target"]] if two else whole_texts(train_split)
        # The seed and the texts, of which the rest is made, are known of every training.
        made_of = {"untrained": experiment.model.model_dump_json()}
        return *untrained(experiment.model, texts, settings.dropout), made_of
    files = locate(experiment.model)
    if experiment.task == "question_answering":
        model = load_answering(files.path, new_head=True, dropout=settings.dropout)
    elif experiment.task == "language_modelling":
        model = load_language_model(files.path, settings.dropout)
    elif experiment.task == "sequence_to_sequence":
        model = load_translator(files.path, settings.dropout)
    else:
        model = load_classifier(files.path, corpus.label_names, settings.dropout)
    return model, load_tokenizer(files.path), files.sha256


def choosing_words(
    name: str, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase
) -> PreTrainedModel:
    """Make what chooses among the words that are the labels of the texts."""
    from attention_mixing.models.next_word import choosing, word_ids

    words = Corpus.read(artifact(name, "corpus")).label_names
    return choosing(model.eval(), word_ids(tokenizer, words), words)


def _evaluate(params: Params, name: str, directory: Path) -> dict[str, Any]:
    """Score the model on the test split."""
    from attention_mixing.models.device import repeatable, resolve
    from attention_mixing.models.evaluation import (
        perplexity,
        score_answers,
        score_targets,
        score_texts,
    )

    experiment = located(params, name)
    repeatable()
    ways = {"question_answering": score_answers, "sequence_to_sequence": score_targets}
    test = Corpus.read(artifact(name, "corpus")).split("test")
    options: dict[str, Any] = {"device": resolve(params.device), "precision": params.precision}
    scores, predictions = ways.get(experiment.task, score_texts)(
        directory / "model", test, experiment.length, **options
    )
    if experiment.task == "language_modelling":
        value = perplexity(directory / LANGUAGE_MODEL, test, experiment.length, **options)
        scores["perplexity"] = value
    predictions.to_parquet(directory / "predictions.parquet", index=False)
    if experiment.task not in ways:
        right = predictions["label"] == predictions["prediction"]
        curve = reliability(predictions["probability"].to_numpy(), right.to_numpy())
        curve.to_csv(directory / "reliability.csv", index=False, float_format="%.6g")
    return scores


if __name__ == "__main__":
    run(train, "experiments", together=True)
