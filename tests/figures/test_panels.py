"""Grids of maps and of planes: what has no value is hatched, lines join their points."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.collections import LineCollection

from analysis.figures.maps import map_grid, square
from analysis.figures.planes import Plane, draw_cells, plane_grid
from analysis.figures.style import figure_style
from analysis.prose.messages import words

W = words("en", "geometry")


def heads(layers: int, count: int) -> pd.DataFrame:
    rows, columns = (range(1, number + 1) for number in (layers, count))
    table = pd.DataFrame(np.zeros((layers, count)), rows, columns)
    return table.rename_axis(index="layer", columns="head")


def test_what_has_no_value_is_hatched():
    values = np.array([[0.0, np.nan], [0.5, 1.0]])
    figure = map_grid({"masked": square(values, ["a", "b"]), "zero": heads(2, 2)}, W)
    masked, zero = figure.axes[:2]
    assert masked.patch.get_hatch()
    assert not zero.patch.get_hatch()


def test_a_label_beside_a_low_map_is_broken_and_reaches_no_other():
    def named(columns: int) -> pd.DataFrame:
        table = pd.DataFrame(np.zeros((3, columns)))
        return table.rename_axis(index="told_word", columns="source_word")

    words_of = words("en", "propagation")
    low = map_grid({"a": named(30), "b": named(30), "c": named(30)}, words_of, across=1)
    low.draw_without_rendering()
    labels = [axis.yaxis.label for axis in low.axes[:3]]
    assert all("\n" in label.get_text() for label in labels)
    extents = [label.get_window_extent() for label in labels]
    assert not any(one.overlaps(other) for one, other in pairwise(extents))
    high = map_grid({"a": named(3)}, words_of)
    assert "\n" not in high.axes[0].get_ylabel()


def plane(*places: tuple[float, float], **more) -> Plane:
    points = pd.DataFrame(places, columns=["x", "y"])
    return Plane(points, pd.Series(["#111111"] * len(points)), **more)


LINE = pd.DataFrame({"start": [0], "end": [1], "weight": [0.5], "emphasised": [False]})


def lines(axis) -> np.ndarray:
    (found,) = (one for one in axis.collections if type(one) is LineCollection and one.zorder < 1)
    return np.array(found.get_segments())


def test_a_line_joins_its_points_at_one_scale():
    figure = plane_grid({"a": plane((0, 0), (4, 1), (2, 8), lines=LINE)}, across=1, size=5)
    axis = figure.axes[0]
    np.testing.assert_array_equal(lines(axis), [[[0, 0], [4, 1]]])
    figure.draw_without_rendering()
    corner, inner = axis.transData.transform([(0, 0), (1, 1)])
    x, y = inner - corner
    extent = axis.get_window_extent()
    assert x == pytest.approx(y)
    assert extent.width == pytest.approx(extent.height)


def test_planes_of_heads_keep_to_their_cells_and_lines_to_their_planes():
    cells = {
        (1, 1): plane((0, 0), (10, 5), lines=LINE),
        (2, 3): plane((7, 7), (7, 9), (7, 8), lines=LINE.assign(start=2)),
    }
    with figure_style():
        _, axis = plt.subplots()
        draw_cells(axis, cells, 2, W)
    drawn = lines(axis)
    np.testing.assert_array_equal(drawn.round(), [[[1, -1], [1, -1]], [[3, -2], [3, -2]]])
    across = np.abs(np.diff(drawn, axis=1))[:, 0]
    np.testing.assert_allclose(across, [[0.86, 0.43], [0, 0.43]])
    assert [text.get_text() for text in axis.get_yticklabels()] == ["2", "1"]
    # Numbers of heads and layers are letters of the page, not of the raster.
    assert axis.get_rasterization_zorder() < axis.xaxis.get_zorder()
