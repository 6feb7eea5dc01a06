"""What reacts to a reader: interactive maps, folds, colours, the ledger of claims."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from browser.pages import LANGUAGES

BACKGROUND = "getComputedStyle(document.body).backgroundColor"


@pytest.fixture(params=LANGUAGES)
def language(request) -> str:
    return request.param


@pytest.mark.parametrize("page", ["features", "geometry"])
def test_an_interactive_map_stands_in_the_page_and_follows_a_choice(
    visit, opened_from, language, page
):
    opened = visit(f"{opened_from}/{language}/{page}.html")
    opener = opened.tab.locator(".interactive button").first
    opener.scroll_into_view_if_needed()
    panel = opened.tab.locator(".map-panel").first
    points = panel.locator(".scatterlayer .point")
    expect(points.first).to_be_visible(timeout=20_000)
    expect(opener).to_have_attribute("aria-expanded", "true")
    where = "all => all.map((one) => one.getAttribute('transform')).join()"
    before = points.evaluate_all(where)
    choice = panel.locator("select").first
    choice.select_option(index=choice.locator("option").count() - 1)
    assert points.evaluate_all(where) != before
    opener.click()
    expect(panel).to_be_hidden()
    opener.click()
    expect(panel).to_be_visible()
    assert opened.problems == []


def test_folds_open_by_mouse_and_close_by_keyboard(visit, address, language):
    opened = visit(f"{address}/{language}/features.html")
    fold = opened.tab.locator("main details:has(img)").first
    summary = fold.locator("summary").first
    summary.click()
    expect(fold).to_have_attribute("open", "")
    image = fold.locator("img").first
    image.scroll_into_view_if_needed()
    image.evaluate("one => one.decode()")
    summary.focus()
    opened.tab.keyboard.press("Enter")
    expect(fold).not_to_have_attribute("open", "")
    assert opened.problems == []


def test_the_chosen_colours_stay_on_the_next_page(visit, address, language):
    opened = visit(f"{address}/{language}/index.html")
    light = opened.tab.evaluate(BACKGROUND)
    # The first is the preview's, the second Quarto's.
    opened.tab.locator("#theme, .quarto-color-scheme-toggle").first.click()
    dark = opened.tab.evaluate(BACKGROUND)
    assert dark != light
    opened.tab.goto(f"{address}/{language}/setup.html")
    assert opened.tab.evaluate(BACKGROUND) == dark


def test_the_ledger_of_claims_can_be_filtered(visit, opened_from, language):
    opened = visit(f"{opened_from}/{language}/claims.html")
    claims = opened.tab.locator("li.claim")
    shown = opened.tab.locator("li.claim:visible")
    count = claims.count()
    assert count == shown.count() >= 30
    verdict = opened.tab.locator(".claim-filter select").first
    for index, label in enumerate(verdict.locator("option").all_inner_texts()):
        verdict.select_option(index=index)
        assert shown.count() == int(re.search(r"\d+", label)[0]), label
    last = shown.count()
    assert last < count
    opened.tab.reload()  # the address keeps the choice
    assert shown.count() == last
    assert opened.problems == []


def test_the_views_of_bertviz_draw(visit, opened_from, language):
    opened = visit(f"{opened_from}/{language}/anatomy.html")
    opened.unfold()
    frames = opened.tab.frames[1:]
    assert len(frames) >= 3
    for frame in frames:
        expect(frame.locator("svg").first).to_be_visible(timeout=20_000)
    assert opened.problems == []
