"""Fine-tune a classifier with ``transformers.Trainer``.

An interrupted run goes on from its last checkpoint and ends with the same weights, bit for bit, as
one that was never interrupted: the checkpoint holds the optimiser, the schedule, the position in
the shuffled data and every random generator.
"""

from __future__ import annotations

import hashlib
import json
import math
import shutil
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from analysis.errors import InputError
from analysis.models.device import deterministic
from analysis.models.encode import Encoded
from analysis.params import Train

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

FINGERPRINT = "fingerprint.json"


def finetune(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    train: tuple[Sequence[Encoded], Sequence[int]],
    validation: tuple[Sequence[Encoded], Sequence[int]],
    settings: Train,
    *,
    device: torch.device,
    precision: str,
    checkpoints: Path,
    model_sha256: dict[str, str],
) -> tuple[PreTrainedModel, pd.DataFrame]:
    """Train the whole model and return its best checkpoint by validation loss.

    AdamW, linear warm-up over ``settings.warmup`` of the steps, then linear decay to zero.

    Parameters
    ----------
    model, tokenizer
        The classifier to train and its tokenizer; the model must have been made with
        ``settings.seed`` set, so that its new head repeats.
    train, validation
        Texts and their labels.
    settings
        Hyper-parameters.
    device, precision
        Where, and in which precision, passes are computed; weights stay float32.
    checkpoints
        Directory for checkpoints. Those of a run with other inputs are deleted, those of the same
        run are resumed from.
    model_sha256
        Hashes of the model's files, part of what makes two runs the same.

    Returns
    -------
    model
        With the weights of the best evaluation.
    history
        One row an evaluation: ``step``, ``epoch``, ``train_loss`` (mean since the last one),
        ``validation_loss``, ``validation_accuracy``.
    """
    from transformers import DataCollatorWithPadding, PrinterCallback, Trainer, TrainingArguments

    if not train[0] or not validation[0]:
        raise InputError("fine-tuning needs texts in train and in validation; one of them is empty")
    if precision == "float16" and device.type == "cpu":
        raise InputError(
            "precision is float16 but device is cpu, where training in it is not supported; set "
            "precision: float32 or bfloat16, or use a GPU."
        )
    deterministic(settings.seed)
    resume = _prepare(
        checkpoints, _fingerprint(train, validation, settings, device, precision, model_sha256)
    )
    steps_per_epoch = math.ceil(len(train[0]) / settings.batch_size)
    interval = max(1, steps_per_epoch // settings.evaluations)
    trainer = Trainer(
        model=model,
        args=TrainingArguments(
            output_dir=str(checkpoints),
            num_train_epochs=settings.epochs,
            per_device_train_batch_size=settings.batch_size,
            per_device_eval_batch_size=2 * settings.batch_size,
            learning_rate=settings.learning_rate,
            weight_decay=settings.weight_decay,
            warmup_steps=_warmup_steps(settings, steps_per_epoch),
            lr_scheduler_type="linear",
            optim="adamw_torch",
            seed=settings.seed,
            data_seed=settings.seed,
            bf16=precision == "bfloat16",
            fp16=precision == "float16",
            use_cpu=device.type == "cpu",
            eval_strategy="steps",
            eval_steps=interval,
            logging_steps=interval,
            save_strategy="steps",
            save_steps=interval,
            save_total_limit=2,  # the best and the last
            load_best_model_at_end=True,
            metric_for_best_model="eval_loss",
            greater_is_better=False,
            report_to="none",
            disable_tqdm=not sys.stderr.isatty(),
            remove_unused_columns=False,
            dataloader_pin_memory=device.type == "cuda",
        ),
        train_dataset=_rows(*train),  # type: ignore[arg-type]
        eval_dataset=_rows(*validation),  # type: ignore[arg-type]
        data_collator=DataCollatorWithPadding(tokenizer),
        compute_metrics=lambda p: {
            "accuracy": float((p.predictions.argmax(1) == p.label_ids).mean())  # type: ignore[union-attr]
        },
    )
    trainer.remove_callback(PrinterCallback)  # the learning curve is written as a table
    trainer.train(resume_from_checkpoint=resume)
    history = _history(trainer.state.log_history)
    if not np.isfinite(history["validation_loss"]).all():
        raise InputError(
            f"the training diverged (its validation loss is not finite) at train.learning_rate "
            f"{settings.learning_rate:g}; lower it."
        )
    return trainer.model, history  # type: ignore[return-value]


def _rows(encoded: Sequence[Encoded], labels: Sequence[int]) -> list[dict[str, Any]]:
    return [
        {"input_ids": e.input_ids, "attention_mask": [1] * len(e.input_ids), "labels": int(label)}
        for e, label in zip(encoded, labels, strict=True)
    ]


def _warmup_steps(settings: Train, steps_per_epoch: int) -> int:
    return math.ceil(settings.warmup * steps_per_epoch * settings.epochs)


def _fingerprint(
    train: tuple[Sequence[Encoded], Sequence[int]],
    validation: tuple[Sequence[Encoded], Sequence[int]],
    settings: Train,
    device: torch.device,
    precision: str,
    model_sha256: dict[str, str],
) -> dict[str, Any]:
    """Everything that decides the result; two runs with the same one may share checkpoints."""
    import torch

    data = hashlib.sha256()
    for encoded, labels in (train, validation):
        for e, label in zip(encoded, labels, strict=True):
            data.update(json.dumps([e.input_ids, int(label)]).encode())
    return {
        "data": data.hexdigest(),
        "model": model_sha256,
        "precision": precision,
        # Sums are split over threads, so another number of them moves the last bits.
        "processor": [str(device), torch.get_num_threads()],
        "train": settings.model_dump(),
        "versions": {name: version(name) for name in ("torch", "transformers", "accelerate")},
    }


def _prepare(checkpoints: Path, fingerprint: dict[str, Any]) -> str | None:
    """Return the checkpoint to resume from, after deleting those of other runs."""
    from transformers.trainer_utils import get_last_checkpoint

    note = checkpoints / FINGERPRINT
    if _whole(note) != fingerprint:
        shutil.rmtree(checkpoints, ignore_errors=True)
        checkpoints.mkdir(parents=True)
        note.write_text(json.dumps(fingerprint), encoding="utf-8")
        return None
    # Trainer writes its state last: a checkpoint without a whole one was cut off itself.
    for directory in checkpoints.glob("checkpoint-*"):
        if _whole(directory / "trainer_state.json") is None:
            shutil.rmtree(directory)
    return get_last_checkpoint(str(checkpoints))


def _whole(path: Path) -> Any:
    """Content of a JSON file; None if there is none or it was cut off while being written."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None


def _history(log: list[dict[str, float]]) -> pd.DataFrame:
    """Join what Trainer logs at a step, training loss and evaluation, into one row."""
    training = {int(entry["step"]): entry["loss"] for entry in log if "loss" in entry}
    return pd.DataFrame(
        {
            "step": int(entry["step"]),
            "epoch": round(entry["epoch"], 4),
            "train_loss": training.get(int(entry["step"])),
            "validation_loss": entry["eval_loss"],
            "validation_accuracy": entry["eval_accuracy"],
        }
        for entry in log
        if "eval_loss" in entry
    )
