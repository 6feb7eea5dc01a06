"""What every stage has in common: validation, one-sentence errors, whole artifacts or none."""

from __future__ import annotations

import fcntl
import gc
import json
import os
import platform
import resource
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from operator import attrgetter
from pathlib import Path
from typing import IO, Any

import typer

from analysis.parameters import Params, load
from analysis.parameters.derived import texts_left_out
from analysis.paths import RUNS, artifact
from analysis.pipeline import proxy
from analysis.remedies import REMEDIES
from attention_mixing.artifacts import read_artifact
from attention_mixing.errors import InputError, about, end_with, require, shortened, told

# Seconds: what a process that was killed had started holds its lock, and ends in fewer.
PATIENCE = 6


@contextmanager
def keyed(keys: Iterable[str]) -> Iterator[None]:
    """Call a setting that an error begins with by its key in ``params.yaml``, one of ``keys``."""
    try:
        yield
    except InputError as error:
        first, _, rest = str(error).partition(" ")
        named = [key for key in keys if key.endswith(f".{first}")]
        if not named:
            raise
        raise InputError(f"{named[0]} {rest}") from None


def run(
    work: Callable[..., None], *sections: str, together: bool = False, **choices: Iterable[str]
) -> None:
    """Run one stage as a command: ``python -m analysis.stages STAGE [KEY ...]``.

    ``work`` is called with the validated parameters and the keys. The command line names, in this
    order, one of each of the ``sections`` of the parameters, such as ``experiments`` or
    ``sinks.seeds``, and one of each of the ``choices``, which are of other kinds. With ``together``
    a launcher, such as ``accelerate launch``, may start several processes for it, of which the
    first alone writes.
    """
    stage, arguments, started = Path(sys.argv[0]).stem, sys.argv[1:], datetime.now(UTC)
    if proxy.asked_by is not None:
        proxy.when_gone(lambda: os._exit(1))
    elif "DVC_STAGE" in os.environ:
        end_with(os.getppid())
    with told(REMEDIES):
        if not together:
            require_one_process()
        values = load()
        kinds = {section: [*map(str, attrgetter(section)(values))] for section in sections}
        kinds |= {kind: [*allowed] for kind, allowed in choices.items()}
        if len(arguments) != len(kinds):
            expected = " and ".join(f"one of the {kind}" for kind in kinds)
            raise InputError(
                f"the stage {stage} is given {' '.join(arguments) or 'nothing'}; allowed: "
                f"{expected or 'nothing'}; correct it."
            )
        for key, (kind, allowed) in zip(arguments, kinds.items(), strict=True):
            require(key, kind, allowed)
        with (
            only("-".join([stage, *arguments])) if first_process() else nullcontext(),
            about(f"{sections[0]}.{arguments[0]}") if sections else nullcontext(),
        ):
            work(values, *arguments)
        # Its name; by hand, a stage is no part of a run.
        if "DVC_STAGE" in os.environ and first_process():
            _note_run(os.environ["DVC_STAGE"], started)
    gc.freeze()  # or the interpreter looks through all objects once more as it ends


@contextmanager
def only(name: str) -> Iterator[int]:
    """Keep a second process from the same work, which would write into the same files.

    One whose ``dvc repro`` was killed ends within a second, and its workers with it. The second is
    refused after :data:`PATIENCE`, with the process that is at it. A process that is passed the
    number of the file that is given keeps it locked too.
    """
    path = RUNS / f"{name}.lock"
    path.parent.mkdir(exist_ok=True)
    started = time.monotonic()
    with path.open("a") as lock:
        while not _locked(lock):
            if time.monotonic() - started > PATIENCE:
                raise InputError(
                    f"{name} runs already, as process {path.read_text()}; wait for its end, or "
                    "`kill` it, and run again."
                )
            time.sleep(0.1)
        path.write_text(str(os.getpid()))
        yield lock.fileno()


