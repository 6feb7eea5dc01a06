"""What is typed into the search box is found in both renderers, also on pages of a disk."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from small_report import write_project
from test_quarto import write_quarto_project

from benchmarks.browsing import MISSING, browsing
from report.preview import render
from report.preview.search import NAME, write_index

PAGES = {
    "index": (
        "---\ntitle: 表紙\n---\n\n序文。\n\n"
        "## 注意機構の解剖 {#sec-anatomy}\n\n自己注意は特徴を混ぜる。\n"
        "\uff22\uff25\uff32\uff34 の例と `<script>alert(1)</script>`。\n"
    ),
    "second": (
        "---\ntitle: 二枚目\n---\n\n"
        "## 図と表 {#sec-figures}\n\n本文。\n\n"
        "### 混合度合い {#sec-below}\n\n"
        "::: {#fig-map}\n{{< embed notebooks/chapter.ipynb#map >}}\n\n図の説明。\n:::\n\n"
        "| a | b |\n|---|---|\n| 左 | 右 |\n\n$$ x^2 $$\n"
    ),
}


@pytest.fixture(scope="module", params=["pandoc", "quarto"])
def site(request, tmp_path_factory) -> Path:
    directory = tmp_path_factory.mktemp(request.param)
    output = directory / "ja" / "_site"
    if request.param == "pandoc":
        render(write_project(directory, PAGES), output)
    elif shutil.which("quarto") is None:
        pytest.skip("quarto is not on the PATH: only the preview is tested")
    else:
        project = write_quarto_project(directory, PAGES)
        subprocess.run(["quarto", "render", project], capture_output=True, check=True)
    write_index(output, list(PAGES))
    return output


@pytest.fixture(scope="module")
def entries(site) -> dict[str, dict[str, str]]:
    script = (site / NAME).read_text(encoding="utf-8")
    written = json.loads(script.removeprefix("window.searchIndex = ").removesuffix(";\n"))
    return {one["href"]: one for one in written}


def test_the_index_holds_every_section_with_its_own_text(entries):
    assert list(entries) == [
        "index.html",
        "index.html#sec-anatomy",
        "second.html",
        "second.html#sec-figures",
        "second.html#sec-below",
    ]
    assert entries["index.html"]["text"].startswith("序文。")
    assert entries["second.html#sec-figures"]["text"] == "本文。"
    below = entries["second.html#sec-below"]
    assert below["title"] == "二枚目"
    assert below["heading"].endswith("混合度合い")
    # Cells are words of their own; drawings, links to files and sources of formulas are none.
    assert "左 右" in below["text"] and "図の説明。" in below["text"]
    assert not any(word in below["text"] for word in ("map:", "CSV", "x^2"))


@pytest.fixture(scope="module")
def chromium():
    with browsing() as browser:
        if browser is None:
            pytest.skip(MISSING)
        yield browser


@pytest.fixture
def tab(chromium, site):
    page = chromium.new_page()
    asked = page.asked = []
    page.on("request", lambda one: asked.append(one.url))
    page.goto((site / "second.html").as_uri())
    yield page
    page.close()


@pytest.mark.parametrize(
    ("typed", "hrefs"),
    [
        ("構の解", ["index.html#sec-anatomy"]),
        ("bert", ["index.html#sec-anatomy"]),
        ("混ぜる 自己", ["index.html#sec-anatomy"]),
        ("混合度", ["second.html#sec-below"]),
        ("<script>alert", ["index.html#sec-anatomy"]),
        ("どこにもない", []),
    ],
)
def test_what_is_typed_is_found_within_words(tab, typed, hrefs):
    tab.get_by_label("検索").fill(typed)
    tab.wait_for_function("document.querySelector('search [role=status]').textContent")
    assert tab.locator("search [role=status]").inner_text() == f"{len(hrefs)} 件"
    links = tab.locator("search li a").all()
    assert [one.get_attribute("href") for one in links] == hrefs
    assert all(url.startswith(("file:", "data:")) for url in tab.asked)


def test_the_keyboard_leads_to_a_section_and_back(tab):
    box = tab.get_by_label("検索")
    box.fill("混")
    tab.wait_for_function("document.querySelectorAll('search li').length === 2")
    # What has it in its heading comes first.
    assert "混合度合い" in tab.locator("search li").first.inner_text()
    for key, focused in (("ArrowDown", 0), ("ArrowDown", 1), ("ArrowUp", 0)):
        tab.keyboard.press(key)
        links = tab.locator("search li a")
        assert links.nth(focused).evaluate("one => one === document.activeElement")
    tab.keyboard.press("Escape")
    assert box.evaluate("one => one === document.activeElement")
    assert tab.locator(".search-results").is_hidden()
    box.fill("解剖")
    tab.keyboard.press("ArrowDown")
    with tab.expect_navigation():
        tab.keyboard.press("Enter")
    assert tab.url.endswith("/index.html#sec-anatomy")
