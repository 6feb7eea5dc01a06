"""The site in Chromium, by each renderer that there is.

That of the finished run in the working copy, where there is one by the renderer, else that of a
small run.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from benchmarks.browsing import MISSING, browsing, serving
from browser.pages import PAGES, PATHS, Visit

ROOT = Path(__file__).parents[2]


# No fixture of the browser outlives the package: Playwright runs an event loop in this thread.


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    with browsing() as browser:
        if browser is None:
            pytest.skip(MISSING)
        yield browser


@pytest.fixture(scope="package", params=["pandoc", "quarto"])
def renderer(request: pytest.FixtureRequest) -> str:
    if request.param == "quarto" and shutil.which("quarto") is None:
        pytest.skip("quarto is not on the PATH: only the pages by pandoc are tested")
    return request.param


@pytest.fixture(scope="package")
def site(chromium: Browser, renderer: str, request: pytest.FixtureRequest) -> Path:
    """Directory of the site; without a browser none is made."""
    if renderer == finished_by():
        return ROOT / "site"
    return request.getfixturevalue("small_site" if renderer == "pandoc" else "small_site_by_quarto")


@cache
def finished_by() -> str | None:
    """Renderer of ``site``, if that is of the pages and the notebooks that are there now."""
    if not all((ROOT / "site" / path).is_file() for path in PATHS):
        return None
    command = [sys.executable, "-m", "dvc", "status", "--json", "report", "site"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0 or json.loads(done.stdout) != {}:
        return None
    page = (ROOT / "site" / PAGES[0]).read_text(encoding="utf-8")
    return "quarto" if 'name="generator" content="quarto' in page else "pandoc"


@pytest.fixture(scope="package")
def address(site: Path) -> Iterator[str]:
    with serving(site) as address:
        yield address


@contextmanager
def opening(
    chromium: Browser, url: str, width: int = 1280, scheme: str = "light", **options
) -> Iterator[Visit]:
    """Open a page in a new context."""
    options |= {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
    # Nothing glides, so that what is looked at stands still.
    context = chromium.new_context(reduced_motion="reduce", **options)
    try:
        yield Visit(context.new_page(), url)
    finally:
        context.close()


@pytest.fixture
def visit(chromium: Browser) -> Iterator[Callable[..., Visit]]:
    """Return ``visit(url, width=1280, scheme="light")``, which is :func:`opening` until the end."""
    with ExitStack() as opened:
        yield lambda url, *how, **options: opened.enter_context(
            opening(chromium, url, *how, **options)
        )
