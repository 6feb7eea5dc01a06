"""Publish the pages of both languages behind one front."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import nbformat

from analysis.layout import NOTEBOOKS
from analysis.params import Params
from analysis.paths import EXPLORER, LANGUAGES, PAGES, REPORT, SITE
from analysis.stage import replacing, run


def site(params: Params) -> None:
    """Publish ``site`` in one move: the pages of both languages, and a page to choose one.

    Beside them lies what the explorer of both loads. Until then readers have the site before.
    """
    with replacing(SITE) as directory:
        directory.mkdir()
        for language in LANGUAGES:
            shutil.copytree(PAGES / language, directory / language)
            for notebook in sorted((directory / language / NOTEBOOKS).glob("*.ipynb")):
                _show_files(notebook)
        shutil.copytree(EXPLORER, directory / EXPLORER.name)
        shutil.copyfile(REPORT / "index.html", directory / "index.html")


# A figure in the output of a notebook: drawn in the page, with a link to its file.
_DRAWN = re.compile(
    r'<svg role="img" aria-label="(?P<alt>[^"]*)".*?</svg>'
    r'(?P<between>(?:(?!<svg).)*?<a href="(?P<file>files/[^"]+\.svg)")',
    re.DOTALL,
)


def _show_files(notebook: Path) -> None:
    """Let a published notebook show and link to the files beside it, not hold each once more."""
    read = nbformat.read(notebook, as_version=nbformat.NO_CONVERT)
    for cell in read.cells:
        for output in cell.get("outputs", ()):
            if html := output.get("data", {}).get("text/html"):
                shown = _DRAWN.sub(r'<img src="\g<file>" alt="\g<alt>">\g<between>', html)
                shown = re.sub('(src|href)="files/', r'\1="../files/', shown)
                output["data"]["text/html"] = shown
    nbformat.write(read, notebook)


if __name__ == "__main__":
    run(site)
