"""What can be downloaded: the data below figures and tables, and all of them in one archive."""

from __future__ import annotations

import filecmp
import zipfile
from pathlib import Path

import pandas as pd
from IPython.display import HTML

from analysis.paths import CHAPTERS, LANGUAGES, chapter_directory
from analysis.prose import messages
from analysis.prose.messages import page_link
from analysis.results.notes import read_note
from attention_mixing.markup import escape, fold, inert
from attention_mixing.words import Words

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
            _add(archive, whole.name, written)


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


def finished(language: str) -> list[str]:
    """Pages whose notebooks have run, in the order of the pages; provenance itself is none."""
    read = "reads.json"
    return [
        chapter
        for chapter in messages.chapters()
        if (CHAPTERS / chapter / language / read).is_file()
    ]


def downloads_table(language: str, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """List every file below a figure or table: as a link, and how large it is."""
    rows, cells = [], []
    for page in finished(language):
        links = []
        for label in sorted(read_note(language, page, "drawn_by")):
            parts = []
            for file in files_of(chapter_directory(page) / language, label).values():
                path = f"files/{page}/{file.name}"
                ending = file.name.removeprefix(f"{label}.").upper()
                parts.append(f'<a href="{path}">{ending}</a>')
                rows.append((page, label, path, file.stat().st_size))
            links.append(f"{escape(label)}: {' · '.join(parts)}")
        cells.append({w["chapter"]: HTML(page_link(page, w)), w["figures"]: HTML(fold(links))})
    return pd.DataFrame(cells), pd.DataFrame(rows, columns=["page", "figure", "file", "bytes"])


def write_archive(target: Path, artifacts: pd.DataFrame) -> int:
    """Put data and code of every page into one archive, the same bytes every time.

    Parameters
    ----------
    target
        ZIP file to write.
    artifacts
        Hashes of all artifacts, which it holds as well.

    Returns
    -------
    int
        How many files it holds.
    """
    files = {"artifacts.csv": as_csv(artifacts)}
    for language in LANGUAGES:
        for page in finished(language):
            for path in sorted((chapter_directory(page) / language).iterdir()):
                folder = _folder(page, language, path.name)
                if path.suffix in (".csv", ".txt"):
                    files[f"{folder}/{path.name}"] = path.read_bytes()
                elif path.suffix == ".zip":
                    with zipfile.ZipFile(path) as single:
                        (name,) = single.namelist()
                        files[f"{folder}/{name}"] = single.read(name)
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in files.items():
            _add(archive, name, content)
    return len(files)


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    """Add a file; the default date is fixed, and nothing of the machine is noted."""
    entry = zipfile.ZipInfo(name)
    entry.create_system = 3
    archive.writestr(entry, content, zipfile.ZIP_DEFLATED, compresslevel=9)


def _folder(page: str, language: str, name: str) -> str:
    """Folder of a file in the archive, where what all languages have alike lies once."""
    path, *others = (
        chapter_directory(page) / one / name
        for one in (language, *(one for one in LANGUAGES if one != language))
    )
    alike = all(other.is_file() and filecmp.cmp(path, other, shallow=False) for other in others)
    return page if alike else f"{language}/{page}"
