"""The stages of ``dvc.yaml`` as DVC reads them, and which of them it would run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from dvc.dependency.param import ParamsDependency
from dvc.exceptions import DvcException
from dvc.repo import Repo
from dvc.repo.reproduce import plan_repro
from dvc.stage import Stage

from analysis.paths import MODULES
from analysis.pipeline.modules import notes
from attention_mixing.errors import InputError

MEASURING = "analysis.stages measure"  # what stages that measure run


class StageNode(NamedTuple):
    """What is known of a stage before it runs: its parameters, by dotted names, its paths."""

    command: str
    params: frozenset[str]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    needs: frozenset[str]
    """The stages whose output it reads."""


def nodes() -> dict[str, StageNode]:
    """Give the stages by name, each behind those that it needs.

    Raises
    ------
    InputError
        If DVC cannot read the pipeline.
    """
    with _read_by_dvc():
        graph = Repo().index.graph
    return {
        stage.addressing: StageNode(
            str(stage.cmd),
            frozenset(name for dep in stage.deps for name in _params(dep)),
            tuple(dep.def_path for dep in stage.deps),
            tuple(out.def_path for out in stage.outs),
            frozenset(before.addressing for before in graph.successors(stage)),
        )
        for stage in plan_repro(graph)
    }


def _params(dependency: object) -> list[str]:
    return list(dependency.params) if isinstance(dependency, ParamsDependency) else []


def stages() -> list[Stage]:
    """List the stages for the present parameters, with what the lock has of them.

    Raises
    ------
    InputError
        If DVC cannot read the pipeline.
    """
    with _read_by_dvc():
        return list(Repo().index.stages)


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
    with _read_by_dvc():
        changed = set(Repo().status())
    # DVC, which is to write the notes every time, always counts them as changed.
    changed.discard(MODULES.name)
    if outdated:
        changed.add(MODULES.name)
        outdated.add(MODULES.name)  # which the page of provenance reads as a whole
    return [
        stage.addressing
        for stage in stages()
        if stage.addressing in changed or outdated & {dep.def_path for dep in stage.deps}
    ]


@contextmanager
def _read_by_dvc() -> Iterator[None]:
    try:
        yield
    except DvcException as error:
        message, cause = (
            str(fault or "").partition("\n")[0].rstrip(".") for fault in (error, error.__cause__)
        )
        reason = message if cause in message else f"{message}: {cause}"
        raise InputError(
            f"DVC cannot read the pipeline ({reason}); mend that, and run again."
        ) from None


def _noted(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
