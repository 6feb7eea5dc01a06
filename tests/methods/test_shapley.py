"""What parts do together is shared out without a rest."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_mixing.methods.shapley import shapley


@given(st.integers(1, 5), st.integers(0, 1000))
def test_parts_sum_to_the_whole_change(parts, seed):
    values = np.random.default_rng(seed).normal(size=(2**parts, 3, 2))
    shares = shapley(values)
    assert shares.shape == (parts, 3, 2)
    np.testing.assert_allclose(shares.sum(axis=0), values[-1] - values[0], rtol=0, atol=1e-12)


def test_parts_that_do_not_touch_each_other_have_what_they_do_alone():
    alone = np.array([0.5, -1.0, 2.0])
    bits = np.arange(8)[:, None] >> np.arange(3) & 1
    np.testing.assert_allclose(shapley(bits @ alone), alone)


def test_it_is_the_mean_over_all_orders():
    values = np.random.default_rng(1).normal(size=8)
    orders = [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
    expected = np.zeros(3)
    for order in orders:
        made = 0
        for part in order:
            expected[part] += (values[made | 1 << part] - values[made]) / len(orders)
            made |= 1 << part
    np.testing.assert_allclose(shapley(values), expected)


@pytest.mark.parametrize("count", [1, 3])
def test_what_is_no_set_of_all_subsets_is_refused(count):
    with pytest.raises(ValueError, match=f"there are {count} values"):
        shapley(np.zeros(count))
