"""What is refused is named by its place."""

import numpy as np
import pytest

from attention_mixing.methods.arrays import defined_mean, not_negative


def test_the_first_negative_entry_is_named():
    with pytest.raises(ValueError, match=r"^weights\[0, 1\] is -1\.0; "):
        not_negative("weights", np.array([[1.0, -1.0], [-2.0, 0.0]]))


def test_what_is_undefined_counts_for_nothing():
    values = np.array([[1.0, np.nan, 3.0], [np.nan, np.nan, np.nan]])
    np.testing.assert_array_equal(defined_mean(values), [2.0, np.nan])
    np.testing.assert_array_equal(defined_mean(values, axis=0), [1.0, np.nan, 3.0])
