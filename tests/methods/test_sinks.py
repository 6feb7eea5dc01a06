"""Attention sinks: hand-made maps, masks, and what holds of every map."""

import numpy as np
import pytest

from analysis.methods.sinks import key_importance


def softmax(scores):
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def causal(scores):
    hidden = np.triu(np.ones(scores.shape[-2:], bool), 1)
    return softmax(np.where(hidden, -np.inf, scores))


def test_a_column_is_the_importance_of_its_key():
    attention = np.array([[0.8, 0.1, 0.1], [0.6, 0.4, 0.0], [1.0, 0.0, 0.0]])
    assert key_importance(attention) == pytest.approx([0.8, 0.5 / 3, 0.1 / 3])


def test_under_a_causal_mask_only_later_queries_count():
    """Uniform causal attention: key k is seen by those from k on, each giving 1 / (i + 1)."""
    tokens = 6
    attention = causal(np.zeros((tokens, tokens)))
    by_hand = [np.mean([1 / (i + 1) for i in range(k, tokens)]) for k in range(tokens)]
    assert key_importance(attention) == pytest.approx(by_hand)


def test_maps_are_judged_one_by_one():
    scores = np.random.default_rng(0).normal(size=(2, 3, 5, 5))
    maps = np.stack([softmax(scores), causal(scores)])
    together = key_importance(maps)
    assert together.shape == (2, 2, 3, 5)
    for place in np.ndindex(maps.shape[:-2]):
        assert together[place] == pytest.approx(key_importance(maps[place]))
