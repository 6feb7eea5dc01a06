"""Figures can be read at every width, and what is wider than the screen shows that it goes on."""

from __future__ import annotations

import pytest

from browser.pages import PAGES

SMALLEST = 11  # pixels

# Drawings hold letters as outlines; each text is a group that scales a hundredth of a point.
SIZES = """() => [...document.querySelectorAll("main .plot svg g[transform*=scale]")].map((one) => {
  const {a, b} = one.getScreenCTM();
  return [one.ownerSVGElement.ariaLabel, 100 * Math.hypot(a, b)];
})"""
# An image in a fold is shown as large as it is drawn.
SHRUNK = """() => [...document.querySelectorAll("main .plot > img")]
  .filter((one) => one.width < one.naturalWidth - 1).map((one) => one.alt)"""
SCROLLING = """() => {
  const wide = [...document.querySelectorAll("main *")].filter((one) =>
    getComputedStyle(one).overflowX === "auto" && one.scrollWidth > one.clientWidth + 1);
  return wide.map((one) => {
    const masked = () => getComputedStyle(one).maskImage !== "none";
    const before = [one.hasAttribute("data-before"), one.hasAttribute("data-after"), masked()];
    return {html: one.outerHTML.slice(0, 100), before, focusable: one.tabIndex === 0};
  });
}"""
SCROLLED = """async () => {
  const one = [...document.querySelectorAll("main [data-after]")][0];
  one.scrollLeft = one.scrollWidth;
  await new Promise((done) => setTimeout(done, 200));
  return [one.hasAttribute("data-before"), one.hasAttribute("data-after")];
}"""
BROKEN = """() => [...document.querySelectorAll("main td:has(.sign) > a, main .claim-verdict a")]
  .filter((one) => one.checkVisibility() && one.getClientRects().length > 1)
  .map((one) => one.outerHTML.slice(0, 160))"""
UNFOLDED = """() => [...document.querySelectorAll("main table")]
  .filter((one) => one.tBodies[0]?.rows.length > 15 && !one.closest("details"))
  .map((one) => one.textContent.slice(0, 80))"""


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("path", PAGES)
def test_letters_of_figures_are_large_enough(visit, address, path, width):
    opened = visit(f"{address}/{path}", width)
    assert opened.tab.evaluate(UNFOLDED) == []
    opened.unfold()
    assert [one for one in opened.tab.evaluate(SIZES) if one[1] < SMALLEST] == []
    assert opened.tab.evaluate(SHRUNK) == []
    assert opened.tab.evaluate(BROKEN) == []


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("path", PAGES)
def test_what_is_too_wide_fades_where_it_goes_on(visit, address, path, width):
    opened = visit(f"{address}/{path}", width)
    opened.unfold()
    opened.tab.wait_for_timeout(200)
    for one in opened.tab.evaluate(SCROLLING):
        assert one["before"] == [False, True, True], one["html"]
        assert one["focusable"], one["html"]
    if opened.tab.locator("main [data-after]").count():
        assert opened.tab.evaluate(SCROLLED) == [True, False]
