"""Quarto and the preview make the same pages of the same sources."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import urlopen

import nbformat
import pytest
import yaml
from small_report import (
    HOSTILE,
    INDEX,
    LANGUAGES,
    REPORT,
    ROOT,
    SECOND,
    Element,
    parse_page,
    read_page,
    write_quarto_project,
)

from analysis.site.documents import PDFS
from analysis.site.layout import LAID_OUT
from benchmarks.browsing import serving

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


def test_the_same_bibliography_is_folded(both):
    quarto, preview = (
        [
            (fold.one("summary").text, [entry.text for entry in fold.all(class_="csl-entry")])
            for fold in main.all("details", class_="references")
        ]
        for main in both
    )
    assert quarto == preview


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
    from analysis.site.preview import render
    from analysis.site.source.project import Project

    project = write_quarto_project(tmp_path, SOURCES)
    told = yaml.safe_load((project / "_evidence.yml").read_text(encoding="utf-8"))
    told["site-root"] = "https://example.org/report"
    told["languages"] = [
        {"lang": one, "directory": f"https://example.org/report/{one}"} for one in LANGUAGES
    ]
    switch = told["website"]["navbar"]["right"]
    told["website"] = {
        "site-url": "https://example.org/report/ja",
        "repo-url": "https://example.org/code",
        "repo-subdir": "report/ja",
        "repo-actions": ["source", "issue"],
        "navbar": {
            "right": [
                *switch,
                {"text": "コード", "href": "https://example.org/code", "rel": "external"},
            ]
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


# Of a user, whose environment `make` has made.
ENVIRONMENT = {
    **os.environ,
    "VIRTUAL_ENV": sys.prefix,
    "PYTHONPATH": str(ROOT),
    "QUARTO_LOG_LEVEL": "WARNING",
}


@pytest.fixture(scope="module")
def by_hand(tmp_path_factory, small_site) -> Path:
    """A run that pandoc has rendered, as a user has it."""
    return shutil.copytree(
        small_site.parent, tmp_path_factory.mktemp("by-hand") / "run", symlinks=True
    )


def render_by_hand(directory: Path, target: str) -> Path:
    """Run Quarto as it is documented; gives the site of the Japanese pages."""
    command = ["quarto", "render", target]
    run = subprocess.run(command, cwd=directory, env=ENVIRONMENT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return directory / "report" / "ja" / "_site"


@pytest.mark.parametrize("made", [False, True], ids=["no environment", "an environment"])
@pytest.mark.parametrize(
    "command",
    [
        ("render", "report/en"),
        ("render", "report/ja/mixing.qmd"),
        ("preview", "report/en", "--no-browser"),
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_a_fresh_clone_is_told_in_a_sentence_what_to_do(tmp_path, command, made):
    committed = shutil.ignore_patterns("_site", ".quarto", *LAID_OUT)
    shutil.copytree(REPORT, tmp_path / "report", ignore=committed)
    (tmp_path / "dvc.yaml").touch()
    environment = {**ENVIRONMENT, "QUARTO_LOG_LEVEL": "ERROR"}
    if not made:
        del environment["VIRTUAL_ENV"]
    run = subprocess.run(
        ["quarto", *command], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert run.returncode != 0
    (told,) = [line for line in run.stderr.splitlines() if line]
    assert re.fullmatch(r"error: .*; run `make repro` first\.", told)


def test_another_format_is_refused_in_a_sentence_and_leaves_nothing(by_hand):
    command = ["quarto", "render", "report/ja/glossary.qmd", "--to", "docx"]
    # At another level Quarto tells nothing of what a filter says.
    environment = {**ENVIRONMENT, "QUARTO_LOG_LEVEL": "INFO"}
    run = subprocess.run(command, cwd=by_hand, env=environment, capture_output=True, text=True)
    assert run.returncode != 0
    assert "error: the pages are rendered as html, and docx was asked for" in run.stderr
    beside = (by_hand / "report" / "ja").glob("glossary*")
    assert [path.name for path in beside if path.is_file()] == ["glossary.qmd"]


@pytest.fixture(scope="module")
def alone(by_hand, tmp_path_factory) -> Path:
    """Two pages of one language, rendered by hand and carried elsewhere."""
    for name in ("mixing", "explorer"):
        site = render_by_hand(by_hand, f"report/ja/{name}.qmd")
    return shutil.copytree(site, tmp_path_factory.mktemp("published") / "site")


def test_a_site_of_one_language_leads_nowhere_outside(alone):
    """Nor do its notebooks, which lie a directory below."""
    pages = {name: read_page(alone / f"{name}.html") for name in ("mixing", "explorer")}
    for notebook in (alone / "notebooks").glob("*.ipynb"):
        shown = [
            output["data"]["text/html"]
            for cell in nbformat.read(notebook, as_version=4).cells
            for output in cell.get("outputs", ())
            if "text/html" in output.get("data", {})
        ]
        pages[f"notebooks/{notebook.stem}"] = parse_page("".join(shown))
    known = {f"{path.stem}.html" for path in REPORT.glob("ja/*.qmd")}
    followed = 0
    for name, page in pages.items():
        for one in page:
            target = one.attributes.get("href") or one.attributes.get("src") or "#"
            address = urlsplit(target)
            if address.scheme or not address.path:
                continue
            path = Path(os.path.normpath((alone / name).parent / address.path))
            assert path.is_relative_to(alone), (name, target)
            assert path.is_file() or path.name in known, (name, target)
            followed += 1
    assert followed > 100


def test_its_explorer_is_alive(alone, chromium):
    with serving(alone) as address:
        assert drawn(chromium, f"{address}/explorer.html")


def drawn(chromium, url: str) -> bool:
    """Whether the explorer shows the weights of a text, and all that was asked for was there."""
    tab = chromium.new_page()
    failed = []
    tab.on("requestfailed", lambda request: failed.append(request.url))
    tab.on("response", lambda one: failed.append(one.url) if one.status >= 400 else None)
    tab.goto(url)
    tab.wait_for_selector(".explorer[aria-busy=false]")
    shown = tab.evaluate("Boolean(document.querySelector('.explorer').explorer.shown)")
    tab.close()
    assert failed == []
    return shown


def test_the_explorer_of_a_preview_is_alive(by_hand, chromium):
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    command = ["quarto", "preview", "report/ja/explorer.qmd", "--no-browser", "--port", str(port)]
    with subprocess.Popen(command, cwd=by_hand, env=ENVIRONMENT, stderr=subprocess.PIPE) as preview:
        try:
            url = f"http://localhost:{port}/explorer.html"
            for _ in range(600):
                assert preview.poll() is None, preview.stderr.read()
                with suppress(OSError), urlopen(url):
                    break
                time.sleep(0.5)
            assert drawn(chromium, url)
        finally:
            preview.terminate()


def test_by_hand_in_the_repository_one_page_and_then_all(by_hand):
    """A page that is rendered alone has its number, its figures and what it loads beside it."""
    shutil.rmtree(by_hand / "report" / "ja" / "_site", ignore_errors=True)
    site = render_by_hand(by_hand, "report/ja/mixing.qmd")
    main = read_page(site / "mixing.html").one("main")
    assert main.one(id="fig-scopes").one("figcaption").text.startswith("図 4.1")
    for link in main.all("a"):
        target = link.attributes.get("href", "")
        if target.startswith(("files/", "notebooks/", *PDFS)):
            assert (site / target).is_file(), target
    index = (site / "search-index.js").read_text(encoding="utf-8")
    assert "mixing.html" in index
    assert "glossary.html" not in index
    render_by_hand(by_hand, "report/ja/glossary.qmd")
    index = (site / "search-index.js").read_text(encoding="utf-8")
    assert "mixing.html" in index
    assert "glossary.html" in index
    assert {"explorer.js", "math.woff"} <= {path.name for path in (site / "shared").iterdir()}


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
        ("[@fig-none]", "error: report/ja/index.qmd: @fig-none leads nowhere"),
        ("{{< var measure.none >}}", "error: report/ja/index.qmd: var:measure.none leads nowhere"),
        ("[@nobody1999]", "error: report/ja/index.qmd: the bibliography has no nobody1999"),
        ("{{< laid-out _none.md >}}", "_none.md is not there; run `make repro` first."),
        ("{{< embed notebooks/chapter.ipynb#none >}}", "The cell none does not exist"),
    ],
)
def test_what_is_not_found_stops_quarto_too(tmp_path, line, message):
    text = f"---\ntitle: x\n---\n\n## A {{#sec-a}}\n\n{line}\n"
    project = write_quarto_project(tmp_path / "report", {"index": text})
    run = subprocess.run(["quarto", "render", project], capture_output=True, text=True)
    assert run.returncode != 0
    assert message in run.stderr
