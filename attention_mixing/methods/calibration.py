"""How far the probabilities of a classifier are those of being right.

Guo et al. (2017), *On Calibration of Modern Neural Networks*, ICML, section 2.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float

from attention_mixing.methods.extras import extra
from attention_mixing.methods.shapes import checked_shapes

with extra("models", __name__):
    import pandas as pd


@checked_shapes
def reliability(
    confidence: Float[np.ndarray, " example"],
    correct: Bool[np.ndarray, " example"],
    *,
    bins: int = 10,
) -> pd.DataFrame:
    """Sort predictions by the probability of their class into bins of equal width over 0 to 1.

    One row a bin that holds a prediction: ``low``, ``high``, ``count``, and the means within it,
    ``confidence`` and ``accuracy``.
    """
    frame = pd.DataFrame({"confidence": confidence, "accuracy": correct}, dtype=float)
    # A confidence of exactly 1 belongs to the last bin.
    index = np.minimum((frame["confidence"] * bins).astype(int), bins - 1)
    table = frame.groupby(index).mean()
    table.insert(0, "count", frame.groupby(index).size())
    table.insert(0, "high", (table.index + 1) / bins)
    table.insert(0, "low", table.index / bins)
    return table.reset_index(drop=True)


def expected_calibration_error(table: pd.DataFrame) -> float:
    """Mean distance of confidence and accuracy over the bins, weighted by their counts."""
    gap = (table["confidence"] - table["accuracy"]).abs()
    return float(np.average(gap, weights=table["count"]))
