"""What the notebooks leave beside their figures for other notebooks and the pages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from analysis.paths import chapter_directory
from attention_mixing.artifacts import read_artifact

GIVEN = "given"  # note of the findings: chapter -> number -> whether this run has a value of it


def write_note(directory: Path, name: str, content: Mapping[str, Any] | Sequence[str]) -> None:
    """Write ``NAME.json`` of a notebook into its directory, the same bytes each time."""
    text = json.dumps(content, ensure_ascii=False, indent=2, sort_keys=True)
    (directory / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def read_note(language: str, page: str, name: str) -> Any:
    """Read what a notebook left beside its figures: ``drawn_by``, ``reads``, ..."""
    path = chapter_directory(page) / language / f"{name}.json"
    return read_artifact(path, dict | list)
