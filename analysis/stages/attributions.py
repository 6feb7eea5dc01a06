"""Attributions: what each token of a text is worth, by one method.

Every stage that scores tokens writes the same table, a row group a text, so that memory does not
grow with the number of texts; the faithfulness stage reads them side by side.

=============  =====================================================================================
``variant``    of the model
``example_id`` of the text
``method``     see the stage that writes it
``rows``       ``cls``: row of the first token, ``max``: maximum over the rows of all tokens,
               ``input``: the method scores input tokens directly
``first``      lowest layer that takes part, 1-based
``layer``      highest layer that takes part, 1-based
``target``     class that the scores speak for; null for methods that know none
``scores``     ``[token]``
=============  =====================================================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import ArrayLike, NDArray

from analysis.methods.faithfulness import row_scores

ROWS: tuple[Literal["cls", "max"], ...] = ("cls", "max")
SCHEMA = pa.schema(
    {
        "variant": pa.string(),
        "example_id": pa.int64(),
        "method": pa.string(),
        "rows": pa.string(),
        "first": pa.int16(),
        "layer": pa.int16(),
        "target": pa.int16(),
        "scores": pa.list_(pa.float32()),
    }
)


@dataclass(frozen=True)
class Attribution:
    """One row of the table, but for the text it belongs to."""

    method: str
    rows: str
    layer: int
    scores: NDArray[np.float32]
    first: int = 1
    target: int | None = None


def of_layers(
    method: str, matrices: ArrayLike, *, single: bool = False, target: int | None = None
) -> Iterator[Attribution]:
    """Read the scores of input tokens off matrices, after every layer and in both ways.

    Parameters
    ----------
    method
        Its name.
    matrices
        ``[layer, query, key]``.
    single
        Whether each matrix is of its own layer alone; else it follows all layers up to there.
    target
        Class that the scores speak for.
    """
    for index, matrix in enumerate(np.asarray(matrices)):
        layer = index + 1
        for rows in ROWS:
            scores = row_scores(matrix, rows).astype(np.float32)
            yield Attribution(method, rows, layer, scores, layer if single else 1, target)


class Writer:
    """A table that grows by one text at a time."""

    def __init__(self, file: pq.ParquetWriter) -> None:
        self._file = file

    def add(self, variant: str, example: int, attributions: Iterable[Attribution]) -> None:
        """Write all attributions of one text."""
        text = {"variant": variant, "example_id": int(example)}
        rows = [text | asdict(attribution) for attribution in attributions]
        self._file.write_table(pa.Table.from_pylist(rows, SCHEMA))


@contextmanager
def writing(path: Path) -> Iterator[Writer]:
    """Open a new table for writing."""
    with pq.ParquetWriter(path, SCHEMA) as file:
        yield Writer(file)


def read(path: Path) -> pd.DataFrame:
    """Read a table; ``scores`` holds one array a row."""
    return pq.read_table(path).to_pandas()
