"""Publish the pages of both languages behind one front."""

from __future__ import annotations

import shutil

from analysis.params import Params
from analysis.paths import LANGUAGES, PAGES, REPORT, SITE
from analysis.stage import replacing, run


def site(params: Params) -> None:
    """Publish ``site`` in one move: the pages of both languages, and a page to choose one.

    Until then readers have the site of the run before.
    """
    with replacing(SITE) as directory:
        directory.mkdir()
        for language in LANGUAGES:
            shutil.copytree(PAGES / language, directory / language)
        shutil.copyfile(REPORT / "index.html", directory / "index.html")


if __name__ == "__main__":
    run(site)
