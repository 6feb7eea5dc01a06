"""What the tables of head ablation say is what the model does, and the summary what they say."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
import yaml

from analysis import params
from analysis.methods.bootstrap import paired_difference
from analysis.models.encode import encode_questions
from analysis.models.head_ablation import disabled
from analysis.models.load import load_answering, load_classifier
from analysis.params import Length
from analysis.stages.head_ablation import CHANGES, TEXTS, head_ablation
from analysis.stages.prepare import prepare

ROOT = Path(__file__).parents[2]
TEXTS_ASKED, CONFIDENCE = 7, 0.9
PLACES = [(layer, head) for layer in (1, 2) for head in (1, 2, 3, 4)]


@pytest.fixture(scope="module")
def run(tmp_path_factory, tokenizer, make_model):
    """Return ``run(experiment)``: a directory where the heads of a tiny model were disabled."""
    ran: dict[str, Path] = {}

    def once(name: str) -> Path:
        if name in ran:
            return ran[name]
        directory = ran[name] = tmp_path_factory.mktemp(name)
        values = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
        experiment = values["experiments"][name]
        experiment["model"] = {"source": "local", "name": "tiny"}
        if experiment["task"] != "none":
            experiment["data"]["sizes"] = {"train": 6, "validation": 6, "test": 12}
            experiment["length"]["max_tokens"] = 40
        values |= {
            "files": {"tiny": str(directory / "tiny-bert")},
            "device": "cpu",
            "experiments": {name: experiment},
            "ablation": {"examples": TEXTS_ASKED, "batch_size": 3},
            "bootstrap": {"resamples": 100, "confidence": CONFIDENCE, "seed": 1},
        }
        values["projection"]["examples"] = [0]
        values["geometry"]["texts"] = 2
        values["report"]["focus"] = {"experiment": name, "example": 0}
        (directory / "params.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
        head = {"reviews": "ForSequenceClassification", "questions": "ForQuestionAnswering"}
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(directory)
            base = make_model("bert")
            for model, path in (
                (base, "tiny-bert"),
                (make_model("bert", head.get(name), initializer_range=0.5), _model(name)),
            ):
                model.save_pretrained(path)
                tokenizer.save_pretrained(path)
            loaded = params.load()
            prepare(loaded, name)
            head_ablation(loaded, name)
        return directory

    return once


@pytest.fixture(params=["reviews", "questions"])
def name(request) -> str:
    return request.param


@pytest.fixture
def texts(run, name) -> pd.DataFrame:
    return pd.read_parquet(run(name) / "artifacts" / name / "head_ablation.parquet")


@pytest.fixture
def changes(run, name) -> pd.DataFrame:
    return pd.read_parquet(run(name) / "results" / name / "head_ablation.parquet")


@pytest.fixture
def summary(run, name) -> dict:
    return read(run(name), name, "summaries")


def _model(name: str) -> str:
    return f"artifacts/{name}/model"


def read(directory: Path, name: str, kind: str) -> dict:
    path = directory / "results" / name / kind / "head_ablation.json"
    return json.loads(path.read_text(encoding="utf-8"))


def test_every_text_has_a_row_without_each_head(run, name, texts):
    assert tuple(texts.columns) == TEXTS
    assert texts[["layer", "head"]].dtypes.eq("int8").all()
    counts = texts.groupby(["layer", "head"]).size()
    assert counts.to_dict() == dict.fromkeys([(0, 0), *PLACES], TEXTS_ASKED)
    corpus = pd.read_parquet(run(name) / "artifacts" / name / "corpus" / "examples.parquet")
    chosen = corpus.set_index("id").loc[texts["example_id"].unique()]
    assert set(chosen["split"]) == {"test"}
    assert chosen["label"].nunique() == 2
    assert np.isfinite(texts["loss"]).all()
    assert (texts["loss"] >= 0).all()
    assert texts["score"].between(0, 1).all()


def test_loss_and_score_are_those_of_the_model_asked_plainly(run, tokenizer):
    directory = run("reviews")
    model = load_classifier(directory / _model("reviews"))
    table = pd.read_parquet(directory / "artifacts/reviews/head_ablation.parquet")
    corpus = pd.read_parquet(directory / "artifacts/reviews/corpus/examples.parquet")
    rows = table.set_index(["layer", "head", "example_id"])
    for example in table["example_id"].unique():
        text, label = corpus.set_index("id").loc[example, ["text", "label"]]
        ids = tokenizer(text, return_tensors="pt", truncation=True, max_length=40)
        for place in [(0, 0), *PLACES]:
            with torch.inference_mode():
                if place == (0, 0):
                    logits = model(**ids).logits.double()
                else:
                    with disabled(model, *place):
                        logits = model(**ids).logits.double()
            loss = torch.nn.functional.cross_entropy(logits, torch.tensor([label]))
            row = rows.loc[(*place, example)]
            assert row["loss"] == pytest.approx(float(loss), abs=1e-5)
            assert row["score"] == float(logits.argmax() == label)


def test_answers_without_a_head_are_those_of_a_model_without_it(run, tokenizer):
    """Against the loss that ``transformers`` computes of each window."""
    directory = run("questions")
    model = load_answering(directory / _model("questions"), new_head=False)
    table = pd.read_parquet(directory / "artifacts/questions/head_ablation.parquet")
    assert table.groupby(["layer", "head"])["loss"].mean().nunique() == 9
    corpus = pd.read_parquet(directory / "artifacts/questions/corpus/examples.parquet")
    examples = corpus.set_index("id", drop=False).loc[table["example_id"].unique()]
    length = Length(max_tokens=40, longer="windows", stride=32)
    rows = table.set_index(["layer", "head", "example_id"])
    for example, question in zip(
        examples["id"], encode_questions(examples, tokenizer, length), strict=True
    ):
        for place in ((0, 0), (1, 3), (2, 2)):
            losses = []
            for window, (start, end) in zip(question.windows, question.positions, strict=True):
                asked = {
                    "input_ids": torch.tensor([window.input_ids]),
                    "token_type_ids": torch.tensor([window.types]),
                    "start_positions": torch.tensor([start]),
                    "end_positions": torch.tensor([end]),
                }
                with torch.inference_mode():
                    if place == (0, 0):
                        losses.append(float(model(**asked).loss))
                    else:
                        with disabled(model, *place):
                            losses.append(float(model(**asked).loss))
            expected = pytest.approx(np.mean(losses), abs=1e-5)
            assert rows.loc[(*place, example), "loss"] == expected


def test_changes_are_paired_over_texts(texts, changes):
    assert tuple(changes.columns) == CHANGES
    assert [*zip(changes["layer"], changes["head"], strict=True)] == PLACES
    by_place = {
        place: rows.set_index("example_id") for place, rows in texts.groupby(["layer", "head"])
    }
    for row in changes.itertuples():
        for measure in ("score", "loss"):
            expected = paired_difference(
                by_place[row.layer, row.head][measure].to_numpy(float),
                by_place[0, 0][measure].to_numpy(float),
                resamples=100,
                confidence=CONFIDENCE,
                seed=1,
            )
            ours = [getattr(row, f"{measure}_change{bound}") for bound in ("", "_low", "_high")]
            np.testing.assert_allclose(ours, expected[:3], rtol=1e-9, atol=1e-12)


def test_the_summary_says_what_the_tables_say(texts, changes, summary):
    assert summary["computed"] is True
    assert summary["examples"] == TEXTS_ASKED
    assert summary["heads"] == 8
    assert summary["expected_by_chance"] == pytest.approx(0.8)
    plain = texts[texts["layer"] == 0]
    for measure, better in (("score", 1), ("loss", -1)):
        found = summary[measure]
        assert found["baseline"] == pytest.approx(plain[measure].mean())
        assert found["baseline_low"] <= found["baseline"] <= found["baseline_high"]
        low, high = (better * changes[f"{measure}_change_{bound}"] for bound in ("low", "high"))
        upper, lower = np.maximum(low, high), np.minimum(low, high)
        assert found["help"] == (lower > 0).sum()
        assert found["hurt"] == (upper < 0).sum()
        gain = better * changes[f"{measure}_change"]
        for key, sign in (("best", 1), ("worst", -1)):
            if (sign * gain).max() <= 0:
                assert found[key] is None
                continue
            row = changes.loc[(sign * gain).idxmax()]
            shared = np.isclose(sign * gain, (sign * gain).max(), rtol=1e-9, atol=0)
            assert found[key]["heads"] == shared.sum()
            for name in ("layer", "head"):
                assert found[key][name] == row[name]
            for name, column in (("change", ""), ("low", "_low"), ("high", "_high")):
                assert found[key][name] == pytest.approx(row[f"{measure}_change{column}"])
        for layer, of_layer in zip((1, 2), summary["layers"], strict=True):
            own = changes[changes["layer"] == layer]
            assert of_layer["layer"] == layer
            assert of_layer[measure]["sum"] == pytest.approx(own[f"{measure}_change"].sum())
        for key in ("hurt", "help"):
            assert sum(layer[measure][key] for layer in summary["layers"]) == found[key]
    assert summary["loss"]["worst"] is not None or summary["loss"]["best"] is not None


def test_headlines_are_those_of_the_summary(run, name, summary):
    metrics = read(run(name), name, "metrics")
    assert metrics == {key: value for key, value in summary.items() if key != "layers"}


def test_an_experiment_without_a_task_has_empty_tables(run):
    directory = run("sentences")
    for path, columns in (("artifacts", TEXTS), ("results", CHANGES)):
        table = pd.read_parquet(directory / path / "sentences" / "head_ablation.parquet")
        assert table.empty
        assert tuple(table.columns) == columns
    for kind in ("summaries", "metrics"):
        assert read(directory, "sentences", kind) == {"computed": False}


def test_all_test_texts_are_taken_when_none_are_counted(run, monkeypatch):
    directory = run("reviews")
    monkeypatch.chdir(directory)
    values = params.load()
    section = values.ablation.model_copy(update={"examples": None})
    before = pd.read_parquet("artifacts/reviews/head_ablation.parquet")
    head_ablation(values.model_copy(update={"ablation": section}), "reviews")
    table = pd.read_parquet("artifacts/reviews/head_ablation.parquet")
    assert table["example_id"].nunique() == 12
    head_ablation(values, "reviews")
    after = pd.read_parquet("artifacts/reviews/head_ablation.parquet")
    pd.testing.assert_frame_equal(after, before, check_exact=True)
