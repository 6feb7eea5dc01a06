"""The preview, on a small report that holds every construct of the dialect."""

from pathlib import Path

import pytest
import yaml
from small_report import (
    HOSTILE,
    INDEX,
    Element,
    read_page,
    write_project,
)

from analysis.site.preview import render
from analysis.site.source.project import Project
from attention_mixing.errors import InputError

REFUSED = yaml.safe_load(Path(__file__).with_name("refused.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def page(site: Path) -> Element:
    return read_page(site / "index.html")


@pytest.fixture(scope="module")
def main(page: Element) -> Element:
    return page.one("main")


def test_sections_are_numbered(main):
    headings = [heading.text for tag in ("h2", "h3") for heading in main.all(tag)]
    assert headings == ["1.1 最初の節", "1.2 次の節", "注", "1.1.1 小さな節"]


def test_figures_tables_and_listings_are_numbered_by_kind(main):
    captions = {
        figure.attributes["id"]: figure.one("figcaption").text for figure in main.all("figure")
    }
    assert captions == {
        "fig-rollout": "図 1.1: 一つめの図。値は 0.41 である (Abnar & Zuidema, 2020)。",
        "fig-map": "図 1.2: 二つめの図。",
        "tbl-scores": "表 1.1: 一つめの表。",
        "tbl-plain": "表 1.2: Markdown の表。",
        "lst-code": "コード 1.1: 短いコード",
    }


def test_a_caption_follows_its_figure_and_what_leads_on_comes_after(main):
    for label in ("rollout", "map"):
        figure = main.one("figure", id=f"fig-{label}")
        assert [one.tag for one in figure.children if isinstance(one, Element)] == [
            "div",
            "figcaption",
        ]
        assert figure.all(class_="sources") == []
        siblings = [one for one in figure.parent.children if isinstance(one, Element)]
        after = siblings[siblings.index(figure) + 1]
        assert after.attributes["class"] == "figure-sources"
        assert after.one("a").attributes["href"] == f"files/{label}.csv"


def test_what_the_run_has_no_evidence_for_is_not_shown(main):
    """Nor numbered, nor asked for its values; the rest reads as if it had never been there."""
    assert "absent" not in main.text and "見えない" not in main.text
    (paragraph,) = [one.text for one in main.all("p") if "根拠のある図" in one.text]
    assert paragraph == (
        "根拠のある図は図 1.2である。値は 0.41 である（図 1.1）。質問はない。以上である。"
    )


def test_numbers_begin_with_that_of_the_page(site):
    second = read_page(site / "second.html")
    assert second.one(id="fig-again").one("figcaption").text == "図 2.1: 同じ図。"


def test_a_table_of_more_than_fifteen_rows_folds(site):
    main = read_page(site / "second.html").one("main")
    fold = main.one("details", class_="printed")
    assert "open" not in fold.attributes
    assert fold.one("summary").text == "16 行"
    assert "行0" in fold.text and "長い表" not in fold.text
    assert "長い表" in main.one(id="tbl-long").text
    assert len(main.all("table")) == 2 and len(main.all("math")) == 16


def test_references_are_links_that_land(main):
    references = {
        link.text: link.attributes["href"] for link in main.all("a", class_="quarto-xref")
    }
    assert references == {
        "図 1.1": "#fig-rollout",
        "図 1.2": "#fig-map",
        "1.2": "#fig-map",
        "表 1.1": "#tbl-scores",
        "表 1.2": "#tbl-plain",
        "式 1.1": "#eq-rollout",
        "§ 1.1.1": "#sec-sub",
        "§ 1.2": "#sec-second",
        "コード 1.1": "#lst-code",
    }
    for target in references.values():
        main.one(id=target.removeprefix("#"))


def test_equations_of_one_paragraph_are_numbered_in_its_order(tmp_path):
    text = "---\ntitle: x\n---\n\n$$a$$ {#eq-a}\n$$b$$ {#eq-b}\n"
    project = write_project(tmp_path, {"index": text})
    render(Project.read(project), tmp_path / "site")
    page = read_page(tmp_path / "site" / "index.html")
    numbers = [page.one(id=f"eq-{one}").one(class_="equation-number").text for one in "ab"]
    assert numbers == ["(1.1)", "(1.2)"]


def test_citations_lead_to_the_bibliography(main):
    cited = {link.attributes["href"] for link in main.all("a", role="doc-biblioref")}
    listed = {f"#{entry.attributes['id']}" for entry in main.all(class_="csl-entry")}
    assert cited == listed == {"#ref-abnar2020", "#ref-kobayashi2020"}


def test_the_bibliography_is_folded(main):
    fold = main.one("details", class_="references")
    assert "open" not in fold.attributes
    assert fold.one("summary").text == "参考文献"
    assert len(fold.all(class_="csl-entry")) == 2


def test_footnote(main):
    notes = main.one(id="footnotes")
    assert notes.one("h2").text == "注"
    assert "脚注の文に 表 1.2 がある。" in notes.one("li").text


def test_line_breaks_between_wide_characters_are_no_spaces(main):
    assert "である。行が改まっても空白は入らない（図 1.1）。図は図 1.2、" in main.text
    # Nor is there one after full-width punctuation, whatever follows it.
    assert "にある。§ 1.2、" in main.text


def test_shortcodes(main):
    assert "値は0.41である" in main.text
    assert "題は「試験のページ」" in main.text
    assert "組版はある道具、" in main.text
    assert "0.41" in [code.text for code in main.all("code")]
    assert main.one(id="lst-code").one("pre").text == 'print("0.41")'


def test_links_to_pages(main, site):
    (link,) = [link for link in main.all("a") if link.text == "次のページ"]
    assert link.attributes["href"] == "second.html#sec-other"
    read_page(site / "second.html").one(id="sec-other")


def test_an_entry_of_the_glossary_is_an_anchor(site):
    (entry,) = read_page(site / "second.html").one("main").all("dt")
    term, other = entry.all("span")
    assert term.attributes["id"] == "term-mixing-ratio"
    assert other.attributes["lang"] == "en"
    assert entry.text == "混合比（mixing ratio）"


def test_callouts(main):
    note = main.one(class_="callout-note")
    assert note.one(class_="callout-header").text == "補足囲みの題"
    assert note.one(class_="callout-body").text == "囲みの中の 図 1.2。"
    warning = main.one("details", class_="callout-warning")
    assert warning.one("summary").text == "注意"


def test_tabs_work_without_a_script(main):
    tabs = main.one(class_="tabs")
    assert [label.text for label in tabs.all("label")] == ["甲", "乙"]
    assert [panel.text for panel in tabs.all(class_="tab-panel")] == ["甲の中身。", "乙の中身。"]
    buttons = tabs.all("input", type="radio")
    assert [label.attributes["for"] for label in tabs.all("label")] == [
        button.attributes["id"] for button in buttons
    ]
    assert ["checked" in button.attributes for button in buttons] == [True, False]


def test_hostile_text_stays_text(main):
    assert HOSTILE in main.one(id="fig-rollout").one("img").attributes["alt"]
    assert HOSTILE in main.one(id="tbl-scores").one("td").text
    assert f"悪い値：{HOSTILE}。" in main.text
    assert not main.all("script")
    assert not main.all("b")


def test_navigation(page):
    pages = page.one("nav", class_="pages").all("a")
    assert [(link.attributes["href"], link.text) for link in pages] == [
        ("index.html", "試験のページ"),
        ("second.html", "二枚目"),
    ]
    assert [link.attributes.get("aria-current") for link in pages] == ["page", None]
    contents = page.one("nav", id="TOC").all("a")
    assert [link.attributes["href"] for link in contents] == [
        "#sec-first",
        "#sec-sub",
        "#sec-second",
    ]
    assert [link.attributes["href"] for link in page.one(class_="page-navigation").all("a")] == [
        "second.html"
    ]


def test_ids_are_unique(page):
    ids = [one.attributes["id"] for one in page if "id" in one.attributes]
    assert len(ids) == len(set(ids))


def test_rendering_twice_gives_the_same_files(project, site, tmp_path):
    render(Project.read(project), tmp_path / "ja")
    for file in filter(Path.is_file, site.rglob("*")):
        assert (tmp_path / "ja" / file.relative_to(site)).read_bytes() == file.read_bytes()


@pytest.mark.parametrize("refused", REFUSED, ids=lambda refused: refused["message"])
def test_what_cannot_be_rendered_is_refused(tmp_path, refused):
    text = f"---\ntitle: x\n---\n## A {{#sec-a}}\n\n{refused['line']}\n"
    project = write_project(tmp_path, {"index": text})
    with pytest.raises(InputError) as refusal:
        render(Project.read(project), tmp_path / "site")
    assert refused["message"] in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_unknown_front_matter_is_refused(tmp_path):
    text = INDEX.replace("title:", "subtitle: x\ntitle:", 1)
    project = write_project(tmp_path, {"index": text})
    with pytest.raises(InputError, match="does not know the front matter subtitle"):
        render(Project.read(project), tmp_path / "site")
