"""Paper and supplement: every page once, labels that agree, the same PDF every time."""

import io
import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pikepdf
import pytest
import typst
import yaml
from small_report import (
    HOSTILE,
    INDEX,
    ROOT,
    SECOND,
    WITH_PAPER,
    as_markdown,
    read_page,
    write_notebook,
    write_project,
)

from analysis.paths import LANGUAGES
from analysis.site import preview
from analysis.site.documents import PAPER, PDFS, SUPPLEMENT, documents
from analysis.site.paper import write_pdf
from analysis.site.paper.assemble import Document, assemble
from analysis.site.paper.fragment import to_typst
from analysis.site.source.pandoc import convert
from analysis.site.source.project import Project
from analysis.site.source.tree import anchors
from attention_mixing.errors import InputError

PAGES = {"index": INDEX, "second": SECOND}
LABEL = re.compile(r"\{#([\w-]+)")


def read_project(directory: Path, language: str, pages: dict[str, str] = PAGES) -> Project:
    return Project.read(write_project(directory, pages, language))


@pytest.fixture(scope="module", params=LANGUAGES)
def document(request, tmp_path_factory) -> Document:
    project = read_project(tmp_path_factory.mktemp("paper"), request.param)
    return assemble(project, project.pages)


@pytest.fixture(scope="module")
def markdown(document) -> str:
    return as_markdown(document)


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Project:
    """A front page, the paper and two more pages."""
    return read_project(tmp_path_factory.mktemp("paper"), "ja", WITH_PAPER)


@pytest.fixture(scope="module")
def pdfs(site, tmp_path_factory) -> Path:
    """Both PDFs, written side by side, as the stage does."""
    output = tmp_path_factory.mktemp("pdf")
    with ThreadPoolExecutor() as pool:
        written = [
            pool.submit(write_pdf, site, output / name, names)
            for name, names in documents(site.pages).items()
        ]
        for one in written:
            one.result()
    return output


def assembled(tmp_path: Path, index: str, second: str = SECOND) -> str:
    pages = {"index": f'---\ntitle: "T"\n---\n\n{index}\n', "second": second}
    return as_markdown(assemble(Project.read(write_project(tmp_path, pages)), [*pages]))


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


def test_tables_and_pictures_are_typst(document, markdown):
    assert markdown.count("#picture(") == 3
    assert "#sheet(" in markdown
    assert len(document.pictures) == 3
    for name, data in document.pictures.items():
        assert f'"{name}"' in markdown
        assert b"currentColor" not in data and b'xmlns="http://www.w3.org/2000/svg"' in data


def test_a_page_that_opens_with_its_own_name_is_that_section(tmp_path):
    second = '---\ntitle: "二枚目"\n---\n\n## 二枚目 {#sec-same}\n\n文。\n'
    markdown = assembled(tmp_path, "## A {#sec-a}\n\n[@sec-a]、[x](second.qmd#sec-same)", second)
    assert markdown.count("二枚目") == 1
    assert "[x](#sec-second)" in markdown


def test_line_breaks_between_wide_characters_are_no_spaces(document, markdown):
    assert "である。行が改まっても空白は入らない" in markdown
    # A reference begins with a wide character in Japanese only.
    space = {"ja": "", "en": "\n"}[document.lang]
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


# The two documents --------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=PDFS)
def one(request, site) -> tuple[str, Document]:
    """Name of a PDF and its document."""
    return request.param, assemble(site, documents(site.pages)[request.param])


def test_each_has_its_pages_under_its_title(one):
    name, document = one
    titles, held = {
        PAPER: (("論文の題", ""), {"paper"}),
        SUPPLEMENT: (("自己注意は特徴をどれほど混ぜるか", "補遺"), {"second", "third"}),
    }[name]
    assert (document.title, document.subtitle) == titles
    written = as_markdown(document)
    pages = re.findall(r"(?:\{#|<)(?:sec|fig|tbl)-(index|paper|second|third)[-} >]", written)
    assert {*pages} == held
    # The paper says itself what it is about; a chapter has a title and a description.
    assert len(re.findall(r"^# (?!参考文献)", written, re.M)) == (2 if name == SUPPLEMENT else 0)
    assert ("二行目の説明。" in written, "三行目の説明。" in written) == (name == SUPPLEMENT, False)


def test_links_to_the_other_are_its_words(one):
    name, document = one
    written = as_markdown(document)
    assert {*re.findall(r"\]\(#([\w-]+)\)", written)} <= {*LABEL.findall(written)}
    linked = {*re.findall(r"#link\(<([\w-]+)>\)", written)}
    if name == PAPER:
        assert "二枚目と用語に詳しい" in written
        assert "[次の節](#sec-paper-numbers)" in written
        assert linked == {"sec-paper-numbers"}
        assert '#"よそ";' in written
    else:
        assert "論文の問いに答える" in written


def test_a_dead_link_to_the_other_is_refused(tmp_path):
    pages = {**WITH_PAPER, "paper": WITH_PAPER["paper"] + "\n[x](second.qmd#sec-none)\n"}
    project = read_project(tmp_path, "ja", pages)
    with pytest.raises(
        InputError, match=r"paper\.qmd: the link second.html#sec-none leads nowhere"
    ):
        assemble(project, ["paper"])


def test_the_paper_has_its_numbers_and_leaves_out_what_is_for_the_screen(site):
    written = as_markdown(assemble(site, ["paper"]))
    assert "割合は 41 % であり、半分に満たない" in written
    before, omitted, _ = written.partition("#omitted")
    assert omitted and "{#sec-paper-numbers}" in before
    assert "画面だけの文" not in written


