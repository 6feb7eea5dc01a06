"""Chapter *geometry*: what texts leave undefined is said to be, and nothing breaks.

A run whose numbers are all defined is rendered as a whole by ``tests/report/test_own_texts.py``.
"""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from published_ledger import published_values  # noqa: F401
from scipy.special import softmax

from analysis import params
from analysis.capture import store
from analysis.figures import geometry
from analysis.figures.interactive import PREFIX
from analysis.figures.words import words
from analysis.measures import GROUPS
from analysis.methods.scaled_dot_product import scaled_scores
from analysis.models.source import describe, locate
from analysis.params import Params, located
from analysis.stage import write_json
from analysis.stages import summary
from analysis.stages.measure import measure

ROOT = Path(__file__).parents[2]
LAYERS, HEADS, WIDTH = 2, 2, 4
# What the figures of the chapter read.
READ = {"queries-keys": GROUPS["queries-keys"], "focus": ("sentence",)}


def write_parameters(model: Path) -> Params:
    values = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    own = values["experiments"]["sentences"]
    own["data"] = {"source": "texts", "texts": ["w"] * 4}
    own["model"] = {"source": "local", "name": "tiny"}
    own["capture"]["examples"] = 4
    values |= {"files": {"tiny": str(model)}, "device": "cpu", "workers": 1}
    values["experiments"] = {"own": own}
    values["bootstrap"]["resamples"] = 100
    values["projection"]["examples"] = [0]
    values["geometry"] |= {"texts": 4, "lines": 5, "metric": "euclidean", "nonlinear": ["own"]}
    values["report"]["focus"] = {"experiment": "own", "example": 0}
    Path("params.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    return params.load()


def write_capture(loaded: Params, lengths: list[int], query_length: float) -> None:
    """Write queries and keys as if four texts of these lengths had been captured."""
    rng = np.random.default_rng(0)
    captured = []
    for length in lengths:
        query, key = rng.normal(size=(2, LAYERS, HEADS, length, WIDTH))
        query *= query_length
        arrays = {"query": query, "key": key, "attention": softmax(scaled_scores(query, key), -1)}
        captured.append({name: array.astype(np.float32) for name, array in arrays.items()})
    tokens = [
        {"example_id": text, "position": position, "token": "w"}
        | {"is_special": False, "is_evidence": None}
        for text, length in enumerate(lengths)
        for position in range(length)
    ]
    model = located(loaded, "own").model
    store.write(
        Path("artifacts", "own", "capture", "pretrained"),
        enumerate(captured),
        dtype="float32",
        examples=lambda: pd.DataFrame({"id": range(4), "tokens": lengths, "label": None}),
        tokens=pd.DataFrame(tokens),
        model=describe(locate(model), model),
    )


def write_results(loaded: Params, patch: pytest.MonkeyPatch) -> None:
    """Measure and summarise what the chapter reads; no rule is judged."""
    results = Path("results")
    for group, subjects in READ.items():
        patch.setitem(GROUPS, group, subjects)
        measure(loaded, "own", group)
    for group in READ:
        (results / "summary" / group).mkdir(parents=True)
        summary._group(loaded, group, ["own"], results / "summary" / group)
    write_json(results / "summary/model/facts.json", {"own": {"capture": {"examples": 4}}})
    write_json(results / "rules/geometry.json", [])


@pytest.mark.parametrize(
    ("lengths", "query_length"),
    [([1, 2, 1, 2], 1), ([5, 6, 5, 6], 0)],
    ids=["texts of one and two tokens", "queries of length zero"],
)
def test_what_is_undefined_is_said_to_be(tmp_path, monkeypatch, pretrained, lengths, query_length):
    monkeypatch.chdir(tmp_path)
    loaded = write_parameters(pretrained)
    write_capture(loaded, lengths, query_length)
    for directory in ("results/summary/model", "results/rules", "files"):
        Path(directory).mkdir(parents=True)
    write_results(loaded, monkeypatch)
    matrices = Path("results/summary/focus/shown/own/matrices")
    matrices.mkdir()
    of_text = pd.DataFrame({"token": ["w"] * lengths[0]})
    of_text.to_parquet(matrices / "pretrained-tokens.parquet")
    notebook = (ROOT / "analysis" / "notebooks" / "geometry.py").read_text(encoding="utf-8")
    exec(notebook.replace('directory = "."', ""), {"directory": "files"})
    numbers = json.loads(Path("files/numbers.json").read_text(encoding="utf-8"))
    for name, text in numbers.items():
        assert text, name
        assert not re.search(r"\bnan\b|None|[{}]|\binf\b|(^|[ >])\u2013($|[ <])", text), name
    assert int(numbers["undefined"]) == sum(lengths) * LAYERS * HEADS
    cells, _ = geometry.scale_table(words("en", "geometry"))
    assert not cells.map(lambda cell: "nan" in cell).any(axis=None)
    for layer in range(1, LAYERS + 1):
        script = Path(f"files/joint.map-{layer}.js").read_text(encoding="utf-8")
        json.loads(script.removeprefix(PREFIX).removesuffix(";\n"))
