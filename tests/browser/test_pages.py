"""Every page at two widths and in both colours: whole, quiet, readable, accessible, and leading on.

A page is opened once and looked at from all sides.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import TimeoutError

from browser.conftest import opening
from browser.pages import CHOOSING, LANGUAGES, NAMES, PAGES, PATHS, Visit

MEGABYTES = 3
SMALLEST = 11  # pixels, of a letter
WIDTHS = (1280, 390, 360)  # letters may be smaller on the last
# Whether the page is dark or light, by the red of its background.
COLOURED = """(scheme) => scheme ===
  (parseInt(getComputedStyle(document.body).backgroundColor.slice(4)) < 128 ? "dark" : "light")"""

# Before a page is touched. Quarto's own scripts and styles are the same for every page, and loaded
# once.
LOADED = """() => ({
  bytes: [...performance.getEntriesByType("navigation"),
          ...performance.getEntriesByType("resource")]
    .filter((one) => !one.name.includes("/site_libs/"))
    .reduce((sum, one) => sum + one.encodedBodySize, 0),
  links: [...document.querySelectorAll("a[href]")].map((one) => one.href),
  ids: [...document.querySelectorAll("[id], a[name]")].map((one) => one.id || one.name),
  unfolded: [...document.querySelectorAll("main table:not(.explorer table)")]
    .filter((one) => one.tBodies[0]?.rows.length > 15 && !one.closest("details"))
    .map((one) => one.textContent.slice(0, 80)),
  parted: [...document.querySelectorAll("main .quarto-float-fig figcaption")].filter((one) => {
    if (!one.checkVisibility()) return false;  // in a fold
    const figure = one.closest("[id^=fig-]:not(figcaption)");
    const {bottom} = one.getBoundingClientRect();
    const {top} = figure.nextElementSibling.getBoundingClientRect();
    return figure.querySelector(".sources, .code") || top < bottom || top > bottom + 32;
  }).map((one) => one.innerText),
})"""
# Drawings hold letters as outlines, each word scaled; 4/3 pixels are a point.
SMALL = f"""async () => {{
  const small = [];
  for (const one of document.querySelectorAll("main .plot > img")) {{
    if (!one.checkVisibility()) continue;
    const drawing = await (await fetch(one.src)).text();
    const units = Number(drawing.match(/font-size="(\\d+)"/)?.[1]);
    const scales = [...drawing.matchAll(/scale\\(([\\d.]+)-/g)].map(([, scale]) => Number(scale));
    const shown = one.width / one.naturalWidth;
    if (Math.min(...scales) * units * 4 / 3 * shown < {SMALLEST}) small.push(one.alt);
  }}
  return small;
}}"""
# A drawing is there for light and for dark pages, in folds and tabs too; one of them is shown.
MISTAKEN = """(scheme) => [...document.querySelectorAll("main .plot:has(> img)")].filter((plot) => {
  const shown = [...plot.querySelectorAll(":scope > img")]
    .filter((one) => getComputedStyle(one).display !== "none");
  return shown.length !== 1 || shown[0].matches(".on-dark") !== (scheme === "dark");
}).map((plot) => `${scheme}: ${plot.querySelector("img").alt}`)"""
BROKEN = """() => [...document.querySelectorAll("main td:has(.sign) > a, main .claim-verdict a")]
  .filter((one) => one.checkVisibility() && one.getClientRects().length > 1)
  .map((one) => one.outerHTML.slice(0, 160))"""
# Numbers of tables, with what they are intervals or shares of, and words that stand in two lines.
CUT = r"""() => {
  const cut = [];
  for (const cell of document.querySelectorAll("main :is(td, th):not(.explorer *)")) {
    if (!cell.checkVisibility()) continue;
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const {data, parentElement} = texts.currentNode;
      if (parentElement.closest("code, math")) continue;
      const number = "[-−+]?\\d[\\d.,]*%?";
      const interval = `\\s[[(（]${number}[-−+\\d., –〜to×⁻⁰¹²³⁴-⁹%]+[\\])）]`;
      const alone = `(?<![\\p{L}\\d-])(< |> )?${number}(${interval})?`;
      const parts = RegExp(`${alone}|\\p{Script=Latin}{2,}`, "gu");
      for (const {index, 0: part} of data.matchAll(parts)) {
        const range = document.createRange();
        range.setStart(texts.currentNode, index);
        range.setEnd(texts.currentNode, index + part.length);
        const lines = [...range.getClientRects()].filter((box) => box.width);
        if (lines.some((box) => box.top > lines[0].bottom - 1)) cut.push(`${part} of ${data}`);
      }
    }
  }
  return cut;
}"""
# What is too wide fades where it goes on, a figure or a table with an arrow, and can be scrolled by
# keyboard.
STUCK = """async () => {
  // A busy machine tells of sizes and scrolling late, another at once.
  const settled = async (done) => {
    for (let waited = 0; waited < 5000 && !done(); waited += 20) {
      await new Promise((next) => setTimeout(next, 20));
    }
    return done();
  };
  const hides = (one) => [one.hasAttribute("data-before"), one.hasAttribute("data-after")].join();
  const wide = () => [...document.querySelectorAll("main *:not(.explorer *)")].filter((one) =>
    getComputedStyle(one).overflowX === "auto" && one.scrollWidth > one.clientWidth + 1);
  const pointedOut = (one) => !one.matches(".plot, .table")
    || getComputedStyle(one.previousElementSibling, "::after").content.startsWith('"→"')
      && one.previousElementSibling.checkVisibility();
  const stuck = () => wide().filter((one) => hides(one) !== "false,true" || one.tabIndex !== 0
    || getComputedStyle(one).maskImage === "none" || !pointedOut(one));
  await settled(() => !stuck().length);
  const found = stuck();
  const [first] = document.querySelectorAll("main [data-after]");
  if (first) {
    first.scrollLeft = first.scrollWidth;
    if (!await settled(() => hides(first) === "true,false")) found.push(first);
    first.scrollLeft = 0;
    await settled(() => hides(first) === "false,true");
  }
  return found.map((one) => one.outerHTML.slice(0, 100));
}"""

# Letters and all that lies behind them decide their contrast. Of elements that are alike in these,
# as thousands of cells of tables are, axe looks at the first, which takes a tenth of the time.
CONTRAST = "color-contrast"
UNLIKE = """() => {
  const known = new Set();
  for (const one of document.querySelectorAll("body *")) {
    const written = one.matches("input, select, textarea")
      || [...one.childNodes].some((part) => part.nodeName === "#text" && part.data.trim());
    if (!written || !one.checkVisibility({visibilityProperty: true})) continue;
    const {color, fontSize, fontWeight, textShadow} = getComputedStyle(one);
    const look = [one.localName, one.className, color, fontSize, fontWeight, textShadow];
    for (let box = one; box; box = box.parentElement) {
      const {backgroundColor, backgroundImage, filter, opacity, position} = getComputedStyle(box);
      const behind = [backgroundColor, backgroundImage, filter, opacity, position].join();
      if (behind !== "rgba(0, 0, 0, 0),none,none,1,static") look.push(behind);
    }
    if (!known.has(look.join())) one.dataset.unlike = "";
    known.add(look.join());
  }
}"""


def violations(tab, context: dict | None = None, **options) -> list[str]:
    """Rule, element and message of everything serious or critical."""
    options |= {"resultTypes": ["violations"]}
    return [
        f"{one['id']}: {node['html'][:160]}: {(node['any'] + node['all'] + node['none'])[:1]}"
        for one in Axe().run(tab, context, options).response["violations"]
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


def look_at(opened: Visit, scheme: str) -> dict[str, Any]:
    """Return what there is to see, and what is wrong with it, one sentence each."""
    tab = opened.tab
    seen = tab.evaluate(LOADED)
    opened.unfold()
    seen |= {"colours": [], "mistaken": [], "flaws": [], "small": [], "stuck": [], "cut": []}
    for one in ("light", "dark", scheme):
        tab.emulate_media(color_scheme=one)
        try:
            tab.wait_for_function(COLOURED, arg=one, timeout=5000)  # Quarto follows by a script
        except TimeoutError:
            seen["colours"].append(f"not {one}")
        seen["mistaken"] += tab.evaluate(MISTAKEN, one)
    for width in WIDTHS:
        tab.set_viewport_size({"width": width, "height": 900})
        seen["stuck"] += tab.evaluate(STUCK)
        seen["flaws"] += opened.flaws()
        if width > WIDTHS[-1]:
            seen["small"] += tab.evaluate(SMALL) + tab.evaluate(BROKEN)
            seen["cut"] += tab.evaluate(CUT)
    # On a phone more is wider than the screen, and has to scroll by keyboard.
    seen["violations"] = violations(tab, runOnly=["scrollable-region-focusable"])
    tab.set_viewport_size({"width": WIDTHS[0], "height": 900})
    seen["violations"] += violations(tab, rules={CONTRAST: {"enabled": False}})
    tab.evaluate(UNLIKE)
    seen["violations"] += violations(tab, {"include": "[data-unlike]"}, runOnly=[CONTRAST])
    return seen


@pytest.fixture(scope="module")
def look(chromium, address) -> Callable[[str], dict[str, Any]]:
    """Return ``look(path)``: what was seen of a page, the Japanese ones in dark colours."""

    @cache
    def once(path: str) -> dict[str, Any]:
        scheme = "dark" if path.startswith("ja/") else "light"
        options = CHOOSING.get(path, {})
        with opening(chromium, f"{address}/{path}", scheme=scheme, **options) as opened:
            return look_at(opened, scheme)

    return once


# What is wrong with pages: on all there are, or on those of the report.
WRONG = {
    **dict.fromkeys(("flaws", "violations"), PATHS),
    **dict.fromkeys(("small", "unfolded", "cut", "parted", "stuck", "colours", "mistaken"), PAGES),
}


@pytest.mark.parametrize(
    ("kind", "path"), [(kind, path) for kind, paths in WRONG.items() for path in paths]
)
def test_nothing_is_wrong_with_a_page(look, kind, path):
    assert look(path)[kind] == []


@pytest.mark.parametrize("path", PATHS)
def test_a_page_weighs_at_most_so_much_before_it_is_touched(look, path):
    assert 0 < look(path)["bytes"] < MEGABYTES * 1e6


# --- where a page leads ---------------------------------------------------------------------------


def target(link: str) -> tuple[str, str]:
    """Path of a link within the site, and its fragment; Quarto shortens ``index.html`` away."""
    parts = urlsplit(link)
    path = unquote(parts.path).lstrip("/")
    return path + ("index.html" if path.endswith("/") or not path else ""), unquote(parts.fragment)


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
            # The ledger of claims keeps what was chosen in the address: #verdict=holds.
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


@pytest.mark.parametrize(("locale", "language"), [("ja-JP", "ja"), ("en-GB", "en")])
def test_the_root_leads_to_the_language_of_the_browser(visit, site, locale, language):
    opened = visit(f"{site.as_uri()}/index.html", locale=locale)
    opened.tab.wait_for_url(f"**/{language}/index.html")
    assert opened.tab.evaluate("document.documentElement.lang") == language


def test_the_switch_of_languages_keeps_the_place(visit, site):
    opened = visit(f"{site.as_uri()}/en/mixing.html#fig-scopes")
    opened.tab.get_by_role("link", name=NAMES["ja"], exact=True).click()
    opened.tab.wait_for_url("**/ja/mixing.html#fig-scopes")
    assert opened.tab.evaluate("document.documentElement.lang") == "ja"
    assert opened.problems == []


@pytest.mark.parametrize("width", [390, 1280])
def test_the_bar_stays_and_hides_no_place(visit, site, width):
    """What an address leads to begins below the bar, where the search is."""
    opened = visit(f"{site.as_uri()}/en/mixing.html#fig-scopes", width)
    bar, place = (
        opened.tab.locator(selector).first.bounding_box()
        for selector in (".bar, #quarto-header", "#fig-scopes")
    )
    assert bar["y"] == 0
    assert bar["height"] - 1 <= place["y"] < bar["height"] + 120
    assert opened.problems == []


def test_the_text_of_the_explorer_stays_below_the_bar(visit, site):
    opened = visit(f"{site.as_uri()}/en/explorer.html")
    text = opened.tab.locator(".bar-of-text")
    text.locator(".token").first.wait_for()
    # As far down as the views go beside it.
    opened.tab.evaluate("scrollTo(0, document.querySelector('.bar-of-text').offsetTop + 200)")
    bar = opened.tab.locator(".bar, #quarto-header").first.bounding_box()
    assert abs(text.bounding_box()["y"] - bar["height"]) <= 1
    assert opened.problems == []
