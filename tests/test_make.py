"""What `make` does where there is no git, and where there are no results."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from small_run import GRAPH, ROOT, small_parameters, write_parameters

pytestmark = pytest.mark.pipeline

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
    shutil.copyfile(ROOT / "report" / "_common.yml", directory / "report" / "_common.yml")
    (directory / ".dvc").mkdir()
    for name in FILES:
        shutil.copy(ROOT / name, directory / name)
    write_parameters(directory, small_parameters())
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
    first = yaml.safe_dump({"stages": {"modules": GRAPH["modules"]}})
    (unpacked / "dvc.yaml").write_text(first, encoding="utf-8")
    ran(unpacked, "make", "repro")
    assert (unpacked / "modules" / "prepare.json").is_file()
    assert "didn't change" in ran(unpacked, "dvc", "repro")  # typed by hand
    settings = unpacked / ".dvc" / "config.local"
    assert "no_scm = true" in settings.read_text(encoding="utf-8")
    assert OWN_SETTINGS in settings.read_text(encoding="utf-8")

    ran(unpacked, "git", "init")
    ran(unpacked, "make", "repro")
    assert "no_scm" not in settings.read_text(encoding="utf-8")
    assert OWN_SETTINGS in settings.read_text(encoding="utf-8")


def test_what_would_run_is_named_without_any_results(unpacked):
    values = small_parameters()
    values["experiments"]["renamed"] = values["experiments"].pop("reviews")
    write_parameters(unpacked, values)
    before = set(unpacked.iterdir())
    named = ran(unpacked, "make", "dry")
    for stage in ("modules", "train renamed", "train own", "report", "site"):
        assert f"> python -m analysis.stages.{stage}\n" in named
    assert "reviews" not in named
    assert set(unpacked.iterdir()) == before
