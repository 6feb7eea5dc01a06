r"""Histograms of oriented gradients of attention maps.

Dalal and Triggs (2005), *Histograms of Oriented Gradients for Human Detection*, CVPR, as
``scikit-image`` computes them: gradients vote, by their size, for their direction in each cell of a
grid. An image of an attention map (:func:`attention_mixing.methods.head_descriptors.resized`) shows
a vertical line as a gradient across, a diagonal as one between, and a block by its corners.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from attention_mixing.methods.shapes import checked_shapes

# Where in the map: 4 x 4 cells, whatever the side of the image. Which way: 9 directions of 20
# degrees, so that those of a diagonal, 45 and 135 degrees, lie inside one.
CELLS = 4
DIRECTIONS = 9
SIZE = CELLS * CELLS * DIRECTIONS


@checked_shapes
def histograms(images: Float[np.ndarray, "*map side side"]) -> Float[np.ndarray, "*map feature"]:
    """Describe images by the directions of their edges.

    :data:`SIZE` numbers from 0 to 1 whose squares sum to 1; all 0 for an image without edges. All
    cells are one block: strengths are relative to the whole map. With a block for each cell, as
    people are found in photographs, the faint noise of an empty corner would weigh as much as a
    column that holds all the attention.

    Raises
    ------
    ValueError
        If the side is not a multiple of :data:`CELLS`.
    """
    # A quarter of a second to import, and most that names features computes none.
    from skimage.feature import hog

    side = images.shape[-1]
    if side < CELLS or side % CELLS:
        raise ValueError(f"images have a side of {side}; it must be a multiple of {CELLS}")
    features = [
        hog(
            image,
            orientations=DIRECTIONS,
            pixels_per_cell=(side // CELLS, side // CELLS),
            cells_per_block=(CELLS, CELLS),
            block_norm="L2-Hys",
        )
        for image in images.reshape(-1, side, side)
    ]
    return np.reshape(features, (*images.shape[:-2], SIZE))
