"""The report as one document: every page once, labels that agree, the same PDF every time."""

import io
import json
import re
from pathlib import Path

import pikepdf
import pytest
import typst
import yaml
from small_report import HOSTILE, INDEX, ROOT, SECOND, as_markdown, write_notebook, write_project

from analysis.paths import LANGUAGES
from analysis.site.paper import write_pdf
from analysis.site.paper.assemble import Paper, assemble
from analysis.site.paper.fragment import to_typst
from analysis.site.source.project import Project
from analysis.site.source.tree import anchors
from attention_mixing.errors import InputError

PAGES = {"index": INDEX, "second": SECOND}
LABEL = re.compile(r"\{#([\w-]+)")


def read_project(directory: Path, language: str) -> Project:
    return Project.read(write_project(directory, PAGES, language))


@pytest.fixture(scope="module", params=LANGUAGES)
def paper(request, tmp_path_factory) -> Paper:
    return assemble(read_project(tmp_path_factory.mktemp("paper"), request.param))


@pytest.fixture(scope="module")
def markdown(paper) -> str:
    return as_markdown(paper)


@pytest.fixture(scope="module")
def source(tmp_path_factory) -> Project:
    return read_project(tmp_path_factory.mktemp("paper"), "ja")


@pytest.fixture(scope="module")
def pdf(source, tmp_path_factory) -> Path:
    output = tmp_path_factory.mktemp("pdf") / "report.pdf"
    write_pdf(source, output)
    return output


def assembled(tmp_path: Path, index: str, second: str = SECOND) -> str:
    pages = {"index": f'---\ntitle: "T"\n---\n\n{index}\n', "second": second}
    return as_markdown(assemble(Project.read(write_project(tmp_path, pages))))


def number_of_pages(pdf: Path) -> int:
    with pikepdf.open(pdf) as document:
        return len(document.pages)


def test_every_page_and_section_is_there_once(markdown):
    headings = re.findall(r"^(#+) (.*?) \{#((?:sec|index|second)[\w-]*)\}$", markdown, re.M)
    assert [(len(level), label) for level, _, label in headings if label.startswith("sec-")] == [
        (1, "sec-index"),
        (2, "sec-index-first"),
        (3, "sec-index-sub"),
        (2, "sec-index-second"),
        (1, "sec-second"),
        (2, "sec-second-other"),
        (2, "sec-second-tables"),
    ]
    assert [title for level, title, _ in headings if level == "#"][1] == "二枚目"


def test_labels_are_unique_and_references_lead_to_them(markdown):
    labels = LABEL.findall(markdown)
    assert len(labels) == len(set(labels))
    assert {"fig-index-map", "fig-second-again", "eq-index-rollout", "lst-index-code"} <= set(
        labels
    )
    referred = re.findall(r"@((?:fig|tbl|eq|sec|lst)-[\w-]+)", markdown)
    assert set(referred) <= set(labels)
    assert len(referred) >= 10


def test_nothing_of_the_site_is_left(markdown):
    assert "xInsertion" not in markdown
    assert not re.search(r"\]\([^)]*\.(qmd|html)", markdown)
    assert "[次のページ](#sec-second-other)" in markdown
    # Controls, downloads and folds are for the screen.
    for word in ("CSV", "map.js", "details"):
        assert word not in markdown
    assert "行15" in markdown


def test_tables_and_pictures_are_typst(paper, markdown):
    assert markdown.count("#picture(") == 3
    assert "#sheet(" in markdown
    assert len(paper.pictures) == 3
    for name, data in paper.pictures.items():
        assert f'"{name}"' in markdown
        assert b"currentColor" not in data and b'xmlns="http://www.w3.org/2000/svg"' in data


def test_a_page_that_opens_with_its_own_name_is_that_section(tmp_path):
    second = '---\ntitle: "二枚目"\n---\n\n## 二枚目 {#sec-same}\n\n文。\n'
    markdown = assembled(tmp_path, "## A {#sec-a}\n\n[@sec-a]、[x](second.qmd#sec-same)", second)
    assert markdown.count("二枚目") == 1
    assert "[x](#sec-second)" in markdown


