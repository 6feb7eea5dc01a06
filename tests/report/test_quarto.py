"""Quarto and the preview make the same pages of the same sources."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from small_report import (
    ESCAPED,
    HOSTILE,
    INDEX,
    SECOND,
    Element,
    interactive_scripts,
    read_page,
    write_project,
)

from analysis.stages.report import number_chapters

pytestmark = pytest.mark.skipif(
    shutil.which("quarto") is None, reason="quarto is not on the PATH: only the preview is tested"
)


# Quarto reads a variable as Markdown, the preview as text; so for Quarto it is written with
# entities. Quarto then looks for shortcodes once more: an invisible word joiner hides them.
HOSTILE_VARIABLE = ESCAPED.replace("&#123;&#60;", "&#123;\u2060&#60;").replace(
    "&#62;&#125;", "&#62;\u2060&#125;"
)


def write_quarto_project(directory: Path, pages: dict[str, str]) -> Path:
    """Write the project of the preview's tests, with its variables as Quarto needs them."""
    project = write_project(directory, pages)
    variables = {"measure": {"share": "0.41", "hostile": HOSTILE_VARIABLE}}
    (project / "_variables.yml").write_text(yaml.safe_dump(variables), encoding="utf-8")
    number_chapters(project)
    return project


@pytest.fixture(scope="module")
def quarto_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("quarto")
    project = write_quarto_project(directory, {"index": INDEX, "second": SECOND})
    run = subprocess.run(
        ["quarto", "render", project],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    # Quarto looks up variables before it leaves out what is not shown, and goes on without them.
    warnings = [line for line in run.stderr.splitlines() if "WARN" in line]
    assert all("Unknown var measure.absent" in line for line in warnings), run.stderr
    return project / "_site"


@pytest.fixture(scope="module", params=["index", "second"])
def both(request, quarto_site: Path, site: Path) -> tuple[Element, Element]:
    name = f"{request.param}.html"
    return read_page(quarto_site / name).one("main"), read_page(site / name).one("main")


def test_same_pages(quarto_site, site):
    assert {page.name for page in quarto_site.glob("*.html")} == {
        page.name for page in site.glob("*.html")
    }


def test_same_headings(both):
    quarto, preview = (
        [heading.text for heading in main if heading.tag in {"h1", "h2", "h3"}] for main in both
    )
    assert quarto == preview


def test_same_captions_under_the_same_anchors(both):
    # Quarto puts the anchor on a div around the figure.
    quarto, preview = (
        {
            one.attributes["id"]: one.one("figcaption").text
            for one in main
            if one.attributes.get("id", "").startswith(("fig-", "tbl-", "lst-"))
            and one.all("figcaption")
            and one.tag != "figcaption"
        }
        for main in both
    )
    assert quarto == preview


@pytest.mark.parametrize(
    "attributes",
    [
        {"class_": "quarto-xref"},
        {"role": "doc-biblioref"},
        {"role": "doc-noteref"},
        {"class_": "equation-number"},
        {"class_": "csl-entry"},
        {"class_": "callout-title-container"},
        {"class_": "callout-body"},
    ],
    ids=lambda attributes: next(iter(attributes.values())),
)
def test_same_texts_and_targets(both, attributes):
    quarto, preview = (
        [(one.attributes.get("href"), one.text) for one in main.all(**attributes)] for main in both
    )
    assert quarto == preview


def test_same_paragraphs(both):
    """Values, references and line breaks come out as the same text."""
    quarto, preview = (
        [paragraph.text.replace("\u2060", "") for paragraph in main.all("p")] for main in both
    )
    assert quarto == preview


def test_same_entries_of_the_glossary(quarto_site, site):
    def found(folder):
        entries = read_page(folder / "second.html").one("main").all("dt")
        return [
            (one.text, [(part.attributes.get("id"), part.attributes.get("lang")) for part in one])
            for one in entries
        ]

    assert found(quarto_site) == found(site)


def test_hostile_text_stays_text(quarto_site):
    main = read_page(quarto_site / "index.html").one("main")
    assert HOSTILE in main.one("div", id="fig-rollout").one("text").text
    assert f"悪い値：{HOSTILE}。" in main.text.replace("\u2060", "")


def test_both_open_interactive_maps_by_the_same_script(quarto_site, site):
    def found(folder):
        page = read_page(folder / "index.html")
        openers = page.one("main").all(class_="interactive")
        assert all("hidden" in one.attributes for one in openers)
        (script,) = interactive_scripts(page)
        return [one.one("button").attributes["data-map"] for one in openers], script

    assert found(quarto_site) == found(site)


def test_files_that_figures_link_to_are_copied(quarto_site):
    assert (quarto_site / "files" / "map.csv").is_file()


def test_nothing_is_fetched_from_elsewhere(quarto_site):
    for page in quarto_site.glob("*.html"):
        for one in read_page(page):
            if one.tag in {"script", "link", "img"}:
                assert "//" not in one.attributes.get("src", "") + one.attributes.get("href", "")
    for stylesheet in quarto_site.rglob("*.css"):
        assert not re.search(r"@import|url\(.?(https?:)?//", stylesheet.read_text(encoding="utf-8"))


def test_a_page_can_be_opened_from_a_disk(quarto_site):
    """Where a browser loads scripts but no modules."""
    for page in quarto_site.glob("*.html"):
        loaded = [one for one in read_page(page).all("script") if "src" in one.attributes]
        assert not [one for one in loaded if one.attributes.get("type") == "module"]
    for script in (quarto_site / "site_libs" / "quarto-html").rglob("*.js"):
        text = script.read_text(encoding="utf-8")
        assert not re.search(r"^(import|export) ", text, re.MULTILINE)


def test_the_first_link_skips_to_the_text(quarto_site):
    for page in quarto_site.glob("*.html"):
        first = read_page(page).all("a")[0]
        assert first.attributes["class"] == "skip-link"


def test_no_path_of_this_machine(quarto_site):
    for page in quarto_site.glob("*.html"):
        assert str(quarto_site.parent) not in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[@fig-none]", "@fig-none leads nowhere"),
        ("{{< var measure.none >}}", "var:measure.none leads nowhere"),
        ("[@nobody1999]", "the bibliography has no nobody1999"),
        ("{{< embed notebooks/chapter.ipynb#none >}}", "The cell none does not exist"),
    ],
)
def test_what_is_not_found_stops_quarto_too(tmp_path, line, message):
    text = f"---\ntitle: x\n---\n\n## A {{#sec-a}}\n\n{line}\n"
    run = subprocess.run(
        ["quarto", "render", write_quarto_project(tmp_path, {"index": text})],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode != 0
    assert message in run.stderr
