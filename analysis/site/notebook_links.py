"""Notebooks as they are published: in a directory of their own, beside the pages."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat

# Of a page, to what lies beside it.
_BESIDE = re.compile(r'(\b(?:src|href)=")(?![a-z]+:|[/#]|\.\./)')


def link_from_below(notebook: Path) -> None:
    """Let a notebook in a directory beside the pages show and link to what the pages do."""
    read = nbformat.read(notebook, as_version=nbformat.NO_CONVERT)
    for cell in read.cells:
        for output in cell.get("outputs", ()):
            if html := output.get("data", {}).get("text/html"):
                output["data"]["text/html"] = _BESIDE.sub(r"\1../", html)
    nbformat.write(read, notebook)