def _locked(file: IO[str]) -> bool:
    """Lock a file until this process and those that it forks end, unless another has."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def seeds(experiment: str) -> list[str]:
    """Seeds with which the model of an experiment was trained; 0 where nothing was."""
    trained = read_artifact(artifact(experiment, "train", "facts.json"))["seeds"]
    return list(trained) or ["0"]


def first_process() -> bool:
    """Tell whether this is the first, or only, of the processes of a launcher."""
    return _processes() == "1" or os.environ.get("RANK", "0") == "0"


def _processes() -> str:
    """Tell how many processes a launcher says there are; a rank without them is a leftover."""
    return os.environ.get("WORLD_SIZE") or "1"


def require_one_process() -> None:
    """Refuse to be one of several processes of a launcher, such as ``torchrun``."""
    if (count := _processes()) != "1":
        raise InputError(
            f"WORLD_SIZE is {count}, but all stages other than train are one process on the one "
            "device that `device` names; start it without a launcher, and unset WORLD_SIZE."
        )


def existing_path(values: Params, name: str) -> Path:
    """Give the path of the file or directory that a key of ``files`` names.

    Raises
    ------
    InputError
        If there is neither a file nor a directory, or in the directory something else, such as a
        pipe, which could be read for ever.
    """
    entry = values.files[name]
    path = Path(entry)
    try:
        inside = (path, *path.rglob("*"))
        other = next(
            (member for member in inside if not (member.is_file() or member.is_dir())), None
        )
    except OSError:  # a name that is too long, a directory that may not be entered
        other = path
    if other is not None:
        raise InputError(
            f"files.{name} is {entry}, {'which' if other == path else f'where {other}'} is neither "
            "a file nor a directory that can be read; allowed: a file or a model directory, its "
            "path written out (`~` is not expanded); correct the path in params.yaml."
        )
    return path


def announce_left_out(params: Params, name: str, captured: int) -> None:
    """Say which texts that are to be on maps an experiment lacks, which has so many."""
    for key, texts in texts_left_out(params, captured).items():
        beyond = shortened(", ".join(map(str, texts)))
        typer.echo(
            f"{name}: {key} names {beyond}, but only {captured} texts are captured (the first is "
            "0); the maps of this experiment are without."
        )


def _note_run(stage: str, started: datetime) -> None:
    """Write time and host to a side file, which only the provenance page reads.

    These differ from run to run, so they are no artifact: nothing that is hashed may hold them.
    """
    # Its own, and of the processes that it has started and ended.
    used = [resource.getrusage(of) for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    note = {
        "started": started.isoformat(timespec="seconds"),
        "seconds": round((datetime.now(UTC) - started).total_seconds(), 2),
        "processor_seconds": round(sum(one.ru_utime + one.ru_stime for one in used), 2),
        "peak_memory_mib": round(sum(one.ru_maxrss for one in used) / 1024),  # KiB on Linux
        "platform": platform.platform(),
        "cpu_count": os.cpu_count(),
    }
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():  # not of one that used none
        note["gpu"] = torch.cuda.get_device_name()
    write_json(RUNS / f"{stage}.json", note)


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """Give a temporary path beside ``target`` and move it there when the block ends well.

    A stage that fails or is killed leaves the earlier artifact as it was, and never half of a new
    one under its name.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    new, old = (target.with_name(f".{target.name}.{kind}") for kind in ("new", "old"))
    if old.exists() and not target.exists():
        old.rename(target)  # an earlier run was killed between the two renames below
    _remove(new)
    try:
        yield new
    except BaseException as error:
        error.add_note(str(target))
        _remove(new)
        raise
    _remove(old)
    if target.is_dir():
        target.rename(old)  # a directory cannot be replaced in one step
    new.replace(target)
    _remove(old)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def write_json(path: Path, content: Any) -> None:
    """Write JSON with a stable layout, whole or not at all; numbers keep 10 significant digits."""
    with replacing(path) as new:
        text = json.dumps(_rounded(content), indent=2, ensure_ascii=False, allow_nan=False)
        new.write_text(text + "\n", encoding="utf-8")


def _rounded(content: Any) -> Any:
    if isinstance(content, dict):
        return {key: _rounded(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_rounded(value) for value in content]
    return float(f"{content:.10g}") if isinstance(content, float) else content


def older(output: Path, *sources: Path) -> bool:
    """Tell whether a file is missing, or no newer than what it was made of."""
    return not output.is_file() or any(
        source.stat().st_mtime >= output.stat().st_mtime for source in sources
    )
