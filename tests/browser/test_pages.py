"""Every page at every width loads whole, from a server and from a disk, and leads where it says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from browser.pages import LANGUAGES, NAMES, PAGES, PATHS, Visit

MEGABYTES = 3

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
  for (const one of document.querySelectorAll("img, svg[role=img]"))
    if (!(one.getAttribute("alt") || one.ariaLabel || "").trim())
      flaws.push(`no alternative text: ${shown(one)}`);
  if (!root.lang) flaws.push("no language");
  return flaws;
}"""
EMPTY = "() => !document.body || !document.body.childElementCount"


def flaws(visit: Visit) -> list[str]:
    visit.unfold()
    empty = [frame.url for frame in visit.tab.frames if frame.evaluate(EMPTY)]
    return visit.problems + visit.tab.evaluate(FLAWS) + [f"nothing in {url}" for url in empty]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("path", PATHS)
def test_a_page_is_whole_and_quiet(visit, address, path, width, scheme):
    assert flaws(visit(f"{address}/{path}", width, scheme)) == []


@pytest.mark.parametrize("path", PATHS)
def test_a_page_opens_from_a_disk(visit, site, path):
    assert flaws(visit(f"{site.as_uri()}/{path}")) == []


# --- what a page weighs and where it leads --------------------------------------------------------

# Quarto's own scripts and styles are the same for every page, and loaded once.
SEEN = """() => ({
  bytes: [...performance.getEntriesByType("navigation"),
          ...performance.getEntriesByType("resource")]
    .filter((one) => !one.name.includes("/site_libs/"))
    .reduce((sum, one) => sum + one.encodedBodySize, 0),
  links: [...document.querySelectorAll("a[href]")].map((one) => one.href),
  ids: [...document.querySelectorAll("[id], a[name]")].map((one) => one.id || one.name),
})"""


@pytest.fixture(scope="module")
def look(chromium, address) -> Callable[[str], dict]:
    """Return ``look(path)``: size, links and ids of a page, before it is touched."""
    seen: dict[str, dict] = {}

    def look_at(path: str) -> dict:
        if path not in seen:
            tab = chromium.new_page()
            tab.goto(f"{address}/{path}", wait_until="load")
            seen[path] = tab.evaluate(SEEN)
            tab.context.close()
        return seen[path]

    return look_at


def target(link: str) -> tuple[str, str]:
    """Path of a link within the site, and its fragment; Quarto shortens ``index.html`` away."""
    parts = urlsplit(link)
    path = unquote(parts.path).lstrip("/")
    return path + ("index.html" if path.endswith("/") or not path else ""), unquote(parts.fragment)


@pytest.mark.parametrize("path", PATHS)
def test_a_page_weighs_at_most_so_much_before_it_is_touched(look, path):
    assert 0 < look(path)["bytes"] < MEGABYTES * 1e6


@pytest.mark.parametrize("path", PATHS)
def test_every_link_lands(look, address, site, path):
    astray = []
    for link in look(path)["links"]:
        if not link.startswith(f"{address}/"):
            continue
        to, fragment = target(link)
        if not (site / to).is_file():
            astray.append(f"no file: {link}")
        elif fragment and Path(to).suffix == ".html":
            # The ledger of claims keeps what was chosen in the address: #verdict=reproduced.
            place = "claims" if "=" in fragment else fragment
            if place not in ("top", "claims") and place not in look(to)["ids"]:
                astray.append(f"no such place: {link}")
    assert astray == []


@pytest.mark.parametrize("path", PAGES)
def test_the_other_language_is_one_link_away(look, path):
    """The link leads to the same page; others may lead to the ledger of the other language."""
    language, page = path.split("/")
    (other,) = set(LANGUAGES) - {language}
    found = {target(link)[0] for link in look(path)["links"]}
    assert {one for one in found if one.startswith(f"{other}/")} == {f"{other}/{page}"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_switch_of_languages_switches(visit, opened_from, language):
    (other,) = set(LANGUAGES) - {language}
    opened = visit(f"{opened_from}/{language}/mixing.html")
    opened.tab.get_by_role("link", name=NAMES[other], exact=True).click()
    opened.tab.wait_for_url(f"**/{other}/mixing.html")
    assert opened.tab.evaluate("document.documentElement.lang") == other
    assert opened.problems == []
