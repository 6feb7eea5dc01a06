"""Chapter *provenance*: what the notebooks of the other chapters left beside their figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.artifacts import read_artifact
from analysis.figures import words
from analysis.figures.markup import escape
from analysis.paths import CHAPTERS, chapter_directory

# Of the stage of a page.
NOTEBOOK = "notebook-"


def finished(language: str) -> list[str]:
    """Pages whose notebooks have run, in the order of the pages; provenance itself is none."""
    read = "reads.json"
    return [one for one in words.chapters() if (CHAPTERS / one / language / read).is_file()]


def page_link(page: str, w: Mapping[str, str]) -> str:
    """Write a link to a page by its title."""
    return f'<a href="{page}.html">{escape(w[f"chapter_{page}"])}</a>'


def read_note(language: str, page: str, name: str) -> Any:
    """Read what the notebook of a page left beside its figures: ``drawn_by``, ``reads``."""
    path = chapter_directory(page) / language / f"{name}.json"
    return read_artifact(path, dict | list)
