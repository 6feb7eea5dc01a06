"""Measures of change against scipy, cases solved by hand, and what must not matter."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from random_layers import stochastic
from scipy.spatial import distance

from attention_mixing.methods.change import cosine_distance, jensen_shannon, relative_change

NUMBERS = st.floats(-10, 10).map(lambda x: 0.0 if abs(x) < 1e-3 else x)


# --- divergence -----------------------------------------------------------------------------------


def test_divergence_is_the_square_of_the_distance_of_scipy():
    """Which divides rows by their sums as well."""
    p, q = 3 * stochastic((3, 4, 20)), stochastic((3, 4, 20), seed=1)
    expected = distance.jensenshannon(p, q, base=2, axis=-1) ** 2
    divergence = jensen_shannon(p, q)
    assert divergence.shape == (3, 4)
    np.testing.assert_allclose(divergence, expected, rtol=1e-12)


def test_divergence_is_symmetric_and_between_0_and_1():
    p, q = (stochastic((500, 5), seed, concentration=0.05).round(2) for seed in (0, 1))
    divergence = jensen_shannon(p, q)
    assert divergence.min() >= 0
    assert divergence.max() == 1  # no key has weight in both
    np.testing.assert_array_equal(divergence, jensen_shannon(q, p))
    np.testing.assert_array_equal(jensen_shannon(p, p), 0)
    assert jensen_shannon(p, 0.7 * p).min() >= 0  # whatever rounding leaves


# --- relative change ------------------------------------------------------------------------------


def test_relative_change_by_hand():
    # 3-4-5 before; a step of length 10, all in one row, is twice as much. A zero matrix has none.
    before = np.stack([np.diag([3.0, 4.0]), np.eye(2), np.zeros((2, 2))])
    after = np.stack([[[9.0, 8.0], [0.0, 4.0]], np.eye(2), np.eye(2)])
    np.testing.assert_allclose(relative_change(before, after), [2, 0, np.nan])


# --- cosine distance ------------------------------------------------------------------------------


def test_cosine_distance_by_hand():
    before = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 0.0]])
    after = np.array([[2.0, 0.0], [0.0, 3.0], [-1.0, 0.0], [1.0, 1.0], [1.0, 0.0]])
    np.testing.assert_allclose(
        cosine_distance(before, after), [0, 1, 2, 1 - 0.5**0.5, np.nan], atol=1e-15
    )


@given(arrays(float, (3, 4), elements=NUMBERS))
def test_nothing_changed_is_exactly_0(vectors):
    distances = cosine_distance(vectors, vectors)
    zero = ~vectors.any(axis=-1)
    assert (distances[~zero] == 0).all()
    assert np.isnan(distances[zero]).all()


def test_a_small_angle_keeps_its_digits():
    angle = 1e-9  # its cosine is 1 in float64
    turned = np.array([[np.cos(angle), np.sin(angle)]])
    assert cosine_distance(np.array([[1.0, 0.0]]), turned) == pytest.approx(angle**2 / 2, rel=1e-6)


# --- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "value", "message"),
    [
        (jensen_shannon, np.nan, "must be finite"),
        (jensen_shannon, -0.5, "must not be negative"),
        (relative_change, np.inf, "must be finite"),
        (cosine_distance, np.nan, "must be finite"),
    ],
)
def test_bad_input_is_told(function, value, message):
    bad = np.array([[0.5, 0.5], [1.0, value]])
    for pair in ((bad, np.ones((2, 2))), (np.ones((2, 2)), bad)):
        with pytest.raises(ValueError, match=message):
            function(*pair)


def test_a_row_without_weight_is_told():
    with pytest.raises(ValueError, match="are all 0; at least one must be positive"):
        jensen_shannon(np.eye(2), np.array([[1.0, 0.0], [0.0, 0.0]]))
