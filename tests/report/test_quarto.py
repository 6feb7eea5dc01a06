"""Quarto and the preview make the same pages of the same sources."""

import shutil
import subprocess
from pathlib import Path

import pytest
from small_report import HOSTILE, Element, read_page, write_quarto_project

pytestmark = pytest.mark.skipif(
    shutil.which("quarto") is None, reason="quarto is not on the PATH: only the preview is tested"
)


@pytest.fixture(scope="module", params=["index", "second"])
def both(request, quarto_site: Path, site: Path) -> tuple[Element, Element]:
    name = f"{request.param}.html"
    return read_page(quarto_site / name).one("main"), read_page(site / name).one("main")


def test_same_pages(quarto_site, site):
    assert {page.name for page in quarto_site.glob("*.html")} == {
        page.name for page in site.glob("*.html")
    }


def test_same_tables_are_folded(both):
    quarto, preview = ([fold.text for fold in main.all("details")] for main in both)
    assert [one for one in quarto if "行" in one] == [one for one in preview if "行" in one]


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
    quarto, preview = ([paragraph.text for paragraph in main.all("p")] for main in both)
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
    assert f"悪い値：{HOSTILE}。" in main.text


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
    project = write_quarto_project(tmp_path, {"index": text})
    run = subprocess.run(["quarto", "render", project], capture_output=True, text=True)
    assert run.returncode != 0
    assert message in run.stderr
