"""What depends on what is found, and by how much, whatever draws a token is replaced by."""

import numpy as np
import pytest

from attention_mixing.methods.dependence import (
    Changes,
    beside_truth,
    dependence,
    effect_shares,
    kept_among_neighbours,
)


def moments(changes):
    """Of ``[query, token, draw, component]``."""
    return Changes((changes**2).sum(-1).mean(-1), (changes.mean(-2) ** 2).sum(-1))


def test_sums_of_independent_parts_are_shared_out_by_their_sizes():
    """By hand: each vector is a sum of multiples of unit vectors, one that moves with a token."""
    mixed = np.array([[3.0, 4.0, 0.0], [0.0, 2.0, 0.0], [1.0, 1.0, 1.0]])
    changes = mixed[:, :, None, None] * np.eye(3)[None, :, None] * np.array([1, -1])[:, None]
    found = moments(changes)
    assert not found.of_mean.any()
    np.testing.assert_allclose(found.shares()[0], [9 / 25, 16 / 25, 0])
    np.testing.assert_allclose(found.dependence(), [16 / 25, 0, 2 / 3])


@pytest.mark.parametrize(("tokens", "draws"), [(6, 3), (4, 1), (1, 5)])
def test_effects_are_the_variance_over_a_text_and_its_neighbours(tokens, draws):
    generator = np.random.default_rng(0)
    changes = generator.normal(size=(tokens, tokens, draws, 5))
    kept = kept_among_neighbours(tokens, draws)
    found = moments(changes).effects(kept)
    # A text of which nothing changes, as often as other tokens are replaced, and once itself.
    still = np.zeros((tokens, tokens, 1 + (tokens - 1) * draws, 5))
    variance = np.concatenate([changes, still], axis=2).var(axis=2).sum(-1)
    np.testing.assert_allclose((1 - kept) * found, variance)


def test_queries_are_the_last_of_the_tokens():
    shares = np.array([[0.1, 0.2, 0.6, 0.1], [0.0, 0.0, 0.5, 0.5]])
    np.testing.assert_allclose(dependence(shares), [0.4, 0.5])
    with pytest.raises(ValueError, match="there are 4 queries and 2 tokens"):
        dependence(shares.T)


def test_where_nothing_has_an_effect_nothing_has_a_share():
    assert np.isnan(effect_shares(np.zeros((2, 3)))).all()
    with pytest.raises(ValueError, match="kept is 1"):
        Changes(np.ones((2, 2)), np.ones((2, 2))).effects(1.5)


def test_the_truth_is_beside_itself_without_an_error():
    generator = np.random.default_rng(1)
    true = effect_shares(generator.random((2, 4, 6)))
    found = beside_truth(true, true)
    np.testing.assert_allclose(found.pop("rank_correlation"), 1)
    np.testing.assert_array_equal(found.pop("total_variation"), 0)
    np.testing.assert_array_equal(found.pop("mixing_error"), 0)
    assert (found.pop("mixing_error_lengths") > 0).all()
    assert not found


def test_errors_of_a_row_by_hand():
    """Queries are the last of the tokens; a row of equal shares has no order."""
    true = np.array([[0.5, 0.1, 0.4, 0.0], [0.2, 0.2, 0.2, 0.4]])
    shares = np.array([[[0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]], np.full((2, 4), 0.25)])
    found = beside_truth(shares, true)
    own = np.array([[0.6, 0.6], [0.15, 0.15]])
    np.testing.assert_allclose(found["mixing_error"], own)
    np.testing.assert_allclose(found["total_variation"], [[0.6, 0.6], [0.4, 0.15]])
    assert np.isnan(found["rank_correlation"][1]).all()
    assert (found["rank_correlation"][0] > 0).all()
