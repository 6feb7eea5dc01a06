"""Rules and verdicts: what an interval settles, and what it leaves open."""

import math
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.claims.verdicts import (
    CONSISTENT,
    FEWEST_TEXTS,
    REPRODUCED,
    VERDICTS,
    Range,
    Reading,
    holds,
    verdict,
)

ABOVE, BELOW = Range(0.5, math.inf), Range(-math.inf, 0.5)
BETWEEN, ANOTHER = Range(0.2, 0.5), Range(0.5, 0.5, inside=False)


@pytest.mark.parametrize(
    ("allowed", "low", "high", "expected"),
    [
        (ABOVE, 0.6, 0.7, True),
        (ABOVE, 0.3, 0.4, False),
        (ABOVE, 0.4, 0.6, None),
        (ABOVE, 0.5, 0.5, False),
        (BELOW, 0.3, 0.4, True),
        (BELOW, 0.5, 0.6, False),
        (BELOW, 0.4, 0.5, None),
        (BETWEEN, 0.2, 0.5, True),
        (BETWEEN, 0.51, 0.6, False),
        (BETWEEN, 0.1, 0.6, None),
        (BETWEEN, 0.1, 0.3, None),
        (ANOTHER, 0.6, 0.7, True),
        (ANOTHER, 0.4, 0.6, None),
        (ANOTHER, 0.5, 0.5, False),
    ],
)
def test_the_whole_interval_decides(allowed, low, high, expected):
    middle = (low + high) / 2
    assert holds(Reading(middle, low, high, FEWEST_TEXTS), allowed) is expected


def test_without_an_interval_the_value_decides():
    assert holds(Reading(0.6), ABOVE) is True
    assert holds(Reading(0.4), ABOVE) is False


def test_what_is_not_defined_or_of_too_few_texts_is_open():
    assert holds(Reading(None), ABOVE) is None
    assert holds(Reading(0.6, 0.6, 0.6, FEWEST_TEXTS - 1), ABOVE) is None


def test_rounding_of_floats_breaks_no_equality():
    assert holds(Reading(0.1 + 0.2), Range(0.3, 0.3)) is True
    assert holds(Reading(0.3 + 1e-9), Range(0.3, 0.3)) is False


@given(st.floats(-1, 1), st.floats(0, 1), st.floats(-1, 1))
def test_above_and_below_never_both_hold(middle, width, bound):
    reading = Reading(middle, middle - width, middle + width, 9)
    above, below = holds(reading, Range(bound, math.inf)), holds(reading, Range(-math.inf, bound))
    assert not (above and below)
    assert (above is None) == (below is None) or bound in (reading.low, reading.high)


@pytest.mark.parametrize(
    ("cases", "place"),
    [
        ([True], 0),
        ([True, None, True], 0),
        ([True, False], 1),
        ([None, True, False], 1),
        ([None, None, True, False], 1),
        ([False, None], 2),
    ],
)
def test_decided_cases_make_the_verdict(cases, place):
    assert verdict([cases], same=True) == REPRODUCED[place]
    assert verdict([cases], same=False) == CONSISTENT[place]


@pytest.mark.parametrize(
    ("parts", "place"),
    [
        ([[True], [True, None]], 0),
        ([[True], [None]], 1),
        ([[True, True], [None], [True]], 1),
        ([[False], [None]], 2),
        ([[True], []], 0),  # a part that is not asked
    ],
)
def test_a_claim_holds_as_a_whole_only_if_no_part_of_it_is_open(parts, place):
    assert verdict(parts, same=True) == REPRODUCED[place]


@pytest.mark.parametrize(
    "cases", [[None], [None, True, None], [None, False, None], [None, True, None, False, None]]
)
def test_a_claim_most_of_whose_cases_are_open_is_open(cases):
    assert verdict([cases], same=True) == verdict([cases], same=False) == "undecided"


def test_a_claim_without_a_case_is_not_tested():
    assert verdict([], same=False) == verdict([[], []], same=True) == "not_tested"


def test_every_verdict_can_be_reached():
    found = {
        verdict([cases], same=same)
        for same in (True, False)
        for count in range(3)
        for cases in product((True, False, None), repeat=count)
    }
    assert found == set(VERDICTS)


@given(st.lists(st.sampled_from([True, False, None])), st.booleans(), st.randoms())
def test_the_order_of_cases_does_not_matter(cases, same, random):
    shuffled = random.sample(cases, len(cases))
    assert verdict([shuffled], same=same) == verdict([cases], same=same)
