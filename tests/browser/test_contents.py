"""The contents of a page: beside the text they say where the reader is, on a phone they fold."""

from __future__ import annotations

from playwright.sync_api import expect

# The first is the preview's, the second Quarto's.
HERE = "#TOC a[aria-current], #TOC a.active"


def test_the_contents_mark_where_the_reader_is(visit, site):
    opened = visit(f"{site.as_uri()}/en/mixing.html")
    tab = opened.tab
    # Quarto watches from the first scrolling on.
    for section in ("sec-sources", "sec-limits"):
        tab.evaluate(f"document.getElementById('{section}').scrollIntoView()")
        tab.mouse.wheel(0, 4)
        here = tab.locator(HERE)
        expect(here.last).to_have_attribute("href", f"#{section}")
        assert here.evaluate_all("(all) => all.every((one) => one.checkVisibility())")
    assert opened.problems == []


def test_on_a_phone_the_contents_fold_above_the_text(visit, site):
    opened = visit(f"{site.as_uri()}/ja/mixing.html", 390)
    tab = opened.tab
    fold = tab.locator("#TOC details, main .contents")
    link = fold.locator('a[href="#sec-limits"]')
    expect(link).to_be_hidden()
    fold.locator("summary").click()
    link.click()
    expect(tab.locator("#sec-limits").first).to_be_in_viewport()
    tab.set_viewport_size({"width": 1280, "height": 900})
    expect(tab.locator("#TOC").get_by_role("link").first).to_be_visible()
    assert opened.problems == []
