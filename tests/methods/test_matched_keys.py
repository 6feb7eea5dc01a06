"""Keys are found that weigh as much as others."""

from itertools import combinations

import numpy as np
import pytest

from attention_mixing.methods.matched_keys import matched_keys, summed


def case(seed, keys=12, special=0.4):
    """Attention of two layers and heads whose first and last key have a share of it."""
    generator = np.random.default_rng(seed)
    rows = generator.dirichlet(np.full(keys - 2, 0.3), size=(2, 2, keys)) * (1 - special)
    rows = np.concatenate([rows, np.full((2, 2, keys, 2), special / 2)], axis=-1)
    matched = np.arange(keys) >= keys - 2
    return rows, matched, ~matched


def masks(allowed, most):
    places = np.flatnonzero(allowed)
    for count in range(1, most + 1):
        for some in combinations(places, count):
            yield np.isin(np.arange(len(allowed)), some)


def test_by_hand():
    rows = np.array([[0.5, 0.1, 0.3, 0.05, 0.05], [0.5, 0.1, 0.2, 0.15, 0.05]])
    first = np.arange(5) == 0
    assert np.flatnonzero(matched_keys(rows, first, ~first, 1.0)).tolist() == [1, 2, 3, 4]
    assert np.flatnonzero(matched_keys(rows, first, ~first, 0.5)).tolist() == [1, 2]
    assert np.flatnonzero(matched_keys(rows, first, ~first, 0.0)).tolist() == [2]


@pytest.mark.parametrize("special", [0.1, 0.2, 0.5])
def test_none_is_much_nearer(special):
    for seed in range(10):
        rows, matched, allowed = case(seed, special=special)
        chosen = matched_keys(rows, matched, allowed)
        assert 1 <= chosen.sum() <= 3
        assert not (chosen & ~allowed).any()
        target = summed(rows, matched)
        assert target == pytest.approx(special)
        nearest = min(abs(summed(rows, keys) - target) for keys in masks(allowed, 3))
        assert abs(summed(rows, chosen) - target) <= nearest + 0.02


def test_how_far_weights_move_is_matched_whatever_the_direction():
    """Changes of a row cancel, so that their sums are no sum of means."""
    for seed in range(10):
        before, matched, allowed = case(seed)
        moved = case(seed + 100, special=0.3)[0] - before
        assert summed(moved, matched) == pytest.approx(0.1)
        chosen = matched_keys(moved, matched, allowed)
        nearest = min(abs(summed(moved, keys) - 0.1) for keys in masks(allowed, 3))
        assert abs(summed(moved, chosen) - 0.1) <= nearest + 0.02
        # No exchange of one key comes nearer.
        for out in np.flatnonzero(chosen):
            for other in np.flatnonzero(allowed & ~chosen):
                swapped = chosen.copy()
                swapped[[out, other]] ^= True
                assert abs(summed(moved, swapped) - 0.1) >= abs(summed(moved, chosen) - 0.1) - 1e-12


def test_an_order_of_keys_changes_nothing():
    rows, matched, allowed = case(1)
    order = np.random.default_rng(0).permutation(len(allowed))
    again = matched_keys(rows[..., order], matched[order], allowed[order])
    np.testing.assert_array_equal(again, matched_keys(rows, matched, allowed)[order])


def test_keys_that_are_matched_cannot_be_chosen():
    rows, matched, allowed = case(0)
    with pytest.raises(ValueError, match="in common"):
        matched_keys(rows, matched, allowed | matched)
    with pytest.raises(ValueError, match="rows"):
        matched_keys(np.full_like(rows, np.nan), matched, allowed)
