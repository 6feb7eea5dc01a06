"""Every control of every page is pressed, in the text first: nothing fails, every map is drawn."""

from __future__ import annotations

import pytest
from playwright.sync_api import ElementHandle, Error, Frame, expect

from browser.pages import PAGES, Visit

# The first control that can be seen and was not pressed yet; of a tab, which is a hidden radio
# button, the label. Folds are the browser's own.
NEXT = """(within) => {
  const controls = "button, select, input, [role=tab], [role=button], [onclick], "
    + ".modebar-btn, .legendtoggle";
  const pressed = window.pressed ??= new Set();
  const next = [...document.querySelectorAll(`${within} :is(${controls})`)].find((one) =>
    !pressed.has(one) && one.checkVisibility() && getComputedStyle(one).pointerEvents !== "none");
  pressed.add(next);
  return next?.type === "radio" ? next.labels[0] : next;
}"""
# What reacts in the drawing of a view of BertViz; d3 3 keeps under this name what listens.
PRESS_DRAWING = """() => {
  const pressed = [...document.querySelectorAll("#vis *")].filter((one) => one.__onclick);
  for (const one of pressed) one.dispatchEvent(new MouseEvent("click", {bubbles: true}));
  return pressed.length;
}"""
ALTERNATIVE = """(opener) => {
  const image = opener.closest(".sources").previousElementSibling.querySelector("img, [role=img]");
  return image.alt ?? image.ariaLabel;
}"""
LAST_ERRORS = 500  # milliseconds: Plotly waits for a second click


def press_all(opened: Visit, frame: Frame, within: str) -> int:
    """Press every control of a part of a page, or of a page in it; return how many there were."""
    count = maps = 0
    while control := frame.evaluate_handle(NEXT, within).as_element():
        name = control.evaluate("one => one.outerHTML.slice(0, 160)")
        opens_map = control.evaluate("one => one.matches('.interactive button')")
        if opens_map:
            # Near it, the map opens by itself: pressed twice, it is closed and open again.
            control.scroll_into_view_if_needed()
            expect(opened.tab.locator(".map-panel").nth(maps)).to_be_visible(timeout=20_000)
            press(control)
        press(control)
        if opens_map:
            opened.tab.wait_for_timeout(100)  # or it would be waited for in vain
        assert opened.problems == [], f"after {name}"
        if opens_map:
            panel = opened.tab.locator(".map-panel").nth(maps)
            expect(panel.locator(".scatterlayer .point").first).to_be_visible(timeout=20_000)
            expect(panel).to_have_accessible_name(control.evaluate(ALTERNATIVE))
            maps += 1
        count += 1
    return count


def press(control: ElementHandle) -> None:
    """Use a control, and leave a list or a field as it was."""
    match control.evaluate("one => one.matches('input') ? one.type : one.localName"):
        case "select":
            last = control.evaluate("one => one.options.length - 1")
            for index in (last, last // 2, 0):
                control.select_option(index=index)
        case "search" | "text":
            control.fill("a")
            control.fill("")
        case _:
            try:
                control.click()
            except Error:
                # Plotly draws its tools anew when a map is fitted to the page; those come next.
                if control.evaluate("one => one.isConnected"):
                    raise


@pytest.mark.parametrize("path", PAGES)
def test_every_control_can_be_pressed(visit, address, site, path):
    """From a disk and, in the other language, on a phone."""
    on_a_phone = path.startswith("ja/")
    place, width = (address, 360) if on_a_phone else (site.as_uri(), 1280)
    opened = visit(f"{place}/{path}", width)
    opened.unfold()
    assert opened.flaws() == []
    press_all(opened, opened.tab.main_frame, "main")
    for frame in opened.tab.frames[1:]:
        assert press_all(opened, frame, "body") + frame.evaluate(PRESS_DRAWING) > 0
    # Last of all what surrounds the text, so that the colours change while maps are open. Quarto
    # shows its bar where a page begins.
    opened.tab.evaluate("scrollTo(0, 0)")
    assert press_all(opened, opened.tab.main_frame, "body") > 0
    opened.tab.wait_for_timeout(LAST_ERRORS)
    assert opened.problems == []
