"""Massive activations: the two conditions, planted coordinates, and what does not matter."""

import numpy as np
import pytest
from random_layers import normal

from attention_mixing.methods.massive_activations import massive, over_median, token_of_largest


def planted(value, scale=0.1):
    features = np.tanh(normal(3, 6, 40, seed=1)) * scale
    features[1, 4, 7] = value
    return features


@pytest.mark.parametrize("sign", [1, -1])
def test_a_planted_activation_is_found_where_it_is(sign):
    features = planted(sign * 150.0)
    assert np.argwhere(massive(features)).tolist() == [[1, 4, 7]]
    assert token_of_largest(features)[1] == 4


def test_both_conditions_are_needed():
    assert not massive(planted(99.0)).any()  # about 1,700 times the median, but not above 100
    assert not massive(planted(150.0, scale=1)).any()  # above 100, but about 260 times the median


def test_the_median_is_that_of_the_whole_layer_by_hand():
    features = np.array([[[1.0, -2.0, 3.0], [-4.0, 5.0, 600.0]]])
    np.testing.assert_allclose(over_median(features)[0, 1], [4 / 3.5, 5 / 3.5, 600 / 3.5])


def test_layers_are_judged_one_by_one():
    features = planted(150.0)
    one_by_one = np.concatenate([over_median(layer[None]) for layer in features])
    np.testing.assert_array_equal(over_median(features), one_by_one)


def test_order_of_tokens_and_coordinates_does_not_matter_and_size_only_for_the_first_condition():
    features = planted(150.0)
    mirrored = features[:, ::-1, ::-1]
    np.testing.assert_array_equal(massive(mirrored), massive(features)[:, ::-1, ::-1])
    np.testing.assert_array_equal(token_of_largest(mirrored), 5 - token_of_largest(features))
    np.testing.assert_allclose(over_median(-7 * features), over_median(features))


def test_a_layer_of_zeros_has_no_massive_activation():
    assert not massive(np.zeros((1, 2, 3))).any()
