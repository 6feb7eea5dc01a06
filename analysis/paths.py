"""Where things lie; the same names as in ``dvc.yaml``."""

from __future__ import annotations

from pathlib import Path

# The repository; all that follows is found from where a run is.
ROOT = Path(__file__).parents[1]
ARTIFACTS = Path("artifacts")
RESULTS = Path("results")
SUMMARY = RESULTS / "summary"
METRICS = RESULTS / "metrics.json"
PLOTS = RESULTS / "plots"
ANATOMY = RESULTS / "anatomy"
CIRCUITS = RESULTS / "circuits"
SINKS = RESULTS / "sinks"
CHAPTERS = RESULTS / "chapters"
FINDINGS = RESULTS / "findings"
PROVENANCE = RESULTS / "provenance"
RULES = RESULTS / "rules"
ARGUMENT = RESULTS / "argument.json"
PAGES = RESULTS / "pages"
EXPLORER = RESULTS / "explorer"
PARAMETERS = RESULTS / "parameters"
NAMED_FILES = RESULTS / "named-files"
PUBLISHED = "published.json"  # in there: the values that claims are about
FINGERPRINT = RESULTS / "fingerprint.parquet"
GROUP_OF = "groups.json"  # in the summary: measure -> the group in whose directory it is
QUANTITIES = "quantities.json"  # in the summary of a group: what its measures declare
CHECKPOINTS = Path("checkpoints")
RUNS = Path("runs")
INPUTS = Path("inputs")
ENCODERS = Path("encoders")
ARMS = Path("arms")  # models of the experiment on sinks: what they depend on
MODULES = Path("modules")
REPORT = Path("report")
SITE = Path("site")
REFERENCE = Path("reference")
KEPT_NOTE = "run.json"  # in a reference run: what is known of it
FINGERPRINT_PARAMS = REFERENCE / "fingerprint.yaml"  # experiments that never change
QUICK = "quick"  # the reference run of the committed parameters
KEPT_CIRCUITS = REFERENCE / QUICK / "circuits"  # the results on circuits, the same for every run
KEPT_CIRCUITS_NOTE = "kept.json"  # in there, and in results of a run that shows them: when made
LOCK = Path("dvc.lock")  # where DVC notes what a run made
WITHOUT_LOCK = f"`rm {LOCK}`, without which DVC still finds what it has kept"
LANGUAGES = ("en", "ja")
NOTEBOOK = "notebook.ipynb"
NOTEBOOK_STAGE = "notebook-"  # with which the name of the stage of a page begins
NOTEBOOKS, FILES = "notebooks", "files"  # directories beside the pages of a language

_asked: set[Path] = set()


def artifact(experiment: str, *parts: str) -> Path:
    """Path of what stages hand to stages: corpora, models, caches, matrices."""
    return ARTIFACTS.joinpath(experiment, *parts)


def reference_runs() -> list[str]:
    """Names of the runs that are kept to show and to compare with."""
    return sorted(path.parent.name for path in REFERENCE.glob(f"*/{KEPT_NOTE}"))


def chapter_directory(name: str) -> Path:
    """Directory of a chapter: below it, by language, its executed notebook and what pages show.

    Those of the findings and of the provenance are beside all others, which they read.
    """
    beside = {path.name: path for path in (FINDINGS, PROVENANCE)}
    return beside.get(name, CHAPTERS / name)


def result(*parts: str) -> Path:
    """Path of what the report shows, small enough to read at once."""
    path = RESULTS.joinpath(*parts)
    _asked.add(path)
    return path


def asked_for() -> list[str]:
    """Results whose paths this process has asked for; what the page on provenance says was read."""
    return sorted(path.as_posix() for path in _asked)
