"""Chapter *provenance*: everything that stands below the figures and tables, at once."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pandas as pd
from IPython.display import HTML

from analysis.figures.chapter_notes import finished, page_link, read_note
from attention_mixing.markup import escape, fold
from attention_mixing.paths import chapter_directory
from attention_mixing.words import Words

# What a reader may want to have at once.
KEPT = (".csv", ".svg", ".txt")


def downloads_table(language: str, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """List every file below a figure or table: as a link, and by its name in the archive."""
    rows, cells = [], []
    for page in finished(language):
        links = []
        for label in sorted(read_note(language, page, "drawn_by")):
            parts = []
            for ending, word in (("csv", "data"), ("svg", "drawing")):
                path = f"files/{page}/{label}.{ending}"
                file = chapter_directory(page) / language / f"{label}.{ending}"
                if file.is_file():
                    parts.append(f'<a href="{path}">{w[word]}</a>')
                    rows.append((page, label, f"{page}/{file.name}", file.stat().st_size))
            links.append(f"{escape(label)}: {' · '.join(parts)}")
        cells.append({w["chapter"]: HTML(page_link(page, w)), w["figures"]: HTML(fold(links))})
    return pd.DataFrame(cells), pd.DataFrame(rows, columns=["page", "figure", "file", "bytes"])


def write_archive(language: str, target: Path) -> int:
    """Put data, drawings and code of every page into one archive, the same bytes every time.

    Returns
    -------
    int
        How many files it holds.
    """
    with zipfile.ZipFile(target, "w") as archive:
        for page in finished(language):
            for path in sorted((chapter_directory(page) / language).iterdir()):
                if path.suffix in KEPT:
                    # The default date is fixed, and nothing of the machine is noted.
                    entry = zipfile.ZipInfo(f"{page}/{path.name}")
                    entry.compress_type = zipfile.ZIP_DEFLATED
                    entry.create_system = 3
                    archive.writestr(entry, path.read_bytes())
        return len(archive.namelist())
