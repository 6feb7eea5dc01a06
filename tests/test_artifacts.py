"""What stages have written is read whole, or named."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from refusals import refusal
from safetensors.numpy import save_file

from attention_mixing.artifacts import read_artifact

WRITTEN = {
    "table.parquet": lambda path: pd.DataFrame({"x": [1.0]}).to_parquet(path),
    "arrays.safetensors": lambda path: save_file({"x": np.ones(1)}, path),
    "facts.json": lambda path: path.write_text(json.dumps({"x": [1.0]})),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_what_was_written_is_read(tmp_path, name):
    WRITTEN[name](tmp_path / name)
    assert list(read_artifact(tmp_path / name)["x"]) == [1.0]


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize("content", [None, b"", b"null", b"[1]", 0.5, -1])
def test_what_is_missing_or_damaged_is_named(tmp_path, name, content):
    """As much of the file as is said, or all but one byte, or something else in its place."""
    path = tmp_path / name
    WRITTEN[name](path)
    if content is None:
        path.unlink()
    elif isinstance(content, bytes):
        path.write_bytes(content)
    else:
        whole = path.read_bytes()
        path.write_bytes(whole[: content if content < 0 else int(len(whole) * content)])
    said = refusal(read_artifact, path)
    assert said.startswith(f"{path} is missing or corrupted; ")
    assert said.endswith("; make it anew.")


@pytest.mark.parametrize(
    ("path", "remedy"),
    [
        (
            "reference/quick/run.json",
            "restore it with `git checkout HEAD reference/quick/run.json`",
        ),
        ("runs/train@a.json", "`rm runs/train@a.json`, and run again"),
    ],
)
def test_what_no_stage_writes_is_not_restored_by_dvc(here, path, remedy):
    Path(path).parent.mkdir(parents=True)
    Path(path).write_text("<<<<<<< HEAD\n")
    assert refusal(read_artifact, Path(path)) == f"{path} is missing or corrupted; {remedy}."
