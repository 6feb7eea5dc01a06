"""Words of a text, and maps of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_mixing.methods.words import number_words, of_words, scores_of_words


def numbers(text, *pieces, special=()):
    """Words of tokens that are cut at these pieces, one after the other."""
    spans, place = [], 0
    for piece in pieces:
        start = text.index(piece, place)
        spans.append((start, start + len(piece)))
        place = start + len(piece)
    return number_words(text, spans, [False] * len(spans)).tolist()


@pytest.mark.parametrize(
    ("text", "pieces", "words"),
    [
        ("unseen it", ["un", "seen", "it"], [0, 0, 1]),
        ("don't!", ["don", "'", "t", "!"], [0, 1, 2, 3]),
        ("a  b", ["a", " ", " b"], [0, 1, 2]),
        ("Zürich’s 42nd", ["Zü", "rich", "’", "s", "4", "2nd"], [0, 0, 1, 2, 3, 3]),
        ("映画を見た", ["映画", "を", "見", "た"], [0, 1, 2, 3]),
        ("ภาพยนตร์", ["ภาพ", "ยนตร์"], [0, 1]),
        ("हिन्दी में", ["हि", "न्दी", " में"], [0, 0, 1]),
        ("كان الفيلم", ["كا", "ن", "ال", "فيلم"], [0, 0, 1, 1]),
        ("이영화는", ["이영", "화는"], [0, 0]),
    ],
)
def test_pieces_of_a_word_have_its_number(text, pieces, words):
    assert numbers(text, *pieces) == words


def test_special_tokens_and_pieces_of_a_character():
    spans = [(0, 0), (0, 1), (0, 1), (0, 1), (1, 2), (0, 0)]
    special = [True, False, False, False, False, True]
    assert number_words("🎬a", spans, special).tolist() == [0, 1, 1, 1, 2, 3]


@pytest.mark.parametrize(
    ("spans", "words"),
    [
        ([(0, 0), (0, 1), (1, 3), (0, 0), (4, 5)], [0, 0, 0, 1, 1]),
        ([(0, 0), (0, 0), (0, 3), (0, 0)], [0, 0, 0, 1]),
    ],
)
def test_what_stands_for_no_character_begins_the_word_behind_it(spans, words):
    assert number_words("the 中", spans, [False] * len(spans)).tolist() == words


def test_a_special_token_behind_it_is_a_word_of_its_own():
    assert number_words("a", [(0, 1), (0, 0), (0, 0)], [False, False, True]).tolist() == [0, 1, 2]


def test_a_special_token_in_a_text_parts_words():
    assert number_words("ab", [(0, 1), (0, 0), (1, 2)], [False, True, False]).tolist() == [0, 1, 2]


def test_pieces_of_a_source_word_add_up_and_those_of_a_target_word_are_averaged():
    scores = np.array([[0.1, 0.2, 0.3, 0.4], [0.3, 0.2, 0.5, 0.0], [0.0, 0.0, 0.0, 1.0]])
    # A special token before the source; the first target word has two pieces.
    source, target = np.array([-1, 0, 0, 1]), np.array([0, 0, 1])
    np.testing.assert_allclose(of_words(scores, target, source), [[0.6, 0.2], [0.0, 1.0]])


def test_what_a_word_stems_from_still_sums_to_what_its_pieces_stem_from():
    rng = np.random.default_rng(0)
    scores = rng.random((6, 7))
    scores /= scores.sum(axis=1, keepdims=True)
    words = of_words(scores, np.array([0, 1, 1, 2, 2, 2]), np.array([0, 0, 1, 2, 2, 3, 3]))
    np.testing.assert_allclose(words.sum(axis=1), 1)


def test_layers_and_heads_are_brought_to_words_one_by_one():
    rng = np.random.default_rng(0)
    scores, words = rng.random((2, 3, 4, 4)), np.array([0, 1, 1, 2])
    whole = of_words(scores, words, words)
    assert whole.shape == (2, 3, 3, 3)
    np.testing.assert_allclose(whole[1, 2], of_words(scores[1, 2], words, words))


@given(st.lists(st.integers(0, 3), min_size=1, max_size=8))
def test_sums_keep_the_total_and_means_what_is_the_same_everywhere(drawn):
    words = np.unique(drawn, return_inverse=True)[1].astype(np.int64)
    scores = np.arange(1.0, len(words) + 1)
    np.testing.assert_allclose(scores_of_words(scores, words, "sum").sum(), scores.sum())
    np.testing.assert_allclose(scores_of_words(np.ones((2, len(words))), words, "mean"), 1)
