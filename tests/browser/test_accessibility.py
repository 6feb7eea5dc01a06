"""axe-core finds nothing serious on any page; a keyboard is enough to read it."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from browser.pages import LANGUAGES, PATHS, Visit

FOCUSED = """() => {
  const one = document.activeElement;
  const seen = (box) => box.width > 0 && box.bottom > 0 && box.top < innerHeight
    && box.right > 0 && box.left < innerWidth;
  // Of a tab, which is a hidden radio button, the label shows the focus.
  const shown = one.matches(".tabs > input") ? one.nextElementSibling : one;
  const style = getComputedStyle(shown);
  return {
    tag: one.tagName, html: one.outerHTML.slice(0, 120), within: !!one.closest("main"),
    seen: seen(shown.getBoundingClientRect()),
    marked: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0
      || style.boxShadow !== "none",
  };
}"""


# To axe the parts of a drawing are nothing, as they are to a reader who cannot see it; leaving
# them in makes it ten times slower.
EMPTY_DRAWINGS = """() => {
  for (const one of document.querySelectorAll("svg[role=img]")) one.replaceChildren();
}"""


def violations(visit: Visit, rules: list[str] | None = None) -> list[str]:
    """Rule, element and message of everything serious or critical."""
    options: dict = {"resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = rules
    found = Axe().run(visit.tab, options=options).response["violations"]
    return [
        f"{one['id']}: {node['html'][:160]}: {(node['any'] + node['all'] + node['none'])[:1]}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PATHS)
def test_axe_finds_nothing_serious(visit, address, path, scheme):
    opened = visit(f"{address}/{path}", scheme=scheme)
    opened.unfold()
    opened.tab.evaluate(EMPTY_DRAWINGS)
    found = violations(opened)
    if scheme == "light":
        # On a phone more is wider than the screen, and has to scroll by keyboard.
        opened.tab.set_viewport_size({"width": 360, "height": 740})
        opened.tab.wait_for_timeout(100)
        found += violations(opened, ["scrollable-region-focusable"])
    assert found == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_tab_skips_to_the_text(visit, address, language):
    tab = visit(f"{address}/{language}/mixing.html").tab
    tab.keyboard.press("Tab")
    skip = tab.locator(".skip-link")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport(ratio=1)
    tab.keyboard.press("Enter")
    tab.keyboard.press("Tab")
    assert tab.evaluate(FOCUSED)["within"]


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("path", ["index.html", "en/index.html", "ja/index.html", "en/mixing.html"])
def test_what_has_the_focus_is_marked(visit, address, path, width):
    tab = visit(f"{address}/{path}", width).tab
    lost = []
    for _ in range(40):
        tab.keyboard.press("Tab")
        focused = tab.evaluate(FOCUSED)
        if focused["tag"] == "BODY":  # past the last element
            break
        if not focused["marked"] or not focused["seen"]:
            lost.append(focused)
    assert lost == []
