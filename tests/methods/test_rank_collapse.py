"""Rank collapse: norms by hand and invariances."""

import numpy as np
from random_layers import normal

from attention_mixing.methods.rank_collapse import composite_norm, relative_residual


def test_the_composite_norm_by_hand():
    # Columns sum to 4 and 6 in magnitude, rows to 3 and 7.
    norm = composite_norm(np.array([[[1.0, -2.0], [-3.0, 4.0]]]))
    np.testing.assert_allclose(norm, [np.sqrt(6 * 7)])


def test_the_composite_norm_is_that_of_the_norms_of_numpy():
    matrices = normal(3, 5, 8)
    products = [np.linalg.norm(each, 1) * np.linalg.norm(each, np.inf) for each in matrices]
    np.testing.assert_allclose(composite_norm(matrices), np.sqrt(products))


def test_the_residual_by_hand():
    # The mean is (2, 2); columns and rows of what is left sum to 2, those of the whole to 4.
    np.testing.assert_allclose(relative_residual(np.array([[[3.0, 1.0], [1.0, 3.0]]])), [2 / 4])


def test_equal_tokens_leave_no_residual_and_tokens_of_mean_zero_nothing_else():
    equal = np.tile(normal(8), (5, 1))
    centred = normal(5, 8)
    centred -= centred.mean(axis=0)
    np.testing.assert_allclose(relative_residual(np.stack([equal, centred])), [0, 1], atol=1e-15)


def test_rank_one_is_not_enough_if_tokens_differ_in_length():
    assert relative_residual(np.outer([1.0, 2.0], normal(8))[None]) > 0.1


def test_what_is_zero_everywhere_has_no_share():
    assert np.isnan(relative_residual(np.zeros((1, 3, 4))))


def test_size_and_order_of_tokens_and_coordinates_do_not_matter():
    features = normal(2, 6, 4)
    share = relative_residual(features)
    np.testing.assert_allclose(relative_residual(-3 * features), share)
    np.testing.assert_allclose(relative_residual(features[:, ::-1, ::-1]), share)
