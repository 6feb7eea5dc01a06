"""What is typed into the search box is found in both renderers, also on pages of a disk."""

import json
from pathlib import Path
from shutil import copytree

import pytest

from analysis.site.search import NAME, write_index


@pytest.fixture(scope="module", params=["site", "quarto_site"])
def searched(request, tmp_path_factory) -> Path:
    rendered = request.getfixturevalue(request.param)
    site = copytree(rendered, tmp_path_factory.mktemp("searched") / "ja")
    write_index(site, ["index", "second"])
    return site


def test_the_index_holds_every_section_with_its_own_text(searched):
    script = (searched / NAME).read_text(encoding="utf-8")
    written = json.loads(script.removeprefix("window.searchIndex = ").removesuffix(";\n"))
    entries = {one["href"]: one for one in written}
    assert [one for one in entries if "#sec-" in one or "#" not in one] == [
        "index.html",
        *(f"index.html#sec-{name}" for name in ("first", "sub", "second")),
        "second.html",
        *(f"second.html#sec-{name}" for name in ("other", "tables")),
    ]
    first = entries["index.html#sec-first"]["text"]
    assert first.startswith("値は0.41である。") and "二つめの図。" not in first
    below = entries["index.html#sec-sub"]
    assert below["title"] == "試験のページ"
    assert below["heading"].endswith("小さな節")
    # Drawings, links to files and sources of formulas are no words; cells are words of their own.
    assert "二つめの図。" in below["text"]
    assert not any(word in below["text"] for word in ("map:", "CSV", "R^"))
    assert "列0 " in entries["second.html#sec-tables"]["text"]
    figure, term = (entries[f"second.html#{name}"] for name in ("fig-again", "term-mixing-ratio"))
    assert figure["heading"].startswith("図") and figure["text"] == "同じ図。"
    assert term["heading"].startswith("混合比") and term["text"] == "用語の説明。"


def test_the_index_holds_what_is_folded(searched):
    """Notes belong to their section, and a list of references is an entry."""
    script = (searched / NAME).read_text(encoding="utf-8")
    written = json.loads(script.removeprefix("window.searchIndex = ").removesuffix(";\n"))
    assert any("題のない囲み。" in one["text"] for one in written)
    (references,) = [one for one in written if one["href"] == "index.html#refs"]
    assert references["heading"] == "参考文献" and "Abnar" in references["text"]


RANKED = [
    {"href": "api.html#flow", "title": "API", "heading": "flow", "text": "flow flow flow flow"},
    {"href": "second.html#sec-flow", "title": "B", "heading": "1 The flow", "text": "A maximum."},
    {"href": "glossary.html#term-flow", "title": "C", "heading": "Attention flow", "text": "It."},
    {"href": "second.html#sec-b", "title": "B", "heading": "2 Other", "text": "Of one flow."},
    {"href": "api.html#cut", "title": "API", "heading": "cut", "text": "flow flow flow flow flow"},
]


@pytest.mark.parametrize("typed", ["flow", "flows"])
def test_glossary_and_text_come_before_the_reference_of_the_library(tab, typed):
    tab.route(
        "**/search-index.js",
        lambda route: route.fulfill(
            content_type="text/javascript", body=f"window.searchIndex = {json.dumps(RANKED)};"
        ),
    )
    tab.reload()
    tab.get_by_label("検索").fill(typed)
    tab.wait_for_function("document.querySelectorAll('search li').length === 5")
    links = tab.locator("search li a").all()
    assert [one.get_attribute("href") for one in links] == [
        RANKED[place]["href"] for place in (2, 1, 0, 3, 4)
    ]
    tab.unroute("**/search-index.js")


@pytest.fixture(scope="module")
def opened(chromium):
    page = chromium.new_page()
    page.asked = []
    page.on("request", lambda one: page.asked.append(one.url))
    return page


@pytest.fixture
def tab(opened, searched):
    opened.goto((searched / "second.html").as_uri())
    yield opened
    assert all(url.startswith(("file:", "data:")) for url in opened.asked)


@pytest.mark.parametrize(
    ("typed", "hrefs"),
    [
        ("も空白は入", ["index.html#sec-first"]),
        ("bert", ["second.html#sec-tables"]),
        ("ert", []),  # Latin letters are looked for where words begin
        ("図。 番号は", ["second.html#sec-other"]),
        ("<script>alert(1)</script> **", ["index.html#sec-first"]),
        ("どこにもない", []),
    ],
)
def test_what_is_typed_is_found_within_words(tab, typed, hrefs):
    tab.get_by_label("検索").fill(typed)
    tab.wait_for_function("document.querySelector('search [role=status]').textContent")
    assert tab.locator("search [role=status]").inner_text() == f"{len(hrefs)} 件"
    links = tab.locator("search li a").all()
    assert [one.get_attribute("href") for one in links] == hrefs


def test_the_keyboard_leads_to_a_section_and_back(tab):
    box = tab.get_by_label("検索")
    box.fill("次の")
    tab.wait_for_function("document.querySelectorAll('search li').length === 2")
    # What has it in its heading comes first.
    assert "次の節" in tab.locator("search li").first.inner_text()
    for key, focused in (("ArrowDown", 0), ("ArrowDown", 1), ("ArrowUp", 0)):
        tab.keyboard.press(key)
        links = tab.locator("search li a")
        assert links.nth(focused).evaluate("one => one === document.activeElement")
    tab.keyboard.press("Escape")
    assert box.evaluate("one => one === document.activeElement")
    assert tab.locator(".search-results").is_hidden()
    box.fill("次の節")
    tab.keyboard.press("ArrowDown")
    with tab.expect_navigation():
        tab.keyboard.press("Enter")
    assert tab.url.endswith("/index.html#sec-second")
