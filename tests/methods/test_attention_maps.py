"""Measures on maps by hand, and by what must not change them."""

import numpy as np
import pytest
from scipy.special import softmax

from analysis.methods.attention_maps import (
    KEY_KINDS,
    largest_weight_kinds,
    later_weight,
    mean_total_variation,
    mirrored_weight,
    row_sum_deviation,
)

HEADS, TOKENS = 4, 6
ENDS = np.array([True, False, False, False, True])


def random_maps(*, mask=0.0, seed=0):
    scores = np.random.default_rng(seed).standard_normal((HEADS, TOKENS, TOKENS))
    return softmax(scores + mask, axis=-1)


def test_every_kind_of_key_is_counted_once():
    # Of the five queries: the next, itself, the previous, a special one, another one.
    maps = np.eye(5)[[1, 1, 1, 4, 2]]
    assert largest_weight_kinds(maps, ENDS) == dict.fromkeys(KEY_KINDS, 0.2)


def test_a_special_token_is_no_neighbour_and_not_oneself():
    kinds = largest_weight_kinds(np.eye(5)[[0, 0, 2, 4, 4]], ENDS)
    assert kinds == {"special": 0.8, "self": 0.2, "previous": 0, "next": 0, "other": 0}


def test_kinds_are_shares_of_the_queries_of_all_heads():
    maps, special = random_maps(), np.arange(TOKENS) == 0
    kinds = largest_weight_kinds(maps, special)
    assert sum(kinds.values()) == pytest.approx(1)
    assert largest_weight_kinds(maps[::-1], special) == kinds
    by_head = [largest_weight_kinds(one, special) for one in maps]
    for kind, share in kinds.items():
        assert share == pytest.approx(np.mean([one[kind] for one in by_head]))
    # Read backwards, what was before comes after.
    turned = largest_weight_kinds(maps[:, ::-1, ::-1], special[::-1])
    assert (turned["previous"], turned["next"]) == (kinds["next"], kinds["previous"])


def test_total_variation_is_the_weight_placed_differently():
    maps = np.eye(3)[[[0, 0, 0], [0, 1, 2]]]
    assert mean_total_variation(maps) == pytest.approx(2 / 3)
    assert mean_total_variation(np.array([[[0.5, 0.5]], [[0.2, 0.8]]])) == pytest.approx(0.3)
    # Three pairs of heads, of which two share nothing.
    assert mean_total_variation(np.eye(2)[[[0], [0], [1]]]) == pytest.approx(2 / 3)


def test_total_variation_knows_no_order_of_heads_queries_or_keys():
    maps = random_maps()
    apart = mean_total_variation(maps)
    assert 0 < apart < 1
    order = [3, 0, 5, 1, 4, 2]
    for other in (maps[::-1], maps[:, order], maps[:, :, order]):
        assert mean_total_variation(other) == pytest.approx(apart)


def test_heads_alike_or_alone_are_not_apart():
    maps = random_maps()
    assert mean_total_variation(maps[[0, 0, 0]]) == 0
    assert mean_total_variation(maps[:1]) == 0


def test_later_weight_by_hand():
    maps = np.array([[[0.2, 0.3, 0.5], [0.1, 0.5, 0.4], [0.3, 0.3, 0.4]]])
    assert later_weight(maps) == pytest.approx((0.8 + 0.4 + 0) / 3)
    assert later_weight(np.full((2, 5, 5), 0.2)) == pytest.approx(0.4)  # (n - 1) / 2n


def test_nothing_later_is_seen_under_a_causal_mask():
    assert later_weight(random_maps(mask=np.triu(np.full((TOKENS, TOKENS), -np.inf), k=1))) == 0
    # What is not later is earlier or the token itself.
    maps = random_maps()
    own = np.diagonal(maps, axis1=-2, axis2=-1).mean()
    earlier = later_weight(maps[:, ::-1, ::-1])
    assert later_weight(maps) + earlier + own == pytest.approx(1)


def test_mirrored_weight_by_hand():
    assert mirrored_weight(np.eye(4)[::-1]) == 1
    assert mirrored_weight(np.eye(4)) == 0
    assert mirrored_weight(np.eye(3)) == pytest.approx(1 / 3)  # the one in the middle
    assert mirrored_weight(np.array([[[0.1, 0.7], [0.3, 0.2]]])) == pytest.approx(0.5)
    assert mirrored_weight(np.full((2, 5, 5), 0.2)) == pytest.approx(0.2)


def test_a_map_turned_around_has_the_same_mirrored_weight():
    maps = random_maps()
    weight = mirrored_weight(maps)
    assert mirrored_weight(maps[:, ::-1, ::-1]) == pytest.approx(weight)
    assert mirrored_weight(maps.swapaxes(-1, -2)) == pytest.approx(weight)


def test_the_sum_furthest_from_one_is_told():
    maps = np.array([[[0.5, 0.5], [0.5, 0.25]], [[1, 0.125], [1, 0]]])
    assert row_sum_deviation(maps) == 0.25
    assert row_sum_deviation(random_maps()) < 1e-15
    # Sums are taken in double precision, so that of float32 only its rounding is left.
    assert 0 < row_sum_deviation(random_maps().astype(np.float32)) < 1e-6
