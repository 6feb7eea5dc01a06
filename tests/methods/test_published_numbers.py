"""Arithmetic of printed numbers."""

from analysis.methods.projection import INPUT_POINTS, POINT_SETS
from analysis.methods.published_numbers import feature_points, product, total, weighted_mean


def test_a_weighted_mean_counts_members_not_groups():
    assert weighted_mean([1, 4], [2, 1]) == 2


def test_totals_and_products():
    assert total([0.1] * 10) == 1
    assert product([131_944, 144]) == 18_999_936


def test_feature_points_are_those_that_maps_are_drawn_of():
    for points, count in (("seed38", 38), ("all62", 62)):
        assert feature_points(len(INPUT_POINTS), len(POINT_SETS[points]), 12) == count
