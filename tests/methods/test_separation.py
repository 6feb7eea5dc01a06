"""Silhouettes: by their definition, and where they are not defined."""

import numpy as np
import pytest

from attention_mixing.methods.projection import distances
from attention_mixing.methods.separation import silhouettes


def on_a_line(places, labels):
    return silhouettes(np.array(places, float)[:, None], np.array(labels), "euclidean")


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
def test_the_definition_word_by_word(metric):
    rng = np.random.default_rng(0)
    vectors, labels = rng.normal(size=(30, 8)), rng.choice(["no", "a", "b"], size=30)
    far = distances(vectors, metric)
    expected = []
    for i in range(30):
        means = {
            label: np.mean([far[i, j] for j in range(30) if labels[j] == label and j != i])
            for label in ("no", "a", "b")
        }
        own = means.pop(labels[i])
        other = min(means.values())
        expected.append((other - own) / max(own, other))
    np.testing.assert_allclose(silhouettes(vectors, labels, metric), expected, atol=1e-12)


def test_the_only_text_of_a_label_has_none_and_the_others_do():
    found = on_a_line([0, 1, 3, 9, 9.5], [0, 0, 1, 2, 2])
    np.testing.assert_array_equal(np.isnan(found), [False, False, True, False, False])
    # The single text is a group that others can be near to.
    assert found[1] == pytest.approx(1 - 1 / 2)
    # One label, and one text a label.
    for labels in ([1, 1, 1], [0, 1, 2]):
        np.testing.assert_array_equal(on_a_line([0, 1, 3], labels), [np.nan] * 3)


def test_texts_that_are_all_the_same_lie_neither_apart_nor_together():
    assert np.isnan(on_a_line([1] * 6, [0, 1] * 3)).all()
    # Texts 0 to 3 are one point of both labels; the last two are elsewhere, and of one label.
    found = on_a_line([0] * 4 + [1] * 2, [0, 0, 1, 1, 2, 2])
    np.testing.assert_array_equal(found, [np.nan] * 4 + [1] * 2)
    # Equal to its own alone is the best there is.
    assert (on_a_line([0, 0, 1, 1], [0, 0, 1, 1]) == 1).all()
