"""Local files: parquet, CSV or JSONL, told apart by their suffix."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from analysis.corpora.columns import (
    Columns,
    clause,
    decode,
    read_splits,
    require_columns,
    to_corpus,
)
from analysis.corpora.corpus import Corpus
from analysis.errors import InputError
from analysis.params.sections import FilesData, HubData

# The csv module refuses fields above 128 KiB unless told otherwise; a text may be a whole book.
csv.field_size_limit(2**31 - 1)


def load(data: FilesData, task: str) -> Corpus:
    """Read local files.

    Parameters
    ----------
    data
        Paths (relative to the current directory, ``~`` allowed), columns, limits and seed.
    task
        ``classification`` or ``none``.

    Returns
    -------
    Corpus
        ``origin`` holds each path as given with its size in bytes and its sha256.

    Raises
    ------
    InputError
        On a file, column, text or label that cannot be used.
    """
    read, origin = read_splits(data, partial(_read, data=data))
    return to_corpus(data, task, read.get("train"), read["test"], origin)


def _read(where: str, path: Path, data: FilesData) -> Columns:
    """Read the named columns of one file."""
    readers: dict[str, Callable[[str, Path, FilesData], Columns]] = {
        ".parquet": _read_parquet,
        ".csv": _read_csv,
        ".jsonl": _read_jsonl,
    }
    if path.is_dir():
        raise InputError(f"{where} is a directory; name one file of type {', '.join(readers)}.")
    if path.suffix.lower() not in readers:
        raise InputError(
            f"{where} has the suffix {path.suffix!r}; allowed: {', '.join(readers)}; convert or "
            "rename the file."
        )
    if not path.exists():
        raise InputError(
            f"{where} was not found; paths are relative to the directory of the run "
            f"({Path.cwd()}); correct the path."
        )
    try:
        return readers[path.suffix.lower()](where, path, data)
    except OSError as error:
        raise InputError(
            f"{where} cannot be read ({error.strerror or error}); check the file and its "
            "permissions."
        ) from None


def _read_parquet(where: str, path: Path, data: FilesData) -> Columns:
    with path.open("rb") as file:  # raises what the operating system says; Arrow rewords it
        try:
            parquet = pq.ParquetFile(file)
            wanted = require_columns(where, parquet.schema_arrow.names, data)
            table = parquet.read(columns=wanted)
        except (pa.ArrowException, OSError) as error:
            raise InputError(
                f"{where} is not a readable parquet file ({clause(error)}); write it again."
            ) from None
    return from_table(where, table, data)


def from_table(
    where: str, table: pa.Table, data: FilesData | HubData, label_names: tuple[str, ...] = ()
) -> Columns:
    """Take the named columns out of an Arrow table.

    Raises
    ------
    InputError
        If a string column holds bytes that are not UTF-8.
    """
    columns: list[list[object] | None] = []
    for name in (data.text, data.label):
        if name is None:
            columns.append(None)
            continue
        try:
            columns.append(table[name].to_pylist())
        except UnicodeDecodeError:
            row = next(i for i, value in enumerate(table[name], start=1) if not _decodable(value))
            raise InputError(
                f"{where}, row {row}: the column {name!r} is not UTF-8; write the file again with "
                "its strings encoded as UTF-8."
            ) from None
    texts, labels = columns
    return Columns(where, texts or [], labels, label_names)


def _decodable(value: pa.Scalar) -> bool:
    try:
        value.as_py()
    except UnicodeDecodeError:
        return False
    return True


def _read_csv(where: str, path: Path, data: FilesData) -> Columns:
    # newline="": line ends inside quoted texts belong to the texts.
    reader = csv.reader(io.StringIO(decode(where, path.read_bytes()), newline=""), strict=True)
    try:
        header = next(reader, [])
        wanted = require_columns(where, header, data)
        rows = []
        for row in reader:
            if row and len(row) != len(header):
                raise InputError(
                    f"{where}, line {reader.line_num}: {len(row)} fields under a header of "
                    f"{len(header)}; quote texts that hold commas or line ends."
                )
            if row:
                rows.append([row[header.index(name)] for name in wanted])
    except csv.Error as error:
        raise InputError(
            f"{where}, line {reader.line_num}: not well-formed CSV ({error}); correct the quoting."
        ) from None
    cells = dict(zip(wanted, zip(*rows, strict=True), strict=True)) if rows else {}
    labels = None if data.label is None else _typed(cells.get(data.label, ()))
    return Columns(where, list(cells.get(data.text, ())), labels)


def _typed(cells: tuple[str, ...]) -> list[object]:
    """Read the labels of a CSV file, which has no types: integers, booleans, floats or strings."""
    filled = [cell for cell in cells if cell]
    convert: Callable[[str], object] = str
    if all(re.fullmatch(r"[-+]?[0-9]+", cell) for cell in filled):
        convert = int
    elif all(cell.lower() in ("true", "false") for cell in filled):
        convert = _is_true
    elif all(re.fullmatch(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?", c) for c in filled):
        convert = float
    return [convert(cell) if cell else None for cell in cells]


def _is_true(cell: str) -> bool:
    return cell.lower() == "true"


def _read_jsonl(where: str, path: Path, data: FilesData) -> Columns:
    texts: list[object] = []
    labels: list[object] = []
    # Split at line feeds alone: str.splitlines also cuts at U+2028, which JSON allows in texts.
    for number, line in enumerate(decode(where, path.read_bytes()).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            raise InputError(
                f"{where}, line {number}: not JSON ({error.msg} at column {error.colno}); write one"
                " object a line."
            ) from None
        if not isinstance(record, dict):
            raise InputError(
                f"{where}, line {number}: {type(record).__name__} instead of an object; write one "
                "object a line."
            )
        require_columns(f"{where}, line {number}", list(record), data)
        texts.append(record[data.text])
        labels.append(record[data.label] if data.label is not None else None)
    return Columns(where, texts, labels if data.label is not None else None)
