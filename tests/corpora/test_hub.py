"""Hub data, read from small local directories in the layout of a hub data set."""

import os
import shutil
from pathlib import Path

import datasets
import pytest
from data_sections import HUB, REVISION, SQUAD_HUB
from refusals import refused

from attention_mixing import corpora
from attention_mixing.corpora import hub
from attention_mixing.settings.sources import HubData, SquadHubData

LABELS = datasets.ClassLabel(names=["neg", "pos"])
FEATURES = datasets.Features({"text": datasets.Value("string"), "label": LABELS})
pytestmark = pytest.mark.usefixtures("own_cache")


def section(name, **more):
    return HubData(**(HUB | {"name": str(name)} | more))


@pytest.fixture
def directory(tmp_path):
    path = tmp_path / "reviews"
    path.mkdir()
    for split, size in (("train", 40), ("test", 10)):
        texts = [f"{split} <b>{i}</b>" for i in range(size)]
        columns = {"text": texts, "label": [0, 1] * (size // 2)}
        datasets.Dataset.from_dict(columns, features=FEATURES).to_parquet(path / f"{split}.parquet")
    return path


def test_a_data_set_is_split_like_files(directory):
    corpus = corpora.load(section(directory), "classification")
    counts = corpus.examples.groupby(["split", "label"]).size().to_dict()
    sizes = {"train": 15, "validation": 5, "test": 5}
    assert counts == {(split, label): size for split, size in sizes.items() for label in (0, 1)}
    assert corpus.label_names == ("neg", "pos")
    for row in corpus.examples.itertuples():
        split, number = row.text.removesuffix("</b>").split(" <b>")
        assert row.label == int(number) % 2
        assert split == row.split or (split, row.split) == ("train", "validation")
    assert corpus.origin["name"] == str(directory)
    assert corpus.origin["revision"] == "none, a local directory"


def test_without_a_task_one_split_is_enough(directory):
    corpus = corpora.load(section(directory, train=None, label=None), "none")
    assert corpus.examples["text"].tolist() == [f"test <b>{i}</b>" for i in range(10)]
    assert corpus.label_names == ()


def test_unknown_split_config_and_column(directory):
    assert "Unknown split \"tset\"; Should be one of ['train', 'test']" in refused(
        section(directory, test="tset")
    )
    assert "BuilderConfig 'large' not found" in refused(section(directory, config="large"))
    text = refused(section(directory, text="review"))
    assert text.startswith("data.text is 'review', but data.train (split 'train' of ")
    assert "columns there: 'text', 'label'" in text


def test_unlabelled_splits_are_refused(directory):
    unlabelled = datasets.Dataset.from_dict({"text": ["a"], "label": [-1]}, features=FEATURES)
    unlabelled.to_parquet(directory / "test.parquet")
    assert "row 1: the label is -1, and a number below 0" in refused(section(directory))


def test_a_broken_file_and_an_empty_directory(directory, tmp_path):
    (directory / "test.parquet").write_bytes(b"junk")
    assert "cannot be loaded" in refused(section(directory))
    (tmp_path / "empty").mkdir()
    assert "cannot be loaded" in refused(section(tmp_path / "empty"))


def test_an_unreachable_hub_says_how_to_run_offline():
    text = refused(section("somebody/something"))
    assert text.startswith("data.name is 'somebody/something'")
    for way in ("HF_HUB_OFFLINE", "HF_HOME", "data.source: files"):
        assert way in text
    questions = SquadHubData(**(SQUAD_HUB | {"name": "somebody/something"}))
    assert "data.source: squad-files" in refused(questions, "question_answering")


def test_what_is_in_the_cache_of_the_home_of_the_hub_is_not_asked_for(tmp_path, monkeypatch):
    """In the layout that the page *Run it again* shows."""
    monkeypatch.delenv("HF_DATASETS_CACHE")
    monkeypatch.setattr("huggingface_hub.constants.HF_HOME", str(tmp_path / "hf"))
    (tmp_path / "hf/datasets/somebody___reviews/default/0.0.0" / REVISION).mkdir(parents=True)
    hub.require(section("somebody/reviews"))


def test_only_the_named_revision_is_taken_from_the_cache_without_a_word(
    directory, here, capfd, caplog
):
    """Out of reach of the hub, `datasets` would take whatever revision it finds in its cache."""
    corpora.load(section("reviews"), "classification")
    directory.rename(here / "elsewhere")  # from here on "reviews" is a name on the hub
    (made,) = Path(here / "cache").glob("reviews/default/0.0.0/*/")
    # Where the hub's data sets are: with their owner.
    kept = here / "cache" / "somebody___reviews" / "default" / "0.0.0"
    kept.mkdir(parents=True)
    other = made.rename(kept / made.name)
    text = refused(section("somebody/reviews"))
    assert f"'somebody/reviews' at revision {REVISION}, which is not in the cache" in text
    shutil.copytree(other, kept / REVISION)
    os.utime(kept / REVISION, (0, 0))
    assert f"the hub cannot be reached and {other.name} is newer" in refused(
        section("somebody/reviews")
    )
    shutil.rmtree(other)
    capfd.readouterr()
    corpus = corpora.load(section("somebody/reviews"), "classification")
    assert corpus.origin["revision"] == REVISION
    assert len(corpus.examples) == 50
    assert capfd.readouterr() == ("", "")
    assert not caplog.records
