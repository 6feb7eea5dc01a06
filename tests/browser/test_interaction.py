"""What reacts to a reader on a page from a disk: maps, folds, colours, the ledger of claims."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

BACKGROUND = "getComputedStyle(document.body).backgroundColor"
POINTS = """() => [...document.querySelector(".map-panel").querySelectorAll(".point")]
  .map((one) => one.getAttribute("transform")).join()"""


@pytest.fixture
def open_page(visit, site):
    """Return ``open_page(name)``; at the end nothing went wrong on any page."""
    pages = []

    def opened(name: str):
        pages.append(visit(f"{site.as_uri()}/en/{name}.html"))
        return pages[-1]

    yield opened
    assert [problem for page in pages for problem in page.problems] == []


@pytest.mark.parametrize("page", ["features", "geometry"])
def test_an_interactive_map_stands_in_the_page_and_follows_a_choice(open_page, page):
    tab = open_page(page).tab
    opener = tab.locator(".interactive button").first
    opener.scroll_into_view_if_needed()
    panel = tab.locator(".map-panel").first
    points = panel.locator(".scatterlayer .point")
    expect(points.first).to_be_visible(timeout=20_000)
    expect(opener).to_have_attribute("aria-expanded", "true")
    # The first choice loads a script of its own, the others have their maps there.
    for choice in panel.locator("select").all()[:2]:
        before = tab.evaluate(POINTS)
        choice.select_option(index=choice.locator("option").count() - 1)
        tab.wait_for_function(f"before => ({POINTS})() !== before", arg=before)
    opener.click()
    expect(panel).to_be_hidden()
    opener.click()
    expect(panel).to_be_visible()


def test_the_chosen_colours_stay_on_the_next_page(visit, address):
    tab = visit(f"{address}/en/index.html").tab  # served: Quarto keeps no choice beside files
    light = tab.evaluate(BACKGROUND)
    # The first is the preview's, the second Quarto's.
    tab.locator("#theme, .quarto-color-scheme-toggle").first.click()
    dark = tab.evaluate(BACKGROUND)
    assert dark != light
    tab.goto(tab.url.replace("index.html", "setup.html"))
    tab.wait_for_function(f"(dark) => {BACKGROUND} === dark", arg=dark)  # Quarto's script


def test_the_ledger_of_claims_can_be_filtered(open_page):
    tab = open_page("claims").tab
    claims = tab.locator("li.claim")
    shown = tab.locator("li.claim:visible")
    count = claims.count()
    assert count == shown.count() >= 30
    verdict = tab.locator(".claim-filter select").first
    for index, label in enumerate(verdict.locator("option").all_inner_texts()):
        verdict.select_option(index=index)
        assert shown.count() == int(re.search(r"\d+", label)[0]), label
    last = shown.count()
    assert last < count
    told = tab.locator(".claim-filter output").inner_text()
    assert sorted(map(int, re.findall(r"\d+", told))) == sorted((last, count))
    tab.reload()  # the address keeps the choice
    assert shown.count() == last


def test_every_list_of_the_filter_counts_what_its_choices_would_show(open_page):
    tab = open_page("claims").tab
    shown = tab.locator("li.claim:visible")
    verdict, conditions = (
        tab.locator(f".claim-filter [name={n}]") for n in ("verdict", "conditions")
    )
    verdict.select_option("holds")
    held = shown.count()
    labels = conditions.locator("option").all_inner_texts()
    counts = [int(re.search(r"\d+", label)[0]) for label in labels]
    assert counts[0] == held == sum(counts[1:]) > 0
    for index, count in enumerate(counts):
        conditions.select_option(index=index)
        assert shown.count() == count
        # The other list goes along with it.
        label = verdict.locator("option:checked").inner_text()
        assert int(re.search(r"\d+", label)[0]) == count


def test_the_views_of_bertviz_draw(open_page):
    opened = open_page("anatomy")
    opened.unfold()
    frames = opened.tab.frames[1:]
    assert len(frames) >= 3
    for frame in frames:
        expect(frame.locator("svg").first).to_be_visible(timeout=20_000)
