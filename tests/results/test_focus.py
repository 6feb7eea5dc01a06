"""The text in focus by token and by word."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from analysis.results import focus
from analysis.results.focus import focus_text, in_words, numbered

TEXT = "an unseen film"
TOKENS = pd.DataFrame(
    {
        "token": ["[CLS]", "an", "un", "seen", "film", "[SEP]"],
        "start": [0, 0, 3, 5, 10, 0],
        "end": [0, 2, 5, 9, 14, 0],
        "is_special": [True, False, False, False, False, True],
        "text": TEXT,
    }
)
RNG = np.random.default_rng(0)
RAW = RNG.dirichlet(np.ones(6), size=(2, 6)).astype(np.float32)


@pytest.fixture
def shown(monkeypatch):
    """Return ``shown(words)``: what is read of a run with one text of six tokens."""
    monkeypatch.setattr(focus, "states", lambda *_: ["pretrained", "finetuned"])
    monkeypatch.setattr(focus, "arrays", lambda *_: {"raw": RAW, "head": RAW[0]})
    monkeypatch.setattr(focus, "table", lambda *_: TOKENS)

    def of(words):
        asked = SimpleNamespace(experiment="own", example=0, words=words)
        return focus_text(SimpleNamespace(report=SimpleNamespace(focus=asked)))

    return of


def test_tokens_are_shown_as_they_are(shown):
    found = shown(False)
    assert (found.text, found.state) == (TEXT, "finetuned")
    assert found.names == TOKENS["token"].tolist()
    np.testing.assert_array_equal(found.matrices["raw"], RAW)


def test_words_are_named_by_their_characters_and_their_rows_sum_to_one(shown):
    found = shown(True)
    assert found.names == ["[CLS]", "an", "unseen", "film", "[SEP]"]
    raw = found.matrices["raw"]
    assert raw.shape == (2, 5, 5)
    np.testing.assert_allclose(raw.sum(axis=-1), 1, rtol=1e-6)
    np.testing.assert_allclose(raw[1, 0, 2], RAW[1, 0, 2] + RAW[1, 0, 3], rtol=1e-6)
    np.testing.assert_allclose(raw[1, 2, 4], RAW[1, 2:4, 5].mean(), rtol=1e-6)
    assert found.matrices["head"].shape == (5, 5)


def test_a_word_is_named_without_the_mark_that_is_put_before_it():
    """Which stands for no character; alone, it has its own name."""
    rows = [("▁", 0, 0), ("a", 0, 1), ("▁", 0, 0), ("b", 2, 3), ("c", 3, 4), ("▁", 0, 0)]
    tokens = pd.DataFrame(rows, columns=["token", "start", "end"]).assign(is_special=False)
    words = numbered("a bc", tokens)
    assert words.tolist() == [0, 0, 1, 1, 1, 2]
    assert in_words("a bc", tokens, words) == ["a", "bc", "▁"]
