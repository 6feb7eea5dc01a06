"""Train a model on rows of any task with ``transformers.Trainer``.

An interrupted run goes on from its last checkpoint and ends with the same weights, bit for bit, as
one that was never interrupted: the checkpoint holds the optimiser, the schedule, the position in
the shuffled data and every random generator.

Several processes, each on a device of its own, train one model together where ``accelerate launch``
or ``torchrun`` has started them: they share out every batch, and the first writes the checkpoints.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from transformers import (
    PreTrainedModel,
    PrinterCallback,
    Trainer,
    TrainerCallback,
    TrainingArguments,
    logging,
)
from transformers.trainer_utils import get_last_checkpoint

from attention_mixing.errors import InputError
from attention_mixing.models.batch import NOT_ASKED, pad_rows
from attention_mixing.models.device import deterministic
from attention_mixing.models.training_rows import Row
from attention_mixing.settings.experiment import Optimisation

FINGERPRINT = "fingerprint.json"


@dataclass
class OnOneDevice(TrainingArguments):
    """Settings of a process on one device; Trainer by itself takes every GPU that it sees.

    With all of them a batch would be as many times as large as ``train.batch_size`` says.

    Attributes
    ----------
    only
        The device, with its number if it is a GPU.
    """

    only: str = "cpu"

    @property
    def device(self) -> torch.device:
        """The device; the first call sets up accelerate, which moves batches to the current GPU."""
        super().device  # noqa: B018, makes the first GPU the current one
        device = torch.device(self.only)
        if device.type == "cuda":
            torch.cuda.set_device(device)
        return device

    @property
    def n_gpu(self) -> int:
        """Number of GPUs that a batch is split over."""
        return int(self.device.type == "cuda")


def finetune(
    model: PreTrainedModel,
    train: Sequence[Row],
    validation: Sequence[Row],
    settings: Optimisation,
    *,
    seed: int,
    device: torch.device,
    precision: str,
    checkpoints: Path,
    model_sha256: dict[str, str],
    next_words: bool = False,
) -> tuple[PreTrainedModel, pd.DataFrame]:
    """Train the whole model and return its best checkpoint by validation loss.

    AdamW, linear warm-up over ``settings.warmup`` of the steps, then linear decay to zero.

    Parameters
    ----------
    model
        The model to train, which must have been made with ``seed`` set, so
        that its new head repeats.
    train, validation
        As :mod:`attention_mixing.models.training_rows` lays them out.
    settings
        Hyper-parameters. Evaluations are spread evenly over an epoch, the last at its end.
    seed
        Of the order of the texts and of dropout.
    device, precision
        Where, and in which precision, passes are computed; weights stay float32.
    checkpoints
        Directory for checkpoints. Those of a run with other inputs are deleted, those of the same
        run are resumed from.
    model_sha256
        Hashes of the model's files, part of what makes two runs the same.
    next_words
        Whether the labels of tokens are asked one token earlier.

    Returns
    -------
    model
        With the weights of the best evaluation.
    history
        One row an evaluation: ``step``, ``epoch``, ``train_loss`` (mean since the last one),
        ``validation_loss``, ``validation_accuracy`` (share of rows whose label is right, or whose
        start and end both are; of masked or next words, share of these).

    Raises
    ------
    InputError
        If there are no texts to train or to validate with, the device cannot train in this
        precision, the processes cannot share out a batch evenly, or the training diverges.
    """
    processes = int(os.environ.get("WORLD_SIZE") or 1)
    _require_trainable(train, validation, settings, device, precision, processes)
    deterministic(seed)
    # Everything that decides the result; two runs with the same one may share checkpoints.
    fingerprint = {
        "data": _rows_sha256(train, validation),
        "model": model_sha256,
        "precision": precision,
        # Sums are split over threads, so another number of them moves the last bits.
        "processor": [device.type, torch.get_num_threads(), processes],
        "train": settings.model_dump(exclude={"seeds"}) | {"seed": seed},
        "versions": {name: version(name) for name in ("torch", "transformers", "accelerate")},
    }
    steps_per_epoch = math.ceil(len(train) / settings.batch_size)
    arguments = _arguments(
        settings,
        seed=seed,
        device=device,
        precision=precision,
        checkpoints=checkpoints,
        steps_per_epoch=steps_per_epoch,
        processes=processes,
    )
    with arguments.main_process_first(local=False):
        resume = _prepare(checkpoints, fingerprint)
    trainer = Trainer(
        model=model,
        args=arguments,
        train_dataset=train,  # type: ignore[arg-type]
        eval_dataset=validation,  # type: ignore[arg-type]
        data_collator=partial(pad_rows, config=model.config),
        preprocess_logits_for_metrics=_highest,
        compute_metrics=partial(_accuracy, next_words=next_words),
        callbacks=[_evaluations(steps_per_epoch, settings.evaluations)],
    )
    # It reads a checkpoint back without the copies of tied weights, and says that they are missing.
    logging.set_verbosity_error()
    trainer.remove_callback(PrinterCallback)  # the learning curve is written as a table
    trainer.train(resume_from_checkpoint=resume)
    history = _history(trainer.state.log_history)
    if not np.isfinite(history["validation_loss"]).all():
        raise InputError(
            f"the training diverged (its validation loss is not finite) at train.learning_rate "
            f"{settings.learning_rate:g}; lower it."
        )
    return trainer.model, history  # type: ignore[return-value]


def _require_trainable(
    train: Sequence[Row],
    validation: Sequence[Row],
    settings: Optimisation,
    device: torch.device,
    precision: str,
    processes: int,
) -> None:
    """Refuse texts, a precision or a number of processes that nothing can be trained with."""
    if not train or not validation:
        raise InputError("fine-tuning needs texts in train and in validation; one of them is empty")
    if precision == "float16" and device.type == "cpu":
        raise InputError(
            "precision is float16 but device is cpu, where training in it is not supported; set "
            "precision: float32 or bfloat16, or use a GPU."
        )
    if settings.batch_size % processes:
        raise InputError(
            f"train.batch_size is {settings.batch_size}, which {processes} processes cannot share "
            "out evenly; choose a multiple, or start fewer."
        )


def _rows_sha256(train: Sequence[Row], validation: Sequence[Row]) -> str:
    data = hashlib.sha256()
    for row in [*train, None, *validation]:
        data.update(json.dumps(row).encode())
    return data.hexdigest()


def _arguments(
    settings: Optimisation,
    *,
    seed: int,
    device: torch.device,
    precision: str,
    checkpoints: Path,
    steps_per_epoch: int,
    processes: int,
) -> OnOneDevice:
    """Write the settings as Trainer has them."""
    steps = steps_per_epoch * settings.epochs
    rows = settings.batch_size // processes
    return OnOneDevice(
        only=str(device),
        use_cpu=device.type == "cpu",
        output_dir=str(checkpoints),
        num_train_epochs=settings.epochs,
        per_device_train_batch_size=rows,
        per_device_eval_batch_size=2 * rows,
        learning_rate=settings.learning_rate,
        weight_decay=settings.weight_decay,
        warmup_steps=math.ceil(settings.warmup * steps_per_epoch * settings.epochs),
        lr_scheduler_type="linear",
        optim="adamw_torch_fused",
        # The loss is a mean over rows, of which every process has as many.
        average_tokens_across_devices=False,
        seed=seed,
        data_seed=seed,
        bf16=precision == "bfloat16",
        fp16=precision == "float16",
        eval_strategy="steps",
        eval_steps=steps,  # the end; _evaluations names the others
        logging_steps=steps,
        save_strategy="steps",
        save_steps=steps,
        save_total_limit=2,  # the best and the last
        load_best_model_at_end=True,
        metric_for_best_model="eval_loss",
        greater_is_better=False,
        report_to="none",
        disable_tqdm=not sys.stderr.isatty(),
        remove_unused_columns=False,
        dataloader_pin_memory=device.type == "cuda",
    )


def _highest(logits: Any, labels: Any) -> torch.Tensor:
    """Reduce logits to what they predict, so that no evaluation holds them all.

    ``[row]`` labels, ``[row, 2]`` start and end, or ``[row, token]`` words.
    """
    if isinstance(logits, tuple) and logits[0].ndim == 3:  # beside what an encoder has made
        return logits[0].argmax(dim=-1)  # type: ignore[no-any-return]
    if isinstance(logits, tuple):
        return torch.stack([ends.argmax(dim=-1) for ends in logits], dim=-1)
    return logits.argmax(dim=-1)  # type: ignore[no-any-return]


def _accuracy(outcome: Any, next_words: bool) -> dict[str, float]:
    targets, predictions = outcome.label_ids, outcome.predictions
    if next_words:
        targets, predictions = targets[:, 1:], predictions[:, :-1]
    if isinstance(targets, tuple):  # start and end
        right = (predictions == np.stack(targets, axis=-1)).all(axis=-1)
    else:
        right = (predictions == targets)[targets != NOT_ASKED]
    return {"accuracy": float(right.mean())}


def _evaluations(steps_per_epoch: int, count: int) -> TrainerCallback:
    """Evaluate, log and save ``count`` times an epoch, the last time at its end."""
    # Trainer itself counts intervals over the whole training. Those of an epoch whose steps they do
    # not divide would drift, and the end would follow a few steps after an evaluation.
    places = {math.ceil(steps_per_epoch * part / count) for part in range(1, count + 1)}

    class Evaluations(TrainerCallback):
        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> Any:
            if (state.global_step - 1) % steps_per_epoch + 1 in places:
                control.should_evaluate = control.should_log = control.should_save = True
            return control

    return Evaluations()


def _prepare(checkpoints: Path, fingerprint: dict[str, Any]) -> str | None:
    """Return the checkpoint to resume from, after deleting those of other runs."""
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
