"""What the stage says of a model or of a corpus that it cannot read."""

from pathlib import Path

import numpy as np
import pytest
import torch
from tiny_experiment import CAPTURED, EXPERIMENT, parameters

from analysis.errors import InputError
from analysis.stages.capture import TOLERANCE, _require_agreement, capture
from analysis.stages.prepare import prepare

AGREEING = {"attention": 1e-7, "output": 0.0, "padding": TOLERANCE}


@pytest.fixture
def model(make_model):
    return make_model("bert")


def test_rounding_is_agreement(model):
    _require_agreement(AGREEING, model, "tiny")


@pytest.mark.parametrize("part", AGREEING)
def test_another_architecture_is_refused(model, part):
    with pytest.raises(InputError, match=r"tiny differs .* by 0\.02 of .*choose another model"):
        _require_agreement(AGREEING | {part: 0.02}, model, "tiny")


@pytest.mark.parametrize("part", AGREEING)
def test_a_damaged_weight_is_named(model, part):
    with torch.no_grad():
        model.encoder.layer[1].output.dense.weight[0, 0] = torch.inf
    named = r"its weights encoder\.layer\.1\.output\.dense\.weight are none; copy the model again"
    with pytest.raises(InputError, match=named):
        _require_agreement(AGREEING | {part: np.nan}, model, "tiny")


def test_finite_weights_are_not_blamed(model):
    with pytest.raises(InputError, match="all its weights are finite; choose another model"):
        _require_agreement(AGREEING | {"output": np.nan}, model, "tiny")


def emptied(path):
    path.write_bytes(b"")


def cut(path):
    path.write_bytes(path.read_bytes()[:-50])


def scrambled(path):
    content = path.read_bytes()
    path.write_bytes(content[:-300] + bytes(255 - byte for byte in content[-300:]))


@pytest.mark.parametrize("damage", [Path.unlink, emptied, cut, scrambled])
@pytest.mark.parametrize("file", ["examples.parquet", "labels.json"])
def test_a_damaged_corpus_is_named_and_nothing_is_written(tmp_path, monkeypatch, damage, file):
    monkeypatch.chdir(tmp_path)
    Path("tiny-bert").mkdir()
    prepare(parameters(), EXPERIMENT)
    damage(Path("artifacts", EXPERIMENT, "corpus", file))
    with pytest.raises(InputError) as caught:
        capture(parameters(), EXPERIMENT)
    text = str(caught.value)
    assert f"artifacts/{EXPERIMENT}/corpus is missing or corrupted" in text
    assert "dvc repro" in text
    assert "\n" not in text
    assert not CAPTURED.exists()
