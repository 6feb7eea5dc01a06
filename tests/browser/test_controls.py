"""Every control of every page is pressed, in the text first, and nothing fails.

Those of the explorer, which are made anew with every choice, have tests of their own.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import ElementHandle, Frame

from browser.pages import PAGES, Visit

# The first control that can be seen and was not pressed yet; of a tab, which is a hidden radio
# button, the label. Folds are the browser's own.
NEXT = """(within) => {
  const controls = "button, select, input, [role=tab], [role=button], [onclick]";
  const pressed = window.pressed ??= new Set();
  const next = [...document.querySelectorAll(`${within} :is(${controls})`)].find((one) =>
    !pressed.has(one) && !one.closest(".explorer") && one.checkVisibility()
      && getComputedStyle(one).pointerEvents !== "none");
  pressed.add(next);
  return next?.type === "radio" ? next.labels[0] : next;
}"""
LAST_ERRORS = 500  # milliseconds: what is shown then is shown late


def press_all(opened: Visit, frame: Frame, within: str) -> int:
    """Press every control of a part of a page, or of a page in it; return how many there were."""
    count = 0
    while control := frame.evaluate_handle(NEXT, within).as_element():
        name = control.evaluate("one => one.outerHTML.slice(0, 160)")
        press(control)
        assert opened.problems == [], f"after {name}"
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
            control.click()


@pytest.mark.parametrize("path", PAGES)
def test_every_control_can_be_pressed(visit, address, site, path):
    """From a disk and, in the other language, on a phone."""
    on_a_phone = path.startswith("ja/")
    place, width = (address, 360) if on_a_phone else (site.as_uri(), 1280)
    opened = visit(f"{place}/{path}", width)
    opened.unfold()
    assert opened.flaws() == []
    press_all(opened, opened.tab.main_frame, "main")
    # Last of all what surrounds the text. Quarto shows its bar where a page begins.
    opened.tab.evaluate("scrollTo(0, 0)")
    assert press_all(opened, opened.tab.main_frame, "body") > 0
    opened.tab.wait_for_timeout(LAST_ERRORS)
    assert opened.problems == []
