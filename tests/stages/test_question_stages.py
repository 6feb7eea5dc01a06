"""Question answering through the stages, with a tiny model."""

import json
from contextlib import chdir
from pathlib import Path

import pandas as pd
import pytest
import tiny_experiment as tiny
from data_sections import SQUAD_FILES
from squad_articles import ANSWERED, ARTICLES, write

from analysis.parameters import Params
from analysis.stages.prepare import prepare
from attention_mixing.capture.store import Capture
from attention_mixing.methods.question_answering import question_scores, squad_scores
from attention_mixing.settings.sources import SquadFilesData

pytestmark = pytest.mark.slow

EXPERIMENT = "questions"


def parameters() -> Params:
    """Parameters of the experiment with the tiny model."""
    return tiny.parameters(
        EXPERIMENT,
        data={"sizes": {"train": 12, "validation": 6, "test": 18}},
        length={"max_tokens": 38, "stride": 8},
        train={"epochs": 1, "evaluations": 1},
        capture={"examples": 6},
    )


@pytest.fixture(scope="module")
def finished(tmp_path_factory, tokenizer, make_model) -> Path:
    directory = tmp_path_factory.mktemp("questions")
    with chdir(directory):
        tiny.save(make_model("bert"), tokenizer, "tiny-bert")
        tiny.run_stages(parameters(), EXPERIMENT, "gradients", "faithfulness")
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
    explained = finished / "artifacts" / EXPERIMENT / "gradients" / "0"
    assert set(pd.read_parquet(explained / "values.parquet")["measure"]) == {"head_ablation"}
    held_against = finished / "artifacts" / EXPERIMENT / "faithfulness" / "0"
    assert not len(pd.read_parquet(held_against / "values.parquet"))


def test_the_baseline_reads_question_and_context(finished):
    written = facts(finished, "corpus")["corpus"]
    assert written["labels"] == {"answerable": 24, "unanswerable": 12}
    assert 0 <= written["bag_of_words_accuracy"] <= 1


def test_questions_of_one_kind_have_no_baseline(here):
    write(here, {"train": ANSWERED["train"], "test": ARTICLES["test"]})
    values = parameters()
    data = SquadFilesData(**SQUAD_FILES | {"train": "train", "test": "test"})
    asked = values.experiments[EXPERIMENT].model_copy(update={"data": data})
    files = {"tiny": "tiny-bert", "train": "train.json", "test": "test.json"}
    update = {"files": files, "experiments": {EXPERIMENT: asked}}
    prepare(values.model_copy(update=update), EXPERIMENT)
    written = facts(Path(), "corpus")["corpus"]
    assert "bag_of_words_accuracy" not in written
    assert written["majority_accuracy"] == pytest.approx(20 / 30)
