"""Tables in local files: parquet, CSV, TSV or JSONL, told apart by their suffix."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from attention_mixing.corpora.columns import Columns, require_columns, to_corpus
from attention_mixing.corpora.corpus import Corpus
from attention_mixing.corpora.local_files import (
    clause,
    from_json,
    read_splits,
    read_text,
    require_few,
)
from attention_mixing.errors import InputError
from attention_mixing.settings.sources import FilesData

# The csv module refuses fields above 128 KiB unless told otherwise; a text may be a whole book.
csv.field_size_limit(2**31 - 1)


def load(data: FilesData, task: str) -> Corpus:
    """Read the tables of local files, paths being relative to the current directory.

    ``task`` is ``classification``, ``language_modelling`` or ``none``; ``origin`` holds each path
    as given with its size in bytes and its sha256. A file, column, text or label that cannot be
    used is refused.
    """
    return to_corpus(data, task, *read_splits(data, partial(_read, data=data)))


def _read(where: str, path: Path, data: FilesData) -> Columns:
    """Read the named columns of one file."""
    readers: dict[str, Callable[[str, Path, FilesData], Columns]] = {
        ".parquet": _read_parquet,
        ".csv": partial(_read_separated, separator=","),
        ".tsv": partial(_read_separated, separator="\t"),
        ".jsonl": _read_jsonl,
    }
    if path.suffix.lower() not in readers:
        raise InputError(
            f"{where} has the suffix {path.suffix!r}; allowed: {', '.join(readers)}; convert or "
            "rename the file."
        )
    return readers[path.suffix.lower()](where, path, data)


def _read_parquet(where: str, path: Path, data: FilesData) -> Columns:
    with path.open("rb") as file:  # raises what the operating system says; Arrow rewords it
        try:
            parquet = pq.ParquetFile(file)
            require_few(where, parquet.metadata.num_rows)
            columns = require_columns(where, parquet.schema_arrow.names, data)
            table = parquet.read(columns=columns)
        except (pa.ArrowException, OSError) as error:
            raise InputError(
                f"{where} is not a readable parquet file ({clause(error)}); write it again."
            ) from None
    return from_table(where, table)


def from_table(where: str, table: pa.Table, label_names: tuple[str, ...] = ()) -> Columns:
    """Take the columns out of an Arrow table that has those that are asked for.

    ``label_names`` are those of the labels 0..K-1, if they have any. A column of strings that holds
    bytes that are not UTF-8 is refused.
    """
    try:
        table.validate(full=True)
    except pa.ArrowInvalid as error:
        raise InputError(
            f"{where} holds what is not UTF-8 ({clause(error)}); write it again with its strings "
            "encoded as UTF-8."
        ) from None
    return Columns(where, table.to_pydict(), label_names)


def _read_separated(where: str, path: Path, data: FilesData, separator: str) -> Columns:
    """Read CSV or TSV, which quote alike: a field that holds the separator stands in quotes."""
    # newline="": line ends inside quoted texts belong to the texts.
    content = io.StringIO(read_text(where, path), newline="")
    reader = csv.reader(content, strict=True, delimiter=separator)
    layout, separators = {",": ("CSV", "commas"), "\t": ("TSV", "tabs")}[separator]
    cells: dict[str, list[Any]] = {}
    try:
        header = next(reader, [])
        indices = {name: header.index(name) for name in require_columns(where, header, data)}
        cells = {name: [] for name in indices}
        for row in filter(None, reader):
            if len(row) != len(header):
                raise InputError(
                    f"{where}, line {reader.line_num}: {len(row)} fields under a header of "
                    f"{len(header)}; quote texts that hold {separators} or line ends."
                )
            for name, index in indices.items():
                cells[name].append(row[index])
    except csv.Error as error:
        raise InputError(
            f"{where}, line {reader.line_num}: not well-formed {layout} ({error}); correct the "
            "quoting: a field that begins with a quotation mark ends with one, and those inside it "
            "are doubled."
        ) from None
    return Columns(where, cells, typed=False)


def _read_jsonl(where: str, path: Path, data: FilesData) -> Columns:
    records, columns = [], []
    # Split at line feeds alone: str.splitlines also cuts at U+2028, which JSON allows in texts.
    for number, line in enumerate(read_text(where, path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = from_json(line)
            fault = "" if isinstance(record, dict) else f"{type(record).__name__}, not an object"
        except ValueError as error:
            fault = f"not JSON that can be read ({error})".replace(": line 1 ", " at ")
        if fault:
            raise InputError(f"{where}, line {number}: {fault}; write one object a line.")
        columns = require_columns(f"{where}, line {number}", list(record), data)
        records.append({name: record[name] for name in columns})
    return Columns(where, {name: [record[name] for record in records] for name in columns})
