"""A release has one version, and is tested and rendered as the README says."""

import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import distribution, requires
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]
WORKFLOWS = ROOT / ".github" / "workflows"


def workflow(name):
    return yaml.safe_load((WORKFLOWS / f"{name}.yml").read_text())


def test_one_version_stands_in_package_citation_and_change_log():
    package = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"]
    released = re.findall(
        r"^## (\d+\.\d+\.\d+) \(\d{4}-\d\d-\d\d\)$", (ROOT / "CHANGELOG.md").read_text(), re.M
    )
    assert [package, citation] == released[:1] * 2


def test_a_release_is_verified_before_it_is_published():
    jobs = workflow("site")["jobs"]
    assert jobs["publish"]["needs"] == "render"
    rendered = [step["run"] for step in jobs["render"]["steps"] if "run" in step]
    assert rendered[-1] == "make verify"


def test_quarto_of_the_release_is_that_of_the_image():
    (version,) = (
        step["with"]["version"]
        for step in workflow("site")["jobs"]["render"]["steps"]
        if "quarto" in step.get("uses", "")
    )
    assert f"ARG QUARTO_VERSION={version}\n" in (ROOT / "Dockerfile").read_text()


def test_the_least_version_of_quarto_is_the_same_everywhere():
    common = yaml.safe_load((ROOT / "report" / "_common.yml").read_text())
    least = common["quarto-required"].removeprefix(">=")
    (version,) = re.findall(r"^ARG QUARTO_VERSION=(.+)$", (ROOT / "Dockerfile").read_text(), re.M)
    assert Version(version) >= Version(least)
    for name, newer in (("README.md", "or newer"), ("README.ja.md", "以降")):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert re.findall(r"\[Quarto\]\(https://quarto\.org\) (\S+) (or newer|以降)", text) == [
            (least, newer)
        ]


# --- what is installed without the pipeline -------------------------------------------------------

# These make tables and clusters, for the pipeline.
METHODS_WITH_MORE = {"calibration", "clustering"}
METHODS = sorted(
    f"attention_mixing.methods.{path.stem}"
    for path in (ROOT / "attention_mixing" / "methods").glob("[!_]*.py")
    if path.stem not in METHODS_WITH_MORE
)
LINES = """
from attention_mixing.capture import capture_text
from attention_mixing.explain import explain
from attention_mixing.measures import measure

text = capture_text("Time flies like an arrow.", model="all-MiniLM-L6-v2")
assert len(measure(text).values)
assert "arrow" in explain([("Time flies like an arrow.", None)], "all-MiniLM-L6-v2").page()
"""


