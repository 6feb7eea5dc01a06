"""What a reference leads to is shown beside it: footnotes, entries, figures, tables, equations."""

import pytest

KINDS = {
    ".footnote-ref": "脚注の文に",
    '[role="doc-biblioref"]': "Abnar",
    '[href="#fig-rollout"]': "一つめの図",
    '[href="#tbl-scores"]': "一つめの表",
    '[href="#eq-rollout"]': "(1.1)",
    '[href="#sec-second"]': "次の節",
    '[href="#lst-code"]': "短いコード",
}


def open_page(chromium, site, width=1280, **options):
    page = chromium.new_context(viewport={"width": width, "height": 700}, **options).new_page()
    page.goto((site / "index.html").as_uri())
    return page


@pytest.fixture(scope="module")
def page(chromium, site):
    return open_page(chromium, site)


@pytest.mark.parametrize("kind", KINDS)
def test_hover_shows_what_a_reference_leads_to(page, kind):
    reference = page.locator(f"main a{kind}").first
    popup = page.locator("#reference-popup")
    assert popup.is_hidden()
    size = page.evaluate("[document.body.scrollWidth, document.body.scrollHeight]")
    reference.hover()
    popup.wait_for(state="visible")
    assert KINDS[kind] in popup.inner_text()
    assert reference.get_attribute("aria-describedby") == popup.get_attribute("id")
    # It lies over the page: nothing moves, and nothing leaves the window.
    assert page.evaluate("[document.body.scrollWidth, document.body.scrollHeight]") == size
    box = popup.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 1280
    assert box["y"] >= 0 and box["y"] + box["height"] <= 700
    # No id is there twice, and the keyboard does not go into it.
    assert not popup.locator("[id]").count()
    assert not popup.locator("a:not([tabindex='-1']), button, input").count()
    page.mouse.move(0, 0)
    popup.wait_for(state="hidden")
    assert reference.get_attribute("aria-describedby") is None


def test_the_mouse_may_go_over_to_the_popup(page):
    popup = page.locator("#reference-popup")
    page.locator("main a[role='doc-biblioref']").first.hover()
    popup.wait_for(state="visible")
    popup.hover()
    page.wait_for_timeout(400)
    assert popup.is_visible()


def test_keyboard_focus_shows_and_escape_hides(chromium, site):
    page = open_page(chromium, site, width=360)
    popup = page.locator("#reference-popup")
    reference = page.locator("main a.quarto-xref").first
    # Focus by script counts as that of the keyboard once a key was pressed.
    page.keyboard.press("Tab")
    reference.focus()
    popup.wait_for(state="visible")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.keyboard.press("Escape")
    assert popup.is_hidden()
    assert reference.evaluate("one => one === document.activeElement")


def test_a_finger_follows_the_link(chromium, site):
    page = open_page(chromium, site, width=360, has_touch=True, is_mobile=True)
    page.locator("main a[href='#tbl-scores']").first.tap()
    page.wait_for_function("location.hash === '#tbl-scores'")
    assert page.locator("#reference-popup").is_hidden()
