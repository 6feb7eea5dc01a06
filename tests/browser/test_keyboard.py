"""A keyboard is enough to read a page."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from browser.pages import CHOOSING

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


def test_the_first_tab_skips_to_the_text(visit, address):
    tab = visit(f"{address}/en/mixing.html").tab
    tab.keyboard.press("Tab")
    skip = tab.locator(".skip-link")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport(ratio=1)
    tab.keyboard.press("Enter")
    tab.keyboard.press("Tab")
    assert tab.evaluate(FOCUSED)["within"]


@pytest.mark.parametrize(
    ("path", "width"),
    [("index.html", 360), ("en/index.html", 1280), ("ja/index.html", 360), ("en/mixing.html", 360)],
)
def test_what_has_the_focus_is_marked(visit, address, path, width):
    tab = visit(f"{address}/{path}", width, **CHOOSING.get(path, {})).tab
    lost = []
    for _ in range(40):
        tab.keyboard.press("Tab")
        focused = tab.evaluate(FOCUSED)
        if focused["tag"] == "BODY":  # past the last element
            break
        if not focused["marked"] or not focused["seen"]:
            lost.append(focused)
    assert lost == []
