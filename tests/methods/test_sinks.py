"""Attention sinks: hand-made maps and masks."""

import numpy as np

from attention_mixing.methods.attention_maps import key_importance


def test_a_column_is_the_importance_of_its_key():
    attention = np.array([[0.8, 0.1, 0.1], [0.6, 0.4, 0.0], [1.0, 0.0, 0.0]])
    np.testing.assert_allclose(key_importance(attention[None, None]), [[[0.8, 0.5 / 3, 0.1 / 3]]])


def test_under_a_causal_mask_only_later_queries_count():
    """Uniform causal attention: key k is seen by those from k on, each giving 1 / (i + 1)."""
    tokens = 6
    attention = np.tril(np.ones((tokens, tokens))) / np.arange(1, tokens + 1)[:, None]
    by_hand = [np.mean([1 / (i + 1) for i in range(k, tokens)]) for k in range(tokens)]
    visible = np.tril(np.ones((1, tokens, tokens), bool))
    np.testing.assert_allclose(key_importance(attention[None, None], visible), [[by_hand]])
