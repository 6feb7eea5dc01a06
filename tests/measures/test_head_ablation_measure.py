"""What is measured of disabled heads is what the model does without them."""

import pandas as pd
import pytest
import tiny_experiment as tiny
import torch
from known_modules import without

from attention_mixing.models.load import load_classifier

TEXTS_ASKED = 7
PLACES = [(layer, head) for layer in (1, 2) for head in (1, 2, 3, 4)]
ALL_HEADS = (0, 0)


@pytest.fixture
def measured(captured, tmp_path, monkeypatch):
    """Return ``measured(examples)``: what is found of so many texts, of all if it is None."""
    monkeypatch.chdir(captured)

    def measure(examples: int | None) -> pd.DataFrame:
        loaded = tiny.parameters(ablation={"examples": examples, "batch_size": 3})
        return tiny.take("explain", loaded, tmp_path / "found", only=["head_ablation"])

    return measure


def by_text(values: pd.DataFrame) -> pd.DataFrame:
    """Loss and score of each text, a row a text and disabled head; 0.0 is with all heads."""
    values = values.assign(
        changed=values["quantity"].str.removesuffix("_change"),
        layer=values["layer"].where(values["head"] > 0, 0),
    )
    wide = values.pivot(index=["layer", "head", "text"], columns="changed", values="value")
    changed = wide.index.get_level_values("layer") > 0
    wide[changed] += wide.loc[ALL_HEADS].reindex(wide.index[changed], level="text")
    return wide


def test_loss_and_score_are_those_of_the_model_asked_plainly(measured, tokenizer):
    model, rows = load_classifier(tiny.MODEL), measured(TEXTS_ASKED)
    assert set(rows["variant"]) == {"finetuned"}
    rows = by_text(rows)
    examples = pd.read_parquet(tiny.ARTIFACTS / "corpus" / "examples.parquet")
    chosen = examples.set_index("id", drop=False).loc[rows.index.unique("text")]
    assert len(chosen) == TEXTS_ASKED
    assert set(chosen["split"]) == {"test"}
    assert chosen["label"].nunique() == 2
    assert len(rows) == TEXTS_ASKED * (1 + len(PLACES))
    labels = torch.tensor(chosen["label"].tolist())
    read = [
        tokenizer(text, return_tensors="pt", truncation=True, max_length=40)
        for text in chosen["text"]
    ]
    for place in [ALL_HEADS, *PLACES]:
        asked = model if place == ALL_HEADS else without(model, *place)
        with torch.inference_mode():
            logits = torch.cat([asked(**ids).logits for ids in read]).double()
        loss = torch.nn.functional.cross_entropy(logits, labels, reduction="none")
        found = rows.loc[place].loc[chosen["id"]]
        assert found["loss"].tolist() == pytest.approx(loss.tolist(), abs=1e-5)
        assert found["score"].tolist() == (logits.argmax(dim=-1) == labels).tolist()


def test_all_test_texts_are_taken_when_none_are_counted(measured):
    assert measured(None)["text"].nunique() == 12
