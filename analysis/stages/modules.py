"""Note the modules that every stage runs, their words and templates, with their hashes.

A stage of ``dvc.yaml`` depends on its own note, so it is stale exactly when what it runs has
changed: not for a comment, a docstring, or a parameter that it does not read. Were the modules
listed there instead, somebody would have to keep two hundred lists, and they would be half of DVC's
lock file, which is rewritten after every stage.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from analysis.figures.words import MESSAGES, SHARED
from analysis.hashing import code_sha256, file_sha256
from analysis.imports import ROOT, closure
from analysis.measures import GROUPS
from analysis.params import Params
from analysis.paths import MODULES
from analysis.stage import replacing, run, write_json

PACKAGE = ROOT / "analysis"
# What types the parameters and computes nothing; a stage declares the values that it reads.
DECLARED = PACKAGE / "params" / "sections.py"
# Pages show the modules that draw their figures, comments included, and an executed notebook holds
# its own source.
FIGURES = PACKAGE / "figures"
SHOWN = (FIGURES, PACKAGE / "notebooks")


def modules(params: Params) -> None:
    """Write ``modules/STAGE.json``, ``measure-GROUP.json`` and ``notebook-CHAPTER.json``."""
    with replacing(MODULES) as directory:
        directory.mkdir()
        for name, files in entry_points().items():
            run_by = closure(*files) - {DECLARED}
            noted = sorted(run_by | messages(run_by) | beside(run_by))
            hashes = {str(path.relative_to(ROOT)): noted_sha256(path) for path in noted}
            write_json(directory / f"{name}.json", hashes)


def messages(modules: Iterable[Path]) -> set[Path]:
    """Files of the words that modules ask for by ``words(language, NAME, ...)``."""
    names = set()
    for path in modules:
        for asked in re.findall(r"\bwords\(\s*\w+,([^)]*)\)", path.read_text(encoding="utf-8")):
            names |= {SHARED, *re.findall(r'"(\w+)"', asked)}
    return {path for path in MESSAGES.glob("*/messages/*.ftl") if path.stem in names}


def beside(modules: Iterable[Path]) -> set[Path]:
    """Vocabularies and pages that modules fill in: beside them, of the same name."""
    files = (path.with_suffix(suffix) for path in modules for suffix in (".yaml", ".html"))
    return {path for path in files if path.is_file()}


def noted_sha256(path: Path) -> str:
    """Hash of what a module runs, or of the file as it is where it is words or pages show it."""
    if path.suffix != ".py" or path.parent in SHOWN:
        return file_sha256(path)
    return code_sha256(path)


def entry_points() -> dict[str, list[Path]]:
    """Files that each stage runs: its module, the measures of its group, the notebook it names."""
    stages = {path.stem: [path] for path in sorted((PACKAGE / "stages").glob("[a-z]*.py"))}
    (execute,), (measure,) = stages.pop("notebook"), stages.pop("measure")
    subjects = {
        group: [PACKAGE / "measures" / f"{subject}.py" for subject in of_group]
        for group, of_group in GROUPS.items()
    }
    stages["summary"] += [path for of_group in subjects.values() for path in of_group]
    chapters = sorted((PACKAGE / "notebooks").glob("*.py"))
    return (
        stages
        | {f"measure-{group}": [measure, *paths] for group, paths in subjects.items()}
        | {f"notebook-{path.stem}": [execute, path] for path in chapters}
    )


if __name__ == "__main__":
    run("modules", modules)
