"""What `make` does where there is no git, and where there are no results."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from small_run import GRAPH, ROOT, untried_parameters, write_parameters

pytestmark = pytest.mark.slow

FILES = ("Makefile", "pyproject.toml", "constraints.txt", "dvc.yaml", ".dvcignore", ".dvc/config")
OWN_SETTINGS = "['remote \"own\"']\n    url = /own\n"


@pytest.fixture
def unpacked(tmp_path) -> Path:
    """The project as from a ZIP, without git of its own, but inside another repository."""
    ran(tmp_path, "git", "init")
    directory = tmp_path / "unpacked"
    for name in GRAPH["modules"]["deps"]:
        if (ROOT / name).is_dir():
            written = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, directory / name, ignore=written)
        else:
            (directory / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, directory / name)
    (directory / ".dvc").mkdir()
    for name in FILES:
        shutil.copy(ROOT / name, directory / name)
    write_parameters(directory, untried_parameters())
    (directory / ".dvc" / "config.local").write_text(OWN_SETTINGS, encoding="utf-8")
    (directory / ".venv").mkdir()
    (directory / ".venv" / "installed").touch()
    return directory


def run(directory: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command as a user with the environment active."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = os.environ | {"PATH": path, "PYTHONPATH": str(directory)}
    for name in ("MAKEFLAGS", "MAKELEVEL"):  # of `make test`, whose make would name directories
        environment.pop(name, None)
    return subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True)


def ran(directory: Path, *command: str) -> str:
    """Run a command that succeeds, and return what it prints."""
    done = run(directory, *command)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def write_graph(directory: Path) -> None:
    """The first stage of the graph, and one in the place of all others."""
    note = "modules/prepare.json"
    other = {"cmd": f"cp {note} other", "deps": [note], "outs": ["other"]}
    stages = {"modules": GRAPH["modules"], "other": other}
    (directory / "dvc.yaml").write_text(yaml.safe_dump({"stages": stages}), encoding="utf-8")


def test_the_pipeline_runs_without_git_and_uses_it_once_there_is_one(unpacked):
    write_graph(unpacked)
    ran(unpacked, "make", "repro")
    assert (unpacked / "modules" / "prepare.json").is_file()
    assert "'other' didn't change" in ran(unpacked, "dvc", "repro")  # typed by hand
    settings = unpacked / ".dvc" / "config.local"
    assert "no_scm = true" in settings.read_text(encoding="utf-8")
    assert OWN_SETTINGS in settings.read_text(encoding="utf-8")

    ran(unpacked, "git", "init")
    ran(unpacked, "make", "repro")
    assert "no_scm" not in settings.read_text(encoding="utf-8")
    assert OWN_SETTINGS in settings.read_text(encoding="utf-8")


def test_a_mistake_stops_dvc_too_before_anything_is_removed(unpacked):
    """It takes away what a stage wrote before it runs the stage."""
    write_graph(unpacked)
    ran(unpacked, "make", "repro")
    values = untried_parameters()
    values["experiments"]["own"]["length"]["max_tokens"] = 5000
    write_parameters(unpacked, values)
    done = run(unpacked, "dvc", "repro")
    assert done.returncode != 0
    assert "error: experiments.own.length.max_tokens is 5000" in done.stderr
    assert (unpacked / "other").is_file()
    assert (unpacked / "modules" / "prepare.json").is_file()
    write_parameters(unpacked, untried_parameters())
    assert "'other' didn't change" in ran(unpacked, "dvc", "repro")


def test_what_would_run_is_named_without_any_results(unpacked):
    values = untried_parameters()
    values["experiments"]["renamed"] = values["experiments"].pop("reviews")
    write_parameters(unpacked, values)
    before = set(unpacked.iterdir())
    named = ran(unpacked, "make", "dry")
    for stage in ("modules", "train renamed", "train own", "report", "site"):
        assert f"> python -m analysis.stages {stage}\n" in named
    assert "reviews" not in named
    assert set(unpacked.iterdir()) == before


def test_what_a_change_of_code_or_packages_makes_stale_is_named_before_anything_runs(unpacked):
    write_graph(unpacked)
    ran(unpacked, "make", "repro")
    assert ran(unpacked, "make", "dry") == ""
    noted = (unpacked / "other").read_bytes()
    installed = unpacked / "datasets-99.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Name: datasets\nVersion: 99.0\n", encoding="utf-8")
    for _ in range(2):  # it leaves what it was told of as it is
        named = ran(unpacked, "make", "dry")
        assert "> python -m analysis.stages modules\n" in named
        assert "> cp modules/prepare.json other\n" in named
    assert (unpacked / "other").read_bytes() == noted
    ran(unpacked, "dvc", "repro")
    assert json.loads((unpacked / "other").read_bytes())["packages"]["datasets"] == "99.0"
    assert ran(unpacked, "make", "dry") == ""
    shutil.rmtree(installed)
    code = unpacked / "analysis" / "stages" / "prepare.py"
    code.write_text(code.read_text(encoding="utf-8") + "\nEDITED = 1\n", encoding="utf-8")
    assert "> cp modules/prepare.json other\n" in ran(unpacked, "make", "dry")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("stages: {}\n<<<<<<< HEAD\n", "error: dvc.yaml has a conflict marker of git"),
        (
            "stages: {a: {}}\n",
            "error: DVC cannot read the pipeline ('./dvc.yaml' validation failed: ",
        ),
    ],
)
def test_a_pipeline_that_cannot_be_read_is_an_error_of_make(unpacked, content, said):
    (unpacked / "dvc.yaml").write_text(content, encoding="utf-8")
    done = run(unpacked, "make", "dry")
    assert done.returncode != 0
    assert said in done.stderr


@pytest.fixture
def installing(unpacked):
    """Return ``installing(directory)``: what `make` says, and how often it has installed by then.

    Its environment is a true one, into which a stand-in for pip installs nothing.
    """
    shutil.rmtree(unpacked / ".venv")
    log = unpacked.parent / "installs"
    (unpacked / "pip.py").write_text(f"open({str(log)!r}, 'a').write('.')\n", encoding="utf-8")
    # Without packages there is nothing to compile.
    (unpacked / "attention_mixing" / "methods" / "precompile.py").write_text("")
    python = unpacked.parent / "python-without-pip"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@" --without-pip\n', encoding="utf-8")
    python.chmod(0o755)

    def make(directory: Path) -> tuple[str, int]:
        said = ran(directory, "make", f"PYTHON={python}", ".venv/installed")
        return said, len(log.read_text(encoding="utf-8"))

    return make


def test_the_environment_of_a_moved_or_copied_clone_is_made_anew_once(unpacked, installing):
    assert installing(unpacked)[1] == 1
    moved = unpacked.rename(unpacked.parent / "moved to here")
    copied = shutil.copytree(moved, unpacked.parent / "copied", symlinks=True)
    for number, directory in enumerate((moved, copied), start=2):
        (directory / ".venv" / "bin" / "stale").touch()
        said, installs = installing(directory)
        assert f"The environment .venv was made for {unpacked}/.venv: it is made anew." in said
        assert installs == number
        assert not (directory / ".venv" / "bin" / "stale").exists()
        said, installs = installing(directory)
        assert "made anew" not in said
        assert installs == number


def test_an_environment_that_is_linked_to_is_taken_as_it_is(unpacked, installing):
    installing(unpacked)
    other = shutil.copytree(unpacked, unpacked.parent / "other", ignore=lambda *_: [".venv"])
    (other / ".venv").symlink_to(unpacked / ".venv")
    said, installs = installing(other)
    assert "made anew" not in said
    assert installs == 1
