"""What the page on running it again tells a reader to write is accepted, and the same in both."""

import re
from copy import deepcopy

import pytest
import yaml
from small_report import REPORT, ROOT

from analysis.parameters import Params
from attention_mixing.settings.sources import FilesData, SquadFilesData, TextsData

BLOCK = re.compile(r"^```yaml\n(.*?)^```$", re.M | re.S)

PROFILES = {
    "classification": ("imdb", FilesData),
    "question_answering": ("squad", SquadFilesData),
    "none": ("t5", TextsData),
}


def examples(language: str) -> list[dict]:
    text = (REPORT / language / "rerun.qmd").read_text(encoding="utf-8")
    return [yaml.safe_load(block) for block in BLOCK.findall(text)]


def parameters(path: str) -> dict:
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


def laid_over(base: dict, changes: dict) -> dict:
    """Return `base` with the changes; model and data of an experiment are replaced as a whole."""
    result = deepcopy(base)
    for key, value in changes.items():
        nested = isinstance(value, dict) and isinstance(result.get(key), dict)
        nested &= key not in ("model", "data")
        result[key] = laid_over(result[key], value) if nested else value
    return result


def test_both_languages_show_the_same_examples():
    assert examples("en")
    assert examples("en") == examples("ja")


@pytest.mark.parametrize("index", range(len(examples("en"))))
def test_an_example_makes_valid_parameters(index):
    """Keys that an example leaves to a profile are taken from there, as its comment says."""
    changes = examples("en")[index]
    base = parameters("params.yaml")
    del base["schema"]
    for name, asked in changes["experiments"].items():
        if name not in base["experiments"]:
            profile, data = PROFILES[asked["task"]]
            source = parameters(f"profiles/{profile}.yaml")["experiments"].values()
            (model,) = (
                one
                for one in source
                if (one["task"], one["data"]["source"]) == (asked["task"], asked["data"]["source"])
            )
            rest = {key: model["data"][key] for key in data.model_fields.keys() & model["data"]}
            asked |= laid_over(model, asked) | {"data": rest | asked["data"]}
    values = Params.model_validate(laid_over(base, changes))
    assert set(changes["experiments"]) <= set(values.experiments)
