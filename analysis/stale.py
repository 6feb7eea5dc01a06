"""Which stages ``dvc repro`` would run, told without running any."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dvc.exceptions import DvcException
from dvc.repo import Repo

from analysis.errors import InputError
from analysis.paths import MODULES
from analysis.stages.modules import notes


def stale() -> list[str]:
    """Name the stages that are out of date, in the order of ``dvc.yaml``.

    DVC compares what is on disk with its lock. But the notes on disk are of the code and packages
    of the last run, so they are compared with the present ones; nothing is written.

    Raises
    ------
    InputError
        If DVC cannot read the pipeline.
    """
    written = {MODULES / f"{name}.json": note for name, note in notes().items()}
    outdated = {path.as_posix() for path, note in written.items() if _noted(path) != note}
    try:
        repo = Repo()
        changed = set(repo.status())
        stages = repo.index.stages
    except DvcException as error:
        raise InputError(
            f"DVC cannot tell what is out of date ({' '.join(str(error).split()).rstrip('.')}); "
            "mend that, and run again."
        ) from None
    # The notes themselves always count as changed to DVC, which is to look at them every time.
    if not outdated:
        changed.discard(MODULES.name)
    return [
        stage.addressing
        for stage in stages
        if stage.addressing in changed or outdated & {dep.def_path for dep in stage.deps}
    ]


def _noted(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
