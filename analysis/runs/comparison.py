"""Numbers of two runs side by side, each within the tolerance of its kind."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from analysis.parameters.file import read_mapping
from analysis.paths import REFERENCE

ABSENT = "absent"
ROUNDING = 1e-6


def compare(reference: Mapping[str, Any], found: Mapping[str, Any]) -> pd.DataFrame:
    """Compare runs: a row a ``number``, with ``reference``, ``found``, ``tolerance`` and ``ok``.

    The tolerance is that of the first pattern in ``reference/tolerances.yaml`` that fits; a number
    that no pattern fits must be equal. One that the other side lacks is ``absent`` there, a miss.
    """
    tolerances: dict[str, float] = read_mapping(REFERENCE / "tolerances.yaml")
    rows = []
    for name in dict.fromkeys([*reference, *found]):
        tolerance = next((t for p, t in tolerances.items() if fnmatch.fnmatchcase(name, p)), 0)
        expected, value = (numbers.get(name, ABSENT) for numbers in (reference, found))
        rows.append((name, expected, value, tolerance, _alike(expected, value, tolerance)))
    return pd.DataFrame(rows, columns=["number", "reference", "found", "tolerance", "ok"])


def names(summary: pd.DataFrame) -> list[str]:
    """Name the numbers of a summary, a row each.

    ``EXPERIMENT/MEASURE.VARIANT.QUANTITY.SUBJECT.FACET.LAYER[.head N][.N clusters][.minus.OTHER]``.
    """
    found = []
    for row in summary.itertuples():
        named = [row.measure, row.variant, row.quantity, row.subject, row.facet, str(row.layer)]
        named += [f"head {row.head}"] if row.head else []
        named += [f"{row.clusters} clusters"] if row.clusters else []
        minus = f".minus.{row.minus}" if row.minus else ""
        found.append(f"{row.experiment}/{'.'.join(named)}{minus}")
    return found


def _alike(expected: Any, value: Any, tolerance: float) -> bool:
    if not all(isinstance(number, int | float) for number in (expected, value)):
        return bool(expected == value)
    # The reference keeps single precision.
    return bool(np.isclose(value, expected, rtol=ROUNDING, atol=tolerance, equal_nan=True))
