"""The experiment on sinks on a tiny model, from its arms to its outcome."""

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
import tiny_experiment as tiny

from analysis.parameters import Params
from analysis.pipeline.sink_effects import SCORED
from analysis.reference.keeping import keep_sinks
from analysis.reference.verification import compare, named_sinks
from analysis.results.record import _names
from analysis.stages.arms import arms
from analysis.stages.sinks import sinks
from attention_mixing.errors import InputError

CORPUS = {
    "model": {"source": "local", "name": "tiny"},
    "data": {
        **{"source": "generated", "grammar": "reviews", "seed": 0},
        "sizes": {"train": 12, "validation": 2, "test": 8},
    },
    "length": {"max_tokens": 20, "longer": "truncate"},
    "train": {
        **{"texts": 8, "epochs": 1, "batch_size": 4, "learning_rate": 1e-2},
        **{"other_rates": [], "weight_decay": 0.01, "warmup": 0.1},
    },
}
TABLES = ("outcomes", "heads", "keys", "path")


def parameters(**train) -> Params:
    values = tiny.parameters().model_dump()
    values["sinks"]["corpora"] = {"films": CORPUS | {"train": CORPUS["train"] | train}}
    values["sinks"]["seeds"] = [0, 1]
    values["sinks"]["trial"] |= {"texts": 3, "draws": 2, "scored": 6, "batch_size": 16}
    return Params.model_validate(values)


@pytest.fixture
def values(here, tokenizer, make_model, root) -> Params:
    tiny.save(make_model("bert", initializer_range=0.4), tokenizer, "tiny-bert")
    for file in ("report/sinks.yaml", "reference/tolerances.yaml"):
        Path(file).parent.mkdir()
        shutil.copyfile(root / file, file)
    return parameters()


def test_from_arms_to_an_outcome(values):
    for seed in ("0", "1"):
        arms(values, "films", seed)
    first = tiny.written(Path("arms/films/0"))
    arms(values, "films", "0")
    assert tiny.written(Path("arms/films/0")) == first
    assert [*_names("arms", {"matrix": {}}, values)] == ["arms@films-0", "arms@films-1"]
    sinks(values)
    record = json.loads(Path("results/sinks/outcome.json").read_text(encoding="utf-8"))
    assert record["films"]["outcome"] in ("supported", "refuted", "open", "not_asked")
    assert {*record["films"]["sink_heads"]} == {"pretrained", *values.sinks.trial.arms}
    for table in TABLES:
        found = pd.read_parquet(f"results/sinks/{table}.parquet")
        assert {*found["seed"]} == {0, 1} and {*found["corpus"]} == {"films"}
    names = named_sinks(Path("results/sinks"))
    assert "films/arms.1.clamped.0.01.held.special.pretrained.0.0.dependence.2" in names
    compared = compare(names, {name: value + 1e-4 for name, value in names.items()})
    assert compared["ok"].all() and len(compared) == len(names)
    keep_sinks(Path("reference"))
    assert named_sinks(Path("reference/sinks")) == names
    every = pd.read_parquet("results/sinks/outcomes.parquet")
    kept = pd.read_parquet("reference/sinks/outcomes.parquet")
    assert len(kept) == (~every["quantity"].isin(SCORED)).sum()
    effects = pd.read_parquet("results/sinks/effects.parquet")
    assert {*effects["weights"]} == {"pretrained", *values.sinks.trial.arms}


def test_a_run_without_a_corpus_has_no_outcome(here, root):
    values = tiny.parameters()
    (here / "report").mkdir()
    shutil.copyfile(root / "report" / "sinks.yaml", "report/sinks.yaml")
    sinks(values)
    assert json.loads(Path("results/sinks/outcome.json").read_text(encoding="utf-8")) == {}
    assert not list(Path("results/sinks").glob("*.parquet"))


def test_too_few_texts_are_told(values):
    corpus = values.sinks.corpora["films"]
    few = corpus.train.model_copy(update={"texts": 13})
    sinks_of = {"corpora": {"films": corpus.model_copy(update={"train": few})}}
    changed = values.model_copy(update={"sinks": values.sinks.model_copy(update=sinks_of)})
    with pytest.raises(
        InputError, match=r"train\.texts is 13 but the training split has 12; lower"
    ):
        arms(changed, "films", "0")