def test_line_breaks_between_wide_characters_are_no_spaces(paper, markdown):
    assert "である。行が改まっても空白は入らない" in markdown
    # A reference begins with a wide character in Japanese only.
    space = {"ja": "", "en": "\n"}[paper.lang]
    assert f"図は{space}[@fig-index-map]" in markdown


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[@fig-none]", "the reference @fig-none leads nowhere"),
        ("[@nobody1999]", "the bibliography has no nobody1999"),
        ("[x](second.qmd#sec-none)", "leads nowhere"),
        ("[x](none.qmd)", "leads to no page"),
        ("{{< var measure.none >}}", "_variables.yml has no measure.none"),
    ],
)
def test_what_leads_nowhere_is_refused(tmp_path, line, message):
    with pytest.raises(InputError, match=message) as refusal:
        assembled(tmp_path, f"## A {{#sec-a}}\n\n{line}")
    assert "\n" not in str(refusal.value)


def test_the_pdf_has_pages_an_outline_and_tags(source, pdf):
    assert number_of_pages(pdf) >= 4
    plain = io.BytesIO()
    with pikepdf.open(pdf) as document:
        assert document.Root.MarkInfo.Marked
        with document.open_outline() as outline:
            sections = sum(len(chapter.children) for chapter in outline.root)
            # Two chapters, their sections, and the references.
            assert len(outline.root) >= 3 and sections >= 3
        apart = pikepdf.ObjectStreamMode.disable
        document.save(plain, object_stream_mode=apart, compress_streams=False)
    assert str(source.directory).encode() not in plain.getvalue()


def test_the_same_bytes_every_time(source, pdf, tmp_path):
    write_pdf(source, tmp_path / "again.pdf")
    assert (tmp_path / "again.pdf").read_bytes() == pdf.read_bytes()


def test_text_goes_on_before_a_figure_that_finds_no_room(tmp_path):
    """Three quarters of a page, a figure as high as most of one, a quarter: not three pages."""
    figure = "::: {#fig-tall}\n{{< embed notebooks/chapter.ipynb#tall >}}\n\n背の高い図。\n:::"
    text = "本文が続く。" * 40
    words = "\n\n".join([*[text] * 6, figure, *[text] * 3])
    pages = {"index": f'---\ntitle: "T"\n---\n\n## A {{#sec-a}}\n\n{words}\n'}
    project = write_project(tmp_path, pages)
    drawing = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="580">'
        '<rect width="9" height="9"/></svg>'
    )
    (project / "files" / "tall.svg").write_text(drawing, encoding="utf-8")
    shown = '<img src="files/tall.svg" alt="x">'
    write_notebook(project / "notebooks" / "chapter.ipynb", {"tall": {"text/html": shown}})
    write_pdf(Project.read(project), tmp_path / "report.pdf")
    contents, chapter = 1, 2
    assert number_of_pages(tmp_path / "report.pdf") == contents + chapter


@pytest.mark.parametrize("rows", range(3, 13))
def test_no_page_begins_with_the_last_row_alone(tmp_path, rows):
    template = (ROOT / "analysis" / "site" / "paper" / "paper.typ").read_text(encoding="utf-8")
    function = re.search(
        r"^#let with-last-rows-together.*?^\}$", template, re.DOTALL | re.MULTILINE
    )
    page = "#context [#metadata(here().page())<page>]"
    cells = ", ".join(f"[{page}], [x]" for _ in range(rows))
    source = tmp_path / "table.typ"
    source.write_text(
        f"#set page(width: 200pt, height: 150pt)\n{function[0]}\n"
        "#set table.cell(breakable: false)\n#show table: with-last-rows-together\n"
        f"#table(columns: 2, table.header([a], [b]), table.hline(), {cells})",
        encoding="utf-8",
    )
    found = json.loads(typst.query(source, "<page>", field="value"))
    assert len(found) == rows
    assert found == sorted(found)
    assert found[-1] == found[-2]


