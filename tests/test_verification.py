"""`make verify` notices a metric that strayed and an artifact that was touched."""

import hashlib
import json
from types import SimpleNamespace

import pytest

from analysis import verification
from analysis.errors import InputError


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


def test_a_metric_that_one_side_lacks_is_a_miss_and_shown(reference):
    table = verification.compare(
        {"reviews/evaluate.loss": 0.1, "reviews/train.kept": None},
        {"reviews/train.kept": None, "reviews/train.new": None, "reviews/evaluate.new": 0.1},
    ).set_index("metric")
    assert table["ok"].to_dict() == {
        "reviews/evaluate.loss": False,
        "reviews/train.kept": True,
        "reviews/train.new": False,
        "reviews/evaluate.new": False,
    }
    assert table.loc["reviews/evaluate.loss", "found"] == "absent"
    assert table.loc["reviews/evaluate.new", "reference"] == "absent"


@pytest.fixture
def finished(reference):
    """A run of one experiment."""
    metrics = reference / "results" / "reviews" / "metrics"
    metrics.mkdir(parents=True)
    (metrics / "evaluate.json").write_text('{"accuracy": 0.9}')
    write_ledger(reference, A1="reproduced", B1="consistent")
    (reference / "dvc.lock").write_text("stages: {}")
    (reference / "params.yaml").write_text("experiments: {reviews: null}")
    return reference


def write_ledger(directory, **verdicts):
    claims = [{"id": claim, "verdict": verdict} for claim, verdict in verdicts.items()]
    (directory / "ledger").mkdir(exist_ok=True)
    (directory / "ledger" / "claims.json").write_text(json.dumps({"claims": claims}))


@pytest.fixture
def any_params(monkeypatch):
    """Parameters of the experiment are not what is tested here."""
    loaded = SimpleNamespace(
        experiments={"reviews": None}, model_dump=lambda mode: {"experiments": 1}
    )
    monkeypatch.setattr(verification.params, "load", lambda *path: loaded)


def test_a_kept_run_is_as_its_reference(finished, any_params, capsys):
    verification.keep_reference()
    kept = json.loads((finished / "reference" / "verdicts.json").read_text())
    assert kept == {"A1": "reproduced", "B1": "consistent"}
    assert verification.verify()
    told = capsys.readouterr().out
    assert "1 of 1 metrics within tolerance" in told
    assert "2 of 2 verdicts as in the reference\n0 outputs" in told


def test_a_verdict_that_differs_is_told_and_no_miss(finished, any_params, capsys):
    verification.keep_reference()
    write_ledger(finished, A1="not_reproduced", B2="undecided")
    assert verification.verify()
    told = capsys.readouterr().out
    assert "0 of 3 verdicts as in the reference" in told
    for line in (
        "A1: not_reproduced, in the reference reproduced",
        "B1: absent, in the reference consistent",
        "B2: undecided, in the reference absent",
    ):
        assert f"  {line}\n" in told


def test_a_metric_that_strayed_is_a_miss_of_the_run(finished, any_params, capsys):
    verification.keep_reference()
    metrics = finished / "results" / "reviews" / "metrics" / "evaluate.json"
    metrics.write_text('{"accuracy": 0.9, "new": 1}')
    assert not verification.verify()
    assert "1 of 2 metrics within tolerance" in capsys.readouterr().out


@pytest.mark.parametrize("missing", ["ledger/claims.json", "dvc.lock"])
def test_without_a_finished_run_there_is_nothing_to_verify(finished, any_params, missing):
    verification.keep_reference()
    (finished / missing).unlink()
    with pytest.raises(InputError, match=f"^{missing} was not found; run `make repro` first.$"):
        verification.verify()


def test_without_a_ledger_the_reference_stays_as_it_was(finished, any_params):
    (finished / "ledger" / "claims.json").unlink()
    before = sorted(finished.rglob("*"))
    with pytest.raises(InputError, match="run `make repro` first"):
        verification.keep_reference()
    assert sorted(finished.rglob("*")) == before


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
