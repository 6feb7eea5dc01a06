"""The stage that renders both languages: pages and PDFs together, or the earlier ones stay."""

import json
import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import pypandoc
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from small_report import HOSTILE, WITH_PAPER, read_page, write_project

from analysis.prose.messages import words
from analysis.site import layout
from analysis.site.citation import authors
from analysis.site.documents import PDFS
from analysis.stages import report as stage
from attention_mixing.errors import InputError


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same sources for either language, and what the notebook of a chapter made."""
    project = write_project(tmp_path / "report", WITH_PAPER)
    made = tmp_path / "chapters" / "measure" / "ja"
    made.mkdir(parents=True)
    (project / "notebooks" / "chapter.ipynb").rename(made / "notebook.ipynb")
    (project / "files" / "map.csv").rename(made / "map.csv")
    for drawn in (project / "files" / "measure").iterdir():
        drawn.rename(made / drawn.name)
    for name in layout.LAID_OUT:
        path = project / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    for page in project.glob("*.qmd"):
        text = page.read_text(encoding="utf-8").replace("notebooks/chapter", "notebooks/measure")
        page.write_text(text, encoding="utf-8")
    numbers = json.dumps({"share": "0.41", "hostile": "a *b* $c$"})
    (made / "numbers.json").write_text(numbers, encoding="utf-8")
    shutil.copytree(project, tmp_path / "report" / "en")
    shutil.copytree(made, tmp_path / "chapters" / "measure" / "en")
    monkeypatch.setattr(stage, "REPORT", tmp_path / "report")
    monkeypatch.setattr(stage, "PAGES", tmp_path / "pages")
    monkeypatch.setattr(layout, "CHAPTERS", tmp_path / "chapters")
    monkeypatch.setattr(layout, "PROVENANCE", tmp_path / "provenance")
    monkeypatch.setattr(layout, "FINDINGS", tmp_path / "findings")
    monkeypatch.setattr(layout, "EXPLORER", tmp_path / "explorer")
    (tmp_path / "explorer").mkdir()
    (tmp_path / "explorer" / "score.json").write_text("null", encoding="utf-8")
    for note in ("index.json", "unstated.json"):
        (tmp_path / "explorer" / note).write_text("[]", encoding="utf-8")
    conditions = {"trained": False, "questions": False}
    monkeypatch.setattr(layout, "evidence", lambda *_: conditions)
    monkeypatch.setattr(layout, "run_parameters", lambda: with_renderer("auto"))
    number = {"form": ".0%", "take": "median", "whole": [0.41, None, None], "each": {}}
    number |= {"files": ["x"], "own": False, "differs": False}
    argument = {"numbers": {"share": number}, "broken": ["share < .5"], "missing": []}
    monkeypatch.setattr(layout, "read_argument", lambda: argument)
    return tmp_path


def with_renderer(name: str) -> SimpleNamespace:
    focus = SimpleNamespace(experiment="own", words=False)
    geometry = SimpleNamespace(nonlinear=())
    report = SimpleNamespace(renderer=name, focus=focus)
    return SimpleNamespace(experiments={}, geometry=geometry, report=report)


@pytest.mark.parametrize("renderer", ["pandoc", "quarto"])
def test_pages_and_pdfs_lie_together(directory, renderer):
    if renderer == "quarto" and shutil.which("quarto") is None:
        pytest.skip("quarto is not on the PATH: only the preview is tested")
    for language in ("en", "ja"):
        made = directory / "chapters" / "measure" / language
        run = shutil.copytree(made, directory / "chapters" / "provenance" / language)
        (run / "numbers.json").write_text('{"date": "1999-12-31"}', encoding="utf-8")
        killed = directory / "chapters" / ".second.new" / language
        shutil.copytree(directory / "report" / language, killed)
    written = {path: path.read_bytes() for path in directory.rglob("*") if path.is_file()}
    stage.report(with_renderer(renderer))
    site = directory / "pages" / "ja"
    assert {pdf.name for pdf in site.glob("*.pdf")} == {*PDFS}
    for pdf in PDFS:
        assert (site / pdf).read_bytes().startswith(b"%PDF")
    assert "second.html" in (site / "search-index.js").read_text(encoding="utf-8")
    assert {page.name for page in site.glob("*.html")} == {f"{name}.html" for name in WITH_PAPER}
    for page, links in {
        "index": [],  # which is in none
        "paper": ["paper.pdf"],
        "second": ["supplement.pdf"],
        "third": ["supplement.pdf"],
    }.items():
        main = read_page(site / f"{page}.html").one("main")
        assert [one.attributes["href"] for one in main.all("a") if one.text == "PDF"] == links
    finding = read_page(site / "paper.html").one("main").one("div", class_="finding differs").text
    assert "割合は 41% であり" in finding and words("ja", "paper")["differs_here"] in finding
    main = read_page(site / "index.html").one("main")
    assert "a *b* $c$" in main.text
    assert "根拠のある図" not in main.text  # nothing was trained
    assert (site / "files" / "measure" / "map.csv").is_file()
    for one in (*authors(), "1999"):
        assert one in main.one(id="title-block-header").text
    assert {one.name for one in (directory / "pages").iterdir()} == {"en", "ja"}
    assert all(path.read_bytes() == content for path, content in written.items())
    assert {path for path in directory.glob("report/**/*") if path.is_file()} <= written.keys()


def words_read(inlines: list[dict]) -> list[str]:
    """Runs of letters, as pandoc reads them."""
    words = []
    for one in inlines:
        if one["t"] == "Span":
            assert one["c"][0] == ["", [], []]
            words += words_read(one["c"][1])
        else:
            assert one["t"] in {"Str", "Space"}
            words.append(one["c"] if one["t"] == "Str" else " ")
    return words


lines = st.text(
    st.characters(categories=["L", "N", "P", "S"]) | st.sampled_from("{<>}/* .-&1")
).map(lambda text: " ".join(text.split()))


@settings(max_examples=50, deadline=None)
@given(text=lines)
@example(text=HOSTILE)
@example(text="1. a list? - and :: more http://a.b --- ... it's")
@example(text="- a list")
@example(text="Y")
@example(text="{{<x>}}>}} }{<")
def test_quarto_reads_a_number_as_it_is_and_finds_no_shortcode_in_it(tmp_path_factory, text):
    """Quarto looks for {{< at the end of a run of letters and for >}} at its beginning."""
    written = layout.as_markdown({"chapter": {"name": text}})
    path = tmp_path_factory.mktemp("numbers") / "meta.yml"
    path.write_text(layout.as_yaml(written), encoding="utf-8")
    options = ["--metadata-file", str(path)]
    read = json.loads(pypandoc.convert_text("", "json", "markdown", extra_args=options))
    shown = read["meta"]["chapter"]["c"]["name"]
    assert shown["t"] in {"MetaInlines", "MetaString"}
    words = words_read(shown["c"]) if shown["c"] else []
    assert "".join(words) == text
    assert not [word for word in words if "{{" in word or "}}" in word]


@pytest.mark.parametrize("renderer", ["pandoc", "quarto"])
def test_what_fails_leaves_the_site_as_it_was(directory, renderer):
    if renderer == "quarto" and shutil.which("quarto") is None:
        pytest.skip("quarto is not on the PATH: only the preview is tested")
    site = directory / "pages" / "ja"
    site.mkdir(parents=True)
    (site / "kept").touch()
    page = directory / "report" / "ja" / "second.qmd"
    page.write_text(page.read_text(encoding="utf-8") + "\n[@fig-none]\n", encoding="utf-8")
    at = r"^quarto render report/ja failed at second\.qmd: " if renderer == "quarto" else "^"
    told = r"report/ja/second\.qmd: .*@fig-none leads nowhere"
    with pytest.raises(InputError, match=at + told):
        stage.report(with_renderer(renderer))
    assert list(site.iterdir()) == [site / "kept"]
    assert [one.name for one in (directory / "pages").iterdir()] == ["ja"]


@pytest.mark.parametrize(("version", "taken"), [("1.8.25", False), ("1.9.0", True), ("1.10", True)])
def test_an_older_quarto_is_not_taken(tmp_path, monkeypatch, root, version, taken):
    monkeypatch.chdir(root)
    quarto = tmp_path / "quarto"
    quarto.write_text(f"#!/bin/sh\necho {version}\n")
    quarto.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert stage.find_quarto("auto") == (str(quarto) if taken else None)
    if not taken:
        told = rf"require Quarto 1\.9 or newer, and that on the PATH is {version}"
        with pytest.raises(InputError, match=told):
            stage.find_quarto("quarto")