def test_a_character_without_a_glyph_is_refused(tmp_path):
    pages = {"index": '---\ntitle: "T"\n---\n\n## A {#sec-a}\n\n🦫\n'}
    output = tmp_path / "report.pdf"
    with pytest.raises(InputError, match="could not be displayed") as refusal:
        write_pdf(Project.read(write_project(tmp_path, pages)), output)
    assert "\n" not in str(refusal.value)
    assert not output.exists()


def test_a_character_of_the_data_without_a_glyph_is_a_box(tmp_path):
    pages = {"index": '---\ntitle: "T"\n---\n\n## A {#sec-a}\n\n{{< var measure.odd >}}\n'}
    directory = write_project(tmp_path, pages)
    variables = yaml.safe_dump({"measure": {"odd": "a🦫b"}}, allow_unicode=True)
    (directory / "_variables.yml").write_text(variables, encoding="utf-8")
    write_pdf(Project.read(directory), tmp_path / "report.pdf")
    assert "a□b" in as_markdown(assemble(Project.read(directory)))


# Fragments of HTML --------------------------------------------------------------------------------


def typst_of(html: str, labels: dict[str, str] | None = None) -> str:
    return to_typst(html, lambda file: f"placed/{file}", lambda target: (labels or {}).get(target))


def test_text_of_a_fragment_is_a_string():
    written = typst_of("<p>#let &quot;x&quot; = \\ $y$ [z] &lt;b&gt;</p>")
    assert written == '#"#let \\"x\\" = \\\\ $y$ [z] <b>";'


def test_what_needs_a_browser_is_left_out():
    html = (
        "<details><summary>a</summary><p>b</p></details>"
        "<p class='sources'><a href='x.csv'>c</a></p>"
        "<button>d</button><p hidden>e</p><script>f</script><select><option>g</option></select>"
    )
    assert typst_of(html) == ""


def test_a_picture_keeps_its_alternative_text():
    html = '<div class="plot"><img src="files/a.svg" alt="a &quot;b&quot;"></div>'
    assert typst_of(html) == '#picture("placed/files/a.svg", alt: "a \\"b\\"")'


def test_links_lead_where_the_document_says():
    labels = {"mixing.html#fig-a": "<fig-mixing-a>"}
    html = '<a href="mixing.html#fig-a">x</a><a href="files/a.csv">y</a>'
    assert typst_of(html, labels) == '#link(<fig-mixing-a>)[#"x";]#"y";'


def test_a_table_has_a_cell_for_each():
    html = (
        "<table><thead><tr><th>a</th><th colspan='2'>b</th></tr></thead>"
        "<tbody><tr><th>c</th><td>d<br>e</td><td></td></tr></tbody></table>"
    )
    written = typst_of(html)
    assert written.startswith("#sheet(8.5pt, 3, breakable: false, table.header(")
    assert 'table.cell(colspan: 2, )[#"b";]' in written
    assert '[#strong[#"c";]],' in written
    assert '[#"d";\\ #"e";],\n  [],' in written


def test_entries_and_terms_keep_their_parts_together():
    html = (
        '<ul><li id="claim-a"><p>a</p><div><p>b</p><dl><div><dt>c</dt><dd>d</dd></div></dl></div>'
        "</li></ul>"
    )
    written = typst_of(html, {"#claim-a": "<claims-claim-a>"})
    assert written.startswith('#entries(([#metadata(none)<claims-claim-a>#"a";], [#"b";')
    assert '#pairs([#"c";], [#"d";])' in written
    assert anchors(html) == ["claim-a"]
    assert anchors(f"<details>{html}</details>") == []


def test_a_fold_in_a_cell_leaves_its_summary():
    fold = "<details><summary>12 files</summary><ul><li>a.csv</li></ul></details>"
    written = typst_of(f"<table><tbody><tr><td>{fold}</td></tr></tbody></table>")
    assert '[#"12 files";#" ";]' in written and "a.csv" not in written


def test_hostile_text_is_no_markup(markdown):
    # In the table, as a string of Typst.
    assert HOSTILE in markdown.replace("\u200b", "").replace('\\"', '"')
