"""Attributions: what each token of a text is worth, by one method.

Every stage that scores tokens writes the same table, a row group a text, so that memory does not
grow with the number of texts; the faithfulness stage reads them side by side. The mixing ratio that
was measured for every token goes from the mixing to the propagation stage in the same way.

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

from analysis.errors import InputError
from analysis.methods.attention import row_scores

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
RATIOS = pa.schema(
    {
        "variant": pa.string(),
        "example_id": pa.int64(),
        "layer": pa.int16(),
        "ratio": pa.list_(pa.float64()),
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


def read(path: Path, texts: pd.DataFrame, schema: pa.Schema = SCHEMA) -> pd.DataFrame:
    """Read what an earlier stage wrote, with one array a row in its last column.

    Parameters
    ----------
    path
        The table.
    texts
        Those that it has to hold: the table of a capture, or some of its rows.
    schema
        ``SCHEMA`` or ``RATIOS``.

    Raises
    ------
    InputError
        If the table is missing, corrupted, another one, or not of these texts.
    """
    try:
        table = pq.read_table(path)
        whole = table.schema.equals(schema)
    except (OSError, pa.ArrowException):
        whole = False
    if not whole:
        raise InputError(
            f"{path} is missing, corrupted or another table; delete it and run `dvc repro` (or "
            "`dvc checkout`)."
        )
    frame = table.to_pandas()
    length = frame["example_id"].map(texts.set_index("id")["tokens"])
    other = length.notna() & (frame[schema.names[-1]].map(len) != length)
    if other.any() or not texts["id"].isin(frame["example_id"]).all():
        raise InputError(f"{path} is not of the texts that are captured now; run `dvc repro`.")
    return frame
