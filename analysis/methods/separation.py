"""Whether the vectors of texts lie apart by label."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.methods.projection import distances


def silhouettes(vectors: ArrayLike, labels: ArrayLike, metric: str) -> NDArray[np.float64]:
    r"""Silhouette of each text with respect to its label.

    .. math:: s_i = \frac{b_i - a_i}{\max(a_i, b_i)}

    with :math:`a_i` the mean distance to the other texts of the same label and :math:`b_i` the
    smallest mean distance to the texts of another one.

    Parameters
    ----------
    vectors
        ``[text, dim]``, one vector a text.
    labels
        ``[text]``.
    metric
        As in :func:`analysis.methods.projection.distances`.

    Returns
    -------
    NDArray[float64]
        ``[text]``, -1 to 1: near 1 in a group of its own label, 0 between two, negative among texts
        of another label. Not a number for the only text of a label, which has no
        :math:`a_i`, for all with fewer than two labels, and where both distances are 0, as between
        first tokens before they have seen their text. Where labels mean nothing, slightly below 0
        on average.

    Raises
    ------
    ValueError
        If there is not one label a text, and as :func:`analysis.methods.projection.distances`.

    References
    ----------
    Rousseeuw (1987), *Silhouettes*, Journal of Computational and Applied Mathematics 20, section 2.
    """
    from sklearn.metrics import silhouette_samples  # a second to import

    far, classes = distances(vectors, metric), np.asarray(labels)
    if classes.shape != (len(far),):
        raise ValueError(f"labels have shape {classes.shape}; there must be one a text, {len(far)}")
    _, which, texts = np.unique(classes, return_inverse=True, return_counts=True)
    result = np.full(len(far), np.nan)
    # With a text a label no silhouette is defined, and scikit-learn refuses.
    if 1 < len(texts) < len(far):
        result[:] = silhouette_samples(far, which, metric="precomputed")
        # scikit-learn says 0 where nothing is defined.
        on_top = np.stack(
            [(far[:, which == label] == 0).all(axis=1) for label in range(len(texts))]
        )
        own = on_top[which, np.arange(len(far))]
        result[(texts[which] == 1) | (own & (on_top.sum(axis=0) > 1))] = np.nan
    return result
