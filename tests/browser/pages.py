"""Which pages there are, and what is noted while one of them is open."""

from __future__ import annotations

from urllib.parse import urlsplit

from playwright.sync_api import ConsoleMessage, Page, Request, Response, TimeoutError

from analysis.lint.written import listed_pages

LANGUAGES = ("en", "ja")
NAMES = {"en": "English", "ja": "日本語"}
PAGES = [f"{language}/{name}.html" for language in LANGUAGES for name in listed_pages(language)]
PATHS = ["index.html", *PAGES]
# Who reads neither language stays at the root, which leads all others on.
CHOOSING = {"index.html": {"locale": "fr-FR"}}

# What is wrong with the page as it is shown, one sentence each.
FLAWS = """() => {
  const flaws = [];
  const shown = (one) => one.outerHTML.replace(/\\s+/g, " ").slice(0, 140);
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth) {
    const wide = [...document.body.querySelectorAll("*")].filter((one) => {
      if (one.getBoundingClientRect().right <= innerWidth + 0.5) return false;
      for (let box = one.parentElement; box !== document.body; box = box.parentElement)
        if (getComputedStyle(box).overflowX !== "visible") return false;
      return true;
    });
    flaws.push(`${root.scrollWidth} wide on ${innerWidth}: ${wide.slice(0, 2).map(shown)}`);
  }
  for (const image of document.images)
    if (!image.complete || !image.naturalWidth) flaws.push(`no image: ${shown(image)}`);
  for (const one of document.querySelectorAll("img, svg[role=img]")) {
    const text = one.getAttribute("alt") || one.ariaLabel || "";
    const read = !one.closest("[aria-hidden=true]");
    if (read && !text.trim()) flaws.push(`no alternative text: ${shown(one)}`);
  }
  if (!root.lang) flaws.push("no language");
  return flaws;
}"""
EMPTY = "() => !document.body || !document.body.childElementCount"


class Visit:
    """A page that was opened, and what went wrong while it was.

    Attributes
    ----------
    tab
        Of Playwright.
    problems
        Errors on the console, requests that failed or left the host; one sentence each.
    """

    def __init__(self, tab: Page, url: str) -> None:
        self.tab = tab
        self.problems: list[str] = []
        self._host = urlsplit(url)[:2]
        tab.on("console", self._note_message)
        tab.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        tab.on("request", self._note_request)
        tab.on("requestfailed", lambda one: self.problems.append(f"not loaded: {one.url[:200]}"))
        tab.on("response", self._note_response)
        try:
            tab.goto(url, wait_until="load")
        except TimeoutError:
            # On a busy machine a new tab may hang before it asks for anything, which says nothing
            # of the page; one that really never loads hangs again.
            self.problems.clear()
            tab.goto(url, wait_until="load")

    def _note_message(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.problems.append(f"console: {message.text}")

    def _note_request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in ("data", "blob", "about") and parts[:2] != self._host:
            self.problems.append(f"leaves the host: {request.url[:200]}")

    def _note_response(self, response: Response) -> None:
        if response.status >= 400:
            self.problems.append(f"status {response.status}: {response.url[:200]}")

    def unfold(self) -> None:
        """Open every fold, and wait until all images and embedded pages are there."""
        self.tab.evaluate(
            """async () => {
              for (const fold of document.querySelectorAll("details")) fold.open = true;
              const parts = document.querySelectorAll("img, iframe");
              for (const one of parts) one.loading = "eager";
              const late = new Promise((done) => setTimeout(done, 20000));
              for (const image of document.images) {
                await Promise.race([late, image.decode().catch(() => 0)]);
              }
              await document.fonts.ready;
            }"""
        )
        for frame in self.tab.frames[1:]:
            frame.wait_for_url(lambda url: url != "about:blank")

    def flaws(self) -> list[str]:
        """Return the problems so far, and what is wrong with the unfolded page as it is shown."""
        empty = [frame.url for frame in self.tab.frames if frame.evaluate(EMPTY)]
        return self.problems + self.tab.evaluate(FLAWS) + [f"nothing in {url}" for url in empty]
