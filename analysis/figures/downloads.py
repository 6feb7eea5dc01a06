"""What can be downloaded below a figure or table: its data, as CSV or ZIP."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pandas as pd

from attention_mixing.markup import inert

LARGE = 30_000  # bytes of a table from which it is in a ZIP file, which pandas and R read as it is
# Ending of a file below a figure or table -> word for the link to it.
ENDINGS = {".csv": "data", ".csv.zip": "zipped", ".json": "record", ".svg": "drawing"}


def write_data(data: pd.DataFrame, directory: Path, name: str, float_format: str | None) -> None:
    """Write data as ``NAME.csv``, where they are large in ``NAME.csv.zip``; see :func:`as_csv`."""
    written = as_csv(data, float_format)
    whole, zipped = directory / f"{name}.csv", directory / f"{name}.csv.zip"
    for path in (whole, zipped):
        path.unlink(missing_ok=True)
    if len(written) < LARGE:
        whole.write_bytes(written)
    else:
        with zipfile.ZipFile(zipped, "w") as archive:
            add_to_archive(archive, whole.name, written)


def as_csv(data: pd.DataFrame, float_format: str | None = None) -> bytes:
    """Give data as CSV, in which no text of a user runs as a formula.

    :func:`attention_mixing.markup.inert` sees to that. Rows end with CR LF, as in RFC 4180, so
    that a text with either of them is quoted and begins no cell of its own.
    """
    rows = inert(data).to_csv(index=False, float_format=float_format, lineterminator="\r\n")
    return rows.encode("utf-8")


def files_of(directory: Path, label: str) -> dict[str, Path]:
    """Find the files of a figure or table in a directory, by the words for them."""
    paths = {word: directory / f"{label}{ending}" for ending, word in ENDINGS.items()}
    return {word: path for word, path in paths.items() if path.is_file()}


def add_to_archive(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    """Add a file; the default date is fixed, and nothing of the machine is noted."""
    entry = zipfile.ZipInfo(name)
    entry.create_system = 3
    archive.writestr(entry, content, zipfile.ZIP_DEFLATED, compresslevel=9)
