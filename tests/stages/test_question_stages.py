"""Question answering through the stages, with a tiny model; and what malformed data come to."""

import json
from pathlib import Path

import pandas as pd
import pytest
import yaml
from data_sections import SQUAD_FILES
from small_run import ROOT

from analysis import params
from analysis.capture.store import Capture
from analysis.errors import InputError
from analysis.methods.answers import question_scores, squad_scores
from analysis.stages.capture import capture
from analysis.stages.measure import measure
from analysis.stages.prepare import prepare
from analysis.stages.train import train

EXPERIMENT = "questions"


def write_parameters(directory: Path, **changes) -> params.Params:
    """Parameters of one experiment with the tiny model."""
    values = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    experiment = values["experiments"][EXPERIMENT]
    experiment["model"] = {"source": "local", "name": "tiny"}
    experiment["data"]["sizes"] = {"train": 12, "validation": 6, "test": 18}
    experiment["length"] = {"max_tokens": 38, "stride": 8}
    experiment["train"] |= {"epochs": 1, "evaluations": 1}
    experiment["capture"]["examples"] = 6
    experiment |= changes
    values |= {
        "files": {"tiny": "tiny-bert", "train": "train.json", "dev": "dev.json"},
        "device": "cpu",
        "workers": 1,
        "experiments": {EXPERIMENT: experiment},
    }
    values["projection"]["examples"] = [0]
    values["geometry"] |= {"texts": 2, "nonlinear": []}
    values["report"]["focus"] = {"experiment": EXPERIMENT, "example": 0}
    path = directory / "params.yaml"
    path.write_text(yaml.safe_dump(values, sort_keys=False), encoding="utf-8")
    return params.load(path)


@pytest.fixture(scope="module")
def finished(tmp_path_factory, tokenizer, make_model) -> Path:
    directory = tmp_path_factory.mktemp("questions")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(directory)
        make_model("bert").save_pretrained("tiny-bert")
        tokenizer.save_pretrained("tiny-bert")
        values = write_parameters(directory)
        for stage in (prepare, train, capture):
            stage(values, EXPERIMENT)
        measure(values, EXPERIMENT, "explain")
    return directory


def facts(directory: Path, stage: str) -> dict:
    path = directory / "artifacts" / EXPERIMENT / stage / "facts.json"
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture
def corpus(finished) -> pd.DataFrame:
    return pd.read_parquet(finished / "artifacts" / EXPERIMENT / "corpus" / "examples.parquet")


def test_predictions_are_scored_as_official(finished, corpus):
    """From the files alone, as somebody with the official scorer would."""
    directory = finished / "artifacts" / EXPERIMENT / "train" / "0"
    table = pd.read_parquet(directory / "predictions.parquet")
    answers = dict(zip(table["question_id"], table["answer"], strict=True))
    test = corpus[corpus["split"] == "test"]
    gold = {row.question_id: list(row.answers) for row in test.itertuples()}
    assert list(answers) == list(gold)
    assert table["id"].tolist() == test["id"].tolist()
    written = facts(finished, "train")["evaluate"]
    for name, value in squad_scores(answers, gold).items():
        assert written[name] == pytest.approx(value)
    assert written["total"] == 18
    assert (written["HasAns_total"], written["NoAns_total"]) == (12, 6)
    for row in table.itertuples():
        official = question_scores(row.answer, gold[row.question_id])
        assert (row.exact, row.f1) == official
        assert row.answer == (row.span if row.no_answer <= 0 else "")
        assert row.span
    context = {row.question_id: row.text[row.context_start :] for row in test.itertuples()}
    assert all(row.span in context[row.question_id] for row in table.itertuples())
    no_answer = dict(zip(table["question_id"], table["no_answer"], strict=True))
    swept = squad_scores(dict(zip(gold, table["span"], strict=True)), gold, no_answer)
    for name in ("best_exact", "best_exact_thresh", "best_f1", "best_f1_thresh"):
        assert written[name] == pytest.approx(swept[name])
    assert written["best_exact"] >= written["exact"]


def test_the_capture_holds_the_first_window_of_both_models(finished, corpus):
    for variant in ("pretrained", "finetuned/0"):
        found = Capture(finished / "artifacts" / EXPERIMENT / "capture" / variant)
        assert len(found.examples) == 6
        assert found.examples["prediction"].isna().all()
        assert sorted(found.examples["label"]) == [0, 0, 0, 1, 1, 1]
        for example in found.examples["id"]:
            tokens = found.tokens_of(example)
            row = corpus.loc[corpus["id"] == example].iloc[0]
            assert tokens["is_special"].sum() == 3
            inside = tokens.loc[tokens["is_evidence"].astype(bool)]
            assert (inside["start"] >= row["context_start"]).all()
            if row["label"] == 1:
                assert inside.empty
    deviation = facts(finished, "capture")["capture"]["finetuned"]["deviation"]
    assert max(deviation.values()) < 1e-5


def test_only_a_classifier_is_explained(finished):
    explained = finished / "artifacts" / EXPERIMENT / "explain" / "0"
    noted = json.loads((explained / "manifest.json").read_text(encoding="utf-8"))["measures"]
    assert list(noted) == ["head_ablation"]
    assert set(pd.read_parquet(explained / "values.parquet")["by"]) == {"head_ablation"}


def test_the_baseline_reads_question_and_context(finished):
    written = facts(finished, "corpus")["corpus"]
    assert written["labels"] == {"answerable": 24, "unanswerable": 12}
    assert 0 <= written["bag_of_words_accuracy"] <= 1


# --- files ----------------------------------------------------------------------------------------


def squad(*questions: tuple[str, bool]) -> str:
    """Three articles with the same questions, each with an answer or without."""
    answer = {"text": "good", "answer_start": 22}
    articles = []
    for number in range(3):
        asked = [
            {
                "id": f"{number}-{question}",
                "question": question,
                "answers": [answer] if answered else [],
                "is_impossible": not answered,
            }
            for question, answered in questions
        ]
        context = f"The film number {number} was good. The actor was not."
        paragraphs = [{"context": context, "qas": asked}]
        articles.append({"title": f"Article {number}", "paragraphs": paragraphs})
    return json.dumps({"version": "v2.0", "data": articles})


ANSWERED, IMPOSSIBLE = ("How was the film?", True), ("How was the plot?", False)


@pytest.fixture
def of_files(tmp_path, monkeypatch) -> params.Params:
    """Parameters of questions in files that a test writes in the present directory."""
    monkeypatch.chdir(tmp_path)
    return write_parameters(tmp_path, data=SQUAD_FILES | {"train": "train", "test": "dev"})


def test_malformed_data_are_told_and_nothing_is_lost(of_files):
    """All that can be wrong with them is in ``corpora/test_squad.py``."""
    Path("train.json").write_text(squad(ANSWERED, IMPOSSIBLE))
    Path("dev.json").write_text('{"data": [')
    kept = Path("artifacts", EXPERIMENT, "corpus", "examples.parquet")
    kept.parent.mkdir(parents=True)
    kept.write_text("earlier")
    with pytest.raises(InputError, match=r"^data.test \(dev.json\) is not JSON that can be "):
        prepare(of_files, EXPERIMENT)
    assert kept.read_text() == "earlier"


def test_questions_of_one_kind_have_no_baseline(of_files):
    Path("dev.json").write_text(squad(ANSWERED, IMPOSSIBLE))
    Path("train.json").write_text(squad(ANSWERED))
    prepare(of_files, EXPERIMENT)
    written = facts(Path(), "corpus")["corpus"]
    assert "bag_of_words_accuracy" not in written
    assert written["majority_accuracy"] == 0.5
