"""Note the modules that every stage runs, with their hashes.

A stage of ``dvc.yaml`` depends on its own note, so it is stale exactly when a module that it runs
has changed. Were the modules listed there instead, somebody would have to keep two hundred lists,
and they would be half of DVC's lock file, which is rewritten after every stage.
"""

from __future__ import annotations

from pathlib import Path

from analysis.hashing import file_sha256
from analysis.imports import ROOT, closure
from analysis.params import Params
from analysis.paths import MODULES
from analysis.stages.runner import replacing, run, write_json

PACKAGE = ROOT / "analysis"


def modules(params: Params) -> None:
    """Write ``modules/STAGE.json``, and ``modules/notebook-CHAPTER.json`` for every chapter."""
    with replacing(MODULES) as directory:
        directory.mkdir()
        for name, files in entry_points().items():
            hashes = {str(path.relative_to(ROOT)): file_sha256(path) for path in closure(*files)}
            write_json(directory / f"{name}.json", dict(sorted(hashes.items())))


def entry_points() -> dict[str, list[Path]]:
    """Files that the command of each stage runs: its module, and the notebook that it names."""
    stages = {
        path.stem: [path]
        for path in sorted((PACKAGE / "stages").glob("*.py"))
        if 'if __name__ == "__main__":' in path.read_text(encoding="utf-8")
    }
    (execute,) = stages.pop("notebook")
    chapters = sorted((PACKAGE / "notebooks").glob("*.py"))
    return stages | {f"notebook-{path.stem}": [execute, path] for path in chapters}


if __name__ == "__main__":
    run("modules", modules)
