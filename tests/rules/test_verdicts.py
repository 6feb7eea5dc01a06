"""Outcomes: what an interval settles, what it leaves open, and with how many texts it would not."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.rules.rule import Predicate
from analysis.rules.verdicts import (
    FEWEST,
    OUTCOMES,
    POWER,
    Decision,
    Range,
    Reading,
    case_outcome,
    contains,
    correct,
    decide,
    together,
)

ABOVE, BELOW = Range(0.5, math.inf), Range(-math.inf, 0.5)
BETWEEN, OUTSIDE = Range(0.2, 0.5), Range(0.4, 0.6, inside=False)


def decided(reading, allowed):
    return decide(reading, allowed, 0.95)


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
        (OUTSIDE, 0.7, 0.8, True),
        (OUTSIDE, 0.1, 0.3, True),
        (OUTSIDE, 0.3, 0.7, None),
        (OUTSIDE, 0.45, 0.55, False),
    ],
)
def test_the_whole_interval_decides(allowed, low, high, expected):
    middle = (low + high) / 2
    assert decided(Reading(middle, low, high, FEWEST), allowed).holds is expected
    assert contains(allowed, low, high) is expected


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    ("low", "high", "holds", "smaller"),
    [
        (0.3, 0.4, True, False),
        (0.05, 0.15, False, True),
        (-0.05, 0.15, False, False),  # it may be none
        (-0.4, -0.3, False, False),  # reversed
        (0.1, 0.3, None, False),
    ],
)
def test_an_effect_of_the_same_sign_may_be_too_small(sign, low, high, holds, smaller):
    """At least a quarter of an effect of .8; the same with both signs turned."""
    asked = Predicate.model_validate({"effect": 0.8 * sign}).allowed
    ends = sorted((sign * low, sign * high))
    found = decided(Reading(sign * (low + high) / 2, *ends, 1000), asked)
    assert (found.holds, found.smaller) == (holds, smaller)


def test_a_bound_that_is_no_part_of_an_effect_has_no_sign():
    asked = Predicate.model_validate({"above": 0.5, "effect": 0.9}).allowed
    assert not decided(Reading(0.2, 0.1, 0.3, 1000), asked).smaller


def test_a_case_that_does_not_hold_may_have_the_sign():
    assert case_outcome(False, smaller=True) == "smaller"
    assert case_outcome(False) == "fails"
    for holds, expected in ((True, "holds"), (None, "open")):
        assert case_outcome(holds, smaller=True) == case_outcome(holds) == expected


def test_what_is_of_too_few_texts_is_open():
    few = decided(Reading(0.6, 0.6, 0.6, FEWEST - 1), ABOVE)
    assert (few.holds, few.needed) == (None, FEWEST)


def test_an_effect_below_the_resolution_leaves_it_open_with_the_texts_it_takes():
    blunt = decided(Reading(0.0, sample=20, at_least=84), BELOW)
    assert (blunt.holds, blunt.needed) == (None, 84)


@pytest.mark.parametrize("size", [1, -1, 1e6, -1e6])
def test_without_an_interval_the_value_decides_and_rounding_breaks_no_equality(size):
    bound, rounded = 0.3 * size, (0.1 + 0.2) * size
    assert bound != rounded
    assert decided(Reading(rounded), Range(bound, bound)).holds is True
    assert decided(Reading(bound), Range(rounded, rounded)).holds is True
    assert decided(Reading(bound * (1 + 1e-9)), Range(bound, bound)).holds is False
    assert decided(Reading(bound * (1 - 1e-9)), Range(bound, bound)).holds is False


def test_what_could_not_have_been_seen_does_not_fail():
    """An interval of half width .2 below a bound of .5: seen if the effect is 2, not at .6."""
    reading = Reading(0.2, 0.0, 0.4, 20)
    strong = decided(reading, ABOVE._replace(effect=2.0))
    assert strong.holds is False
    assert strong.power > POWER
    weak = decided(reading, ABOVE._replace(effect=0.6))
    assert weak.holds is None
    assert weak.power < POWER
    # The interval must become (1.96 + 0.84) / 1.96 times narrower than the effect is far.
    assert weak.needed == math.ceil(20 * (0.2 / 0.1 * (1.959964 + 0.841621) / 1.959964) ** 2)
    # What was seen was seen, whatever the power.
    assert decided(Reading(0.9, 0.7, 1.1, 20), ABOVE._replace(effect=0.6)).holds is True


def test_where_the_power_sufficed_the_measured_value_tells_the_texts():
    allowed = ABOVE._replace(effect=2.0)
    near, far = (
        decided(Reading(value, value - 0.2, value + 0.2, 20), allowed) for value in (0.55, 0.65)
    )
    assert near.holds is far.holds is None
    assert near.needed == pytest.approx(9 * far.needed, rel=0.01)


@given(st.floats(-1, 1), st.floats(0, 1), st.floats(-1, 1))
def test_above_and_below_never_both_hold(middle, width, bound):
    reading = Reading(middle, middle - width, middle + width, 9)
    above = decided(reading, Range(bound, math.inf)).holds
    below = decided(reading, Range(-math.inf, bound)).holds
    assert not (above and below)
    assert (above is None) == (below is None) or bound in (reading.low, reading.high)


@given(st.floats(0.01, 1), st.floats(0.01, 1), st.floats(-1, 1))
def test_p_is_below_one_minus_the_confidence_exactly_where_the_interval_decides(
    below, above, value
):
    found = decided(Reading(value, value - below, value + above, 9), ABOVE)
    assert (found.p < 0.05) == (found.holds is not None) or found.p == pytest.approx(0.05)


# --- families -------------------------------------------------------------------------------------


def test_one_case_among_many_has_to_stand_out():
    chance = [Decision(None, p=0.05 + 0.95 * n / 99) for n in range(99)]
    assert correct([Decision(True, p=0.04), *chance], 0.95)[0].holds is None
    assert correct([Decision(True, p=0.0001), *chance], 0.95)[0].holds is True
    assert correct([Decision(True, p=0.04)], 0.95)[0].holds is True


def test_exact_values_belong_to_no_family():
    exact = [Decision(False), Decision(True)]
    assert correct([*exact, Decision(None, p=0.9)], 0.95)[:2] == exact
    assert correct(exact, 0.95) == exact


@given(st.lists(st.tuples(st.sampled_from([True, False, None]), st.floats(0, 1)), max_size=20))
def test_a_correction_only_opens(cases):
    before = [Decision(holds, p) for holds, p in cases]
    for old, new in zip(before, correct(before, 0.95), strict=True):
        assert new.holds in (old.holds, None)
        assert new.p == old.p


# --- outcomes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        (["holds"], "holds"),
        (["holds", "open", "holds"], "holds"),
        (["holds", "fails"], "partly"),
        (["open", "holds", "fails"], "partly"),
        (["open", "open", "holds", "fails"], "open"),
        (["holds", "open"], "open"),
        (["fails", "fails", "open"], "fails"),
        (["smaller", "smaller", "open"], "smaller"),
        (["smaller", "fails"], "fails"),
        (["smaller", "holds"], "partly"),
        (["partly", "partly"], "partly"),
        (["partly", "fails"], "partly"),
        (["partly", "holds"], "partly"),
        (["open"], "open"),
        (["not_tested", "holds"], "holds"),
        (["not_tested"], "not_tested"),
        ([], "not_tested"),
    ],
)
def test_what_is_decided_makes_the_outcome_unless_half_is_open(outcomes, expected):
    assert together(outcomes) == expected
    # Models are divided where it holds in some of them and is not there in others.
    if {"holds", "fails"} <= set(outcomes) and expected != "open":
        expected = "divided"
    # A margin that cuts between effects of one sign divides nobody.
    if set(outcomes) == {"holds", "smaller"}:
        expected = "smaller"
    assert together(outcomes, models=True) == expected


@given(st.lists(st.sampled_from(OUTCOMES)), st.randoms())
def test_the_order_does_not_matter(outcomes, random):
    assert together(random.sample(outcomes, len(outcomes))) == together(outcomes)


@given(st.lists(st.sampled_from(OUTCOMES), min_size=1), st.integers(2, 4))
def test_telling_all_of_it_again_changes_nothing(outcomes, times):
    """What counts is the share, so that more texts of the same models weigh no more."""
    assert together(outcomes * times) == together(outcomes)
