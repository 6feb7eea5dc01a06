"""A directory unpacked from a ZIP has no git of its own, but may lie inside another repository."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from small_run import GRAPH, ROOT

pytestmark = pytest.mark.pipeline

FILES = ("Makefile", "pyproject.toml", "constraints.txt", "params.yaml", ".dvcignore")
OWN_SETTINGS = "['remote \"own\"']\n    url = /own\n"


@pytest.fixture
def unpacked(tmp_path) -> Path:
    """The project, with the first stage alone, inside another repository."""
    ran(tmp_path, "git", "init")
    directory = tmp_path / "unpacked"
    for name in GRAPH["modules"]["deps"]:
        written = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, directory / name, ignore=written)
    (directory / ".dvc").mkdir()
    for name in (*FILES, ".dvc/config"):
        shutil.copy(ROOT / name, directory / name)
    graph = yaml.safe_dump({"stages": {"modules": GRAPH["modules"]}})
    (directory / "dvc.yaml").write_text(graph, encoding="utf-8")
    (directory / ".dvc" / "config.local").write_text(OWN_SETTINGS, encoding="utf-8")
    (directory / ".venv").mkdir()
    (directory / ".venv" / "installed").touch()
    return directory


def ran(directory: Path, *command: str) -> str:
    """Run a command as a user with the environment active."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = os.environ | {"PATH": path, "PYTHONPATH": str(directory)}
    done = subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_pipeline_runs_without_git_and_uses_it_once_there_is_one(unpacked):
    ran(unpacked, "make", "repro")
    assert (unpacked / "modules" / "prepare.json").is_file()
    assert "Repo: dvc (no_scm)" in ran(unpacked, "dvc", "version")
    assert "didn't change" in ran(unpacked, "dvc", "repro")  # typed by hand
    assert OWN_SETTINGS in (unpacked / ".dvc" / "config.local").read_text(encoding="utf-8")

    ran(unpacked, "git", "init")
    ran(unpacked, "make", "repro")
    assert "Repo: dvc, git" in ran(unpacked, "dvc", "version")
    assert OWN_SETTINGS in (unpacked / ".dvc" / "config.local").read_text(encoding="utf-8")
