"""What Quarto runs before and after rendering, run as it runs it: as a filter of pandoc."""

import os
import shutil
import subprocess
from pathlib import Path

import pypandoc
import pytest
from small_report import REPORT

FILTERS = REPORT / "filters"
MODULES = (
    '<script src="site_libs/quarto-html/quarto.js" type="module"></script>\n'
    '<script src="site_libs/quarto-html/tabsets/tabsets.js" type="module"></script>\n'
)
# Of the script by which a page is light or dark.
ON_A_DISK = "<script>isFileUrl = () => { return window.location.protocol === 'file:'; }</script>"
SKIP = '<a class="skip-link" href="#quarto-document-content">x</a>\n'
WIDGETS = (
    '<script src="https://cdn.jsdelivr.net/npm/requirejs@2.3.6/require.min.js"></script>\n'
    "<script type=\"application/javascript\">define('jquery', [], () => window.jQuery)</script>\n"
)


def run(script: str, directory: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a script in a directory; without an environment of Python unless one is given."""
    command = [pypandoc.get_pandoc_path(), "--from", "markdown", "--to", "plain", "--lua-filter"]
    kept = {key: value for key, value in os.environ.items() if key != "VIRTUAL_ENV"}
    return subprocess.run(
        [*command, FILTERS / script],
        cwd=directory,
        env=kept | environment,
        input="",
        capture_output=True,
        text=True,
    )


@pytest.fixture
def project(tmp_path) -> Path:
    libraries = tmp_path / "_site" / "site_libs" / "quarto-html"
    (libraries / "tabsets").mkdir(parents=True)
    (libraries / "quarto.js").write_text('import * as tabsets from "./tabsets/tabsets.js";\n1;')
    (libraries / "tabsets" / "tabsets.js").write_text("export function init() {}")
    return tmp_path


def rendered(project: Path, head: str = MODULES + ON_A_DISK, body: str = SKIP):
    page = project / "_site" / "index.html"
    page.write_text(f"<html><head>{head}</head><body>{body}</body></html>", encoding="utf-8")
    done = run(
        "quarto-local-only.lua",
        project,
        QUARTO_PROJECT_OUTPUT_DIR=str(project / "_site"),
        QUARTO_PROJECT_OUTPUT_FILES="_site/index.html",
    )
    return done, page.read_text(encoding="utf-8")


def test_a_page_keeps_its_scripts_and_loses_those_from_elsewhere(project):
    addresses = '<link rel="canonical" href="https://example.org/"><a href="https://a.b">x</a>'
    for _ in range(2):  # where one page is rendered after another, the scripts are there already
        done, page = rendered(project, WIDGETS + addresses + MODULES + ON_A_DISK)
        assert done.returncode == 0, done.stderr
        assert "jsdelivr" not in page
        assert "module" not in page
        assert f"<body>{SKIP.strip()}" in page
    libraries = project / "_site" / "site_libs" / "quarto-html"
    for name in ("quarto.js", "tabsets/tabsets.js"):
        text = (libraries / name).read_text()
        assert text.count("(() => {") == 1
        assert "import" not in text
        assert "export" not in text


def test_contents_are_folded_above_the_text_as_well(project):
    known = 'id="toc-sec-a" class="nav-link" data-scroll-target="#sec-a"'
    link = f'<li><a href="#sec-a" {known}>A</a></li>'
    contents = f'<nav id="TOC" role="doc-toc"><h2 id="toc-title">題</h2> <ul>{link}</ul></nav>'
    title = '<header id="title-block-header">T</header>'
    done, page = rendered(project, body=f"{SKIP}{title}{contents}")
    assert done.returncode == 0, done.stderr
    fold = '<details class="contents"><summary>題</summary><ul><li><a href="#sec-a">A</a></li></ul>'
    assert f"{title}{fold}</details>{contents}" in page


@pytest.mark.parametrize(
    "loaded",
    [
        '<script src="https://cdn.example.org/x.js"></script>',
        '<link rel="stylesheet" href="//example.org/x.css">',
        '<img alt="x" src="http://example.org/x.png">',
        '<iframe src="https://example.org"></iframe>',
    ],
)
def test_a_page_that_would_load_from_elsewhere_is_refused(project, loaded):
    done, _ = rendered(project, MODULES + ON_A_DISK + loaded)
    assert done.returncode != 0
    assert "index.html loads " in done.stderr
    assert "example.org" in done.stderr


@pytest.mark.parametrize(
    ("head", "body", "message"),
    [
        (ON_A_DISK, SKIP, "index.html: this Quarto writes no scripts as modules"),
        (MODULES, SKIP, "index.html: this Quarto writes no question whether it is on a disk"),
        (MODULES, "", "index.html has no link that skips the navigation"),
    ],
)
def test_what_a_later_quarto_does_not_write_is_named(project, head, body, message):
    done, _ = rendered(project, head, body)
    assert done.returncode != 0
    assert message in done.stderr


@pytest.mark.parametrize("name", ["quarto.js", "tabsets/tabsets.js"])
def test_a_script_that_a_later_quarto_writes_otherwise_is_named(project, name):
    (project / "_site" / "site_libs" / "quarto-html" / name).write_text("otherwise()")
    done, _ = rendered(project)
    assert done.returncode != 0
    assert f"{name}: this Quarto writes no" in done.stderr


@pytest.mark.parametrize("script", ["quarto-lay-out.lua", "quarto-search-index.lua"])
def test_a_clone_without_an_environment_is_told_what_to_do(tmp_path, script):
    pages = tmp_path / "report" / "en"
    shutil.copytree(FILTERS, tmp_path / "report" / "filters")
    pages.mkdir()
    # A copy that the stage has laid out is no repository.
    assert run(script, pages).returncode == 0
    (tmp_path / "dvc.yaml").touch()
    done = run(script, pages)
    assert done.returncode != 0
    assert done.stderr.startswith("error: ")
    assert "run `make repro` first" in done.stderr
