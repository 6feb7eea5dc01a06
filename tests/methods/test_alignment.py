"""Word alignment, and its error rate."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention_mixing.methods.alignment import alignment, linked


def links(shape, *pairs):
    found = np.zeros(shape, bool)
    for pair in pairs:
        found[pair] = True
    return found


def test_error_rate_by_hand():
    sure = links((3, 3), (0, 0), (1, 1))
    possible = sure | links((3, 3), (2, 1))
    found = links((3, 3), (0, 0), (1, 2), (2, 1))
    # One of two sure links, two of three are possible: 1 - (1 + 2) / (3 + 2).
    assert alignment(found, sure, possible) == pytest.approx((0.4, 2 / 3, 0.5))


@given(arrays(bool, (4, 5)), arrays(bool, (4, 5)), arrays(bool, (4, 5)))
def test_error_rate_is_that_of_sets_of_pairs(found, sure, more):
    possible = sure | more
    if not sure.any():
        return
    a, s, p = ({*zip(*np.nonzero(one), strict=True)} for one in (found, sure, possible))
    expected = 1 - (len(a & s) + len(a & p)) / (len(a) + len(s))
    assert alignment(found, sure, possible).error == pytest.approx(expected)


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 9))
def test_each_word_is_linked_once_to_its_largest_score(target, source, seed):
    scores = np.random.default_rng(seed).random((target, source))
    found = linked(scores)
    assert (found.sum(axis=1) == 1).all()
    assert (scores[found] == scores.max(axis=1)).all()


def test_a_word_that_draws_from_nothing_is_not_linked():
    assert linked(np.array([[0.0, 0.0], [0.2, 0.1]])).tolist() == [[False, False], [True, False]]


def test_known_links_without_a_sure_one_are_refused():
    none = np.zeros((1, 1), bool)
    with pytest.raises(ValueError, match="there must be sure links"):
        alignment(none, none, none)
    with pytest.raises(ValueError, match="all of which are possible"):
        alignment(none, ~none, none)
