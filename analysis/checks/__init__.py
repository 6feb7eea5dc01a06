"""What is found out before anything runs: parameters, files, models and texts that cannot be used.

``make repro`` asks before it starts DVC, and the first stage of the graph asks again, for ``dvc
repro``, ``dvc exp run`` and DVC's queue start without it.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from analysis.checks.announcements import announce
from analysis.checks.trials import try_out
from analysis.paths import ENCODERS, artifact
from analysis.quantity_names import require_names
from analysis.stage import existing_path, older, require_one_process
from analysis.stages.anatomy import require_shown
from attention_mixing import params
from attention_mixing.errors import InputError, about
from attention_mixing.models import source
from attention_mixing.models.config import layers_and_heads, positions, require_positions
from attention_mixing.models.device import resolve
from attention_mixing.params import PARAMS_FILE, Params, located, located_texts
from attention_mixing.params.derived import predicts
from attention_mixing.params.file import read_mapping
from attention_mixing.params.sections import (
    HubModel,
    HubSplits,
    LocalModel,
    LocalSplits,
    UntrainedModel,
)

# Where DVC notes what its processes read and write.
PROCESSES = Path(".dvc/tmp/rwlock")
# What DVC reads, and after which command it can go on; without a lock, it still finds what it has
# kept.
PIPELINE = {Path("dvc.yaml"): "git checkout HEAD dvc.yaml", Path("dvc.lock"): "rm dvc.lock"}


def check() -> None:
    """Check that DVC can begin, and :func:`require_runnable`.

    Raises
    ------
    InputError
        If ``params.yaml``, or a file that DVC reads, cannot be read, or as said there.
    """
    require_one_process()
    try:
        json.loads(PROCESSES.read_text(encoding="utf-8") if PROCESSES.is_file() else "{}")
    except ValueError:
        raise InputError(
            f"{PROCESSES}, where DVC notes what its processes read and write, was cut off by a "
            f"kill or a full disk, and DVC stops at it; see that no other `dvc` runs here, `rm "
            f"{PROCESSES}`, and run again."
        ) from None
    for path, restored in PIPELINE.items():
        if path.is_file():
            read_mapping(path, restored)
    require_runnable(params.load())


def require_runnable(values: Params) -> None:
    """Check that what parameters, rules and figures name is there and can be used.

    A model or text that a stage could not use is found before others have worked for hours, and
    before DVC has removed the output of a stage.

    Raises
    ------
    InputError
        On the first device, file, model, data set or text that cannot be used.
    """
    require_merged()
    require_names()
    require_texts(values)
    values = before_training(values)
    if values.device not in ("auto", "cpu"):  # asking costs the start of torch
        resolve(values.device)
    for name in values.files:
        existing_path(values, name)
    for name, experiment in values.experiments.items():
        if isinstance(experiment.model, UntrainedModel):
            continue  # it is tried below
        config = source.configuration(located(values, name).model)
        require_positions(experiment.length, positions(config), f"experiments.{name}.")
        if predicts(experiment) and config.get("pad_token_id", 0) is None:
            raise InputError(
                f"experiments.{name}.model has pad_token_id null in its config.json, and what "
                "explains a prediction starts from padding tokens; state it there, or choose "
                "another model."
            )
        announce(values, name, *layers_and_heads(config))
    try_out(values)
    require_shown(values.anatomy, located(values, values.report.focus.experiment).model)
    if isinstance(values.heads.images, HubModel):
        source.configuration(values.heads.images)
    for name, experiment in values.experiments.items():
        if isinstance(experiment.data, HubSplits):
            # pandas takes longer to start than all the rest
            from attention_mixing.corpora import hub

            with about(f"experiments.{name}"):
                hub.require(experiment.data)


def before_training(values: Params) -> Params:
    """Replace a model that an encoder is still to be trained to by the one that it starts from.

    Their architecture and tokenizer are the same.
    """
    starts = {
        name: values.encoders[Path(path).name].model
        for name, path in values.files.items()
        if Path(path).parent == ENCODERS and Path(path).name in values.encoders
        if not Path(path).exists()
    }
    experiments = {
        name: experiment.model_copy(update={"model": starts[experiment.model.name]})
        if isinstance(experiment.model, LocalModel) and experiment.model.name in starts
        else experiment
        for name, experiment in values.experiments.items()
    }
    files = {name: path for name, path in values.files.items() if name not in starts}
    return values.model_copy(update={"experiments": experiments, "files": files})


def require_texts(values: Params) -> None:
    """Read the local files of texts, unless what was made of them is newer, as ``make`` does."""
    for name, experiment in values.experiments.items():
        data = experiment.data
        if isinstance(data, LocalSplits):
            read = [
                existing_path(values, file) for file in (data.train, data.test) if file is not None
            ]
            if older(artifact(name, "corpus", "facts.json"), PARAMS_FILE, *read):
                # pandas takes longer to start than all the rest
                from attention_mixing import corpora

                with about(f"experiments.{name}"):
                    corpora.load(located(values, name).data, experiment.task)
    for name, settings in values.encoders.items():
        text = existing_path(values, settings.texts)
        if older(ENCODERS / name / "training.json", PARAMS_FILE, text):
            from attention_mixing import corpora

            with about(f"encoders.{name}"):
                corpora.encoder_texts(located_texts(values, settings))


def require_merged() -> None:
    """Refuse files in which git has left conflict markers: pages would show them as text.

    Raises
    ------
    InputError
        With these files.
    """
    if not Path(".git").exists():
        return
    command = ["git", "grep", "-I", "--files-with-matches", "--extended-regexp", "^(<{7}|>{7}) "]
    try:
        names = subprocess.run(command, capture_output=True, encoding="utf-8").stdout.split("\n")
    except FileNotFoundError:  # no git, which is needed for conflicts
        return
    if named := ", ".join(filter(None, names)):
        raise InputError(
            f"git has left conflict markers in {named}; keep one of the versions at each of them, "
            "and run again."
        )
