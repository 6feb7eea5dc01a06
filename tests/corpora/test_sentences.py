"""The project's own sentences, and texts written into the parameters."""

import pytest

from attention_mixing import corpora
from attention_mixing.settings.sources import SentencesData, TextsData


@pytest.fixture
def sentences():
    return corpora.load(SentencesData(source="sentences"), "none")


def test_about_sixty_distinct_sentences_those_that_are_shown_in_their_places(sentences):
    texts = sentences.examples["text"].tolist()
    assert 55 <= len(texts) <= 65
    assert len(set(texts)) == len(texts)
    # params.yaml and the pages count on these places.
    assert texts[0] == "The brown capybara is sleeping now."
    assert len(texts[3].split()) >= 20


def test_sentences_have_no_labels_and_are_all_test(sentences):
    assert set(sentences.examples["split"]) == {"test"}
    assert sentences.examples[["label", "evidence", "attractors"]].isna().all(axis=None)
    assert sentences.label_names == ()


def test_own_texts_survive_as_they_are():
    texts = ("  <b>bold</b>\t", "$\\alpha$ {{< meta x >}}\r\nnext", "日本語", "same", "same")
    corpus = corpora.load(TextsData(source="texts", texts=texts), "none")
    assert tuple(corpus.examples["text"]) == texts
    assert corpus.examples["label"].isna().all()
