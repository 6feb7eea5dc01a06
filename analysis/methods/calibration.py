"""How far the probabilities of a classifier can be taken at their word.

Guo et al. (2017), *On Calibration of Modern Neural Networks*, ICML, section 2.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike


def reliability(confidence: ArrayLike, correct: ArrayLike, *, bins: int = 10) -> pd.DataFrame:
    """Sort predictions into bins of equal width by confidence and compare with accuracy.

    Parameters
    ----------
    confidence
        ``[example]``, probability of the predicted class, 0 to 1.
    correct
        ``[example]``, whether the prediction is right.
    bins
        Number of bins over 0 to 1.

    Returns
    -------
    DataFrame
        One row a bin that holds a prediction: ``low``, ``high``, ``count``, ``confidence`` and
        ``accuracy`` (means within the bin).
    """
    frame = pd.DataFrame(
        {"confidence": np.asarray(confidence, float), "accuracy": np.asarray(correct, float)}
    )
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
    return float((gap * table["count"]).sum() / table["count"].sum())
