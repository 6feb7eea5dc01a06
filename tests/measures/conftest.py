"""What tests of measures share."""

import shutil
from pathlib import Path

import pytest


@pytest.fixture
def workplace(measured, tmp_path, monkeypatch) -> Path:
    """A copy of what a module's ``measured`` holds, as the present directory."""
    shutil.copytree(measured, tmp_path / "workplace")
    monkeypatch.chdir(tmp_path / "workplace")
    return tmp_path / "workplace"
