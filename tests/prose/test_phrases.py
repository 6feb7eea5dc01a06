"""Parts of sentences read as their language writes them."""

import math

import pytest

from analysis.chapters.anatomy.figures import scientific
from analysis.prose.messages import words
from analysis.prose.phrases import counted, counted_span, listed, spread, written

ENGLISH, JAPANESE = words("en"), words("ja")
THINGS = sorted(name.removeprefix("count_") for name in ENGLISH if name.startswith("count_"))


def test_a_range_is_one_value_where_both_ends_read_the_same():
    for w in (ENGLISH, JAPANESE):
        assert spread(0.199, 0.201, ".0%", w) == "20%"
    assert spread(0.2, 0.4, ".0%", ENGLISH) == "20–40%"
    assert spread(0.2, 0.4, ".0%", JAPANESE) == "20〜40%"
    assert spread(-0.5, -0.25, "+.2f", ENGLISH) == "−0.50 to −0.25"


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0067, "0.7%"), (-0.0067, "\u22120.7%"), (0.0004, "0%"), (0.0, "0%"), (0.014, "1%")],
)
def test_a_share_below_one_per_cent_keeps_a_digit(share, text):
    assert written(share, ".0%") == text


@pytest.mark.parametrize(
    ("names", "english", "japanese"),
    [([], "", ""), (["a"], "a", "a"), (["{a}", "b", "c"], "{a}, b and c", "{a}、b、c")],
)
def test_names_are_joined_as_in_a_sentence(names, english, japanese):
    assert listed(names, ENGLISH) == english
    assert listed(names, JAPANESE) == japanese


def test_everything_that_is_counted_has_one_and_many():
    assert THINGS
    for thing in THINGS:
        one, two = (counted(n, thing, ENGLISH) for n in (1, 2))
        assert one.startswith("one ")
        assert two == f"2 {one.removeprefix('one ')}s"
        assert counted(1200, thing, ENGLISH).startswith("1,200 ")
        assert all(str(n) in counted(n, thing, JAPANESE) for n in (1, 2))


def test_a_range_of_counts_agrees_with_more_than_its_last():
    assert counted_span([1, 1], "text", ENGLISH) == "one text"
    assert counted_span([0, 1], "text", ENGLISH) == "0–1 texts"
    assert counted_span([2, 1200], "text", JAPANESE) == "2〜1,200 件のテキスト"


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [
        (0.0, ".1e", "0"),
        (-0.0, ".0e", "0"),
        (7.8e-7, ".1e", "7.8×10⁻⁷"),
        (-3e-12, ".0e", "−3×10⁻¹²"),
        (2e10, ".1e", "2.0×10¹⁰"),
        (1.2, ".1e", "1.2"),
        (1.5e-15, ".2g", "1.5×10⁻¹⁵"),
        (1.5, ".2g", "1.5"),
        (0.0, ".2g", "0"),
        (math.nan, ".1e", "nan"),
        (-0.5, ".2f", "−0.50"),
    ],
)
def test_a_power_of_ten_is_one_of_something(value, form, text):
    assert written(value, form) == text


def test_a_range_from_zero_has_no_power_at_zero():
    assert spread(0, 3e-9, ".1e", ENGLISH) == "0–3.0×10⁻⁹"
    assert spread(0, 3e-9, ".1e", JAPANESE) == "0〜3.0×10⁻⁹"
    assert spread(0, 0, ".1e", ENGLISH) == "0"


def test_tables_and_captions_write_powers_of_ten_as_the_prose_does():
    assert scientific(7.8e-7) == "7.8×10⁻⁷"
    assert scientific(0) == "0"
