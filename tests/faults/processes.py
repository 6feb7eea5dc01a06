"""Stages in processes of their own that can be killed, and what they leave.

What is done with them takes minutes, and is done by hand: ``KILLS=200 pytest tests/faults``.
"""

import hashlib
import os
import shutil
from fnmatch import fnmatch
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest
from small_run import ENVIRONMENT, LARGE, ROOT, run_forked

KILLS = int(os.environ.get("KILLS", 0))
BY_HAND = [
    pytest.mark.slow,
    pytest.mark.skipif(not KILLS, reason="by hand: KILLS=200 pytest tests/faults"),
]
# No stage depends on these; what DVC ignores, it does not count either.
SAID = "said.txt"
ASIDE = ("runs", "checkpoints", SAID)
IGNORED = [
    line
    for line in (ROOT / ".dvcignore").read_text(encoding="utf-8").splitlines()
    if line.startswith(".*")
]
# Where processes are forked that have the large libraries already.
SERVER = get_context("forkserver")
SERVER.set_forkserver_preload(list(LARGE))


def started(directory: Path, name: str, command: str) -> BaseProcess:
    """Start the command of a stage; what it says on the standard error is in ``SAID``."""
    process = SERVER.Process(target=_begin, args=(directory, name, command))
    process.start()
    return process


def _begin(directory: Path, name: str, command: str) -> None:
    os.chdir(directory)
    os.environ.update(ENVIRONMENT)
    with Path(SAID).open("w") as said:
        os.dup2(said.fileno(), 2)
    run_forked(name, command)


def copied(directory: Path, target: Path) -> Path:
    """The same files under other names: whoever replaces one leaves the other as it is."""
    return shutil.copytree(directory, target, symlinks=True, copy_function=os.link)


def hashes(directory: Path) -> dict[str, str]:
    """Of what stages may read."""
    return {
        path: hashlib.sha256((directory / path).read_bytes()).hexdigest()
        for path in files(directory)
        if not ignored(path)
    }


def files(directory: Path) -> list[str]:
    found = (path for path in directory.rglob("*") if path.is_file() and not path.is_symlink())
    inside = (path.relative_to(directory) for path in found)
    return [path.as_posix() for path in inside if path.parts[0] not in ASIDE]


def ignored(path: str) -> bool:
    return any(fnmatch(part, pattern) for part in path.split("/") for pattern in IGNORED)
