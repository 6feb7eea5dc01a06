"""What is told of the columns and quantities of a chapter's downloads."""

import json

import pandas as pd
import pytest

from analysis import paths
from analysis.figures.chapter import Chapter
from analysis.figures.tables import COLUMNS, dictionary, sampled
from analysis.paths import QUANTITIES
from analysis.pipeline.stage import write_json
from analysis.prose.messages import words
from analysis.prose.phrases import spread
from attention_mixing.artifacts import MANIFEST
from attention_mixing.measures import GROUPS, declared
from attention_mixing.schemas import SUMMARY

RATIO = ("mixing", "ratio")


@pytest.fixture
def summaries(here, monkeypatch):
    """What the stage summary says of every group, all of which were read."""
    monkeypatch.setattr(paths, "_asked", set())
    for group in GROUPS:
        directory = paths.result("summary", group)
        directory.mkdir(parents=True)
        (directory / QUANTITIES).write_text(json.dumps(declared(group)), encoding="utf-8")
        write_json(directory / MANIFEST, {"schema": SUMMARY.version})


@pytest.mark.parametrize("language", ["en", "ja"])
def test_columns_of_the_summary_and_quantities_are_explained_and_no_others(summaries, language):
    table = dictionary([*COLUMNS, "thumbnail"], [RATIO], words(language, "mixing"))
    assert list(table["column"]) == [*COLUMNS, "quantity"]
    assert table["meaning"].str.len().min() > 0
    last = table.iloc[-1]
    assert last[["name", "measure", "axes"]].tolist() == ["ratio", "mixing", "layer"]
    assert last[["smallest", "largest"]].tolist() == [0, 1]
    assert "attn_w" in last["subject"].split() and "cls" in last["facet"].split()


def test_a_quantity_without_words_stops_the_chapter(summaries):
    with pytest.raises(KeyError):
        dictionary(["quantity"], [("relevance", "logit_margin")], words("en", "mixing"))


def test_a_chapter_writes_it_beside_its_downloads(summaries, tmp_path):
    chapter = Chapter("mixing", "en", str(tmp_path))
    rows = {"measure": "mixing", "quantity": "ratio", "mean": [0.5, 0.25], "own": 1}
    chapter.download("ratios", pd.DataFrame(rows))
    chapter.close()
    written = pd.read_csv(tmp_path / "columns.csv")
    assert written["column"].tolist() == ["measure", "quantity", "mean", "quantity"]


def test_a_chapter_without_such_columns_writes_none(tmp_path):
    chapter = Chapter("anatomy", "en", str(tmp_path))
    chapter.download("steps", pd.DataFrame({"step": ["dot"]}))
    chapter.close()
    assert not (tmp_path / "columns.csv").exists()


def rows(texts, seeds=None, **more):
    """Rows of experiments ``a``, ``b``, ... with so many texts."""
    names = [chr(ord("a") + place) for place in range(len(texts))]
    table = pd.DataFrame({"experiment": names, "texts": texts, **more})
    return table if seeds is None else table.assign(seeds=seeds)


@pytest.fixture(params=["en", "ja"])
def w(request):
    return words(request.param, "heads")


def test_experiments_that_differ_are_named(w):
    said = sampled(rows([61, 1200], seeds=[1, 3]), w)
    assert all(part in said for part in ("a 61", "b 1,200", "a 1", "b 3"))


def test_what_all_have_is_said_once(w):
    said = sampled(rows([32, 32]), w)
    assert said.count("32") == 1
    assert "a 32" not in said


def test_rows_over_fewer_texts_are_told_and_the_pretrained_model_has_no_seed_of_its_own(w):
    said = sampled(pd.concat([rows([32], seeds=[1]), rows([1030], seeds=[3])]), w)
    assert spread(32, 1030, ",d", w) in said
    assert said == sampled(pd.concat([rows([32], seeds=[3]), rows([1030], seeds=[3])]), w)


def test_intervals_are_said_to_be_uncorrected_where_nothing_corrects_them(w):
    plain = sampled(rows([32]), w)
    alone = sampled(rows([32], low=[0.1]), w)
    corrected = sampled(rows([32], low=[0.1], stands_out=[True]), w)
    assert plain == corrected
    assert alone == plain + w["uncorrected"]


def test_what_is_of_no_text_says_nothing(w):
    assert sampled(rows([0, 0]), w) == ""
    assert sampled(pd.DataFrame({"claim": ["A1"]}), w) == ""
    assert sampled(rows(["grammar reviews"]), w) == ""
