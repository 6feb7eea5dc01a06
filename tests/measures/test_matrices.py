"""Matrices whose measures are known."""

from types import SimpleNamespace

import numpy as np
import pytest

from attention_mixing.attributions.of_prediction import of_rows
from attention_mixing.attributions.through import Graph, multiplied, rolled_out
from attention_mixing.measures.matrices import matrix_quantities, of_matrices
from attention_mixing.methods.rollout import attention_rollout, with_residual

MEASURES = ("mixing", "entropy", "cls_entropy", "special_share", "row_distance", "own_source")


def measured(matrices, special, sources=None, seen=None, read=0) -> dict[str, np.ndarray]:
    text = SimpleNamespace(special=special, read=read)
    found = list(of_matrices(matrices, text, subject="rollout", seen=seen, sources=sources))
    assert {(one.subject, one.facet, one.layer) for one in found} == {("rollout", "", None)}
    return {one.quantity: one.value for one in found}


def of(matrix, special=None) -> dict[str, float]:
    matrix = np.asarray(matrix, dtype=float)
    if special is None:
        special = np.arange(len(matrix)) % (len(matrix) - 1) == 0  # both ends
    return {name: value.item() for name, value in measured(matrix[None], special).items()}


N = 5
ITSELF, UNIFORM = np.eye(N), np.full((N, N), 1 / N)
THE_FIRST = np.eye(N)[[0] * N]


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        # mixing, entropy, entropy of the first, share of both ends, distance of rows, own source
        (ITSELF, (0, 0, 0, 2 / N, 1 - 1 / N, 1)),
        (UNIFORM, (1 - 1 / N, 1, 1, 2 / N, 0, 1 / N)),
        (THE_FIRST, (1 - 1 / N, 0, 0, 1, 0, 1 / N)),
    ],
)
def test_tokens_that_look_at_themselves_at_all_or_at_the_first(matrix, expected):
    measured = of(matrix)
    for measure, value in zip(MEASURES, expected, strict=True):
        assert measured[measure] == pytest.approx(value, abs=1e-12), measure


def test_measures_are_of_every_layer_and_bounded():
    generator = np.random.default_rng(0)
    layers = with_residual(generator.dirichlet(np.ones(6), size=(4, 6)), 0.3)
    matrices = attention_rollout(layers)
    found = measured(matrices, np.array([True, *[False] * 4, True]))
    assert tuple(found) == MEASURES
    for values in found.values():
        assert values.shape == (4,)
        assert ((0 <= values) & (values <= 1)).all()


def test_what_every_text_may_have_alike_is_declared_to_saturate():
    """Tokens that keep more than half are their own largest source, however matrices differ."""
    kept = with_residual(np.random.default_rng(0).dirichlet(np.ones(5), size=(20, 5)), 0.6)
    found = measured(kept, np.array([True, *[False] * 3, True]))
    alike = {name for name, values in found.items() if np.ptp(values) == 0}
    declared = matrix_quantities(("rollout",))
    assert alike == {one.quantity for one in declared if one.saturates} == {"own_source"}
    assert {one.quantity for one in declared} == {*MEASURES}


def test_some_rows_are_measured_as_they_are_among_all():
    """Where every row is alike but for its own token, some of them have the mean of all."""
    matrix = np.full((5, 5), 0.1) + 0.5 * np.eye(5)
    sources = np.array([0, 2, 4])
    special = np.array([True, False, False, False, True])
    some = measured(matrix[None, sources], special, sources)
    every = measured(matrix[None], special)
    for measure in ("mixing", "entropy", "cls_entropy", "own_source"):
        assert some[measure] == pytest.approx(every[measure])
    # Both special rows are among the three.
    assert some["special_share"] == pytest.approx((2 * 0.7 + 0.2) / 3)


def test_a_text_of_one_token_is_all_its_own():
    row = of([[1.0]], np.array([False]))
    assert row["mixing"] == row["entropy"] == row["cls_entropy"] == row["row_distance"] == 0
    assert row["own_source"] == 1


def test_tokens_are_scored_by_the_first_row_or_the_largest_of_all():
    matrices = np.random.default_rng(0).dirichlet(np.ones(4), size=(3, 4))
    cls, largest = of_rows("raw", matrices, read=0)
    assert (cls.method, cls.rows, largest.method, largest.rows) == ("raw", "cls", "raw", "max")
    np.testing.assert_array_equal(cls.scores, matrices[:, 0].astype(np.float32))
    np.testing.assert_array_equal(largest.scores, matrices.max(axis=1).astype(np.float32))
    assert cls.scores.dtype == largest.scores.dtype == np.float32
    last, _ = of_rows("raw", matrices, read=-1)
    np.testing.assert_array_equal(last.scores, matrices[:, -1].astype(np.float32))


def test_entropies_are_held_against_what_a_row_can_see():
    """Uniform attention of a decoder is as even as it can be; its first row has no choice."""
    visible = np.tril(np.ones((1, 5, 5), bool))
    uniform = visible / visible.sum(axis=-1, keepdims=True)
    found = measured(uniform, np.zeros(5, bool), seen=visible, read=-1)
    assert found["entropy"] == pytest.approx(1)
    assert found["cls_entropy"] == pytest.approx(1)
    # Held against all keys, the same rows would seem to prefer some.
    assert measured(uniform, np.zeros(5, bool), read=-1)["entropy"] < 0.7
    some = measured(uniform[:, [0, 2, 4]], np.zeros(5, bool), np.array([0, 2, 4]), visible, -1)
    assert some["entropy"] == pytest.approx(1)


def test_a_layer_that_is_left_out_may_have_tokens_without_shares():
    layers = with_residual(np.random.default_rng(0).dirichlet(np.ones(4), size=(3, 4)), 0.3)
    expected = attention_rollout(layers, start_layer=1)
    layers[0, 2] = np.nan
    later = Graph(layers[1:], np.arange(2), slice(None), below=1)
    np.testing.assert_array_equal(rolled_out(later), expected)
    assert np.isnan(multiplied(layers)).all()


def test_nothing_is_measured_of_a_layer_in_which_a_token_has_no_shares():
    layers = with_residual(np.random.default_rng(0).dirichlet(np.ones(4), size=(3, 4)), 0.3)
    whole = measured(multiplied(layers), np.zeros(4, bool))
    layers[1, 2] = np.nan
    found = measured(multiplied(layers), np.zeros(4, bool))
    for measure, values in found.items():
        assert values[0] == whole[measure][0]
        assert np.isnan(values[1:]).all()
