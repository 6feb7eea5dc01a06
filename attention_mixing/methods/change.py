"""How far apart two versions of a model are: their attention, their features, their weights.

Every measure is exactly 0 where nothing differs, and is computed in float64. What is undefined is
not a number, never 0.
"""

import numpy as np
from jaxtyping import Float
from scipy.special import rel_entr

from attention_mixing.methods.arrays import directions, finite
from attention_mixing.methods.mixing import row_normalised
from attention_mixing.methods.shapes import checked_shapes

Rows = Float[np.ndarray, "*head query key"]
Vectors = Float[np.ndarray, "*layer token dim"]
Matrices = Float[np.ndarray, "*part row column"]


@checked_shapes
def jensen_shannon(p: Rows, q: Rows) -> Float[np.ndarray, "*head query"]:
    r"""Jensen-Shannon divergence of two rows of attention, in bits.

    .. math:: \tfrac12 \sum_j p_j \log_2 \frac{2 p_j}{p_j + q_j}
        + \tfrac12 \sum_j q_j \log_2 \frac{2 q_j}{p_j + q_j}, \qquad 0 \log 0 = 0

    0 for equal rows, 1 if no key has weight in both. Its root is a distance, with a triangle
    inequality. Where weights change by little of themselves the divergence grows with the square of
    the change, and the root in proportion, as a norm does. Rows are divided by their sums, so that
    half-precision storage leaves no drift.

    Lin (1991), *Divergence Measures Based on the Shannon Entropy*, IEEE Transactions on Information
    Theory 37(1), section IV. Endres and Schindelin (2003), *A New Metric for Probability
    Distributions*, IEEE Transactions on Information Theory 49(7), on the root.
    """
    first, second = row_normalised(p), row_normalised(q)
    middle = (first + second) / 2
    # scipy's jensenshannon is the root, and not a number where rounding leaves less than 0.
    nats = (rel_entr(first, middle) + rel_entr(second, middle)).sum(axis=-1) / 2
    # Rounding leaves nearly equal rows a little below 0, disjoint ones a little above 1.
    return np.clip(nats / np.log(2), 0, 1)


@checked_shapes
def relative_change(before: Matrices, after: Matrices) -> Float[np.ndarray, "*part"]:
    r"""Size of what was added to a matrix, :math:`\lVert B - A \rVert_F / \lVert A \rVert_F`.

    Not a number where ``before`` is zero.

    Parameters
    ----------
    before, after
        The matrices :math:`A` and :math:`B`.

    Raises
    ------
    ValueError
        If an entry is not finite.
    """
    old, new = finite("weights", before), finite("weights", after)
    added, size = (np.linalg.norm(matrix, axis=(-2, -1)) for matrix in (new - old, old))
    return np.divide(added, size, out=np.full_like(size, np.nan), where=size > 0)


@checked_shapes
def cosine_distance(before: Vectors, after: Vectors) -> Float[np.ndarray, "*layer token"]:
    r"""How far a vector turned, ``1 - cosine``, whatever became of its length.

    0 same direction, 1 at a right angle, 2 opposite; not a number beside a vector of length zero.
    Computed from unit vectors as :math:`\lVert u - v \rVert^2 / 2`, which is the same and keeps the
    digits of small angles.

    Parameters
    ----------
    before, after
        Vectors of the same tokens.

    Raises
    ------
    ValueError
        If an entry is not finite.
    """
    turned = directions(finite("features", after)) - directions(finite("features", before))
    return np.minimum((turned**2).sum(axis=-1) / 2, 2)
