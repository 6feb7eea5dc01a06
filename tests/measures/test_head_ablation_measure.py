"""What is measured of disabled heads is what the model does without them."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from taken import experiment_of, found, load, take
from tiny_experiment import read

from analysis import params
from analysis.measures.summary import summarise
from analysis.methods.bootstrap import paired_difference
from analysis.models.encode import encode_questions
from analysis.models.head_ablation import disabled
from analysis.models.load import load_answering, load_classifier
from analysis.params.sections import Length
from analysis.stages.capture import capture
from analysis.stages.prepare import prepare

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
        values = experiment_of(
            name,
            capture={"examples": 2},
            ablation={"examples": TEXTS_ASKED, "batch_size": 3},
            bootstrap={"resamples": 100, "confidence": CONFIDENCE, "seed": 1},
        )
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
            loaded = load(values)
            prepare(loaded, name)
            capture(loaded, name)
            take(loaded, name, "explain", "head_ablation")
        return directory

    return once


@pytest.fixture(params=["reviews", "questions"])
def name(request) -> str:
    return request.param


@pytest.fixture
def texts(run, name) -> pd.DataFrame:
    return by_text(run(name), name)


def by_text(directory: Path, name: str) -> pd.DataFrame:
    """Loss and score of each text, a row a text and disabled head; 0.0 is with all heads."""
    values = read(directory / "artifacts" / name / "explain")
    assert set(values["variant"]) == {"finetuned"}
    values["changed"] = values["measure"].str.removesuffix("_change")
    values["layer"] = values["layer"].where(values["head"] > 0, 0)
    wide = values.pivot(index=["layer", "head", "text"], columns="changed", values="value")
    changed = wide.index.get_level_values("layer") > 0
    wide[changed] += wide.loc[0, 0].reindex(wide.index[changed], level="text")
    return wide


def _model(name: str) -> str:
    return f"artifacts/{name}/train/model"


def test_every_text_is_measured_without_each_head(run, name, texts):
    counts = texts.groupby(["layer", "head"]).size()
    assert counts.to_dict() == dict.fromkeys([(0, 0), *PLACES], TEXTS_ASKED)
    corpus = pd.read_parquet(run(name) / "artifacts" / name / "corpus" / "examples.parquet")
    chosen = corpus.set_index("id").loc[texts.index.unique("text")]
    assert set(chosen["split"]) == {"test"}
    assert chosen["label"].nunique() == 2
    assert np.isfinite(texts["loss"]).all()
    assert (texts["loss"] >= 0).all()
    assert texts["score"].between(0, 1).all()


def test_loss_and_score_are_those_of_the_model_asked_plainly(run, tokenizer):
    directory = run("reviews")
    model = load_classifier(directory / _model("reviews"))
    rows = by_text(directory, "reviews")
    corpus = pd.read_parquet(directory / "artifacts/reviews/corpus/examples.parquet")
    for example in rows.index.unique("text"):
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
            assert row["score"] == pytest.approx(float(logits.argmax() == label))


def test_answers_without_a_head_are_those_of_a_model_without_it(run, tokenizer):
    """Against the loss that ``transformers`` computes of each window."""
    directory = run("questions")
    model = load_answering(directory / _model("questions"), new_head=False)
    rows = by_text(directory, "questions")
    assert rows.groupby(["layer", "head"])["loss"].mean().nunique() == 9
    corpus = pd.read_parquet(directory / "artifacts/questions/corpus/examples.parquet")
    examples = corpus.set_index("id", drop=False).loc[rows.index.unique("text")]
    length = Length(max_tokens=40, stride=32)
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


def test_changes_are_paired_over_texts(run, name, texts):
    values = read(run(name) / "artifacts" / name / "explain")
    bootstrap = params.load(run(name) / "params.yaml").bootstrap
    summary = summarise(values, [found("explain", "head_ablation")], bootstrap)
    changes = summary[summary["head"] > 0]
    assert len(changes) == 2 * len(PLACES)
    for row in changes.itertuples():
        without, plain = (
            texts.loc[place][row.measure.removesuffix("_change")].to_numpy()
            for place in ((row.layer, row.head), (0, 0))
        )
        expected = paired_difference(without, plain, **bootstrap.model_dump())
        ours = [row.mean, row.low, row.high]
        np.testing.assert_allclose(ours, expected[:3], rtol=1e-9, atol=1e-12)
        assert row.texts == TEXTS_ASKED


def test_an_experiment_without_a_task_has_no_values(run):
    assert read(run("sentences") / "artifacts" / "sentences" / "explain").empty


def test_all_test_texts_are_taken_when_none_are_counted(run, monkeypatch):
    monkeypatch.chdir(run("reviews"))
    values, path = params.load(), Path("artifacts/reviews/explain/values.parquet")
    section = values.ablation.model_copy(update={"examples": None})
    before = path.read_bytes()
    everything = values.model_copy(update={"ablation": section})
    take(everything, "reviews", "explain", "head_ablation")
    assert read(path.parent)["text"].nunique() == 12
    take(values, "reviews", "explain", "head_ablation")
    assert path.read_bytes() == before
