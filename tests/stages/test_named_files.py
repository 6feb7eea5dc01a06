"""Which files an experiment reads is noted apart from all others."""

import json
from pathlib import Path

import pytest
from small_run import small_parameters

from analysis.parameters import Params
from analysis.stages.input import note
from analysis.stages.named_files import named_files

FILES = ("texts", "held-out", "model", "images")


@pytest.fixture
def values(here) -> dict:
    """Experiments of which one reads local files."""
    for name in FILES:
        Path(name).write_text(name, encoding="utf-8")
    values = small_parameters()
    reviews = values["experiments"]["reviews"]
    reviews["model"] = {"source": "local", "name": "model"}
    reviews["data"] = {
        **{"source": "files", "train": "texts", "test": "held-out", "text": "a", "label": "b"},
        **{"validation_fraction": 0.1, "limits": {"train": None, "test": None}, "seed": 0},
    }
    values["heads"]["images"] = {"source": "local", "name": "images"}
    return values | {"files": {name: name for name in FILES}}


def noted(values: dict) -> dict[str, dict]:
    """Run the stages; what they note, by the name of the file."""
    params = Params.model_validate({key: of for key, of in values.items() if key != "schema"})
    for name in params.files:
        note(params, name)
    named_files(params)
    root = Path("results", "named-files")
    return {
        path.relative_to(root).as_posix(): json.loads(path.read_bytes())
        for path in root.rglob("*.json")
    }


def test_a_note_is_of_the_files_that_are_read(values):
    notes = noted(values)
    assert {name: set(note) for name, note in notes.items() if note} == {
        "reviews/data.json": {"texts", "held-out"},
        "reviews/model.json": {"model"},
        "images.json": {"images"},
    }
    assert {path.split("/")[0] for path in notes} == {*values["experiments"], "images.json"}


def test_a_corpus_of_sinks_has_a_note_of_its_own(values):
    reviews = values["experiments"]["reviews"]
    corpus = {key: reviews[key] for key in ("model", "data", "length")} | {
        "train": {
            **{"texts": 4, "epochs": 1, "batch_size": 2, "learning_rate": 1e-4},
            **{"other_rates": [], "weight_decay": 0.0, "warmup": 0.1},
        }
    }
    values["sinks"]["corpora"] = {"films": corpus}
    assert {*noted(values)["sinks.films.json"]} == {"texts", "held-out", "model"}


def test_an_added_file_changes_no_note_and_an_edited_one_its_own(values):
    before = noted(values)
    Path("new").write_text("new", encoding="utf-8")
    assert noted(values | {"files": values["files"] | {"new": "new"}}) == before
    Path("held-out").write_text("edited", encoding="utf-8")
    after = noted(values)
    assert {name for name in before if before[name] != after[name]} == {"reviews/data.json"}
