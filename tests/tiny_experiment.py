"""One experiment with a tiny model of random weights, captured and measured in the tests' process.

All functions work in the present directory.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import yaml

from analysis.parameters import Params
from analysis.paths import artifact
from analysis.pipeline.stage import write_json
from analysis.stages.capture import capture
from analysis.stages.measure import measure, settings, states
from analysis.stages.prepare import prepare
from analysis.stages.train import train
from attention_mixing.capture import store
from attention_mixing.capture.text import State
from attention_mixing.measures import of_group
from attention_mixing.measures.engine.definition import Measure
from attention_mixing.measures.engine.runner import run
from attention_mixing.models.source import inspect
from attention_mixing.models.weights import ModelWeights
from attention_mixing.workers import workers

ROOT = Path(__file__).parents[1]
EXPERIMENT = "reviews"
VARIANTS = ("pretrained", "finetuned")
ARTIFACTS = Path("artifacts", EXPERIMENT)
CAPTURED, MODEL = ARTIFACTS / "capture", ARTIFACTS / "train" / "0" / "model"
HEADS = {
    "reviews": "ForSequenceClassification",
    "questions": "ForQuestionAnswering",
}
SMALL = {
    "bootstrap": {"resamples": 100},
    "projection": {"examples": [1, 0], "seeds": [5, 6]},
    "geometry": {"texts": 1, "nonlinear": []},
    "heads": {"examples": 5, "batch_size": 2, "side": 16},
    "faithfulness": {"examples": 4, "steps": 4, "fractions": [0.1, 0.5], "batch_size": 8},
}


def committed() -> dict:
    """The parameters as committed, to be changed."""
    values = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    del values["schema"]
    return values


def parameters(name: str = EXPERIMENT, **sections: dict) -> Params:
    """Parameters of the experiment; ``sections`` change keys of some."""
    values = committed()
    experiment = values["experiments"][name]
    experiment["model"] = {"source": "local", "name": "tiny"}
    if name in HEADS:
        experiment["data"]["sizes"] = {"train": 4, "validation": 4, "test": 12}
    experiment["length"]["max_tokens"] = 40
    experiment["capture"] |= {"examples": 5, "dtype": "float32"}
    values |= {"files": {"tiny": "tiny-bert"}, "device": "cpu", "workers": 1}
    values["experiments"] = {name: experiment}
    values["report"]["focus"] = {"experiment": name, "example": 2}
    for section in (SMALL, sections):
        for part, keys in section.items():
            (experiment if part in experiment else values)[part] |= keys
    return Params.model_validate(values)


def learning(name: str, described: dict, **sections: object) -> Params:
    """Parameters of an experiment that learns for a moment, beside the one whose text is shown.

    ``sections`` stand in the place of its own.
    """
    values = committed()
    described["data"]["sizes"] = {"train": 60, "validation": 10, "test": 20}
    described["train"] |= {"epochs": 1, "batch_size": 10}
    described["capture"] |= {"examples": 6, "dtype": "float32"}
    values |= {"files": {"tiny": "tiny"}, "device": "cpu", "workers": 1}
    shown = values["experiments"]["sentences"]
    values["experiments"] = {"sentences": shown, name: described | sections}
    for part, keys in SMALL.items():
        values[part] |= keys
    return Params.model_validate(values)


def save(model, tokenizer, path: Path | str) -> None:
    model.save_pretrained(path)
    tokenizer.save_pretrained(path)


def save_trained(model, tokenizer, name: str = EXPERIMENT) -> None:
    """Leave what the train stage does, of a model that was not trained."""
    save(model, tokenizer, Path("artifacts", name, "train", "0", "model"))
    note_trained(name)


def note_trained(name: str = EXPERIMENT) -> None:
    directory, seeds = Path("artifacts", name, "train"), {}
    if name in HEADS:
        seeds["0"] = {"sha256": inspect(directory / "0" / "model", name=name).sha256}
    directory.mkdir(parents=True, exist_ok=True)
    write_json(directory / "facts.json", {"seeds": seeds})


def make(make_model, tokenizer, values: Params, name: str = EXPERIMENT) -> None:
    """Prepare and capture; in the place of training, a head, and an encoder that is another one.

    Weights are wider than at the start of training, so that no row of attention is uniform.
    """
    wide = {"initializer_range": 0.4}
    save(make_model("bert", **wide), tokenizer, "tiny-bert")
    if name in HEADS:
        save_trained(make_model("bert", HEADS[name], seed=1, **wide), tokenizer, name)
    else:
        note_trained(name)
    prepare(values, name)
    capture(values, name)


def run_stages(values: Params, name: str, *of_measures: str) -> None:
    """Prepare, train and capture, and take all measures of some stages."""
    for stage in (prepare, train, capture):
        stage(values, name)
    for stage_of_measures in of_measures:
        measure(values, name, stage_of_measures)


def found(group: str, *names: str) -> list[Measure]:
    """Return measures of a group, all if none is named."""
    return [one for one in of_group(group) if not names or one.name in names]


def take(
    group: str,
    values: Params,
    target: Path,
    only: Sequence[str] = (),
    processes: int = 1,
    name: str = EXPERIMENT,
) -> pd.DataFrame:
    """Take measures of a group (``only`` some), which may read what the run has of all groups."""
    asked = "focus" if group == "focus" else ""
    return take_of(found(group, *only), values, states(values, name, asked, "0"), target, processes)


def take_of(
    chosen: Sequence[Measure],
    values: Params,
    of: Sequence[State],
    target: Path,
    processes: int | str = 1,
) -> pd.DataFrame:
    """Take measures of states of the only, or the first, experiment."""
    target.mkdir(parents=True, exist_ok=True)
    with workers(processes) as each:
        name = next(iter(values.experiments))
        asked = settings(chosen, values, name)
        corpus = artifact(name, "corpus")
        run(chosen, asked, name, values.experiments[name], of, target, each, corpus)
    return read(target)


def read(directory: Path) -> pd.DataFrame:
    """Values that measures have written, a row a number."""
    names = dict.fromkeys(("measure", "variant", "subject", "facet", "quantity"), str)
    return pd.read_parquet(directory / "values.parquet").astype(names)


def shown(directory: Path, measure: str, name: str) -> pd.DataFrame:
    """Table that a measure shows, of all variants together."""
    paths = {one: directory / "shown" / measure / f"{one}-{name}.parquet" for one in VARIANTS}
    return pd.concat(
        pd.read_parquet(path).assign(variant=variant)
        for variant, path in paths.items()
        if path.is_file()
    )


def written(directory: Path) -> dict[str, bytes]:
    """Bytes of all files below a directory."""
    files = (path for path in directory.rglob("*") if path.is_file())
    return {path.relative_to(directory).as_posix(): path.read_bytes() for path in files}


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
        weights=ModelWeights([], None),
    )
