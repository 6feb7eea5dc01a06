"""Labelled texts of any characters are gathered, and held against a bag of words."""

import json
from pathlib import Path

import pytest
import yaml

from analysis import params
from analysis.stages.prepare import prepare

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("positive", "negative"),
    [("😀👍💯", "😡👎💩"), ("!", "?"), ("良優佳", "悪劣駄"), ("👍!良", "👎?悪")],
    ids=["emoji", "punctuation", "kanji", "mixed"],
)
def test_texts_without_words_have_a_baseline(tmp_path, monkeypatch, positive, negative):
    monkeypatch.chdir(tmp_path)
    rows = [
        {"text": character * times, "label": label}
        for label, characters in (("good", positive), ("bad", negative))
        for character in characters
        for times in range(1, 13)
    ]
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    for split, kept in (("train", lines), ("test", lines[::3])):
        (tmp_path / f"{split}.jsonl").write_text("\n".join(kept), encoding="utf-8")
    values = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    values["files"] = {"train": "train.jsonl", "test": "test.jsonl"}
    values["experiments"]["reviews"]["data"] = {
        **{"source": "files", "train": "train", "test": "test", "text": "text", "label": "label"},
        **{"validation_fraction": 0.25, "limits": {"train": None, "test": None}, "seed": 0},
    }
    path = tmp_path / "params.yaml"
    path.write_text(yaml.safe_dump(values, allow_unicode=True), encoding="utf-8")
    prepare(params.load(path), "reviews")
    written = tmp_path / "artifacts" / "reviews" / "corpus" / "facts.json"
    summary = json.loads(written.read_text(encoding="utf-8"))["corpus"]
    assert summary["majority_accuracy"] == 0.5
    assert summary["bag_of_words_accuracy"] == 1.0
