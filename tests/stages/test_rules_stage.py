"""The stage rules: what it writes of the claims and findings."""

import json
import re
from math import nan
from pathlib import Path

import pandas as pd
import pytest
import yaml
from data_sections import FILES
from made_summary import rows, write
from rules.made_rules import committed

from analysis.parameters.derived import cases
from analysis.rules.verdicts import OUTCOMES
from analysis.stages.prepare import prepare
from analysis.stages.rules import rules
from attention_mixing.errors import InputError
from attention_mixing.settings.sources import FilesData

ROOT = Path(__file__).parents[2]
ARITHMETIC = ("A1", "A2")
ROWS = yaml.safe_load((ROOT / "report" / "rules.yaml").read_text(encoding="utf-8"))
FINDING = "faithfulness.dense-ranks"


EXPERIMENTS = cases(committed().experiments)


@pytest.fixture
def workplace(here) -> Path:
    """A directory with the committed rows of arithmetic, and one that reads a number."""
    write_rules(here, *ARITHMETIC, "B24", FINDING)
    write_summary({name: {} for name in EXPERIMENTS})
    write_elbows(dict.fromkeys(EXPERIMENTS, 0.05))
    return here


def write_rules(directory: Path, *names: str) -> None:
    """Write rows of the committed rules, in their order."""
    text = yaml.safe_dump([row for row in ROWS if row["id"] in names], allow_unicode=True)
    (directory / "report").mkdir()
    (directory / "report" / "rules.yaml").write_text(text, encoding="utf-8")


def write_summary(facts: dict) -> None:
    """Write what is known of experiments."""
    model = Path("results", "summary", "model")
    model.mkdir(parents=True)
    known = {name: {"capture": {"examples": 9}} | one for name, one in facts.items()}
    (model / "facts.json").write_text(json.dumps(known), encoding="utf-8")


def write_elbows(bends: dict[str, float]) -> None:
    """Write curves of heads that hold nothing but this, which is of all texts together."""
    of = {
        "measure": "clusters",
        "quantity": "bend",
        "subject": "elbow",
        "texts": 0,
        "low": nan,
        "high": nan,
    }
    states = ("pretrained", "finetuned")
    found = [
        rows(experiment=name, variant=state, mean=bend, **of)
        for name, bend in bends.items()
        for state in states[: 1 + (EXPERIMENTS[name].train is not None)]
    ]
    write(Path(), "heads", found)


def judged(workplace: Path) -> list:
    rules(committed())
    return json.loads((workplace / "results" / "rules" / "claims.json").read_text(encoding="utf-8"))


def test_claims_and_the_findings_of_a_chapter_are_there_without_words(workplace):
    claims = judged(workplace)
    assert [one["id"] for one in claims] == [*ARITHMETIC, "B24"]
    assert all(one["outcome"] in OUTCOMES for one in claims)
    assert not re.search(r"[ぁ-んァ-ヶ一-龠]|\\u30", json.dumps(claims))
    (found,) = json.loads(Path("results/rules/faithfulness.json").read_text(encoding="utf-8"))
    assert (found["id"], found["outcome"]) == (FINDING, "fails")


def test_a_result_changed_by_hand_changes_the_verdict(workplace):
    assert judged(workplace)[-1]["outcome"] == "holds"
    write_elbows(dict.fromkeys(EXPERIMENTS, 0.05) | {"reviews": 0.4})
    assert judged(workplace)[-1]["outcome"] == "divided"


def test_the_same_results_give_the_same_bytes_and_a_mistake_leaves_them(workplace):
    judged(workplace)
    before = (workplace / "results" / "rules" / "claims.json").read_bytes()
    judged(workplace)
    assert (workplace / "results" / "rules" / "claims.json").read_bytes() == before
    path = workplace / "report" / "rules.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("id: B24", "id: B24\n  colour: red"), encoding="utf-8")
    with pytest.raises(InputError, match="rule B24: colour is not a known key"):
        rules(committed())
    assert (workplace / "results" / "rules" / "claims.json").read_bytes() == before


def test_the_classes_of_the_first_tenth_reach_the_claim(here):
    """What claim A3 asks: a test file sorted by class has one class there."""
    names = {split: f"imdb-{split}" for split in ("train", "test")}
    files = {name: f"{name}.parquet" for name in names.values()}
    reviews = committed().experiments["reviews"]
    experiment = reviews.model_copy(update={"data": FilesData(**(FILES | names))})
    update = {"files": files, "experiments": {"imdb": experiment}}
    loaded = committed().model_copy(update=update)
    for name, labels in (("imdb-train", [0, 1] * 10), ("imdb-test", [0] * 10 + [1] * 10)):
        texts = [f"text {n} of {name}" for n in range(len(labels))]
        pd.DataFrame({"text": texts, "label": labels}).to_parquet(files[name])
    prepare(loaded, "imdb")
    facts = json.loads(Path("artifacts/imdb/corpus/facts.json").read_text(encoding="utf-8"))
    assert facts["corpus"]["first_tenth"] == {"largest_class": 1.0}
    write_summary({"imdb": facts})
    write_rules(here, "A3")
    rules(loaded)
    (row,) = json.loads(Path("results/rules/claims.json").read_text(encoding="utf-8"))
    assert (row["outcome"], row["cases"][0]["value"]) == ("fails", 1.0)
