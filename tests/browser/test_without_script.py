"""A page without JavaScript still reads: nothing stays folded for good, no control is dead."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from attention_mixing.explorer import said
from browser.pages import LANGUAGES


@pytest.fixture(params=LANGUAGES)
def read(request, visit, address):
    """Return ``read(page)``, the page of a language without a script."""

    def read(name):
        page = f"{address}/{request.param}/{name}.html"
        return visit(page, java_script_enabled=False).tab

    read.language = request.param
    return read


def test_the_ledger_shows_every_claim(read):
    tab = read("claims")
    claims = tab.locator("li.claim")
    expect(tab.locator(".claim-filter")).to_be_hidden()
    tab.locator(".claims-beside > summary").click()
    assert claims.count() > 20
    assert tab.locator("li.claim:visible").count() == claims.count()


def test_folds_open_and_citations_land(read):
    tab = read("mixing")
    notes = tab.locator(".callout-note:has(.callout-body-container, > .callout-body)")
    first = notes.first.locator(".callout-body").first
    if not first.is_visible():  # in the preview, a fold of the browser's own
        notes.first.locator("summary").first.click()
    expect(first).to_be_visible()
    tab.locator("details.references > summary").click()
    expect(tab.locator(".csl-entry").first).to_be_visible()


def test_no_control_is_there_that_needs_a_script(read):
    tab = read("index")
    assert not tab.locator("search").is_visible()
    assert not tab.locator("#theme").is_visible()


def test_the_explorer_says_what_is_missing(read):
    # What is found by its text is never in `noscript`.
    missing = read("explorer").locator(".explorer noscript p")
    expect(missing).to_be_visible()
    expect(missing).to_have_text(said(read.language)["no_script"])
