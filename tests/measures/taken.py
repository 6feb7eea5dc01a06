"""Take single measures in the present directory, and read what they give."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
import yaml

from analysis import params
from analysis.capture import store
from analysis.measures import measures
from analysis.measures.definition import Measure
from analysis.measures.runner import run
from analysis.measures.workers import workers
from analysis.params import Params
from analysis.paths import artifact
from analysis.stage import replacing
from analysis.stages.measure import states

ROOT = Path(__file__).parents[2]


def found(group: str, name: str) -> Measure:
    return next(one for one in measures(group) if one.name == name)


def take(loaded: Params, experiment: str, group: str, name: str) -> None:
    """As its stage does, but one measure of the group alone."""
    with replacing(artifact(experiment, group)) as directory, workers(1) as each:
        directory.mkdir()
        asked = states(loaded, experiment, group)
        run([found(group, name)], loaded, experiment, asked, directory, each)


def write_capture(
    directory: Path, arrays: dict[int, dict[str, np.ndarray]], tokens: Iterable, /, **columns: list
) -> None:
    """Write made-up arrays of texts, id -> name -> array, with rows of tokens."""
    store.write(
        directory,
        arrays.items(),
        dtype="float32",
        examples=lambda: pd.DataFrame({"id": list(arrays), **columns}),
        tokens=pd.DataFrame(tokens),
        model={},
    )


def experiment_of(kind: str, **sections: dict) -> dict:
    """Parameters of one experiment with the tiny model; ``sections`` change keys of some."""
    values = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    experiment = values["experiments"][kind]
    experiment["model"] = {"source": "local", "name": "tiny"}
    if experiment["task"] != "none":
        experiment["data"]["sizes"] = {"train": 4, "validation": 4, "test": 12}
    experiment["length"]["max_tokens"] = 40
    values |= {"files": {"tiny": "tiny-bert"}, "device": "cpu", "experiments": {kind: experiment}}
    tiny = {
        "projection": {"examples": [0]},
        "geometry": {"texts": 2, "nonlinear": []},
        "report": {"focus": {"experiment": kind, "example": 0}},
    }
    for section in (tiny, sections):
        for name, keys in section.items():
            (experiment if name in experiment else values)[name] |= keys
    return values


def load(values: dict) -> Params:
    Path("params.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    return params.load()
