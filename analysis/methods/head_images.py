r"""Histograms of oriented gradients of attention maps.

Dalal and Triggs (2005), *Histograms of Oriented Gradients for Human Detection*, CVPR, as
``scikit-image`` computes them: gradients vote, by their size, for their direction in each cell of a
grid. An image of an attention map (:func:`analysis.methods.heads.resized`) shows a vertical line as
a gradient across, a diagonal as one between, and a block by its corners.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Where in the map: 4 x 4 cells, whatever the side of the image. Which way: 9 directions of 20
# degrees, so that those of a diagonal, 45 and 135 degrees, lie inside one.
CELLS = 4
DIRECTIONS = 9
SIZE = CELLS * CELLS * DIRECTIONS


def histograms(images: ArrayLike) -> NDArray[np.float64]:
    """Describe images by the directions of their edges.

    All cells are one block: strengths are relative to the whole map. With a block for each cell, as
    people are found in photographs, the faint noise of an empty corner would weigh as much as a
    column that holds all the attention.

    Parameters
    ----------
    images
        ``[..., row, column]``, square.

    Returns
    -------
    NDArray[float64]
        ``[..., cell * direction]``, :data:`SIZE` numbers from 0 to 1 whose squares sum to 1; all 0
        for an image without edges.

    Raises
    ------
    ValueError
        If the images are not square, their side is not a multiple of :data:`CELLS`, or a value is
        not finite.
    """
    # A quarter of a second to import, and most that names features computes none.
    from skimage.feature import hog

    array = np.asarray(images, dtype=np.float64)
    side = array.shape[-1] if array.ndim else 0
    if array.ndim < 2 or array.shape[-2] != side or side < CELLS or side % CELLS:
        raise ValueError(
            f"images have shape {array.shape}; they must be [..., row, column] with as many rows "
            f"as columns, a multiple of {CELLS}"
        )
    if not np.isfinite(array).all():
        where = [int(i) for i in np.argwhere(~np.isfinite(array))[0]]
        raise ValueError(f"images{where} is {array[tuple(where)]}; values must be finite")
    cell = side // CELLS
    found = [
        hog(
            image,
            orientations=DIRECTIONS,
            pixels_per_cell=(cell, cell),
            cells_per_block=(CELLS, CELLS),
            block_norm="L2-Hys",
        )
        for image in array.reshape(-1, side, side)
    ]
    return np.reshape(found, (*array.shape[:-2], SIZE))
