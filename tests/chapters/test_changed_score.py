"""What fine-tuning changed of the score that the explorer opens with, in parts and words."""

import json

import numpy as np
import pytest
from families import build

from analysis.chapters.geometry import results, score
from analysis.prose.messages import words
from analysis.site.score import change_of_score, shown_score
from attention_mixing.capture import capture_text
from attention_mixing.capture.score_parts import decomposed_score
from attention_mixing.explorer.content import ShownState, ShownText

SELECTION = {"e": "reviews", "l": 2, "h": 3, "q": 3, "k": 2}
MADE = {
    "experiment": "reviews",
    "layer": 2,
    "head": 3,
    "query": "film",
    "key": "good",
    "before": 1.0,
    "after": 3.0,
    "sources": [
        {"side": "query", "kind": "embedding", "layer": 0, "embedding": "word", "change": 1.8},
        {"side": "query", "kind": "head", "layer": 1, "embedding": "", "change": -0.2},
        {"side": "key", "kind": "network", "layer": 1, "embedding": "", "change": 0.4},
    ],
}


def shown(models, tokenizer) -> ShownText:
    texts = {
        name: capture_text("a dull plot, but good", model=(model, tokenizer))
        for name, model in models.items()
    }
    return ShownText({name: ShownState(text, {}) for name, text in texts.items()})


def test_parts_of_the_stage_add_up_to_the_change(tokenizer, make_model):
    models = {
        name: make_model("bert", seed=seed, initializer_range=0.3)
        for seed, name in enumerate(("pretrained", "finetuned"))
    }
    text = shown(models, tokenizer)
    found = change_of_score(text, SELECTION)
    assert json.loads(json.dumps(found)) == found
    changes = [source["change"] for source in found["sources"]]
    assert sum(changes) == pytest.approx(found["after"] - found["before"], abs=1e-4)
    assert abs(found["after"] - found["before"]) > 1e-2
    assert (found["query"], found["key"]) == ("plot", "dull")
    heads = [source for source in found["sources"] if source["kind"] == "head"]
    assert [source["side"] for source in heads] == ["query", "key"]  # those of a layer together
    apart = shown_score(text, SELECTION)
    assert apart.place == [2, 3, 3, 2]
    for state, parts in apart.parts.items():
        expected = decomposed_score(text.states[state].text, 1, 3, 2)
        np.testing.assert_array_equal(parts.parts, expected.parts)


def test_of_one_state_or_scores_that_are_no_sums_there_is_none(tokenizer, make_model):
    assert change_of_score(shown({"pretrained": make_model("bert")}, tokenizer), SELECTION) is None
    text = shown({"pretrained": build("qwen3"), "finetuned": build("qwen3")}, tokenizer)
    assert change_of_score(text, SELECTION) is None
    assert [*shown_score(text, SELECTION).parts.values()] == [None, None]


@pytest.fixture
def found(tmp_path, monkeypatch):
    def read(change):
        path = tmp_path / "score.json"
        path.write_text(json.dumps(change))
        monkeypatch.setattr(results, "result", lambda *_: path)
        return results.read_change()

    return read


@pytest.mark.parametrize(("by_key", "side"), [(0.4, "query"), (0.8, "both"), (20, "key")])
def test_a_side_has_most_of_a_change_from_three_quarters_on(found, by_key, side):
    *others, network = MADE["sources"]
    change = MADE | {"after": 2.6 + by_key, "sources": [*others, network | {"change": by_key}]}
    assert found(change).side == side
    assert sum(found(change).shares.values()) == pytest.approx(1)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_what_has_changed_is_said_and_drawn(found, language):
    w, change = words(language, "geometry"), found(MADE)
    said = w.say("geometry_score", **score.about(change, w))
    for part in ("film", "good", "reviews", "1.0", "3.0", "80%", "20%"):
        assert part in said
    largest = w.say("geometry_score_largest", **score.largest(change, w))
    assert "+1.8" in largest
    assert w["source_embedding_word"] in largest
    figure, rows = score.change_by_source(change, w)
    bars = [[bar.get_width() for bar in axis.patches] for axis in figure.axes]
    np.testing.assert_allclose(bars, [[1.8, -0.2, np.nan], [np.nan, np.nan, 0.4]])
    assert rows["change"].sum() == pytest.approx(change.whole)


def test_no_change_is_read_as_none(found):
    assert found(None) is None
