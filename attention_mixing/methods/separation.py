"""Whether the vectors of texts lie apart by label."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Float64, Shaped

from attention_mixing.methods.projection import distances
from attention_mixing.methods.shapes import checked_shapes


@checked_shapes
def silhouettes(
    vectors: Float[np.ndarray, "text dim"], labels: Shaped[np.ndarray, " text"], metric: str
) -> Float64[np.ndarray, " text"]:
    r"""Silhouette of each text with respect to its label, -1 to 1.

    .. math:: s_i = \frac{b_i - a_i}{\max(a_i, b_i)}

    with :math:`a_i` the mean distance to the other texts of the same label and :math:`b_i` the
    smallest mean distance to the texts of another one (Rousseeuw, 1987, *Silhouettes*, Journal of
    Computational and Applied Mathematics 20, section 2). It is near 1 in a group of its own label,
    0 between two, negative among texts of another label; where labels mean nothing, slightly below
    0 on average. It is nan for the only text of a label, which has no :math:`a_i`, for all with
    fewer than two labels, and where both distances are 0, as between first tokens before they have
    seen their text.

    Parameters
    ----------
    vectors
        A text each.
    labels
        Of the texts.
    metric
        One of :data:`attention_mixing.methods.projection.METRICS`.

    Raises
    ------
    ValueError
        As :func:`attention_mixing.methods.projection.distances`.
    """
    from sklearn.metrics import silhouette_samples  # a second to import

    far = distances(vectors, metric)
    _, which, texts = np.unique(labels, return_inverse=True, return_counts=True)
    # With a text a label no silhouette is defined, and scikit-learn refuses.
    if not 1 < len(texts) < len(far):
        return np.full(len(far), np.nan)
    result = silhouette_samples(far, which, metric="precomputed")
    # scikit-learn says 0 where nothing is defined.
    on_top = np.stack([(far[:, which == label] == 0).all(axis=1) for label in range(len(texts))])
    on_own = on_top[which, np.arange(len(far))]
    result[(texts[which] == 1) | (on_own & (on_top.sum(axis=0) > 1))] = np.nan
    return result
