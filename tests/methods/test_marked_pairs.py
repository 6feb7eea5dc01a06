"""Weight on marked pairs is held against what their keys get anyway."""

import numpy as np
import pytest

from attention_mixing.methods.marked_pairs import pair_weights


def test_weight_and_chance_by_hand():
    attention = np.array([[[[0.2, 0.8, 0.0], [0.5, 0.3, 0.2], [0.1, 0.6, 0.3]]]])
    found = pair_weights(attention, [([0], [1])])
    assert found.weight.item() == pytest.approx(0.8)
    assert found.chance.item() == pytest.approx((0.3 + 0.6) / 2)
    # Two queries of the same key are no chance of each other.
    found = pair_weights(attention, [([0], [1]), ([1], [1])])
    assert found.weight.item() == pytest.approx((0.8 + 0.3) / 2)
    assert found.chance.item() == pytest.approx(0.6)


def test_pieces_of_a_word_are_added_as_keys_and_averaged_as_queries():
    attention = np.array([[[[0.2, 0.8, 0.0], [0.5, 0.3, 0.2], [0.1, 0.6, 0.3]]]])
    found = pair_weights(attention, [([0, 2], [0, 1])])
    assert found.weight.item() == pytest.approx((1.0 + 0.7) / 2)
    assert found.chance.item() == pytest.approx(0.8)


@pytest.mark.parametrize("key", range(6))
def test_heads_that_do_not_tell_queries_apart_have_no_advantage(key):
    """Whatever is marked: a sink, uniform attention, any row that all queries share."""
    rows = np.random.default_rng(0).dirichlet(np.full(6, 0.3), size=(2, 3))
    rows[0, 0], rows[0, 1] = np.eye(6)[key], 1 / 6
    attention = np.repeat(rows[:, :, None], 6, axis=2)
    pairs = [([query], [key]) for query in range(3)]
    np.testing.assert_allclose(pair_weights(attention, pairs).advantage, 0, atol=1e-15)


def test_advantage_goes_with_the_tokens():
    """Tokens in another order, and the pairs with them, give the same."""
    rng = np.random.default_rng(1)
    attention = rng.dirichlet(np.ones(7), size=(2, 3, 7))
    visible = np.broadcast_to(np.tril(np.ones((7, 7), bool)), (2, 7, 7))
    attention = attention * visible[:, None]
    order = rng.permutation(7)
    place = np.argsort(order)
    pairs = [([5], [2]), ([6], [1, 3])]
    moved = [
        ([int(place[q]) for q in queries], [int(place[k]) for k in keys]) for queries, keys in pairs
    ]
    same = pair_weights(attention[..., order, :][..., order], moved, visible[:, order][..., order])
    for one, other in zip(pair_weights(attention, pairs, visible), same, strict=True):
        np.testing.assert_allclose(one, other)


def test_what_cannot_be_compared_has_no_number():
    causal = np.tril(np.ones((3, 3), bool))
    attention = causal / causal.sum(axis=1, keepdims=True)
    attention, visible = attention[None, None], causal[None]
    hidden = pair_weights(attention, [([0], [2])], visible)
    alone = pair_weights(attention, [([2], [2])], visible)  # nobody else sees the last token
    assert np.isnan([hidden.advantage, alone.advantage]).all()
    both = pair_weights(attention, [([2], [2]), ([2], [1])], visible)
    assert both.weight.item() == pytest.approx(1 / 3)
    assert both.chance.item() == pytest.approx(1 / 2)  # of token 1: token 0 does not see it


@pytest.mark.parametrize("pairs", [[], [([], [1])], [([1], [])]])
def test_no_pair_is_refused(pairs):
    with pytest.raises(ValueError, match="there must be a pair"):
        pair_weights(np.full((1, 1, 2, 2), 0.5), pairs)
