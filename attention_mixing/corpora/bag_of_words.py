"""How far one gets without any order: the yardstick for corpora in which order should matter."""

from __future__ import annotations

import re
from collections.abc import Sequence

# Kana and Chinese characters, written without spaces, and what repeats or stands for one of them.
CHARACTERS = (
    "\u3005-\u3007\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
WORD = re.compile(rf"(?=\w)[{CHARACTERS}]|[^\W{CHARACTERS}]{{2,}}")


def words(text: str) -> list[str]:
    """Split a text into what a bag of words counts.

    A word has two or more letters or digits; Chinese and Japanese, which put no spaces between
    words, are counted by the character. A text without a word is counted by the character as well,
    whatever it is made of: emoji, ``!!!``, a single letter.
    """
    return WORD.findall(text) or [character for character in text if not character.isspace()]


def bag_of_words_accuracy(
    train_texts: Sequence[str],
    train_labels: Sequence[int],
    test_texts: Sequence[str],
    test_labels: Sequence[int],
) -> float:
    """Measure a logistic regression on counts of :func:`words`, in lower case.

    Gives the share of the test texts whose label it predicts, 0 to 1. Deterministic: the solver
    (L-BFGS from zero weights) draws no random numbers.
    """
    # Imported here because scikit-learn takes longer to start than most stages take to run.
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    counts = CountVectorizer(tokenizer=words, token_pattern=None)
    model = LogisticRegression(max_iter=1000)
    model.fit(counts.fit_transform(train_texts), train_labels)
    return float(model.score(counts.transform(test_texts), test_labels))
