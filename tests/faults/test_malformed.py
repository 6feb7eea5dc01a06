"""Malformed parameters, texts and models: one sentence, code 2, and every file as it was."""

import shutil
from pathlib import Path

import pytest
from data_sections import FILES
from processes import BY_HAND, SAID, copied, files, hashes, ignored, started
from small_run import GRAPH, small_parameters, write_parameters

pytestmark = BY_HAND

CHECK = "python -m analysis check"


@pytest.fixture
def refused(finished, tmp_path):
    """Return ``refused(command)``: of a run in ``tmp_path / "run"``, whose files have changed."""
    directory = copied(finished, tmp_path / "run")
    (directory / "params.yaml").unlink()  # or it would be that of all

    def by(command: str) -> None:
        before = hashes(directory)
        process = started(directory, "", command)
        process.join()
        said = (directory / SAID).read_text(encoding="utf-8")
        assert process.exitcode == 2, said
        assert said.count("\n") == 1, said
        assert said.startswith("error: "), said
        assert hashes(directory) == before
        assert not [path for path in files(directory) if ignored(path)]

    return by


def test_parameters(refused, tmp_path):
    """All that can be wrong with them is in ``test_params.py``, of texts in ``corpora``."""
    write_parameters(tmp_path / "run", small_parameters() | {"device": "tpu"})
    refused(CHECK)


def test_texts(refused, tmp_path):
    values = small_parameters() | {"files": {"mine": "a.csv"}}
    given = {"train": None, "test": "mine", "label": None}
    values["experiments"]["own"]["data"] = FILES | given
    write_parameters(tmp_path / "run", values)
    (tmp_path / "run" / "a.csv").write_bytes(b"text\n\xef\n")
    refused(GRAPH["prepare"]["do"]["cmd"].replace("${key}", "own"))


def own_model(directory: Path) -> Path:
    """Give the run a model of its own, a copy of that of a finished training."""
    values = small_parameters() | {"files": {"mine": "mine"}}
    values["experiments"]["own"]["model"] = {"source": "local", "name": "mine"}
    write_parameters(directory, values)
    return shutil.copytree(directory / "artifacts/films/train/0/model", directory / "mine")


def test_configurations(refused, tmp_path):
    (own_model(tmp_path / "run") / "config.json").write_bytes(b"{")
    refused(CHECK)


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json"])
@pytest.mark.parametrize("fault", ["missing", "empty", "cut"])
def test_models(refused, tmp_path, name, fault):
    path = own_model(tmp_path / "run") / name
    content = path.read_bytes()
    path.unlink()
    if fault != "missing":
        path.write_bytes(content[: len(content) // 2] if fault == "cut" else b"")
    refused(GRAPH["capture"]["do"]["cmd"].replace("${key}", "own"))


@pytest.mark.parametrize("fault", ["missing", "empty", "cut", "flipped"])
def test_artifacts(refused, tmp_path, fault):
    """Given to the stage that reads them, as nobody does but by hand."""
    directory = tmp_path / "run"
    write_parameters(directory, small_parameters())
    path = directory / "artifacts/own/capture/pretrained/000000.safetensors"
    content = path.read_bytes()
    path.unlink()
    if fault != "missing":
        middle = len(content) // 2
        flipped = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
        path.write_bytes({"empty": b"", "cut": content[:middle], "flipped": flipped}[fault])
    refused(GRAPH["vectors"]["do"]["cmd"].replace("${key}", "own"))
