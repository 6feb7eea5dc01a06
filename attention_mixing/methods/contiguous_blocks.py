"""The best split of a text into contiguous blocks, compiled.

All splits are searched: the best one of the tokens before ``end`` ends with a block from ``start``
that follows the best one of the tokens before ``start``. A token that joins the blocks before it
brings its row and its column, from the diagonal outwards, so that the sums of all blocks cost as
many steps as there are weights.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attention_mixing.methods.compiled import compiled


@compiled
def best_splits(rows: NDArray[np.float64], columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Largest total, over all splits, of what lies in blocks beyond the column means.

    A modularity (Newman and Girvan 2004, *Physical Review E* 69) with the column means in place of
    degrees. Weights on a token's own neighbours and itself do not count, nor does what is expected
    there: otherwise blocks of one or two tokens would hold any diagonal.

    Parameters
    ----------
    rows
        ``[map, query, key]``, rows summing to 1.
    columns
        ``[map, key]``, the mean row.

    Returns
    -------
    NDArray[float64]
        ``[map]``, 0 to the number of tokens.
    """
    maps, tokens = columns.shape
    result = np.empty(maps)
    best = np.empty(tokens + 1)
    for which in range(maps):
        weight, mean = rows[which], columns[which]
        within = np.zeros(tokens)
        best[0] = 0
        for end in range(1, tokens + 1):
            last = end - 1
            joined = 0.0
            best[end] = best[last]
            for start in range(last - 2, -1, -1):
                joined += weight[start, last] + weight[last, start] - mean[start] - mean[last]
                within[start] += joined
                best[end] = max(best[end], best[start] + within[start])
        result[which] = best[tokens]
    return result
