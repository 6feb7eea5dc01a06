"""Histograms of gradients: pixel by pixel, and what must not change them."""

import numpy as np
import pytest

from attention_mixing.methods.head_images import CELLS, DIRECTIONS, SIZE, histograms
from attention_mixing.settings.measures import HOG_CELLS


def written_out(image):
    """The same, pixel by pixel, from the definition."""
    side = len(image)
    cell = side // CELLS
    histogram = np.zeros((CELLS, CELLS, DIRECTIONS))
    for row in range(side):
        for column in range(side):
            down = image[row + 1, column] - image[row - 1, column] if 0 < row < side - 1 else 0
            right = image[row, column + 1] - image[row, column - 1] if 0 < column < side - 1 else 0
            angle = np.rad2deg(np.arctan2(down, right)) % 180
            direction = min(int(angle // (180 / DIRECTIONS)), DIRECTIONS - 1)
            histogram[row // cell, column // cell, direction] += np.hypot(down, right) / cell**2
    flat = histogram.reshape(-1)
    flat = np.minimum(flat / np.sqrt(np.sum(flat**2) + 1e-10), 0.2)
    return flat / np.sqrt(np.sum(flat**2) + 1e-10)


@pytest.mark.parametrize("side", [8, 12])
def test_histograms_are_those_of_the_definition(side):
    image = np.random.default_rng(side).random((side, side))
    np.testing.assert_allclose(histograms(image), written_out(image), atol=1e-6)


def test_images_without_edges_have_no_features():
    assert not histograms(np.full((2, 16, 16), 0.7)).any()


def test_axes_before_the_image_are_kept():
    images = np.random.default_rng(0).random((2, 3, 16, 16))
    found = histograms(images)
    assert found.shape == (2, 3, SIZE)
    np.testing.assert_array_equal(found[1, 2], histograms(images[1, 2]))
    np.testing.assert_allclose((found**2).sum(axis=-1), 1, rtol=1e-6)
    assert found.min() >= 0


@pytest.mark.parametrize("side", [0, 30])
def test_other_sides_are_refused(side):
    with pytest.raises(ValueError, match=f"images have a side of {side}; .*multiple of {CELLS}"):
        histograms(np.zeros((2, side, side)))


def test_parameters_allow_the_sides_that_can_be_divided():
    """They declare values and import no method."""
    assert HOG_CELLS == CELLS
