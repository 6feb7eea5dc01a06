"""What DVC notes in ``dvc.lock``, which it writes in place: a kill may leave half of it."""

from __future__ import annotations

from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import yaml
from zc.lockfile import LockError, LockFile

from analysis.paths import LOCK, RUNS

# What DVC's processes lock while they read and write, and our copy of what they last wrote.
LOCKED = Path(".dvc/tmp/lock")
PROCESSES = Path(".dvc/tmp/rwlock")  # what they read and write at present
COPY = RUNS / "dvc.lock"


def mend() -> None:
    """Mend what a kill has left half-written, unless a DVC is at work."""
    if LOCKED.parent.is_dir():
        with suppress(LockError):
            outputs()


def outputs() -> dict[str, Any]:
    """Read what every stage has written, with hashes, and copy the file, while no DVC writes it.

    Half a file is replaced by the last copy, from which DVC goes on. Of what processes read and
    write half a note is removed, at which DVC would stop.

    Raises
    ------
    zc.lockfile.LockError
        If a DVC has it locked.
    """
    LOCKED.parent.mkdir(parents=True, exist_ok=True)
    with closing(LockFile(str(LOCKED))), closing(LockFile(f"{PROCESSES}.lock")):
        if PROCESSES.is_file() and not PROCESSES.read_bytes().endswith(b"}"):
            PROCESSES.unlink()
        if LOCK.is_file():
            source, target = (COPY, LOCK) if _half(LOCK) and COPY.is_file() else (LOCK, COPY)
            target.parent.mkdir(exist_ok=True)
            new = target.with_name(f".{target.name}.new")
            new.write_bytes(source.read_bytes())
            new.replace(target)
        return _read()


def _half(path: Path) -> bool:
    """Tell whether the end is missing; what git or an editor has broken is not mended here."""
    return not path.read_bytes().endswith(b"\n")


def _read() -> dict[str, Any]:
    try:
        content = yaml.load(LOCK.read_bytes(), yaml.CSafeLoader)
        return {name: stage.get("outs") for name, stage in content["stages"].items()}
    except (OSError, yaml.YAMLError, TypeError, KeyError, AttributeError):
        return {}  # there is none yet, or DVC will refuse it
