"""Grids of maps and of planes: names where they belong, lines between their points."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.collections import LineCollection

from analysis.figures.maps import map_grid, square
from analysis.figures.planes import MOST_PATHS, Plane, draw_cells, plane_grid
from analysis.figures.style import figure_style, svg
from analysis.figures.words import words

W = words("en", "geometry")


def heads(layers: int, count: int) -> pd.DataFrame:
    rows, columns = (range(1, number + 1) for number in (layers, count))
    table = pd.DataFrame(np.zeros((layers, count)), rows, columns)
    return table.rename_axis(index="layer", columns="head")


def named(axis) -> tuple[bool, bool]:
    """Whether names of rows and of columns stand beside a map."""
    return tuple(
        any(label.get_visible() and label.get_text() for label in labels)
        for labels in (axis.get_yticklabels(), axis.get_xticklabels())
    )


def test_maps_with_the_same_names_have_them_at_the_outer_ones():
    figure = map_grid({name: heads(2, 3) for name in "abcd"}, W, across=3, bar="x")
    assert [named(axis) for axis in figure.axes[:4]] == [
        *((True, False), (False, True), (False, True)),
        (True, True),
    ]
    assert [axis.get_xlabel() for axis in figure.axes[:4]] == ["", *[W["head"]] * 3]
    assert [bool(axis.get_ylabel()) for axis in figure.axes[:4]] == [True, False, False, True]


def test_maps_of_different_models_have_their_own_names():
    figure = map_grid({"a": heads(2, 3), "b": heads(4, 3)}, W, across=2)
    assert all(all(named(axis)) for axis in figure.axes[:2])


def test_what_has_no_value_is_hatched():
    values = np.array([[0.0, np.nan], [0.5, 1.0]])
    figure = map_grid({"masked": square(values, ["a", "b"]), "zero": heads(2, 2)}, W)
    masked, zero = figure.axes[:2]
    assert masked.patch.get_hatch()
    assert not zero.patch.get_hatch()


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


def test_many_dots_are_a_raster_and_few_are_paths():
    for dots, images in ((MOST_PATHS, 0), (MOST_PATHS + 1, 1)):
        places = np.random.default_rng(0).normal(size=(dots, 2))
        figure = plane_grid({"a": plane(*places)}, across=1, size=5)
        assert svg(figure, "dots")[0].count("<image") == images
