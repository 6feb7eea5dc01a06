"""Fine-tune the model of an experiment; without a task there is nothing to train."""

import shutil

import pandas as pd

from analysis.params import Params, Train
from analysis.paths import CHECKPOINTS, artifact, result
from analysis.stages.corpus import read_corpus
from analysis.stages.runner import replacing, run, write_json

HISTORY = ("step", "epoch", "train_loss", "validation_loss", "validation_accuracy")


def train(params: Params, name: str) -> None:
    """Write the fine-tuned model, its learning curve ``history.csv`` and ``train.json``.

    An experiment without a task gets a model directory with nothing but a note and a curve without
    points, so that every experiment has the same artifacts.
    """
    experiment = params.located(name)
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
    from analysis.models.encode import encode
    from analysis.models.finetune import finetune
    from analysis.models.load import load_classifier, load_tokenizer
    from analysis.models.source import locate

    experiment = params.located(name)
    device = resolve(params.device)
    files = locate(experiment.model)
    corpus = read_corpus(name)
    tokenizer = load_tokenizer(files.path)
    deterministic(settings.seed)  # the new head is drawn when the model is loaded
    model = load_classifier(files.path, corpus.label_names, settings.dropout)
    splits = {
        split: (
            encode(corpus.split(split)["text"].tolist(), tokenizer, experiment.length),
            corpus.split(split)["label"].tolist(),
        )
        for split in ("train", "validation")
    }
    checkpoints = CHECKPOINTS / name
    model, history = finetune(
        model,
        tokenizer,
        splits["train"],
        splits["validation"],
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
    write_json(
        result(name, "metrics", "train.json"),
        {
            "trained": True,
            "best_step": int(best["step"]),
            "validation_loss": float(best["validation_loss"]),
            "validation_accuracy": float(best["validation_accuracy"]),
            "truncated": {split: sum(e.truncated for e in x) for split, (x, _) in splits.items()},
        },
    )
    # Many times the size of the model, and of no use once it is whole.
    shutil.rmtree(checkpoints, ignore_errors=True)


def _write_history(name: str, history: pd.DataFrame) -> None:
    with replacing(result(name, "plots", "history.csv")) as path:
        history.to_csv(path, index=False, float_format="%.6g")


if __name__ == "__main__":
    run("train", train, "experiment")
