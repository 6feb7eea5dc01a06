"""An encoder is trained on with masked words, and an experiment starts from it."""

import json
from contextlib import chdir
from pathlib import Path

import pandas as pd
import pytest
import tiny_experiment as tiny

from analysis.parameters import Params
from analysis.pipeline.stage import write_json
from analysis.stages import encoder as stage
from analysis.stages.capture import capture
from analysis.stages.encoder import encoder
from analysis.stages.prepare import prepare
from attention_mixing.errors import InputError
from attention_mixing.models.load import load_encoder
from attention_mixing.settings.sources import LocalModel

TEXTS = [
    f"the {noun} {verb} {adjective}"
    for noun in ("film", "plot", "actor", "music")
    for verb in ("was", "is")
    for adjective in ("dull", "bad", "bright", "good")
]
SETTINGS = {
    "model": {"source": "embedded"},
    "texts": "words",
    "column": "said",
    "limit": 24,
    "held_out": 4,
    "max_tokens": 12,
    "masked": 0.3,
    "epochs": 1,
    "batch_size": 4,
    "learning_rate": 1e-2,
    "weight_decay": 0.01,
    "warmup": 0.1,
    "evaluations": 1,
    "seed": 0,
}


@pytest.fixture
def here(tmp_path, tokenizer, make_model, monkeypatch):
    """A directory with texts; the tiny model stands for the embedded one."""
    with chdir(tmp_path):
        tiny.save(make_model("bert"), tokenizer, "tiny-bert")
        pd.DataFrame({"said": TEXTS}).to_csv("words.csv", index=False)
        found = stage.locate(LocalModel(source="local", name="tiny-bert"))
        monkeypatch.setattr(stage, "locate", lambda model: found)
        yield


def parameters(**changes) -> Params:
    files = {"tiny": "encoders/on", "words": "words.csv"}
    found = tiny.parameters(length={"longer": "truncate"})
    values = found.model_dump() | {"files": files, "encoders": {"on": SETTINGS | changes}}
    return Params.model_validate(values)


def test_an_experiment_starts_from_it(here):
    values = parameters()
    encoder(values, "on")
    known = json.loads(Path("encoders/on/training.json").read_text(encoding="utf-8"))
    assert (known["texts"], known["held_out"]) == (20, 4)
    assert known["tokens"] == 20 * 6  # four words between [CLS] and [SEP]
    history = pd.read_csv("encoders/on/history.csv")
    assert known["loss"] == pytest.approx(history["validation_loss"].min(), rel=1e-5)
    weights = load_encoder(Path("encoders/on")).state_dict()
    before = load_encoder(Path("tiny-bert")).state_dict()
    assert any((weights[name] != before[name]).any() for name in weights)
    Path("artifacts/reviews/train").mkdir(parents=True)
    write_json(Path("artifacts/reviews/train/facts.json"), {"seeds": {}})
    prepare(values, "reviews")
    capture(values, "reviews")
    manifest = Path("artifacts/reviews/capture/pretrained/manifest.json").read_text("utf-8")
    assert json.loads(manifest)["model"]["name"] == "on"


@pytest.mark.slow
def test_it_repeats(here):
    encoder(parameters(), "on")
    first = tiny.written(Path("encoders/on"))
    encoder(parameters(), "on")
    assert tiny.written(Path("encoders/on")) == first


def test_texts_must_be_left_to_train_on(here):
    with pytest.raises(InputError, match=r"held_out is 24 of 24 texts, .*; lower it\.$"):
        encoder(parameters(held_out=24), "on")


def test_its_texts_are_a_name_under_files():
    values = tiny.parameters().model_dump() | {"encoders": {"on": SETTINGS}}
    with pytest.raises(ValueError, match=r"encoders\.on\.texts is 'words', which is not a name"):
        Params.model_validate(values)
