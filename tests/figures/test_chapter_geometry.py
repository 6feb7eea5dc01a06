"""Chapter *geometry*: the page has all that it asks for."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from matplotlib import pyplot as plt
from page_numbers import asked, shown_source
from published_ledger import published_values  # noqa: F401
from scipy.special import softmax

from analysis import params
from analysis.capture import store
from analysis.figures import geometry
from analysis.figures.interactive import PREFIX
from analysis.figures.words import words
from analysis.measures import GROUPS
from analysis.methods.scaled_dot_product import scaled_scores
from analysis.rules.contrasts import asked_of_texts, readings
from analysis.rules.judging import judge
from analysis.rules.quantities import Summary
from analysis.rules.rule import read as read_rules
from analysis.stage import write_json
from analysis.stages import summary
from analysis.stages.capture import capture as capture_stage
from analysis.stages.measure import measure
from analysis.stages.prepare import prepare

ROOT = Path(__file__).parents[2]
LANGUAGES = ("en", "ja")
LAYERS, HEADS = 2, 2
FOCUS = "own"


# --- the whole page -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def results(tmp_path_factory, tokenizer, make_model, texts) -> Path:
    """Results of a user's own texts, and of an experiment that fine-tunes; tiny models."""
    import torch
    from transformers import AutoModel, AutoModelForSequenceClassification

    directory = tmp_path_factory.mktemp("results")
    values = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    own, reviews = values["experiments"]["sentences"], values["experiments"]["reviews"]
    own["data"] = {"source": "texts", "texts": [*texts, "Yes"]}
    own["capture"]["examples"] = reviews["capture"]["examples"] = 4
    reviews["data"]["sizes"] = {"train": 4, "validation": 4, "test": 8}
    for experiment in (own, reviews):
        experiment["model"] = {"source": "local", "name": "tiny"}
        experiment["length"]["max_tokens"] = 40
    values |= {
        "files": {"tiny": str(directory / "tiny-bert")},
        "device": "cpu",
        "workers": 1,
        "experiments": {FOCUS: own, "reviews": reviews},
    }
    values["bootstrap"]["resamples"] = 100
    values["projection"]["examples"] = [0]
    values["geometry"] |= {"texts": 2, "lines": 5, "nonlinear": [FOCUS]}
    values["report"]["focus"] = {"experiment": FOCUS, "example": 0}
    (directory / "params.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    config = make_model("bert").config
    config.num_hidden_layers, config.num_attention_heads = LAYERS, HEADS
    config.initializer_range = 0.3
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(directory)
        for automatic, path in (
            (AutoModel, "tiny-bert"),
            (AutoModelForSequenceClassification, "artifacts/reviews/train/model"),
        ):
            torch.manual_seed(len(path))
            automatic.from_config(config).save_pretrained(path)
            tokenizer.save_pretrained(path)
        loaded = params.load()
        for name in ("own", "reviews"):
            prepare(loaded, name)
            capture_stage(loaded, name)
        summarised(patch, loaded, {"vectors": ("mixing", "change"), **MEASURED})
    return directory


MEASURED = {"queries-keys": GROUPS["queries-keys"], "focus": GROUPS["focus"]}


def summarised(patch: pytest.MonkeyPatch, loaded: params.Params, groups: dict) -> None:
    """Measure and summarise these subjects alone."""
    chosen = {group: [FOCUS] if group == "focus" else list(loaded.experiments) for group in groups}
    for group, subjects in groups.items():
        patch.setitem(GROUPS, group, subjects)
        for name in chosen[group]:
            measure(loaded, name, group)
    for group, names in chosen.items():
        target = Path("results", "summary", group)
        target.mkdir(parents=True)
        summary._group(loaded, group, names, target)
    facts = {name: {"capture": {"examples": 4}} for name in loaded.experiments}
    Path("results/summary/model").mkdir()
    write_json(Path("results/summary/model/facts.json"), facts)
    judged(loaded, groups)


def judged(loaded: params.Params, groups: dict) -> None:
    """Hold the rules of the chapter against what was measured."""
    rules = [one for one in read_rules(ROOT / "report" / "rules.yaml") if one.chapter == "geometry"]
    found = {
        name: {
            key: {
                variant or "both": one for variant, one in readings(asked, values, loaded.bootstrap)
            }
            for key, asked in asked_of_texts(rules).items()
            if asked.group in groups
            for values in [pd.read_parquet(f"artifacts/{name}/{asked.group}/values.parquet")]
        }
        for name in loaded.experiments
    }
    for directory in ("results/summary/rules", "results/rules"):
        Path(directory).mkdir()
    write_json(Path("results/summary/rules/readings.json"), found)
    results = judge(rules, loaded.experiments, Summary(Path("results"), 0.95))
    write_json(Path("results/rules/geometry.json"), [one for one in results if "claim" not in one])


def embedded(language: str, **has: bool) -> set[str]:
    """Labels of the cells that the page shows."""
    source = shown_source("geometry", language, **has)
    return set(re.findall(r"\{\{<\s*embed\s+notebooks/geometry\.ipynb#(\S+)", source))


def complete(language: str, directory: Path, **has: bool) -> dict[str, str]:
    """Run the notebook in the present directory and look at all that it leaves -> numbers."""
    source = (ROOT / "analysis" / "notebooks" / "geometry.py").read_text(encoding="utf-8")
    assert embedded(language) <= set(re.findall(r"^# \| label: (\S+)", source, re.M))
    source = source.replace('"en"', repr(language), 1).replace('directory = "."', "")
    exec(source, {"directory": str(directory)})
    assert not plt.get_fignums()
    written = {path.stem for path in directory.glob("*.csv")}
    assert embedded(language, **has) - {"text", "joint-others"} <= written
    numbers = json.loads((directory / "numbers.json").read_text(encoding="utf-8"))
    assert asked("geometry", language, **has) <= set(numbers)
    for name, text in numbers.items():
        assert text, name
        assert not re.search(r"\bnan\b|None|[{}]|\binf\b", text), name
    for name in written:
        pd.read_csv(directory / f"{name}.csv")
    for script in directory.glob("*.map.js"):
        text = script.read_text(encoding="utf-8")
        assert text.startswith(PREFIX)
        json.loads(text.removeprefix(PREFIX).removesuffix(";\n"))
    return numbers


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_has_all_that_it_asks_for(results, tmp_path, monkeypatch, language):
    monkeypatch.chdir(results)
    numbers = complete(language, tmp_path)
    figures = {path.stem for path in tmp_path.glob("*.svg")}
    assert "joint-others-reviews" in figures
    tables = embedded(language) - figures - {"text", "joint-others"}
    assert tables == {"distances", "scales", "pairs", "joint-trust"}
    for name in figures | tables:
        assert len(pd.read_csv(tmp_path / f"{name}.csv")), name
    assert {path.name for path in tmp_path.glob("*.map.js")} == {
        "joint.map.js",
        "joint-others-reviews.map.js",
    }
    assert numbers["states"] == {"en": "3 model states", "ja": "モデルの状態 3 通り"}[language]
    assert numbers["captured"] == {"en": "8 texts", "ja": "8 件のテキスト"}[language]
    # The text shown has the words of the pair, as pieces: one pair a piece in every head.
    assert numbers["pairs"] == f"{3 * LAYERS * HEADS}"
    assert numbers["undefined"] == "0"


@pytest.mark.parametrize("case", ["short", "constant"])
def test_what_is_undefined_is_said_to_be_on_the_page(results, tmp_path, monkeypatch, case):
    """Texts of one and two tokens, or a model whose queries and keys say nothing."""
    monkeypatch.chdir(tmp_path)
    values = yaml.safe_load((results / "params.yaml").read_text(encoding="utf-8"))
    del values["experiments"]["reviews"]
    values["geometry"] |= {"texts": 4, "metric": "euclidean"}
    Path("params.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    lengths = [1, 2, 1, 2] if case == "short" else [5, 6, 5, 6]
    rng = np.random.default_rng(0)
    arrays = []
    for length in lengths:
        query, key = rng.normal(size=(2, LAYERS, HEADS, length, 4))
        if case == "constant":
            query[:] = 0
        weights = softmax(scaled_scores(query, key), axis=-1)
        kept = {"query": query, "key": key, "attention": weights}
        arrays.append({name: array.astype(np.float32) for name, array in kept.items()})
    tokens = [
        {"example_id": text, "position": position, "token": "w"}
        | {"is_special": False, "is_evidence": None}
        for text, length in enumerate(lengths)
        for position in range(length)
    ]
    captured = Path("artifacts", "own", "capture", "pretrained")
    store.write(
        captured,
        enumerate(arrays),
        dtype="float32",
        examples=lambda: pd.DataFrame({"id": range(4), "tokens": lengths, "label": None}),
        tokens=pd.DataFrame(tokens),
        model=store.Capture(results / captured).manifest["model"],
    )
    summarised(monkeypatch, params.load(), MEASURED | {"focus": ("sentence",)})
    shown_tokens = Path("results/summary/focus/shown/own/matrices/pretrained-tokens.parquet")
    shown_tokens.parent.mkdir()
    pd.DataFrame(tokens[: lengths[0]]).to_parquet(shown_tokens)
    Path("files").mkdir()
    missing = ("trained", "several_experiments", "distances", "asked_pairs")
    numbers = complete("en", Path("files"), **dict.fromkeys(missing, False))
    assert not any(re.search("(^|[ >])\u2013($|[ <])", text) for text in numbers.values())
    assert "cannot be measured here" in numbers["correlation"]
    cells, _ = geometry.scale_table(words("en", "geometry"))
    assert not cells.map(lambda cell: "nan" in cell).any(axis=None)
    assert int(numbers["undefined"]) == sum(lengths) * LAYERS * HEADS
