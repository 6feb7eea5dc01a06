"""How far one gets without any order: the yardstick for corpora in which order should matter."""

from __future__ import annotations

from collections.abc import Sequence


def bag_of_words_accuracy(
    train_texts: Sequence[str],
    train_labels: Sequence[int],
    test_texts: Sequence[str],
    test_labels: Sequence[int],
) -> float:
    """Measure a logistic regression on unigram counts.

    Parameters
    ----------
    train_texts, train_labels
        What it is fitted on.
    test_texts, test_labels
        What it is measured on.

    Returns
    -------
    float
        Share of the test texts whose label it predicts, 0 to 1. Deterministic: the solver (L-BFGS
        from zero weights) draws no random numbers.
    """
    # Imported here because scikit-learn takes longer to start than most stages take to run.
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    counts = CountVectorizer()
    model = LogisticRegression(max_iter=1000)
    model.fit(counts.fit_transform(train_texts), train_labels)
    return float(model.score(counts.transform(test_texts), test_labels))
