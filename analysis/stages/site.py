"""Publish the pages of both languages behind one front."""

from __future__ import annotations

import filecmp
import re
import shutil
from pathlib import Path

from analysis.parameters import Params
from analysis.paths import EXPLORER, FILES, LANGUAGES, NOTEBOOKS, PAGES, REPORT, SITE
from analysis.pipeline.stage import replacing, run
from analysis.site.notebook_links import link_from_below


def site(params: Params) -> None:
    """Publish ``site`` in one move: the pages of both languages, and a page to choose one.

    Beside them lies what both load: of the explorer, and of scripts, styles and the files below
    figures and tables what has no words of a language. Until then readers have the site before.
    """
    with replacing(SITE) as directory:
        directory.mkdir()
        for language in LANGUAGES:
            shutil.copytree(PAGES / language, directory / language)
            for notebook in sorted((directory / language / NOTEBOOKS).glob("*.ipynb")):
                link_from_below(notebook)
        _keep_once(directory)
        # What the pages were made from is in them.
        made_from = shutil.ignore_patterns("*.json")
        shutil.copytree(EXPLORER, directory / EXPLORER.name, ignore=made_from)
        shutil.copyfile(REPORT / "index.html", directory / "index.html")


# What lies beside the pages of a language; the last is Quarto's.
BESIDE = (FILES, "shared", "site_libs")
# A link of a page to a file, or, in quotes that are escaped, of a notebook.
_LINKED = re.compile(
    r'(?P<before>(?:(?:href|src)=\\?|url\()")(?P<up>(?:\.\.?/)?)'
    rf'(?P<file>(?:{"|".join(BESIDE)})/[^"\\#?]+)'
)


def _keep_once(directory: Path) -> None:
    """Move the files that all languages have alike beside their directories, and link there."""
    first, *others = (directory / language for language in LANGUAGES)
    alike = set()
    for path in sorted(path for one in BESIDE for path in (first / one).rglob("*")):
        name = path.relative_to(first).as_posix()
        twins = [other / name for other in others]
        if path.is_file() and all(
            twin.is_file() and filecmp.cmp(path, twin, shallow=False) for twin in twins
        ):
            alike.add(name)
            (directory / name).parent.mkdir(parents=True, exist_ok=True)
            path.rename(directory / name)
            for twin in twins:
                twin.unlink()

    def linked(link: re.Match[str]) -> str:
        beside = "../" if link["file"] in alike else ""
        return f"{link['before']}{beside}{link['up']}{link['file']}"

    for language in LANGUAGES:
        for page in sorted((directory / language).rglob("*")):
            if page.suffix in (".html", ".ipynb"):
                written = page.read_text(encoding="utf-8")
                page.write_text(_LINKED.sub(linked, written), encoding="utf-8")


if __name__ == "__main__":
    run(site)
