"""A link to what stands in a fold opens it, in either renderer."""

from __future__ import annotations

from playwright.sync_api import expect

# The first figure in a fold, of the preview and of Quarto.
FOLDED = """() => document.querySelector(
    "main details:not([open]) [id^=fig-], main .callout-collapse:not(.show) [id^=fig-]")?.id"""


def test_an_address_of_a_figure_opens_its_fold(visit, site):
    page = f"{site.as_uri()}/en/mixing.html"
    figure = visit(page).tab.evaluate(FOLDED)
    assert figure
    opened = visit(f"{page}#{figure}")
    expect(opened.tab.locator(f"#{figure}")).to_be_in_viewport()
    assert opened.problems == []


def test_a_link_within_the_page_opens_a_fold(visit, site):
    opened = visit(f"{site.as_uri()}/ja/mixing.html")
    figure = opened.tab.evaluate(FOLDED)
    expect(opened.tab.locator(f"#{figure}")).to_be_hidden()
    opened.tab.evaluate(f"location.hash = '{figure}'")
    expect(opened.tab.locator(f"#{figure}")).to_be_in_viewport()
    assert opened.problems == []


def test_a_citation_opens_the_list_of_references(visit, site):
    opened = visit(f"{site.as_uri()}/en/mixing.html")
    citation = opened.tab.locator("main a[role=doc-biblioref]").first
    entry = opened.tab.locator(f"[id='{citation.get_attribute('href').removeprefix('#')}']")
    expect(entry).to_be_hidden()
    citation.click()
    expect(entry).to_be_in_viewport()
    assert opened.problems == []
