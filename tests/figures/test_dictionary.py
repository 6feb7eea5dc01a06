"""What is told of the columns and quantities of a chapter's downloads."""

import json

import pandas as pd
import pytest

from analysis.figures.chapter import Chapter
from analysis.figures.dictionary import COLUMNS, dictionary
from analysis.figures.words import words
from analysis.stage import write_json
from attention_mixing import paths
from attention_mixing.artifacts import MANIFEST, QUANTITIES
from attention_mixing.measures import GROUPS, declared
from attention_mixing.schemas import SUMMARY

RATIO = ("mixing", "ratio")


@pytest.fixture
def summaries(tmp_path, monkeypatch):
    """What the stage summary says of every group, all of which were read."""
    monkeypatch.chdir(tmp_path)
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
    assert "attn_w" in last["of"].split() and "cls" in last["kind"].split()


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
