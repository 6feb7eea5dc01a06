"""What is measured of disabled heads is what the model does without them."""

from contextlib import chdir, nullcontext
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import tiny_experiment as tiny
import torch

from analysis.models.encode import encode_questions
from analysis.models.head_ablation import disabled
from analysis.models.load import load_answering, load_classifier
from analysis.params import Params
from analysis.params.sections import Length

TEXTS_ASKED = 7
PLACES = [(layer, head) for layer in (1, 2) for head in (1, 2, 3, 4)]
ALL_HEADS = (0, 0)


def parameters(name: str, examples: int | None = TEXTS_ASKED) -> Params:
    return tiny.parameters(name, ablation={"examples": examples, "batch_size": 3})


@pytest.fixture(scope="module")
def values(captured, captured_questions, tmp_path_factory) -> dict[str, pd.DataFrame]:
    """What is measured of an experiment."""
    found = {}
    for name, directory in (("reviews", captured), ("questions", captured_questions)):
        target = tmp_path_factory.mktemp(name)
        with chdir(directory):
            found[name] = tiny.take(
                "explain", parameters(name), target, only=["head_ablation"], name=name
            )
    return found


def by_text(values: pd.DataFrame) -> pd.DataFrame:
    """Loss and score of each text, a row a text and disabled head; 0.0 is with all heads."""
    values = values.assign(
        changed=values["measure"].str.removesuffix("_change"),
        layer=values["layer"].where(values["head"] > 0, 0),
    )
    wide = values.pivot(index=["layer", "head", "text"], columns="changed", values="value")
    changed = wide.index.get_level_values("layer") > 0
    wide[changed] += wide.loc[ALL_HEADS].reindex(wide.index[changed], level="text")
    return wide


def corpus(directory: Path, name: str) -> pd.DataFrame:
    path = directory / "artifacts" / name / "corpus" / "examples.parquet"
    return pd.read_parquet(path).set_index("id", drop=False)


def without(model, place: tuple[int, int]):
    """Context in which the model has not this head."""
    return nullcontext() if place == ALL_HEADS else disabled(model, *place)


def test_loss_and_score_are_those_of_the_model_asked_plainly(values, captured, tokenizer):
    model = load_classifier(captured / tiny.MODEL)
    rows = by_text(values["reviews"])
    assert set(values["reviews"]["variant"]) == {"finetuned"}
    chosen = corpus(captured, "reviews").loc[rows.index.unique("text")]
    assert len(chosen) == TEXTS_ASKED
    assert set(chosen["split"]) == {"test"}
    assert chosen["label"].nunique() == 2
    assert len(rows) == TEXTS_ASKED * (1 + len(PLACES))
    for example in chosen.itertuples():
        ids = tokenizer(example.text, return_tensors="pt", truncation=True, max_length=40)
        for place in [ALL_HEADS, *PLACES]:
            with torch.inference_mode(), without(model, place):
                logits = model(**ids).logits.double()
            loss = torch.nn.functional.cross_entropy(logits, torch.tensor([example.label]))
            row = rows.loc[(*place, example.id)]
            assert row["loss"] == pytest.approx(float(loss), abs=1e-5)
            assert row["score"] == float(logits.argmax() == example.label)


def test_answers_without_a_head_are_those_of_a_model_without_it(
    values, captured_questions, tokenizer
):
    """Against the loss that ``transformers`` computes of each window."""
    path = captured_questions / "artifacts" / "questions" / "train" / "0" / "model"
    model = load_answering(path, new_head=False)
    rows = by_text(values["questions"])
    assert rows["score"].between(0, 1).all()
    assert rows.groupby(["layer", "head"])["loss"].mean().nunique() == 9
    examples = corpus(captured_questions, "questions").loc[rows.index.unique("text")]
    encoded = encode_questions(examples, tokenizer, Length(max_tokens=40, stride=32))
    for example, question in zip(examples["id"], encoded, strict=True):
        for place in (ALL_HEADS, (1, 3), (2, 2)):
            losses = []
            for window, (start, end) in zip(question.windows, question.positions, strict=True):
                asked = {
                    "input_ids": torch.tensor([window.input_ids]),
                    "token_type_ids": torch.tensor([window.types]),
                    "start_positions": torch.tensor([start]),
                    "end_positions": torch.tensor([end]),
                }
                with torch.inference_mode(), without(model, place):
                    losses.append(float(model(**asked).loss))
            expected = pytest.approx(np.mean(losses), abs=1e-5)
            assert rows.loc[(*place, example), "loss"] == expected


def test_all_test_texts_are_taken_when_none_are_counted(captured, tmp_path, monkeypatch):
    monkeypatch.chdir(captured)
    everything = parameters("reviews", examples=None)
    found = tiny.take("explain", everything, tmp_path / "all", only=["head_ablation"])
    assert found["text"].nunique() == 12
