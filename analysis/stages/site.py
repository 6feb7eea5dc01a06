"""Publish the pages of both languages behind one front."""

from __future__ import annotations

import shutil

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
        shutil.copytree(EXPLORER, directory / EXPLORER.name)
        shutil.copyfile(REPORT / "index.html", directory / "index.html")


if __name__ == "__main__":
    run(site)
