"""The table of every run: what is set side by side, marked and left out."""

from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from IPython.display import HTML
from made_summary import rows, write
from page import Page

from analysis.figures import runs
from analysis.figures.runs import ABSENT, RunsColumn, of_runs, runs_table
from analysis.paths import LANGUAGES, QUICK, REFERENCE, ROOT
from analysis.prose.messages import words

CHAPTERS = ("mixing", "features", "propagation", "geometry", "heads", "faithfulness")
WEIGHTS = RunsColumn("weights", "mixing", {"quantity": "ratio", "subject": "attnres_w"})
DEPENDENCE = RunsColumn("dependence", "dependence", {"quantity": "dependence"}, "last")
BOTH = (WEIGHTS, DEPENDENCE)


@pytest.fixture
def w():
    return words("en", "mixing")


@pytest.fixture
def made(tmp_path, monkeypatch):
    """Ratios of two experiments of this run and of another, which has a dependence of the first."""
    ratio = {"measure": "mixing", "quantity": "ratio", "subject": "attnres_w", "facet": "all"}
    write(tmp_path, "vectors", [rows(**ratio, experiment=("a", "b"), mean=0.25, texts=7)])
    about = {"measure": "dependence", "quantity": "dependence", "layer": (-1, 1, 2)}
    depended = rows(**about, experiment=("a", "b"), texts=3)
    depended["mean"] = [0.1, 0.1, 0.2, 0.2, 0.75, np.nan]
    weighted = rows(**ratio, experiment=("a", "b"), mean=0.5, texts=40)
    kept = pd.concat([weighted, depended]).assign(group="vectors")
    (tmp_path / "reference" / "other").mkdir(parents=True)
    kept.to_parquet(tmp_path / "reference" / "other" / "summary.parquet")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(runs, "other_runs", lambda: ["other"])
    monkeypatch.setattr(runs, "stale", lambda run: ["dependence"])
    return tmp_path


def text(cell) -> str:
    return Page(cell.data).text if isinstance(cell, HTML) else cell


def test_experiments_of_all_runs_stand_below_each_other(made, w):
    cells, data = runs_table(of_runs(BOTH), BOTH, w)
    assert cells[w["experiment"]].tolist() == ["a", "b", "other/a", "other/b"]
    ends = "[0.40,\u00a00.60]"
    shown = [*map(text, cells[w["runs_weights"]])]
    assert shown == [f"0.25{ends}"] * 2 + [f"0.50{ends}"] * 2
    assert cells[w["runs_texts"]].tolist() == ["7", "7", "3–40", "40"]
    assert len(data) == 5
    assert not {"column", "stale"} & {*data.columns}


def test_what_is_of_the_last_layer_is_a_dash_where_there_is_no_value(made, w):
    """Not measured in this run, and not defined in the second experiment of the other one."""
    cells, _ = runs_table(of_runs(BOTH), BOTH, w)
    *absent, there, undefined = map(text, cells[w["runs_dependence"]])
    assert there.startswith("0.75")
    assert [*absent, undefined] == [ABSENT] * 3


def test_only_numbers_that_would_be_others_today_are_marked(made, w):
    cells, _ = runs_table(of_runs(BOTH), BOTH, w)
    marked = cells.map(lambda cell: "†" in text(cell))
    assert marked.to_numpy().sum() == 1
    assert marked[w["runs_dependence"]].iloc[2]


def test_predictions_are_explained_of_models_that_have_learned(made, w, monkeypatch):
    def known(accuracy):
        evaluated = {"seeds": {"0": {"evaluate": {"accuracy": accuracy}}}}
        return evaluated | {"corpus": {"majority_accuracy": 0.5}}

    monkeypatch.setattr(runs, "facts", lambda name: known({"a": 0.9, "b": 0.55}[name]))
    monkeypatch.setattr(runs, "kept_facts", lambda: {"other/a": known(0.8), "other/b": known(0.6)})
    cells, _ = runs_table(of_runs((WEIGHTS,), predicting=True), (WEIGHTS,), w)
    assert cells[w["experiment"]].tolist() == ["a", "other/a"]


def test_a_number_without_an_interval_stands_alone(w):
    alone = rows(measure="mixing", low=np.nan, high=np.nan, texts=0)
    cells, _ = runs_table(alone.assign(column="weights", stale=False), (WEIGHTS,), w)
    assert [*map(text, cells.iloc[0])][2:] == ["0.50", ABSENT]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_column_is_of_one_quantity_that_the_committed_run_has(chapter):
    """One row an experiment and state: two values of a column would hide one another."""
    summary = pd.read_parquet(ROOT / REFERENCE / QUICK / "summary.parquet")
    summary = summary[(summary["minus"] == "") & (summary["reading"] == "")]
    summary = summary[(summary["head"] == 0) & (summary["clusters"] == 0)]
    columns = import_module(f"analysis.chapters.{chapter}.figures").OF_RUNS
    for one in columns:
        found = summary[summary["measure"] == one.measure]
        for name, value in one.where.items():
            found = found[found[name] == value]
        found = found[(found["layer"] == -1) == (one.layer == "mean")].dropna(subset="mean")
        assert len(found), one.name
        assert not found.duplicated(["experiment", "variant", "layer"]).any(), one.name


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_columns_have_names_of_their_own(chapter, language):
    w = words(language, chapter)
    columns = import_module(f"analysis.chapters.{chapter}.figures").OF_RUNS
    names = [w[f"runs_{one.name}"] for one in columns] + [w["runs_texts"], w["experiment"]]
    assert len({*names}) == len(names)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_what_the_downloads_of_a_table_hold_has_a_meaning(chapter, language):
    w = words(language, chapter)
    for column in import_module(f"analysis.chapters.{chapter}.figures").OF_RUNS:
        named = column.where["quantity"]
        for quantity in [named] if isinstance(named, str) else named:
            assert f"means_{quantity}" in w or quantity in w
