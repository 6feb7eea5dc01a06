"""Packed arrays are as exact as they are printed, small, and whole."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as some
from hypothesis.extra import numpy as arrays

from analysis.parameters.derived import may_show
from analysis.parameters.sections import Explorer
from attention_mixing.explorer import script
from attention_mixing.explorer.packed import (
    FIRST_CHARACTER,
    deflated,
    in_characters,
    pack_numbers,
    pack_shades,
    pack_shares,
    pooled,
    predicted_bytes,
)
from explorer.unpacking import opened, unpacked

WEIGHTS = arrays.arrays(np.float32, (3, 7), elements=some.floats(0, 1, width=32))


@given(WEIGHTS)
def test_shares_are_exact_to_what_is_printed(values):
    assert np.abs(unpacked(pack_shares(values)) - values).max() <= 0.5 / 60_000 + 1e-7


@given(arrays.arrays(np.float32, (4, 5), elements=some.floats(-1e4, 1e4, width=32)))
@example(np.full((4, 5), np.finfo(np.float32).smallest_subnormal))
def test_numbers_keep_their_sign_and_size(values):
    exact = values.astype(np.float64)  # a 29,000th of the smallest float is 0 in single precision
    largest = np.abs(exact).max() or 1
    np.testing.assert_allclose(unpacked(pack_numbers(values)), exact, atol=largest / 29_000, rtol=0)


def test_what_is_not_a_number_stays_so():
    values = np.array([[0.25, np.nan, 1.0]])
    for pack in (pack_shares, pack_numbers):
        np.testing.assert_array_equal(np.isnan(unpacked(pack(values))), np.isnan(values))


def test_a_head_of_a_long_text_is_a_small_file():
    """The worst there is: no two weights alike; 512 tokens, one state."""
    rows = np.random.default_rng(0).dirichlet(np.ones(512), 512)
    assert len(script("head", pack_shares(rows))) < 400_000
    assert np.abs(unpacked(pack_shares(rows)) - rows).max() <= 0.5 / 10_000


def test_thumbnails_keep_the_largest_weight_and_what_is_small_is_not_pooled():
    maps = np.random.default_rng(0).random((2, 3, 70, 50))
    small = pooled(maps, 32)
    assert small.shape == (2, 3, 32, 32)
    np.testing.assert_array_equal(small.max(axis=(-2, -1)), maps.max(axis=(-2, -1)))
    np.testing.assert_array_equal(pooled(maps[..., :9, :9], 32), maps[..., :9, :9])
    whole = pack_shades(np.random.default_rng(0).random((12, 12, 32, 32)))
    assert len(script("all", whole)) < 250_000


@given(some.binary(max_size=40))
def test_characters_hold_all_bytes_and_break_no_script(data):
    count, characters = in_characters(data).split(" ")
    number = 0
    for character in characters:
        number = number << 15 | ord(character) - FIRST_CHARACTER
    beyond = 15 * len(characters) - 8 * len(data)
    assert 0 <= beyond < 15
    assert int(count) == len(data)
    assert (number >> beyond).to_bytes(len(data), "big") == data
    assert all(0x3400 <= ord(character) < 0xD800 for character in characters)


@given(arrays.arrays(np.float32, (2, 3), elements=some.floats(0, 1, width=32)), some.text())
def test_a_file_is_what_it_was_written_from(values, text):
    content = {"text": text, "first": pack_shares(values), "others": [pack_numbers(values)]}
    found = opened(deflated(content))
    assert found["text"] == text
    np.testing.assert_array_equal(unpacked(found["first"]), unpacked(content["first"]))
    np.testing.assert_array_equal(unpacked(found["others"][0]), unpacked(content["others"][0]))


@pytest.mark.parametrize(
    ("licence", "texts", "shown"),
    [
        ("MIT, as the code that generates the texts", "licensed", True),
        ("cc-by-sa-4.0", "licensed", True),
        ("cc-by-nc-4.0", "licensed", False),
        ("for non-commercial use only", "licensed", False),
        ("other", "licensed", False),
        (None, "licensed", False),
        (None, "all", True),
        ("mit", "none", False),
    ],
)
def test_texts_without_a_licence_are_shown_only_where_parameters_say_so(licence, texts, shown):
    assert may_show(Explorer(texts=texts), licence) == shown


@pytest.mark.parametrize(
    ("licence", "texts", "shown"),
    [(None, "licensed", True), ("cc-by-nc-4.0", "licensed", False), (None, "none", False)],
)
def test_texts_of_one_s_own_need_no_licence_as_long_as_they_stay_here(licence, texts, shown):
    assert may_show(Explorer(texts=texts), licence, stays_here=True) == shown


def test_the_size_of_heads_is_predicted():
    """As trained models have them: every weight its own, most of them small."""
    rng = np.random.default_rng(0)
    tokens, dimension = 64, 32
    attention = rng.dirichlet(np.full(tokens, 0.1), size=tokens)
    vectors = rng.normal(size=(2, tokens, dimension))
    packed = [pack_shares(attention), pack_numbers(vectors[0]), pack_numbers(vectors[1])]
    size = len(script("head", packed))
    assert size == pytest.approx(predicted_bytes(1, tokens, dimension), rel=0.1)
