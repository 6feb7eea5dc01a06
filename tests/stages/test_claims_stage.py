"""The stage claims: the ledger as it is written."""

import json
from math import nan
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
    monkeypatch.chdir(tmp_path)
    write_summary({name: {} for name in committed().experiments})
    write_elbows(dict.fromkeys(committed().experiments, 0.4))
    return tmp_path


def write_summary(facts: dict) -> None:
    """Write what is known of experiments; of texts nothing is compared."""
    nothing = {name: {} for name in facts}
    for path, content in (("model/facts", facts), ("claims/readings", nothing)):
        file = Path("results", "summary", f"{path}.json")
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(content), encoding="utf-8")


def write_elbows(p_values: dict[str, float]) -> None:
    """Write curves of heads that hold nothing but this, which is of all texts together."""
    rows = pd.DataFrame(list(p_values.items()), columns=["experiment", "mean"])
    rows = rows.assign(**dict.fromkeys(("variant", "by", "kind", "minus"), ""))
    rows = rows.assign(measure="p_value", of="elbow", layer=-1, head=0, texts=0, low=nan, high=nan)
    target = Path("results", "summary", "heads", "curves.parquet")
    target.parent.mkdir(exist_ok=True)
    rows.to_parquet(target, index=False)


def ledger(workplace: Path) -> tuple[dict, dict]:
    claims(committed())
    record, counts = (
        json.loads((workplace / "results" / "ledger" / f"{name}.json").read_text(encoding="utf-8"))
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
    write_elbows(dict.fromkeys(committed().experiments, 0.4) | {"reviews": 0.01})
    record, counts = ledger(workplace)
    assert record["claims"][-1]["verdict"] == "partly_consistent"
    assert counts["partly_consistent"] == 1


def test_the_same_results_give_the_same_bytes(workplace):
    ledger(workplace)
    before = (workplace / "results" / "ledger" / "claims.json").read_bytes()
    ledger(workplace)
    assert (workplace / "results" / "ledger" / "claims.json").read_bytes() == before


def test_a_mistake_leaves_the_ledger_as_it_was(workplace):
    ledger(workplace)
    before = (workplace / "results" / "ledger" / "claims.json").read_bytes()
    path = workplace / "report" / "claims.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("id: B24", "id: B24\n  colour: red"), encoding="utf-8")
    with pytest.raises(InputError, match="claim B24: colour is not a known key"):
        claims(committed())
    assert (workplace / "results" / "ledger" / "claims.json").read_bytes() == before


def test_the_classes_of_the_first_tenth_reach_the_ledger(tmp_path, monkeypatch):
    """What claim A3 asks: a test file sorted by class has one class there."""
    monkeypatch.chdir(tmp_path)
    loaded = params.load(ROOT / "profiles" / "imdb-minilm.yaml")
    files = {name: f"{name}.parquet" for name in loaded.files}
    for name, labels in (("imdb-train", [0, 1] * 10), ("imdb-test", [0] * 10 + [1] * 10)):
        texts = [f"text {n} of {name}" for n in range(len(labels))]
        pd.DataFrame({"text": texts, "label": labels}).to_parquet(files[name])
    loaded = loaded.model_copy(update={"files": files})
    prepare(loaded, "imdb")
    facts = json.loads(Path("artifacts/imdb/corpus/facts.json").read_text(encoding="utf-8"))
    assert facts["corpus"]["first_tenth"] == {"classes": {"0": 2, "1": 0}, "largest_class": 1.0}
    write_summary({"imdb": facts})
    rows = yaml.safe_load((ROOT / "report" / "claims.yaml").read_text(encoding="utf-8"))
    Path("report").mkdir()
    text = yaml.safe_dump([row for row in rows if row["id"] == "A3"], allow_unicode=True)
    Path("report/claims.yaml").write_text(text, encoding="utf-8")
    claims(loaded)
    (row,) = json.loads(Path("results/ledger/claims.json").read_text(encoding="utf-8"))["claims"]
    assert (row["verdict"], row["cases"][0]["value"]) == ("not_reproduced", 1.0)
