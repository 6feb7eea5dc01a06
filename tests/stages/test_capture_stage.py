"""What the stage says of a model or of a corpus that it cannot read."""

import shutil
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
import torch
from families import build
from refusals import refusal
from tiny_experiment import (
    CAPTURED,
    EXPERIMENT,
    HEADS,
    MODEL,
    note_trained,
    parameters,
    save,
    save_trained,
)

from analysis.stages.capture import capture
from analysis.stages.prepare import prepare
from attention_mixing.artifacts import read_artifact
from attention_mixing.capture.store import Capture


def test_an_artifact_keeps_the_versions_that_made_it(prepared, monkeypatch):
    monkeypatch.chdir(prepared)
    noted = read_artifact(Path("artifacts", EXPERIMENT, "corpus", "packages.json"))
    assert noted["pandas"] == version("pandas")
    assert "torch" not in noted


@pytest.fixture(scope="module")
def prepared(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("prepared")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        Path("tiny-bert").mkdir()
        prepare(parameters(), EXPERIMENT)
    return place


def test_a_model_that_is_not_the_trained_one_is_refused(
    prepared, tmp_path, monkeypatch, make_model, tokenizer
):
    """Its weights are all numbers, and it loads."""
    monkeypatch.chdir(shutil.copytree(prepared, tmp_path / "damaged"))
    save(make_model("bert"), tokenizer, "tiny-bert")
    save_trained(make_model("bert", HEADS[EXPERIMENT]), tokenizer)
    path = MODEL / "model.safetensors"
    content = path.read_bytes()
    path.write_bytes(content[:-64] + bytes(16) + content[-48:])
    said = refusal(capture, parameters(), EXPERIMENT)
    assert f"{MODEL} is not what training wrote" in said
    assert not CAPTURED.exists()


@pytest.mark.parametrize(
    ("file", "content"),
    [("examples.parquet", b""), ("labels.json", b"null")],
)
def test_a_damaged_corpus_is_named_and_nothing_is_written(
    prepared, tmp_path, monkeypatch, file, content
):
    monkeypatch.chdir(shutil.copytree(prepared, tmp_path / "damaged"))
    Path("artifacts", EXPERIMENT, "corpus", file).write_bytes(content)
    said = refusal(capture, parameters(), EXPERIMENT)
    assert f"artifacts/{EXPERIMENT}/corpus/{file} is missing or corrupted" in said
    assert not CAPTURED.exists()


SHORT, LONG = "the film was good", "the film was not very good but the music was " * 3


def test_every_batch_that_is_captured_is_tried(here, tokenizer):
    """One text of many, of more than 16 tokens, turns all that are padded to it otherwise."""
    model = build("phi3")
    save(model, tokenizer, "tiny-bert")
    note_trained("sentences")

    def captured(batch_size):
        values = parameters(
            "sentences",
            data={"source": "texts", "texts": [*[SHORT] * 6, LONG]},
            capture={"examples": 7, "batch_size": batch_size},
            projection={"examples": [0, 6]},
        )
        prepare(values, "sentences")
        capture(values, "sentences")

    said = refusal(captured, 32)
    assert "depends on how far texts are padded; read texts one by one (batch_size: 1)" in said
    assert not list(here.glob("artifacts/*/capture"))
    captured(1)
    kept = Capture(Path("artifacts/sentences/capture/pretrained"))
    for example, text in ((0, SHORT), (6, LONG)):
        with torch.inference_mode():
            expected = model(**tokenizer(text, return_tensors="pt")).last_hidden_state
            last = model.norm(torch.tensor(kept.array(example, "layer_output", 2)))
        np.testing.assert_allclose(
            last, expected[0], rtol=0, atol=1e-5 * float(expected.abs().max())
        )
