"""Profiles of models that cannot be had here, run from `check` to the last measure in small."""

from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import pytest
import yaml
from small_run import ROOT, of_experiments, run_each_in_turn, shrunk, write_parameters
from stand_ins import begun, bytes_of, cased_words, japanese_words, save, unigrams

from analysis.parameters.profiles import profile
from attention_mixing.artifacts import read_artifact
from attention_mixing.corpora import load
from attention_mixing.settings.sources import SentencesData

pytestmark = pytest.mark.slow

SENTENCES = load(SentencesData(source="sentences"), "none").examples["text"].tolist()
REVIEWS = ("この映画はとても面白い。", "二度と見たくない、退屈な映画だった。")
# Profile -> its own experiment, the kind of its model, and how its tokenizer is made.
OF_HUB = {
    "gpt2": ("sentences", "gpt2", bytes_of),
    "pythia": ("sentences", "gpt_neox", bytes_of),
    "llama": ("sentences", "llama", begun),
    "t5": ("german", "t5", unigrams),
}
# And of all profiles that are run.
OWN = {name: own for name, (own, *_) in OF_HUB.items()} | {"russian": "lecture"}
if find_spec("fugashi"):
    OWN["japanese"] = "japanese"


def small(name: str) -> dict:
    """Parameters of a profile, with few texts."""
    values = shrunk(yaml.safe_load(profile(name)))
    for experiment in values["experiments"].values():
        experiment["capture"] |= {"examples": 4, "batch_size": 4}
        experiment["length"]["max_tokens"] = 48
    values["anatomy"] |= {"layer": 2, "head": 3}
    return values


def of_hub(name: str, hub: Path) -> dict:
    """Its parameters, with a model where the hub would have left it."""
    own, kind, tokenizer = OF_HUB[name]
    values = small(name)
    model, data = (values["experiments"][own][part] for part in ("model", "data"))
    folder = "models--" + model["name"].replace("/", "--")
    texts = [*data["texts"], *data["targets"]] if "texts" in data else SENTENCES
    save(hub / folder / "snapshots" / model["revision"], kind, tokenizer(texts))
    return values


def of_russian(directory: Path) -> dict:
    values = small("russian")
    texts = values["experiments"]["lecture"]["data"]["texts"]
    values["experiments"]["lecture"]["capture"]["examples"] = len(texts)
    values["projection"]["examples"] = [0, 2, 4]
    values["files"] = {"rubert": str(save(directory / "rubert", "bert", cased_words(texts)))}
    return values


def of_japanese(directory: Path) -> dict:
    values = small("japanese")
    experiment = values["experiments"]["japanese"]
    experiment["train"] |= {"epochs": 1, "batch_size": 8}
    reviews = pd.DataFrame({"text": REVIEWS * 20, "label": [1, 0] * 20})
    reviews["text"] += reviews.index.astype(str)
    values["files"] = {"bert-japanese": str(directory / "bert")}
    save(directory / "bert", "bert", japanese_words(directory)(reviews["text"].tolist()))
    for part, rows in (("train", reviews[:30]), ("test", reviews[30:])):
        values["files"][f"ja-{part}"] = str(directory / f"{part}.parquet")
        rows.to_parquet(directory / f"{part}.parquet")
    return values


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> Path:
    """Directory of each profile, checked and with all stages of its own experiment run.

    One process runs them, since it takes longer to start than a profile in small.
    """
    place = tmp_path_factory.mktemp("profiles")
    commands = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        patch.setenv("HF_HUB_CACHE", str(place / "hub"))
        for name, own in OWN.items():
            directory = place / name
            directory.mkdir()
            if name in OF_HUB:
                values = of_hub(name, place / "hub")
            else:
                values = {"russian": of_russian, "japanese": of_japanese}[name](directory)
            write_parameters(directory, values)
            commands[directory] = {"check": "python -m analysis check"} | of_experiments(own)
        said = run_each_in_turn(commands)
    assert "does not see" not in said
    return place


def captured(runs: Path, name: str) -> dict:
    """What the capture of a profile's own experiment knows; also its measures gave values."""
    artifacts = runs / name / "artifacts" / OWN[name]
    for group in ("vectors", "queries-keys", "heads"):
        found = [pd.read_parquet(path) for path in artifacts.glob(f"{group}/**/values.parquet")]
        assert found and any(len(one) for one in found)
    return read_artifact(artifacts / "capture" / "facts.json")


@pytest.mark.parametrize("name", OF_HUB)
def test_a_profile_of_the_hub(name, runs):
    _, kind, _ = OF_HUB[name]
    known = captured(runs, name)
    streams = known.get("streams", {"": known})
    assert {*streams} == ({"encoder", "decoder", "cross"} if kind == "t5" else {""})
    for stream, one in streams.items():
        assert one["rendering"]["unknown"] == one["rendering"]["left_out"] == 0
        sight = {"encoder": ["all"], "cross": ["all"]}.get(stream, ["earlier"])
        assert one["structure"]["sight"] == sight
    assert streams[""]["structure"]["beside"] == (name == "pythia") if kind != "t5" else True


def test_the_profile_of_russian(runs):
    known = captured(runs, "russian")
    assert known["rendering"]["unknown"] == known["rendering"]["altered"] == 0


@pytest.mark.skipif("japanese" not in OWN, reason="without fugashi")
def test_the_profile_of_japanese(runs):
    known = captured(runs, "japanese")
    assert known["rendering"]["unknown"] == known["rendering"]["altered"] == 0
    assert known["rendering"]["words"] < known["rendering"]["tokens"]
