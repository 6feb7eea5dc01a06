"""What reacts to a reader on a page from a disk: colours, the ledger of claims."""

from __future__ import annotations

import re

import pytest

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
