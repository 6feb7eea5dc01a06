"""Names beside points cover neither each other nor the points, and stay in the frame."""

from itertools import combinations

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.collections import LineCollection

from analysis.figures.planes import name_points
from analysis.figures.style import figure_style


def overlap(one, other) -> float:
    width = min(one.x1, other.x1) - max(one.x0, other.x0)
    height = min(one.y1, other.y1) - max(one.y0, other.y0)
    return max(width, 0) * max(height, 0)


@pytest.mark.parametrize("seed", range(2))
def test_names_of_a_sentence_do_not_cover_each_other_and_stay_in_the_frame(seed):
    places = np.random.default_rng(seed).uniform(size=(24, 2))
    with figure_style():
        _, axis = plt.subplots(figsize=(3.6, 3))
        axis.plot(*places.T, "o")
        name_points(axis, ["sleeping", "[CLS]", "."] * 8, places, ["black"] * 24)
    names = [text.get_window_extent() for text in axis.texts]
    frame = axis.get_window_extent()
    assert len(names) == 24
    assert sum(overlap(*two) for two in combinations(names, 2)) == 0
    assert all(overlap(name, frame) == pytest.approx(name.width * name.height) for name in names)


def test_a_point_without_a_name_is_kept_free():
    with figure_style():
        _, axis = plt.subplots()
        axis.set(xlim=(0, 1), ylim=(0, 1))
        name_points(axis, ["a name", ""], [(0.5, 0.5), (0.53, 0.5)], ["black"] * 2)
    (name,) = axis.texts
    extent = name.get_window_extent()
    x, y = axis.transData.transform((0.53, 0.5))
    assert not (extent.x0 <= x <= extent.x1 and extent.y0 <= y <= extent.y1)


def test_a_line_is_kept_free():
    with figure_style():
        _, axis = plt.subplots(figsize=(3, 3))
        axis.set(xlim=(0, 1), ylim=(0, 1))
        axis.add_collection(LineCollection([[(0.2, 0.5), (0.9, 0.5)]]))
        name_points(axis, ["a name"], [(0.2, 0.5)], ["black"])
    extent = axis.texts[0].get_window_extent()
    (x, y), (end, _) = axis.transData.transform([(0.2, 0.5), (0.9, 0.5)])
    assert extent.x1 < x or extent.x0 > end or not extent.y0 <= y <= extent.y1
