"""What two tokens do together is what programs say, and shares the variance out as by hand."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from attention_mixing.circuits import OF_PAIRS, circuit, draw_text, every_output, pair_truth, truths
from attention_mixing.circuits.by_hand import NORMS
from attention_mixing.circuits.pairs import together_by_program
from attention_mixing.circuits.truth import depends_by_program
from attention_mixing.errors import InputError
from attention_mixing.methods.dependence import kept_among_neighbours

EVERY = [(name, norm) for name in OF_PAIRS for norm in NORMS]
# Of the fifth symbol, the two tokens before it are the fourth and the third.
QUERY, ONE, OTHER = 5, 4, 3


@pytest.fixture
def texts():
    generator = np.random.default_rng(0)
    return [draw_text(generator) for _ in range(2)]


@pytest.mark.parametrize("norm_gains", [False, True])
@pytest.mark.parametrize(("name", "norm"), EVERY)
def test_one_at_a_time_circuits_of_pairs_do_what_their_programs_say(name, norm, norm_gains, texts):
    written = circuit(name, norm=norm, norm_gains=norm_gains)
    for text in texts:
        seen = truths(written, text)
        said = depends_by_program(written.circuit, text)
        for truth, depends in zip((*seen.layers, seen.model), said, strict=True):
            np.testing.assert_array_equal(truth.depends, depends)


@pytest.mark.parametrize(("name", "norm"), [*EVERY, ("lookup", "post"), ("two_hops", "pre")])
def test_two_at_a_time_circuits_do_what_their_programs_say(name, norm, texts):
    written = circuit(name, norm=norm)
    outputs = every_output(written)
    for text in texts:
        true = pair_truth(outputs, text)
        np.testing.assert_array_equal(true.together, together_by_program(written.circuit, text))
        alone = np.diagonal(true.together, axis1=1, axis2=2)
        np.testing.assert_array_equal(alone, truths(written, text).model.depends)


def with_digits(one: int, other: int) -> list[str]:
    return ["a0", "a0", f"b{other}", f"a{one}", "b0", "a0"]


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", OF_PAIRS)
def test_redundancy_is_seen_by_two_replacements_and_by_none(name, norm):
    outputs = every_output(circuit(name, norm=norm))
    hidden = {"and": (0, 0), "or": (1, 1), "redundant": (1, 1)}[name]
    for digits in product((0, 1), repeat=2):
        true = pair_truth(outputs, with_digits(*digits))
        assert true.only_together[QUERY, ONE, OTHER] == (digits == hidden)
        assert true.together[QUERY, ONE, OTHER]


@pytest.mark.parametrize("digits", product((0, 1), repeat=2))
def test_the_variance_of_an_and_is_shared_out_as_by_hand(digits):
    """With 1 of probability p and q, xy has variances q²p(1-p), p²q(1-q), p(1-p)q(1-q)."""
    true = pair_truth(every_output(circuit("and")), with_digits(*digits))
    kept = kept_among_neighbours(6, 3)
    # Of three other symbols, one has the same digit and two have not.
    p, q = (kept + (1 - kept) / 3 if digit else 2 / 3 * (1 - kept) for digit in digits)
    expected = np.array([q * q * p * (1 - p), p * p * q * (1 - q), p * (1 - p) * q * (1 - q)])
    found = np.array(
        [true.alone[QUERY, ONE], true.alone[QUERY, OTHER], true.pair[QUERY, ONE, OTHER]]
    )
    np.testing.assert_allclose(found / found.sum(), expected / expected.sum(), rtol=1e-9)


def test_variances_are_those_of_every_text_counted_out():
    """Against sums over texts of two symbols, of an output that nobody has chosen."""
    outputs = np.random.default_rng(3).standard_normal((4, 4, 3, 2))
    true = pair_truth(outputs, ["a1", "b0"])
    kept = kept_among_neighbours(2, 3)
    first, second = (np.full(4, (1 - kept) / 3) for _ in range(2))
    first[1] = second[2] = kept
    chance = first[:, None] * second
    for query in range(3):
        values = outputs[:, :, query]
        mean = np.einsum("ab,abc->c", chance, values)
        whole = np.einsum("ab,abc->", chance, (values - mean) ** 2)
        by_first = np.einsum("a,ac->", first, (np.einsum("b,abc->ac", second, values) - mean) ** 2)
        by_second = np.einsum("b,bc->", second, (np.einsum("a,abc->bc", first, values) - mean) ** 2)
        np.testing.assert_allclose(true.alone[query], np.array([0, by_first, by_second]) / whole)
        rest = 1 - (by_first + by_second) / whole
        assert true.pair[query, 1, 2] == true.pair[query, 2, 1] == pytest.approx(rest)
        np.testing.assert_allclose(true.total[query], true.alone[query] + [0, rest, rest])


def test_what_adds_up_is_done_by_each_alone(texts):
    true = pair_truth(every_output(circuit("previous")), texts[0])
    np.testing.assert_allclose(true.pair[1:], 0, atol=1e-12)
    np.testing.assert_allclose(true.alone[1:], true.total[1:], atol=1e-12)
    # The first symbol has none before it but itself.
    assert np.isnan(true.orders()[1]).all()
    np.testing.assert_allclose(true.orders()[2:], [[1, 0, 0]] * 5, atol=1e-9)


def test_texts_are_no_longer_than_those_of_circuits():
    with pytest.raises(InputError, match="1 to 6"):
        every_output(circuit("and"), symbols=7)
