"""The attention maps that stage ``heads`` has described, read a few thousand at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from analysis.capture.store import VARIANTS
from analysis.errors import InputError
from analysis.methods.clustering_blocks import Workers, drawn
from analysis.methods.head_families import family
from analysis.methods.heads import DESCRIPTORS, SHAPE

Features = Literal["descriptors", "images"]

# The column that is there unless ``heads.images`` is none.
IMAGE = "image"
KEY = ["example_id", "window", "layer", "head", "tokens"]
# Maps of a partition, about: whole row groups are read. Few enough that millions of maps keep many
# workers busy, many enough that a partition takes longer to read than to hand out.
PARTITION = 65_536
_BATCH = 8192


@dataclass(frozen=True)
class Maps:
    """Some of the maps of one variant; called, it reads their features.

    Attributes
    ----------
    path
        Of the parquet file.
    variant
        ``pretrained`` or ``finetuned``.
    row_groups
        Of the file.
    rows
        How many maps.
    features
        What is clustered: the descriptors of shape, or the images.
    """

    path: Path
    variant: str
    row_groups: tuple[int, ...]
    rows: int
    features: Features

    def __call__(self) -> Iterator[NDArray[np.float32]]:
        """Read the features, block after block: ``[map, dim]``."""
        columns = [IMAGE] if self.features == "images" else list(SHAPE)
        for batch in self._batches(columns):
            yield _features(batch, self.features)

    def tables(self) -> Iterator[tuple[pd.DataFrame, NDArray[np.float32]]]:
        """Read which maps they are, with their ``family`` by rule, and their features."""
        columns = [*KEY, *DESCRIPTORS, *([IMAGE] if self.features == "images" else [])]
        for batch in self._batches(columns):
            table = batch.select([*KEY, *DESCRIPTORS]).to_pandas()
            families = family(table[list(DESCRIPTORS)].to_numpy())
            table = table[KEY].assign(variant=self.variant, family=families)
            yield table, _features(batch, self.features)

    def _batches(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        with pq.ParquetFile(self.path) as file:
            yield from file.iter_batches(_BATCH, list(self.row_groups), columns)


def attention_maps(directory: Path, features: Features) -> list[Maps]:
    """Divide all maps of all variants into partitions, each of one variant.

    Parameters
    ----------
    directory
        What stage ``heads`` wrote.
    features
        What to cluster.

    Returns
    -------
    list of Maps
        The pretrained variant first. They depend on the files alone, not on who reads them.

    Raises
    ------
    InputError
        If there is no such file, or images are asked for and there are none.
    """
    found = []
    for variant in VARIANTS:
        # Absolute, for workers may have another present directory.
        path = (directory / f"{variant}.parquet").absolute()
        if not path.exists():
            continue
        with pq.ParquetFile(path) as file:
            if features == "images" and IMAGE not in file.schema_arrow.names:
                raise InputError(
                    f"clusters.features is images but {directory / path.name} has none; set "
                    "heads.images to hog or a model and run `dvc repro`."
                )
            sizes = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
        groups: list[int] = []
        for group, _ in enumerate(sizes):
            groups.append(group)
            rows = sum(sizes[first] for first in groups)
            if rows >= PARTITION or group == len(sizes) - 1:
                found.append(Maps(path, variant, tuple(groups), rows, features))
                groups = []
    if not found:
        raise InputError(f"{directory} holds no maps; make them with `dvc repro`.")
    return found


def _features(batch: pa.RecordBatch, features: Features) -> NDArray[np.float32]:
    if features == "images":
        images = batch.column(IMAGE)
        return images.flatten().to_numpy().reshape(len(images), -1)
    return np.stack([batch.column(name).to_numpy() for name in SHAPE], axis=1)


def has_images(maps: Sequence[Maps]) -> bool:
    """Whether there are features of every map as an image."""
    return all(IMAGE in pq.read_schema(path).names for path in {part.path for part in maps})


def sample(
    maps: Sequence[Maps], size: int, seed: int, workers: Workers
) -> tuple[pd.DataFrame, NDArray[np.float32]]:
    """Draw maps, as many of each variant, and of each variant every map with the same chance.

    Parameters
    ----------
    maps
        All partitions.
    size
        How many in all; all maps if there are fewer.
    seed
        Of the generator.
    workers
        Who reads them.

    Returns
    -------
    tuple
        A row a map as in :meth:`Maps.tables`, and ``[map, dim]``.
    """
    names = list(dict.fromkeys(part.variant for part in maps))
    asked: list[tuple[Maps, NDArray[np.int64]]] = []
    for number, variant in enumerate(names):
        parts = [part for part in maps if part.variant == variant]
        share = size // len(names) + (number < size % len(names))
        asked += zip(parts, drawn([part.rows for part in parts], share, seed), strict=True)
    found = workers.each(_at, asked)
    tables, features = zip(*found, strict=True)
    return pd.concat(tables, ignore_index=True), np.concatenate(features)


def _at(asked: tuple[Maps, NDArray[np.int64]]) -> tuple[pd.DataFrame, NDArray[np.float32]]:
    """Read maps of a partition by their numbers, which grow."""
    maps, numbers = asked
    tables, features, start = [], [], 0
    for table, rows in maps.tables():
        low, high = np.searchsorted(numbers, [start, start + len(table)])
        here = numbers[low:high] - start
        tables.append(table.iloc[here])
        features.append(rows[here])
        start += len(table)
    return pd.concat(tables), np.concatenate(features)
