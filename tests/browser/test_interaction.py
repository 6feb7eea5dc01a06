"""What reacts to a reader on a page from a disk: colours, the ledger of claims."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

BACKGROUND = "getComputedStyle(document.body).backgroundColor"


@pytest.fixture
def open_page(visit, site):
    """Return ``open_page(name)``; at the end nothing went wrong on any page."""
    pages = []

    def opened(name: str):
        pages.append(visit(f"{site.as_uri()}/en/{name}.html"))
        return pages[-1]

    yield opened
    assert [problem for page in pages for problem in page.problems] == []


@pytest.mark.parametrize("served", [False, True], ids=["from a disk", "served"])
def test_the_chosen_colours_stay_on_the_next_page(visit, site, address, served):
    tab = visit(f"{address if served else site.as_uri()}/en/index.html").tab
    light = tab.evaluate(BACKGROUND)
    # The first is the preview's, the second Quarto's.
    tab.locator("#theme, .quarto-color-scheme-toggle").first.click()
    dark = tab.evaluate(BACKGROUND)
    assert dark != light
    tab.goto(tab.url.replace("index.html", "setup.html"))
    tab.wait_for_function(f"(dark) => {BACKGROUND} === dark", arg=dark)  # Quarto's script


def test_the_colours_of_the_system_can_be_chosen_again(visit, address):
    tab = visit(f"{address}/en/index.html").tab
    light = tab.evaluate(BACKGROUND)
    button = tab.locator("#theme, .quarto-color-scheme-toggle").first
    for _ in range(2):
        button.click()
    assert tab.evaluate(BACKGROUND) == light
    tab.emulate_media(color_scheme="dark")
    tab.reload()
    tab.wait_for_function(f"(light) => {BACKGROUND} !== light", arg=light)


def counted(label):
    """The claims of a choice: with something at stake, and of those behind the fold."""
    return sum(map(int, re.findall(r"\d+", label.rpartition("(")[2])))


def test_the_ledger_of_claims_can_be_filtered(open_page):
    tab = open_page("claims").tab
    claims = tab.locator("li.claim")
    shown = tab.locator("li.claim:visible")
    count = claims.count()
    assert 20 <= shown.count() < count  # those with something at stake
    tab.locator(".claims-beside > summary").click()
    assert shown.count() == count
    verdict = tab.locator(".claim-filter select").first
    for index, label in enumerate(verdict.locator("option").all_inner_texts()):
        verdict.select_option(index=index)
        assert shown.count() == counted(label), label
    last = shown.count()
    assert last < count
    told = tab.locator(".claim-filter output").inner_text()
    beside = tab.locator(".claims-beside li.claim")
    of = [last, count, tab.locator(".claims-beside li.claim:visible").count(), beside.count()]
    of = [of[0] - of[2], of[1] - of[3], *of[2:]]  # apart
    assert sorted(map(int, re.findall(r"\d+", told))) == sorted(of)
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
    counts = list(map(counted, labels))
    assert counts[0] == held == sum(counts[1:]) > 0
    for index, count in enumerate(counts):
        conditions.select_option(index=index)
        assert shown.count() == count
        # The other list goes along with it.
        label = verdict.locator("option:checked").inner_text()
        assert counted(label) == count


def test_a_tile_and_a_count_are_pressed_by_the_keyboard(open_page):
    tab = open_page("claims").tab
    tile = tab.locator(".tiles a").last
    claim = tab.locator(f"li#{tile.get_attribute('href').partition('#')[2]}")
    tile.press("Enter")
    expect(claim).to_be_in_viewport()
    assert claim.locator("details[open]").count()
    count = tab.locator(".verdict-counts a").first
    count.press("Enter")
    shown = tab.locator("li.claim:visible")
    expect(shown).to_have_count(int(count.locator("b").inner_text()))
