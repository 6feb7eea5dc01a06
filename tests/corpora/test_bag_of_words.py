"""What a bag of words counts, and what can be learned of it."""

import pytest
from sklearn.feature_extraction.text import CountVectorizer

from attention_mixing import corpora
from attention_mixing.corpora.bag_of_words import bag_of_words_accuracy, words
from attention_mixing.settings.sources import GeneratedData


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I saw 12 films, a naïve_one!", ["saw", "12", "films", "naïve_one"]),
        ("とても良い・BERTの映画", [*"とても良い", "BERT", *"の映画"]),
        ("🎬 👍", ["🎬", "👍"]),
        ("a b", ["a", "b"]),
        ("good!!! 🎬", ["good"]),
    ],
)
def test_words_are_told_apart(text, expected):
    assert words(text) == expected


@pytest.mark.parametrize("grammar", ["reviews", "agreement"])
def test_english_is_counted_as_scikit_learn_does(grammar):
    sizes = {"train": 200, "validation": 100, "test": 100}
    data = GeneratedData(source="generated", grammar=grammar, sizes=sizes, seed=0)
    texts = corpora.load(data, "classification").examples["text"]
    theirs = CountVectorizer().build_analyzer()
    assert [words(text.lower()) for text in texts] == [theirs(text) for text in texts]


def test_texts_without_words_can_be_told_apart():
    positive, negative = ["👍", "!!!", "良", "good"], ["👎", "...", "悪", "bad"]
    texts, labels = positive + negative, [1] * 4 + [0] * 4
    assert bag_of_words_accuracy(texts * 5, labels * 5, texts, labels) == 1.0


def test_japanese_sentences_share_what_they_are_made_of():
    """Not one word from one punctuation mark to the next, which no other text would have."""
    train = ["とても良い映画だ。", "実に良い作品。", "とても悪い映画だ。", "実に悪い作品。"] * 5
    test = ["音楽が良いと思う。", "音楽が悪いと思う。"]
    assert bag_of_words_accuracy(train, [1, 1, 0, 0] * 5, test, [1, 0]) == 1.0