def required(extra: str) -> set[str]:
    """Distributions that are installed with an extra, or with none ("")."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = project["dependencies"] + project["optional-dependencies"].get(extra, [])
    reached: set[tuple[str, str]] = set()
    waiting = [(Requirement(text).name, "") for text in asked]
    while waiting:
        name, own = one = waiting.pop()
        if one in reached:
            continue
        reached.add(one)
        for requirement in map(Requirement, requires(name) or []):
            if requirement.marker is None or requirement.marker.evaluate({"extra": own}):
                waiting += [(requirement.name, asked) for asked in ["", *requirement.extras]]
    return {name for name, _ in reached}


def run_with(extra: str, lines: str, directory: Path) -> None:
    """Run lines of Python where nothing is installed but what an extra asks for."""
    (directory / "attention_mixing").symlink_to(ROOT / "attention_mixing")
    for name in required(extra):
        one = distribution(name)
        for top in {file.parts[0] for file in one.files} - {"..", "__pycache__"}:
            if not (directory / top).exists():
                (directory / top).symlink_to(one.locate_file(top))
    python_in(directory, lines)


def python_in(directory: Path, lines: str) -> None:
    command = [sys.executable, "-S", "-c", lines]  # without the packages of this environment
    subprocess.run(
        command,
        cwd=directory,
        env={"PYTHONPATH": str(directory)},
        check=True,
        capture_output=True,
        text=True,
    )


@pytest.mark.slow
def test_methods_need_the_core_alone(tmp_path):
    run_with("", f"import {', '.join(METHODS)}", tmp_path)


WITH_AN_EXTRA = {
    "from attention_mixing.capture import capture_text": ("capture_text", "models"),
    "from attention_mixing.measures import measure": ("attention_mixing.measures", "models"),
    "import attention_mixing.measures": ("attention_mixing.measures", "models"),
    "import attention_mixing.explain": ("attention_mixing.explain", "models"),
    "import attention_mixing.__main__": ("attention-mixing", "models"),
    **{
        f"import attention_mixing.methods.{name}": (f"attention_mixing.methods.{name}", "models")
        for name in sorted(METHODS_WITH_MORE)
    },
    "import numpy as np; from attention_mixing.methods.projection import tsne_map; "
    "tsne_map(np.eye(9), metric='euclidean', perplexity=3, seed=0)": ("tsne_map", "models"),
    "import numpy as np; from attention_mixing.methods.projection import umap_map; umap_map("
    "np.eye(9), metric='euclidean', neighbors=3, min_dist=0.1, seed=0)": ("umap_map", "report"),
}


@pytest.fixture(scope="module")
def core(tmp_path_factory):
    """A directory with the code and what it needs without an extra."""
    directory = tmp_path_factory.mktemp("core")
    run_with("", "", directory)
    return directory


@pytest.mark.parametrize("lines", WITH_AN_EXTRA)
def test_without_the_extra_it_is_named(core, lines):
    user, extra = WITH_AN_EXTRA[lines]
    with pytest.raises(subprocess.CalledProcessError) as failed:
        python_in(core, lines)
    said = failed.value.stderr.splitlines()[-1]
    assert said.startswith(f"ModuleNotFoundError: {user} needs ")
    assert said.endswith(f"type `pip install '.[{extra}]'` in a clone of this repository.")


@pytest.mark.slow
def test_one_text_needs_no_library_of_the_pipeline(tmp_path):
    run_with("models", LINES, tmp_path)


@pytest.mark.slow
def test_the_wheel_holds_the_library_and_nothing_else(tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copyfile(ROOT / name, source / name)
    for name in ("analysis", "attention_mixing", "report", "tests"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, source / name, ignore=ignored)
    building = ["-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir"]
    subprocess.run(
        [sys.executable, *building, tmp_path, source], check=True, capture_output=True, text=True
    )
    (wheel,) = tmp_path.glob("*.whl")
    held = {Path(name) for name in ZipFile(wheel).namelist()}
    assert {path.parts[0] for path in held if "dist-info" not in path.parts[0]} == {
        "attention_mixing"
    }
    library = source / "attention_mixing"
    assert {path.relative_to(source) for path in library.rglob("*") if path.is_file()} <= held


GUEST = """
import gc, os, pkgutil, signal, sys
from importlib import import_module

# These set variables of their own.
import captum.attr, joblib, sklearn.cluster, torch, transformers.trainer

def process():
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    state = gc.get_threshold(), handlers, sys.excepthook, list(sys.path), os.getcwd()
    return *state, dict(os.environ)

before = process()
import attention_mixing
for module in pkgutil.walk_packages(attention_mixing.__path__, "attention_mixing."):
    if module.name != "attention_mixing.__main__":
        import_module(module.name)
assert process() == before
assert "analysis" not in sys.modules
"""


@pytest.mark.slow
def test_the_library_is_a_good_guest(tmp_path):
    """It changes nothing in the process, and never takes a file of the user for its own."""
    (tmp_path / "analysis.py").write_text("raise RuntimeError('the file of a user')\n")
    environment = {"PYTHONPATH": f"{tmp_path}:{ROOT}"}
    command = [sys.executable, "-c", GUEST]
    ran = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
