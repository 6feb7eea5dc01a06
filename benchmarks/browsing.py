"""A site in a real browser: where to find one, and a server for the site."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

COMMANDS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MISSING = (
    "no Chromium is installed: `sudo apt-get install chromium` or "
    "`python -m playwright install chromium`"
)


@contextmanager
def browsing() -> Iterator[Browser | None]:
    """Start Chromium: that of the system, else Playwright's own; None where there is neither."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = next(filter(None, map(shutil.which, COMMANDS)), None)
        own = playwright.chromium.executable_path
        if found is None and not Path(own).exists():
            yield None
            return
        browser = playwright.chromium.launch(executable_path=found or own)
        yield browser
        browser.close()


@contextmanager
def serving(directory: Path) -> Iterator[str]:
    """Serve a directory on a free port of this machine; gives the address."""
    handler = partial(_Quiet, directory=os.fspath(directory))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        """Write nothing; the browser notes what fails."""
