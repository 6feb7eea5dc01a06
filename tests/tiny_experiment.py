"""One experiment with a tiny model of random weights, captured and measured in the tests' process.

All functions work in the present directory.
"""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import yaml

from analysis import params
from analysis.measures import measures
from analysis.measures.runner import run
from analysis.measures.workers import workers
from analysis.stages.capture import capture
from analysis.stages.measure import states
from analysis.stages.prepare import prepare

ROOT = Path(__file__).parents[1]
EXPERIMENT = "reviews"
VARIANTS = ("pretrained", "finetuned")
CAPTURED = Path("artifacts", EXPERIMENT, "capture")


def parameters(**sections: dict) -> params.Params:
    """Parameters of the experiment; ``sections`` change keys of some."""
    values = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    experiment = values["experiments"][EXPERIMENT]
    experiment["model"] = {"source": "local", "name": "tiny"}
    experiment["data"]["sizes"] = {"train": 4, "validation": 4, "test": 12}
    experiment["length"]["max_tokens"] = 40
    experiment["capture"]["examples"] = 5
    values |= {"files": {"tiny": "tiny-bert"}, "device": "cpu", "workers": 1}
    values["experiments"] = {EXPERIMENT: experiment}
    tiny = {
        "bootstrap": {"resamples": 100},
        "projection": {"examples": [1, 0], "seeds": [5, 6]},
        "geometry": {"texts": 2, "nonlinear": []},
        "report": {"focus": {"experiment": EXPERIMENT, "example": 2}},
        "faithfulness": {"examples": 4, "steps": 4, "fractions": [0.1, 0.5], "batch_size": 8},
    }
    for section in (tiny, sections):
        for name, keys in section.items():
            (experiment if name in experiment else values)[name] |= keys
    return params.Params.model_validate(values)


def make(make_model, tokenizer) -> None:
    """Prepare and capture; in the place of training, a head, and an encoder that is another one."""
    make_model("bert").save_pretrained("tiny-bert")
    tokenizer.save_pretrained("tiny-bert")
    prepare(parameters(), EXPERIMENT)
    model = Path("artifacts", EXPERIMENT, "train", "model")
    make_model("bert", "ForSequenceClassification", seed=1, num_labels=2).save_pretrained(model)
    tokenizer.save_pretrained(model)
    capture(parameters(), EXPERIMENT)


def take(
    group: str, values: params.Params, target: Path, only: Sequence[str] = (), processes: int = 1
) -> pd.DataFrame:
    """Take measures of a group (``only`` some), which may read what the run has of all groups."""
    chosen = [one for one in measures(group) if not only or one.name in only]
    asked = "focus" if group == "focus" else ""
    target.mkdir(parents=True)
    with workers(processes) as each:
        run(chosen, values, EXPERIMENT, states(values, EXPERIMENT, asked), target, each)
    return read(target)


def read(directory: Path) -> pd.DataFrame:
    """Values that measures have written, a row a number."""
    names = dict.fromkeys(("by", "variant", "of", "kind", "measure"), str)
    return pd.read_parquet(directory / "values.parquet").astype(names)
