"""The stage claims: the ledger as it is written."""

import json
from pathlib import Path

import pandas as pd
import pytest
import yaml

from analysis import params
from analysis.claims.ledger import STUDIES
from analysis.claims.verdicts import VERDICTS
from analysis.errors import InputError
from analysis.stages.claims import claims
from analysis.stages.prepare import prepare

ROOT = Path(__file__).parents[2]
ARITHMETIC = ("A1", "A2", "A7", "A13")
KEYS = {"id", "part", "headline", "statement", "source", "published", "values", "chapter"}
KEYS |= {"evidence", "files", "rule", "conditions", "differs", "verdict", "cases", "form", "needs"}
CASE_KEYS = {
    *("experiment", "variant", "label", "value", "low", "high", "texts", "decides", "holds")
}


def committed() -> params.Params:
    return params.load(ROOT / "params.yaml")


@pytest.fixture
def workplace(tmp_path, monkeypatch) -> Path:
    """A directory with the committed rows of arithmetic, and one that reads a number."""
    rows = yaml.safe_load((ROOT / "report" / "claims.yaml").read_text(encoding="utf-8"))
    chosen = [row for row in rows if row["id"] in ARITHMETIC]
    measured = next(row for row in rows if row["id"] == "B24")
    (tmp_path / "report").mkdir()
    text = yaml.safe_dump([*chosen, measured], allow_unicode=True)
    (tmp_path / "report" / "claims.yaml").write_text(text, encoding="utf-8")
    for name in committed().experiments:
        directory = tmp_path / "results" / name / "metrics"
        directory.mkdir(parents=True)
        (directory / "clusters.json").write_text('{"elbow": {"p_value": 0.4}}')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ledger(workplace: Path) -> tuple[dict, dict]:
    claims(committed())
    record, counts = (
        json.loads((workplace / "ledger" / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("claims", "verdicts")
    )
    return record, counts


def test_the_ledger_holds_every_row_and_counts_its_verdicts(workplace):
    record, counts = ledger(workplace)
    rows = record["claims"]
    assert [row["id"] for row in rows] == [*ARITHMETIC, "B24"]
    assert record["studies"] == STUDIES
    for row in rows:
        assert set(row) == KEYS
        assert all(set(case) == CASE_KEYS for case in row["cases"])
        assert row["verdict"] in VERDICTS
        for words in ("statement", "published", "rule"):
            assert set(row[words]) == {"en", "ja"}
            assert "{" not in row[words]["en"] + row[words]["ja"]
    verdicts = [row["verdict"] for row in rows]
    expected = {verdict: verdicts.count(verdict) for verdict in VERDICTS}
    assert counts == {"claims": 5, "tested": 5} | expected


def test_arithmetic_of_the_published_numbers(workplace):
    rows = {row["id"]: row for row in ledger(workplace)[0]["claims"]}
    assert rows["A1"]["verdict"] == "reproduced"
    assert rows["A2"]["verdict"] == "partly_reproduced"
    assert [case["value"] for case in rows["A2"]["cases"]] == [38, 62]
    assert rows["A7"]["verdict"] == "not_reproduced"
    assert rows["A13"]["verdict"] == "not_reproduced"
    assert [case["value"] for case in rows["A13"]["cases"]] == [18_999_936, pytest.approx(0.36)]


def test_a_result_changed_by_hand_changes_the_ledger(workplace):
    assert ledger(workplace)[0]["claims"][-1]["verdict"] == "consistent"
    changed = workplace / "results" / "reviews" / "metrics" / "clusters.json"
    changed.write_text('{"elbow": {"p_value": 0.01}}')
    record, counts = ledger(workplace)
    assert record["claims"][-1]["verdict"] == "partly_consistent"
    assert counts["partly_consistent"] == 1


def test_the_same_results_give_the_same_bytes(workplace):
    ledger(workplace)
    before = (workplace / "ledger" / "claims.json").read_bytes()
    ledger(workplace)
    assert (workplace / "ledger" / "claims.json").read_bytes() == before


def test_a_mistake_leaves_the_ledger_as_it_was(workplace):
    ledger(workplace)
    before = (workplace / "ledger" / "claims.json").read_bytes()
    path = workplace / "report" / "claims.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("id: B24", "id: B24\n  colour: red"), encoding="utf-8")
    with pytest.raises(InputError, match="claim B24: colour is not a known key"):
        claims(committed())
    assert (workplace / "ledger" / "claims.json").read_bytes() == before


def test_the_classes_of_the_first_tenth_reach_the_metrics(tmp_path, monkeypatch):
    """What claim A3 asks: a test file sorted by class has one class there."""
    monkeypatch.chdir(tmp_path)
    values = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    reviews = values["experiments"]["reviews"]
    reviews["data"] = {
        "source": "files",
        "train": "imdb-train",
        "test": "imdb-test",
        "text": "text",
        "label": "label",
        "validation_fraction": 0.5,
        "limits": {"train": None, "test": None},
        "seed": 0,
    }
    values["experiments"] = {"reviews": reviews}
    values["report"]["focus"] = {"experiment": "reviews", "example": 0}
    for name, labels in (("imdb-train", [0, 1] * 4), ("imdb-test", [0] * 10 + [1] * 10)):
        texts = [f"text {n} of {name}" for n in range(len(labels))]
        pd.DataFrame({"text": texts, "label": labels}).to_parquet(f"{name}.parquet")
        values["files"][name] = f"{name}.parquet"
    Path("params.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    loaded = params.load(Path("params.yaml"))
    prepare(loaded, "reviews")
    found = json.loads(Path("results/reviews/metrics/corpus.json").read_text())["first_tenth"]
    assert found == {"classes": {"0": 2, "1": 0}, "largest_class": 1.0}
    rows = yaml.safe_load((ROOT / "report" / "claims.yaml").read_text(encoding="utf-8"))
    Path("report").mkdir()
    text = yaml.safe_dump([row for row in rows if row["id"] == "A3"], allow_unicode=True)
    Path("report/claims.yaml").write_text(text, encoding="utf-8")
    claims(loaded)
    (row,) = json.loads(Path("ledger/claims.json").read_text(encoding="utf-8"))["claims"]
    assert (row["verdict"], row["cases"][0]["value"]) == ("not_reproduced", 1.0)
