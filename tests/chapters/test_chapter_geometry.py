"""Chapter *geometry*: what texts leave undefined is said to be, and nothing breaks.

A run whose numbers are all defined is rendered as a whole by ``tests/report/test_own_texts.py``.
"""

import json
import re
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
import tiny_experiment as tiny
from made_vectors import FIRST, HEADS, LAYERS, captured, constant, unchanged
from published_ledger import published_values, rows  # noqa: F401

from analysis.chapters.geometry import figures
from analysis.paths import GROUP_OF
from analysis.pipeline.stage import write_json
from analysis.prose.messages import words
from analysis.runs import parameters as run_parameters
from analysis.stages import summary
from analysis.stages.parameters import SHOWN
from attention_mixing.measures import STAGES, groups

NOTEBOOK = tiny.ROOT / "analysis" / "chapters" / "geometry" / "notebook.py"
NAME = "sentences"
SETTINGS = {"texts": 4, "lines": 5, "metric": "euclidean", "nonlinear": [NAME]}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lengths", "change"),
    [([1, 2, 1, 2], unchanged), ([5, 6, 5, 6], constant(0, ("queries",)))],
    ids=["texts of one and two tokens", "queries of length zero"],
)
def test_what_is_undefined_is_said_to_be(here, monkeypatch, lengths, change):
    loaded = tiny.parameters(NAME, geometry=SETTINGS, capture={"examples": 4})
    shown = run_parameters.RunParameters.model_validate(
        loaded.model_dump(mode="json", include=SHOWN)
    )
    monkeypatch.setattr(run_parameters, "run_parameters", lambda: shown)
    # What heads attend to is measured in another group.
    none = "analysis.chapters.geometry.attentionviz.contrasting_heads"
    monkeypatch.setattr(none, lambda *state: pd.DataFrame())
    state = captured(here, lengths, change)
    results = Path("results", "summary")
    results.mkdir(parents=True)
    write_json(results / GROUP_OF, groups())
    focus = results / "focus"
    tiny.note_trained(NAME)
    (here / "results" / "explorer").mkdir(parents=True)
    (here / "results" / "explorer" / "shown.json").write_text("[]", encoding="utf-8")
    (here / "results" / "explorer" / "score.json").write_text("null", encoding="utf-8")
    # What the figures of the chapter read.
    for group, topics, of in (
        ("focus", ("sentence",), replace(state, only=(FIRST,))),
        ("queries-keys", STAGES["queries-keys"], state),
    ):
        monkeypatch.setitem(STAGES, group, topics)
        tiny.take_of(tiny.found(group), loaded, [of], Path("artifacts", NAME, group, "0"))
        (results / group).mkdir(parents=True)
        case = {NAME: summary.Summarised(NAME, "")}
        summary._group(loaded, group, case, (), results / group)
    (focus / "shown" / NAME / "matrices").mkdir()
    of_text = pd.DataFrame({"token": ["w"] * lengths[0]})
    of_text.to_parquet(focus / "shown" / NAME / "matrices" / "pretrained-tokens.parquet")
    Path("files").mkdir()
    values = {name: one["claim"]["values"] for name, one in rows().items()}
    for path, content in (
        (results / "model" / "facts.json", {NAME: {"capture": {"examples": 4}, "origin": {}}}),
        (Path("results", "parameters", "published.json"), values),
    ):
        path.parent.mkdir()
        write_json(path, content)
    notebook = NOTEBOOK.read_text(encoding="utf-8")
    exec(re.sub("^directory = .*", "", notebook, flags=re.M), {"directory": "files"})
    numbers = json.loads(Path("files/numbers.json").read_text(encoding="utf-8"))
    for name, text in numbers.items():
        assert text or name == "contrast", name
        assert not re.search(r"\bnan\b|None|[{}]|\binf\b|(^|[ >])\u2013($|[ <])", text), name
    assert int(numbers["undefined"]) == sum(lengths) * LAYERS * HEADS
    cells, _ = figures.scale_table(words("en", "geometry"))
    assert not cells.map(lambda cell: "nan" in cell).any(axis=None)
