"""Scores are those of scikit-learn."""

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.metrics import accuracy_score, f1_score, log_loss

from attention_mixing.models.evaluation import score


def test_scores_are_those_of_scikit_learn():
    classes = 4
    rng = np.random.default_rng(classes)
    logits = rng.normal(size=(200, classes)) * 3
    labels = rng.integers(classes, size=200)
    metrics, predictions = score(logits, labels.tolist())
    probabilities, chosen = softmax(logits, axis=1), logits.argmax(axis=1)
    assert metrics["accuracy"] == pytest.approx(accuracy_score(labels, chosen))
    assert metrics["f1"] == pytest.approx(f1_score(labels, chosen, average="macro"))
    assert metrics["loss"] == pytest.approx(log_loss(labels, probabilities))
    assert metrics["examples"] == 200
    np.testing.assert_array_equal(predictions["prediction"], chosen)
    np.testing.assert_allclose(predictions["probability"], probabilities.max(axis=1))
    columns = [f"probability_{k}" for k in range(classes)]
    np.testing.assert_allclose(predictions[columns], probabilities)


def test_calibration_error_by_hand():
    # Two answers at probability 0.8, one right: |0.8 - 0.5|.
    logits = np.log([[0.8, 0.2], [0.8, 0.2]])
    assert score(logits, [0, 1])[0]["calibration_error"] == pytest.approx(0.3)


def test_logits_of_any_size_give_finite_losses():
    metrics, predictions = score(np.array([[1e4, -1e4], [-1e4, 1e4]]), [0, 0])
    assert np.isfinite(metrics["loss"])
    assert predictions["probability"].tolist() == [1.0, 1.0]
