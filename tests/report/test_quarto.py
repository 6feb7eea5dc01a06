"""Quarto and the preview make the same pages of the same sources."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from small_report import (
    HOSTILE,
    INDEX,
    ROOT,
    SECOND,
    Element,
    read_page,
    write_quarto_project,
)

SOURCES = {"index": INDEX, "second": SECOND}

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


def test_same_order_of_figures_captions_and_what_leads_on(both):
    quarto, preview = (
        [
            one.text
            for one in main
            if one.tag == "figcaption" or one.attributes.get("class") in ("sources", "plot")
        ]
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


def described(page: Element) -> dict[str, list[tuple[str, str]]]:
    """What the head of a page says of it, to who links to it, indexes it or cites it."""
    metas = {
        (one.attributes.get("property") or one.attributes.get("name"), one.attributes["content"])
        for one in page.all("meta")
        if one.attributes.get("property", "").startswith("og:")
        or one.attributes.get("name", "").startswith("citation_")
    }
    links = {
        (one.attributes["rel"], one.attributes.get("hreflang"), href.removeprefix("./"))
        for one in page.all("link")
        if one.attributes.get("rel") in {"alternate", "canonical", "icon"}
        and (href := one.attributes["href"])
    }
    return {"metas": sorted(metas), "links": sorted(links, key=str)}


@pytest.mark.parametrize("name", ["index", "second"])
def test_the_same_is_said_of_a_page(quarto_site, site, name):
    quarto, preview = (described(read_page(one / f"{name}.html")) for one in (quarto_site, site))
    assert quarto == preview
    assert ("alternate", "en", f"../en/{name}.html") in quarto["links"]
    named = {key for key, _ in quarto["metas"]}
    assert named >= {"og:title", "citation_author"}
    assert "og:image" not in named  # whose address would not be a whole one


def test_where_the_site_is_published_addresses_are_absolute_in_both(tmp_path):
    from report.preview import render
    from report.source.project import Project

    project = write_quarto_project(tmp_path, SOURCES)
    told = yaml.safe_load((project / "_evidence.yml").read_text(encoding="utf-8"))
    told["site-root"] = "https://example.org/report"
    told["website"] = {
        "site-url": "https://example.org/report/ja",
        "repo-url": "https://example.org/code",
        "repo-subdir": "report/ja",
        "repo-actions": ["source", "issue"],
        "navbar": {
            "right": [{"text": "コード", "href": "https://example.org/code", "rel": "external"}]
        },
    }
    (project / "_evidence.yml").write_text(yaml.safe_dump(told), encoding="utf-8")
    run = subprocess.run(["quarto", "render", project], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    render(Project.read(project), tmp_path / "site")
    pages = [read_page(one / "second.html") for one in (project / "_site", tmp_path / "site")]
    quarto, preview = (described(page) for page in pages)
    assert quarto["links"] == preview["links"]
    # Quarto also measures the picture.
    assert {*quarto["metas"]} >= {*preview["metas"]}
    root = "https://example.org/report"
    assert ("canonical", None, f"{root}/ja/second.html") in quarto["links"]
    assert ("alternate", "en", f"{root}/en/second.html") in quarto["links"]
    assert ("og:image", f"{root}/ja/shared/card.png") in quarto["metas"]
    actions = (
        {
            (one.attributes["href"], one.text)
            for one in page.all("a")
            if one.attributes.get("href", "").startswith("https://example.org/code/")
        }
        for page in pages
    )
    assert next(actions) == next(actions) != set()
    for page in pages:
        links = [one for one in page.all("a") if one.text in ("コード", "English")]
        assert [one.text for one in links] == ["English", "コード"]
        assert links[1].attributes["href"] == "https://example.org/code"
        # By which style sheets know it: of the others, Quarto writes the addresses out as well.
        assert [one.attributes.get("rel") for one in links] == [None, "external"]


def test_by_hand_in_the_repository_one_page_and_then_all(tmp_path, small_site):
    """A page that is rendered alone has its number, its figures and what it loads beside it."""
    directory = shutil.copytree(small_site.parent, tmp_path / "run", symlinks=True)
    environment = os.environ | {
        "VIRTUAL_ENV": sys.prefix,
        "PYTHONPATH": str(ROOT),
        "QUARTO_LOG_LEVEL": "WARNING",
    }

    def quarto_render(target: str) -> Path:
        command = ["quarto", "render", target]
        run = subprocess.run(
            command, cwd=directory, env=environment, capture_output=True, text=True
        )
        assert run.returncode == 0, run.stderr
        return directory / "report" / "ja" / "_site"

    site = quarto_render("report/ja/mixing.qmd")
    main = read_page(site / "mixing.html").one("main")
    assert main.one(id="fig-scopes").one("figcaption").text.startswith("図 4.1")
    for link in main.all("a"):
        target = link.attributes.get("href", "")
        if target.startswith(("files/", "notebooks/", "report.pdf")):
            assert (site / target).is_file(), target
    index = (site / "search-index.js").read_text(encoding="utf-8")
    assert "mixing.html" in index
    assert "glossary.html" not in index
    quarto_render("report/ja/glossary.qmd")
    index = (site / "search-index.js").read_text(encoding="utf-8")
    assert "mixing.html" in index
    assert "glossary.html" in index
    assert {"plotly.min.js", "math.woff"} <= {path.name for path in (site / "shared").iterdir()}


def test_hostile_text_stays_text(quarto_site):
    main = read_page(quarto_site / "index.html").one("main")
    assert HOSTILE in main.one("div", id="fig-rollout").one("img").attributes["alt"]
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
