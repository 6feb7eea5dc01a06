"""The record of a run: stages of ``dvc.lock``, notes of stages and notebooks, versions, commit."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import yaml

from analysis.parameters import Params
from analysis.paths import MODULES, NOTEBOOK_STAGE, RUNS
from attention_mixing.artifacts import read_artifact

Lock = dict[str, dict[str, Any]]
"""Stages of ``dvc.lock`` by name."""


# They come after the page's notebook, so what the lock has of them is an earlier run.
LATER = (f"{NOTEBOOK_STAGE}provenance", "report", "site")


def read_lock(params: Params) -> Lock:
    """Stages of the present graph, in its order; the lock keeps those of former parameters too."""
    graph = yaml.safe_load(Path("dvc.yaml").read_text(encoding="utf-8"))["stages"]
    lock: Lock = yaml.safe_load(Path("dvc.lock").read_text(encoding="utf-8"))["stages"]
    return {
        name: lock[name]
        for stage, content in graph.items()
        if stage not in LATER
        for name in _names(stage, content, params)
        if name in lock
    }


def _names(stage: str, content: Mapping[str, Any], params: Params) -> Iterator[str]:
    if "matrix" in content:
        sinks = params.sinks
        for corpus, seed in product(sinks.corpora, sinks.seeds) if sinks else ():
            yield f"{stage}@{corpus}-{seed}"
        return
    items = content.get("foreach")
    if items is None:
        yield stage
        return
    named: dict[str, list[str]] = {
        "${encoders}": list(params.encoders),
        "${experiments}": list(params.experiments),
        "${files}": list(params.files),
    }
    for key in items if isinstance(items, list) else named[items]:
        chosen = key.replace("${report.focus.experiment}", params.report.focus.experiment)
        yield f"{stage}@{chosen}"


def stage_notes(lock: Lock) -> dict[str, dict[str, Any]]:
    """Read the notes of stages on time and host; one restored from the cache leaves nothing."""
    paths = {name: RUNS / f"{name}.json" for name in lock}
    return {name: read_artifact(path) for name, path in paths.items() if path.is_file()}


def packages() -> dict[str, str]:
    """Read the versions of the packages, and of Python, that the results were made with.

    A stage depends on its note, so DVC has run all of them, now or before, with what is noted.
    """
    noted = [read_artifact(path)["packages"] for path in sorted(MODULES.glob("*.json"))]
    return {package: version for note in noted for package, version in note.items()}


def head(*apart: str) -> tuple[str | None, bool]:
    """Hash of the checked-out commit, if there is one, and whether the work tree differs from it.

    The files ``apart`` do not count. A copy without ``.git`` has none, even where git would find
    another repository further up.
    """
    try:
        commit = _git("rev-parse", "HEAD") if Path(".git").exists() else None
        # The lock file changes while the pipeline runs; it is a result, not an edit.
        left_out = [f":!{path}" for path in ("dvc.lock", *apart)]
        edited = commit and _git(
            "status", "--porcelain", "--untracked-files=no", "--", ".", *left_out
        )
    except (subprocess.CalledProcessError, FileNotFoundError):  # no commit yet, or no git
        return None, False
    return commit, bool(edited)


def _git(*arguments: str) -> str:
    run = subprocess.run(["git", *arguments], capture_output=True, encoding="utf-8", check=True)
    return run.stdout.strip()


def flat(content: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Give all that is no mapping, or an empty one, by its dotted key."""
    if isinstance(content, dict) and content:
        for key, value in content.items():
            yield from flat(value, f"{prefix}{key}.")
    else:
        yield prefix[:-1], content
