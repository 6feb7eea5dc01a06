"""What every stage runs: its modules, words and templates by their hashes, packages by versions.

A stage of ``dvc.yaml`` depends on its own note, so it is stale exactly when what it runs has
changed: not for a comment, a docstring, or a parameter that it does not read. Were the modules
listed there instead, somebody would have to keep two hundred lists, and they would be half of DVC's
lock file, which is rewritten after every stage.

DVC keeps the notes with the results, and takes results from its cache only where the note is the
same: the versions in ``modules/`` are those that the results beside it were made with.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from analysis.paths import FINDINGS, NOTEBOOK_STAGE, ROOT
from analysis.pipeline.packages import versions
from analysis.pipeline.source_code import closure, code_sha256
from analysis.prose.messages import MESSAGES, OVERVIEWS, PAGES, SHARED, files
from attention_mixing.hashing import file_sha256
from attention_mixing.measures import STAGES

PIPELINE, LIBRARY = ROOT / "analysis", ROOT / "attention_mixing"
# What types the parameters and computes nothing; a stage declares the values that it reads.
DECLARED = {
    *(
        LIBRARY / "settings" / f"{of}.py"
        for of in ("values", "sources", "experiment", "measures", "sinks")
    ),
    PIPELINE / "parameters" / "sections.py",
}
# What it tells of the packages of a stage is in the note itself.
TOLD = PIPELINE / "pipeline" / "packages.py"
# Pages show the modules that draw and say what they show, comments included, and an executed
# notebook holds its own source.
SHOWN = (PIPELINE / "figures", PIPELINE / "prose", PIPELINE / "chapters")


def notes() -> dict[str, dict[str, dict[str, str]]]:
    """Give the note of every stage: hashes of ``modules`` and versions of ``packages``."""
    by_stage = {}
    for name, started in entry_points().items():
        run_by = closure(*started) - DECLARED - {TOLD}
        noted = sorted(run_by | messages(name) | beside(run_by))
        hashes = {str(path.relative_to(ROOT)): noted_sha256(path) for path in noted}
        by_stage[name] = {"modules": hashes, "packages": versions(run_by)}
    return by_stage


def messages(stage: str) -> set[Path]:
    """Files of the words that a stage writes: a notebook those of its page, the report's frame."""
    page = SHARED if stage == "report" else stage.removeprefix(NOTEBOOK_STAGE)
    if page == stage:
        return set()
    listing = {PAGES} if page in OVERVIEWS else set()
    named = set(files(page))
    of_page = {path for path in MESSAGES.glob("*/messages/*.ftl") if path.stem in named}
    stated = set(MESSAGES.glob("*/messages/findings/*.ftl")) if page == FINDINGS.name else set()
    return listing | of_page | stated


def beside(modules: Iterable[Path]) -> set[Path]:
    """Vocabularies and pages that modules fill in: beside them, of the same name."""
    files = (path.with_suffix(suffix) for path in modules for suffix in (".yaml", ".html"))
    return {path for path in files if path.is_file()}


@cache  # most are run by most stages
def noted_sha256(path: Path) -> str:
    """Hash of what a module runs, or of the file as it is where it is words or pages show it."""
    if path.suffix != ".py" or _shown(path):
        return file_sha256(path)
    return code_sha256(path)


def _shown(path: Path) -> bool:
    """Tell whether pages show a module; those of a chapter that read its results they do not."""
    return path.stem != "results" and any(path.is_relative_to(room) for room in SHOWN)


def entry_points() -> dict[str, list[Path]]:
    """Files that each stage runs: its module, its measures, the notebook that it names."""
    stages = {path.stem: [path] for path in sorted((PIPELINE / "stages").glob("[a-z]*.py"))}
    (execute,), (measure,) = stages.pop("notebook"), stages.pop("measure")
    topics = {
        stage: [LIBRARY / "measures" / f"{topic}.py" for topic in of_stage]
        for stage, of_stage in STAGES.items()
    }
    for of_all in ("summary", "fingerprint"):
        stages[of_all] += [path for of_stage in topics.values() for path in of_stage]
    notebooks = sorted((PIPELINE / "chapters").glob("*/notebook.py"))
    return (
        stages
        | {f"measure-{stage}": [measure, *paths] for stage, paths in topics.items()}
        | {f"{NOTEBOOK_STAGE}{path.parent.name}": [execute, path] for path in notebooks}
    )