# Appended to a document: the number of all that has one, by its label.
COUNTED = """
#context for one in query(selector(figure).or(heading).or(math.equation)) {
  let label = one.at("label", default: none)
  if label != none and one.numbering != none {
    let counted = if one.func() == figure { figure.where(kind: one.kind) } else { one.func() }
    let at = counter(counted).at(one.location())
    let number = if one.func() == heading { at } else { (chapter-number(one.location()), ..at) }
    [#metadata((str(label), number.map(str).join(".")))<counted>]
  }
}
"""


@pytest.fixture(scope="module")
def numbered(site, tmp_path_factory) -> dict[str, dict[str, str]]:
    """What everything is numbered in each PDF, by its label."""
    found, output, set_by = {}, tmp_path_factory.mktemp("numbers"), typst.compile_with_warnings
    for name, names in documents(site.pages).items():

        def counted(source: Path, *, root: Path, font_paths: object, **options: object) -> object:
            with source.open("a", encoding="utf-8") as file:
                file.write(COUNTED)
            told = typst.query(source, "<counted>", "value", root=root, font_paths=font_paths)
            found[name] = dict(json.loads(told))  # noqa: B023
            return set_by(source, root=root, font_paths=font_paths, **options)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(typst, "compile_with_warnings", counted)
            write_pdf(site, output / name, names)
    return found


@pytest.mark.parametrize(("name", "page"), [(PAPER, "paper"), (SUPPLEMENT, "second")])
def test_everything_has_the_number_that_it_has_on_the_site(site, numbered, tmp_path, name, page):
    preview.render(site, tmp_path / "site")
    main = read_page(tmp_path / "site" / f"{page}.html").one("main")
    shown = {}
    for element in main.all():
        kind, _, rest = element.attributes.get("id", "").partition("-")
        if kind == "sec":
            told = element.all(class_="header-section-number")[:1]
        elif kind == "eq":
            told = element.all(class_="equation-number")
        else:
            told = element.all("figcaption") if kind in {"fig", "tbl", "lst"} else []
        for one in told:
            shown[f"{kind}-{page}-{rest}"] = re.search(r"\d+(\.\d+)+", one.text)[0]
    assert len(shown) >= 4
    others = {"sec-second": "3", "sec-third": "4", "sec-third-last": "4.1"}
    assert numbered[name] == shown | ({} if name == PAPER else others)


def outline(pdf: Path) -> list[tuple[str, list[str]]]:
    """Titles of an outline, each with those below."""
    with pikepdf.open(pdf) as document, document.open_outline() as read:
        return [(one.title, [below.title for below in one.children]) for one in read.root]


def test_a_pdf_has_an_outline_and_tags_and_says_what_it_is(site, pdfs):
    assert outline(pdfs / PAPER) == [("2.1 問い", []), ("2.2 数値", []), ("参考文献", [])]
    chapters = [("3 二枚目", ["3.1 別の節", "3.2 表の節"]), ("4 三枚目", ["4.1 終節"])]
    assert outline(pdfs / SUPPLEMENT) == chapters
    for name, title in (
        (PAPER, "論文の題"),
        (SUPPLEMENT, "自己注意は特徴をどれほど混ぜるか · 補遺"),
    ):
        plain = io.BytesIO()
        with pikepdf.open(pdfs / name) as document:
            assert str(document.docinfo["/Title"]) == title
            assert document.Root.MarkInfo.Marked
            apart = pikepdf.ObjectStreamMode.disable
            document.save(plain, object_stream_mode=apart, compress_streams=False)
        assert str(site.directory).encode() not in plain.getvalue()


def test_only_the_supplement_has_contents_before_its_first_chapter(pdfs):
    assert number_of_pages(pdfs / PAPER) == 1
    assert number_of_pages(pdfs / SUPPLEMENT) >= 3


@pytest.mark.parametrize("name", PDFS)
def test_the_same_bytes_every_time(site, pdfs, tmp_path, name):
    write_pdf(site, tmp_path / name, documents(site.pages)[name])
    assert (tmp_path / name).read_bytes() == (pdfs / name).read_bytes()


def test_an_angle_bracket_of_a_given_size_is_a_sign(site):
    formulas = re.findall(r"\$\$.*?\$\$", as_markdown(assemble(site, ["paper"])), re.DOTALL)
    written = convert("\n".join(formulas), "the test", {"from": "markdown", "to": "typst"})
    assert "⟨" in written and "chevron" not in written


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
    write_pdf(Project.read(project), tmp_path / "paper.pdf", ["index"])
    assert number_of_pages(tmp_path / "paper.pdf") == 2


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
    output = tmp_path / "paper.pdf"
    with pytest.raises(
        InputError, match=r"^paper\.pdf failed: .*could not be displayed"
    ) as refusal:
        write_pdf(Project.read(write_project(tmp_path, pages)), output, ["index"])
    assert "\n" not in str(refusal.value)
    assert not output.exists()


def test_a_character_of_the_data_without_a_glyph_is_a_box(tmp_path):
    pages = {"index": '---\ntitle: "T"\n---\n\n## A {#sec-a}\n\n{{< var measure.odd >}}\n'}
    directory = write_project(tmp_path, pages)
    variables = yaml.safe_dump({"measure": {"odd": "a🦫b"}}, allow_unicode=True)
    (directory / "_variables.yml").write_text(variables, encoding="utf-8")
    project = Project.read(directory)
    write_pdf(project, tmp_path / "paper.pdf", ["index"])
    assert "a□b" in as_markdown(assemble(project, ["index"]))


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
