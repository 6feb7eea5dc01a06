"""What tests of measures share."""

import shutil
from contextlib import chdir
from pathlib import Path

import pytest
from tiny_experiment import CAPTURED, make, parameters

from attention_mixing.capture import store


@pytest.fixture(scope="session")
def captured(tmp_path_factory, tokenizer, make_model) -> Path:
    """A directory where the tiny experiment is captured; to be left as it is."""
    directory = tmp_path_factory.mktemp("captured")
    with chdir(directory):
        make(make_model, tokenizer, parameters())
    return directory


@pytest.fixture(scope="session")
def captures(captured) -> dict[str, store.Capture]:
    """The captures there, by variant."""
    found = store.captures(captured / CAPTURED, "0")
    return {variant: store.Capture(path) for variant, path in found.items()}


@pytest.fixture(scope="session")
def captured_questions(tmp_path_factory, tokenizer, make_model) -> Path:
    """The same of questions, whose contexts are longer than what the model reads at once."""
    directory = tmp_path_factory.mktemp("questions")
    with chdir(directory):
        make(make_model, tokenizer, parameters("questions"), "questions")
    return directory


@pytest.fixture(scope="module")
def copied(captured, tmp_path_factory) -> Path:
    """A copy for a module, to be measured."""
    return shutil.copytree(captured, tmp_path_factory.mktemp("copied") / "run")


@pytest.fixture
def workplace(measured, tmp_path, monkeypatch) -> Path:
    """A copy of what a module's ``measured`` holds, as the present directory."""
    shutil.copytree(measured, tmp_path / "workplace")
    monkeypatch.chdir(tmp_path / "workplace")
    return tmp_path / "workplace"
