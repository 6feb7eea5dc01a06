"""Every link to a selection opens what it names: of the explorer, and of the ledger of claims."""

import json
import re
from collections import defaultdict
from urllib.parse import parse_qsl, urljoin

import pytest
from playwright.sync_api import expect
from selections import selections

from browser.pages import LANGUAGES

READY = "() => document.querySelector('.explorer[aria-busy=false]')"
# Of a selection in an address, what is not chosen, and what of it no view shows; one line each.
NOT_SHOWN = """async (address) => {
  const {explorer} = document.querySelector(".explorer");
  location.hash = address;
  await new Promise((next) => addEventListener("hashchange", next, {once: true}));
  await explorer.ready;
  const wanted = named(Object.fromEntries(new URLSearchParams(address)));
  const wrong = Object.entries(wanted)
    .filter(([key, value]) => explorer.selection[key] !== value)
    .map(([key, value]) => `${key} ${value}, not ${explorer.selection[key]}`);
  const valueOf = (name) => explorer.rows.columns.find((column) => column.name === name)?.values;
  const told = (name) => valueOf(name)?.flat().some((value) => !Number.isNaN(value));
  const asked = [...(wanted.compared ?? "").split("~"), wanted.order ?? ""].filter(Boolean);
  wrong.push(...asked.filter((name) => !told(name)).map((name) => `no value of ${name}`));
  const difference = wanted.compared && valueOf("difference").flat();
  if (difference && !difference.some((value) => Math.abs(value) > 1e-3))
    wrong.push("what is compared does not differ");
  // The rule chose where nothing is named: words, not what every text begins with.
  const {queries, keys} = explorer.shown.text;
  const {query, key} = explorer.selection;
  if (!("query" in wanted) && queries.special.includes(query)) wrong.push("a special token reads");
  if (!("query" in wanted) && (key === null || keys.special.includes(key)))
    wrong.push("no word is read");
  const {cells} = wanted;
  const {choice, buttons} = explorer.heads;
  if (cells && choice.value !== cells) wrong.push("cells not offered");
  const numbers = cells && !PICTURES.includes(cells);
  if (numbers && buttons.every(({textContent}) => textContent === "–"))
    wrong.push(`no number of ${cells}`);
  if (!explorer.failure.hidden) wrong.push(explorer.failure.textContent);
  return wrong;
}"""


def linked(site, language):
    """Page -> selections that pages of a language link to."""
    found = defaultdict(set)
    for path in (site / language).glob("*.html"):
        for target, selected in selections(path.read_text(encoding="utf-8")):
            found[target or path.name].add(selected)
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_explorer_shows_what_a_link_names(visit, site, address, language):
    addresses = linked(site, language)["explorer.html"]
    assert len(addresses) > 3
    opened = visit(f"{address}/{language}/explorer.html")
    opened.tab.wait_for_function(READY)
    wrong = {one: opened.tab.evaluate(NOT_SHOWN, one) for one in sorted(addresses)}
    assert {one: faults for one, faults in wrong.items() if faults} == {}
    assert opened.problems == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_ledger_shows_what_a_link_names(visit, site, address, language):
    addresses = linked(site, language)["claims.html"]
    assert addresses
    tab = visit(f"{address}/{language}/claims.html").tab
    for selected in sorted(addresses):
        tab.evaluate("(address) => { location.hash = address; }", selected)
        for name, value in parse_qsl(selected):
            expect(tab.locator(f".claim-filter [name={name}]")).to_have_value(value)
        assert tab.locator("li.claim:visible").count() > 0, selected


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_count_of_claims_opens_as_many(visit, site, address, language):
    """What a page counts beside a link to the ledger is what the ledger then shows."""
    page = (site / language / "run.html").read_text(encoding="utf-8")
    counts = re.findall(r'<a href="(claims[^"]*verdict[^"]*)">.*?<b>(\d+)</b>', page, re.DOTALL)
    assert counts
    opened = visit(f"{address}/{language}/run.html").tab
    for link in opened.locator(".verdict-counts a").all():
        count, href = link.locator("b").text_content(), link.get_attribute("href")
        tab = visit(urljoin(f"{address}/{language}/", href)).tab
        assert tab.locator("li.claim:visible").count() == int(count), json.dumps(href)
