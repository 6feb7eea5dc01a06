"""Whether anything has changed since the last complete run: by sizes and times, as DVC looks first.

DVC needs seconds for it, for it reads the parameters anew for every stage; a run that has nothing
to do is the most frequent one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from analysis.paths import RUNS
from analysis.pipeline.packages import COMPUTING, NAMED, installed

NOTE = RUNS / "complete.json"
# Beside what stages read and write: what DVC reads.
READ = ("params.yaml", "dvc.yaml", ".dvc/config", ".dvc/config.local", ".dvcignore")
# What appears without an edit; .dvcignore has all that makes no stage stale.
ASIDE = ("__pycache__",)


def unchanged() -> bool:
    """Tell whether all is as :func:`note` found it."""
    try:
        noted = json.loads(NOTE.read_bytes())
        return bool(noted["state"] == state(noted["paths"]))
    except (OSError, ValueError, KeyError, TypeError):
        return False


def note(paths: Iterable[str]) -> None:
    """Note the state of all that stages read and write; they are to be up to date."""
    ordered = sorted(set(paths))
    NOTE.parent.mkdir(exist_ok=True)
    new = NOTE.with_name(f".{NOTE.name}.new")
    new.write_text(json.dumps({"paths": ordered, "state": state(ordered)}), encoding="utf-8")
    new.replace(NOTE)


def state(paths: Iterable[str]) -> str:
    """Hash the sizes and times of files and what is in directories, and versions of packages."""
    packages = sorted({name for names in (*COMPUTING.values(), *NAMED.values()) for name in names})
    versions = {name: installed(name) for name in ["python", *packages]}
    files = [told for path in (*READ, *paths) for told in _files(Path(path))]
    return hashlib.sha256(json.dumps([versions, files]).encode()).hexdigest()


def _files(path: Path) -> Iterator[tuple[str, int, int, int]]:
    """Give each file at or below a path, with what tells an edited one from it."""
    if path.is_dir():
        for inner in sorted(path.iterdir()):
            if inner.name not in ASIDE:
                yield from _files(inner)
    elif path.exists():
        found = path.stat()
        yield path.as_posix(), found.st_ino, found.st_size, found.st_mtime_ns
