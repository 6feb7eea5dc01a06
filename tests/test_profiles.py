"""Profiles of models that cannot be had here, run from `check` to the last measure in small."""

import subprocess
from pathlib import Path

import pandas as pd
import pytest
import yaml
from small_run import ROOT, measure, python, shrunk, write_parameters
from stand_ins import begun, bytes_of, cased_words, japanese_words, save, unigrams

from analysis.profiles import profile
from attention_mixing.artifacts import read_artifact
from attention_mixing.corpora import load
from attention_mixing.params.sections import SentencesData

pytestmark = pytest.mark.pipeline

SENTENCES = load(SentencesData(source="sentences"), "none").examples["text"].tolist()
REVIEWS = ("この映画はとても面白い。", "二度と見たくない、退屈な映画だった。")
# Profile -> its own experiment, the kind of its model, and how its tokenizer is made.
OF_HUB = {
    "gpt2": ("sentences", "gpt2", bytes_of),
    "pythia": ("sentences", "gpt_neox", bytes_of),
    "llama": ("sentences", "llama", begun),
    "t5": ("german", "t5", unigrams),
}


def small(name: str, monkeypatch) -> dict:
    """Parameters of a profile, with few texts."""
    monkeypatch.chdir(ROOT)
    values = shrunk(yaml.safe_load(profile(name)))
    for experiment in values["experiments"].values():
        experiment["capture"] |= {"examples": 4, "batch_size": 4}
        experiment["length"]["max_tokens"] = 48
    values["anatomy"] |= {"layer": 2, "head": 3}
    return values


def run(directory: Path, values: dict, own: str) -> dict:
    """Check parameters, and run all stages of their own experiment; gives what a capture knows."""
    write_parameters(directory, values)
    checked: subprocess.CompletedProcess = python(directory, "-m", "analysis", "check")
    assert checked.returncode == 0, checked.stderr
    assert "does not see" not in checked.stdout
    measure(directory, own)
    artifacts = directory / "artifacts" / own
    for group in ("vectors", "queries-keys", "heads"):
        found = [pd.read_parquet(path) for path in artifacts.glob(f"{group}/**/values.parquet")]
        assert found and any(len(one) for one in found)
    return read_artifact(artifacts / "capture" / "facts.json")


@pytest.mark.parametrize("name", OF_HUB)
def test_a_profile_of_the_hub(name, tmp_path, monkeypatch):
    own, kind, tokenizer = OF_HUB[name]
    values = small(name, monkeypatch)
    model, data = (values["experiments"][own][part] for part in ("model", "data"))
    folder = "models--" + model["name"].replace("/", "--")
    texts = [*data["texts"], *data["targets"]] if "texts" in data else SENTENCES
    save(tmp_path / "hub" / folder / "snapshots" / model["revision"], kind, tokenizer(texts))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    known = run(tmp_path, values, own)
    streams = known.get("streams", {"": known})
    assert {*streams} == ({"encoder", "decoder", "cross"} if kind == "t5" else {""})
    for stream, one in streams.items():
        assert one["rendering"]["unknown"] == one["rendering"]["left_out"] == 0
        sight = {"encoder": ["all"], "cross": ["all"]}.get(stream, ["earlier"])
        assert one["structure"]["sight"] == sight
    assert streams[""]["structure"]["beside"] == (name == "pythia") if kind != "t5" else True


def test_the_profile_of_russian(tmp_path, monkeypatch):
    values = small("russian", monkeypatch)
    texts = values["experiments"]["lecture"]["data"]["texts"]
    values["experiments"]["lecture"]["capture"]["examples"] = len(texts)
    values["projection"]["examples"] = [0, 2, 4]
    values["files"] = {"rubert": str(save(tmp_path / "rubert", "bert", cased_words(texts)))}
    known = run(tmp_path, values, "lecture")
    assert known["rendering"]["unknown"] == known["rendering"]["altered"] == 0


def test_the_profile_of_japanese(tmp_path, monkeypatch):
    pytest.importorskip("fugashi")
    values = small("japanese", monkeypatch)
    experiment = values["experiments"]["japanese"]
    experiment["train"] |= {"epochs": 1, "batch_size": 8}
    reviews = pd.DataFrame({"text": REVIEWS * 20, "label": [1, 0] * 20})
    reviews["text"] += reviews.index.astype(str)
    values["files"] = {"bert-japanese": str(tmp_path / "bert")}
    save(tmp_path / "bert", "bert", japanese_words(tmp_path)(reviews["text"].tolist()))
    for part, rows in (("train", reviews[:30]), ("test", reviews[30:])):
        values["files"][f"ja-{part}"] = str(tmp_path / f"{part}.parquet")
        rows.to_parquet(tmp_path / f"{part}.parquet")
    known = run(tmp_path, values, "japanese")
    assert known["rendering"]["unknown"] == known["rendering"]["altered"] == 0
    assert known["rendering"]["words"] < known["rendering"]["tokens"]
