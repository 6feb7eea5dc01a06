"""Chapter *provenance*: what the notebooks of the other chapters left beside their figures."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from analysis.figures.markup import escape
from analysis.paths import REPORT


def chapters(language: str) -> list[str]:
    """Pages whose notebooks have run, in the order of the graph; provenance itself is not yet."""
    graph = yaml.safe_load(Path("dvc.yaml").read_text(encoding="utf-8"))["stages"]
    files = REPORT / language / "files"
    return [one for one in graph["notebook"]["foreach"] if (files / one / "reads.json").is_file()]


def page_link(chapter: str, w: Mapping[str, str]) -> str:
    """Write a link to a page by its title."""
    return f'<a href="{chapter}.html">{escape(w[f"chapter_{chapter}"])}</a>'


def read_note(language: str, chapter: str, name: str) -> Any:
    """Read what the notebook of a page left beside its figures: ``drawn_by``, ``reads``."""
    path = REPORT / language / "files" / chapter / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8"))
