"""`make verify` notices a metric that strayed and an artifact that was touched."""

import hashlib
import json

import pytest

from analysis import verification


@pytest.fixture
def reference(tmp_path, monkeypatch):
    (tmp_path / "reference").mkdir()
    (tmp_path / "reference" / "tolerances.yaml").write_text(
        '"*/evaluate.accuracy": 0.02\n"*/evaluate.*": 0.5\n'
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_metrics_are_read_with_dotted_names(reference):
    folder = reference / "results" / "reviews" / "metrics"
    folder.mkdir(parents=True)
    (folder / "evaluate.json").write_text(json.dumps({"a": 1, "b": {"c": 2.5}}))
    flat = verification.flat_metrics(reference / "results", "*/metrics")
    assert flat == {"reviews/evaluate.a": 1, "reviews/evaluate.b.c": 2.5}


@pytest.mark.parametrize(
    ("name", "found", "ok"),
    [
        ("reviews/evaluate.accuracy", 0.91, True),
        ("reviews/evaluate.accuracy", 0.87, False),  # the first fitting pattern, not the widest
        ("reviews/evaluate.loss", 1.3, True),
        ("reviews/corpus.texts", 0.90, True),
        ("reviews/corpus.texts", 0.91, False),  # no pattern: equal or wrong
        ("reviews/evaluate.accuracy", None, False),
        ("reviews/evaluate.accuracy", "0.9", False),
    ],
)
def test_tolerance_decides(reference, name, found, ok):
    table = verification.compare({name: 0.90}, {name: found})
    assert list(table["ok"]) == [ok]


def test_a_missing_metric_is_a_miss(reference):
    assert not verification.compare({"reviews/evaluate.loss": 0.1}, {})["ok"].any()


def test_a_directory_is_hashed_as_dvc_hashes_it(tmp_path):
    dvc_data = pytest.importorskip("dvc_data.hashfile.build")
    from dvc_data.hashfile.db import HashFileDB
    from dvc_objects.fs.local import LocalFileSystem

    folder = tmp_path / "folder"
    (folder / "b").mkdir(parents=True)
    (folder / "b" / "x.txt").write_text("x")
    (folder / "a.txt").write_text("a")
    (folder / "b.txt").write_text("sorts between b/ and b0")
    odb = HashFileDB(LocalFileSystem(), str(tmp_path / "odb"))
    _, _, tree = dvc_data.build(odb, str(folder), LocalFileSystem(), "md5", dry_run=True)
    assert verification.dvc_md5(folder) == tree.hash_info.value
    assert verification.dvc_md5(folder / "a.txt") == hashlib.md5(b"a").hexdigest()
    assert verification.dvc_md5(folder / "gone") is None
