"""What is laid out beside the pages: all that they load, and nothing that git or DVC sees."""

import re
import shutil
import subprocess
import unicodedata
from fnmatch import fnmatch
from itertools import chain
from pathlib import Path

import pytest
import yaml
from fontTools.ttLib import TTFont
from PIL import Image
from small_report import INDEX, REPORT, ROOT, SECOND, config, write_project

from analysis.parameters import load
from analysis.paths import LANGUAGES
from analysis.site import assets, layout
from analysis.site.documents import PDFS, documents
from attention_mixing.errors import InputError


def wide(sign):
    """Whether a sign is Japanese, which the font of the text sets."""
    return unicodedata.east_asian_width(sign) in "WF"


@pytest.fixture
def project(tmp_path, monkeypatch) -> Path:
    """Two pages, and what the notebook of a chapter wrote."""
    project = write_project(tmp_path / "report", {"index": INDEX, "second": SECOND})
    chapter = tmp_path / "chapters" / "measure" / "ja"
    chapter.mkdir(parents=True)
    shutil.move(project / "notebooks" / "chapter.ipynb", chapter / "notebook.ipynb")
    (chapter / "map.csv").write_text("x", encoding="utf-8")
    (chapter / "numbers.json").write_text('{"share": "a *b*"}', encoding="utf-8")
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(layout, "CHAPTERS", tmp_path / "chapters")
    monkeypatch.setattr(layout, "PROVENANCE", tmp_path / "provenance")
    monkeypatch.setattr(layout, "FINDINGS", tmp_path / "findings")
    monkeypatch.setattr(layout, "EXPLORER", tmp_path / "explorer")
    (tmp_path / "explorer").mkdir()
    (tmp_path / "explorer" / "score.json").write_text("null", encoding="utf-8")
    for note in ("index.json", "unstated.json"):
        (tmp_path / "explorer" / note).write_text("[]", encoding="utf-8")
    monkeypatch.setattr(layout, "run_parameters", load)
    monkeypatch.setattr(layout, "evidence", lambda *_: {"trained": False})
    without = {"numbers": {}, "broken": [], "missing": ["imdb"]}
    monkeypatch.setattr(layout, "read_argument", lambda: without)
    return project


def lay_out(project: Path, pdfs: Path | None = None) -> None:
    layout.lay_out(project, "ja", quarto=True, pdfs=pdfs)


@pytest.fixture(scope="module")
def shared(tmp_path_factory) -> Path:
    directory = write_project(tmp_path_factory.mktemp("shared") / "report", {"index": INDEX})
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        (directory / "shared").mkdir(exist_ok=True)
        for name, content in assets.shared_assets(directory).items():
            (directory / "shared" / name).write_bytes(content)
    return directory / "shared"


def test_what_is_laid_out_follows_the_run_and_what_is_the_same_is_not_touched(project, tmp_path):
    (project / "files" / "earlier.csv").touch()
    lay_out(project)
    assert not (project / "files" / "earlier.csv").exists()
    assert (project / "files" / "measure" / "map.csv").read_text() == "x"
    assert (project / "notebooks" / "measure.ipynb").is_file()
    variables = yaml.safe_load((project / "_variables.yml").read_text(encoding="utf-8"))
    assert variables == {"measure": {"share": "a \\*b\\*"}}
    paths = [path for path in project.rglob("*") if path.is_file()]
    before = {path: path.stat().st_mtime_ns for path in paths}
    (tmp_path / "chapters" / "measure" / "ja" / "map.csv").write_text("y", encoding="utf-8")
    lay_out(project)
    changed = [path for path in paths if path.stat().st_mtime_ns != before[path]]
    assert changed == [project / "files" / "measure" / "map.csv"]


def test_pages_link_to_pdfs_where_there_are_some(project, tmp_path):
    def has_pdfs():
        settings = yaml.safe_load((project / "_evidence.yml").read_text(encoding="utf-8"))
        return settings["has"]["pdf"], {path.name for path in project.glob("*.pdf")}

    lay_out(project)
    assert has_pdfs() == (False, set())
    made = tmp_path / "made"
    made.mkdir()
    lay_out(project, made)  # as they are being made
    assert has_pdfs() == (True, set())
    for name in PDFS:
        (made / name).write_bytes(b"%PDF")
    lay_out(project, made)
    assert has_pdfs() == (True, {*PDFS})
    lay_out(project)
    assert has_pdfs() == (False, set())


@pytest.mark.parametrize("missing", PDFS)
def test_a_preview_shows_no_pdf_where_one_is_missing(project, tmp_path, monkeypatch, missing):
    monkeypatch.setattr(layout, "PAGES", tmp_path / "pages")
    monkeypatch.setattr(layout, "SUMMARY", tmp_path)
    for directory in (layout.PROVENANCE, layout.FINDINGS, layout.PAGES / "ja"):
        directory.mkdir(parents=True)
    for name in PDFS:
        (layout.PAGES / "ja" / name).write_bytes(b"%PDF")
    layout.before(project, "ja")
    assert {path.name for path in project.glob("*.pdf")} == {*PDFS}
    (layout.PAGES / "ja" / missing).unlink()
    layout.before(project, "ja")
    assert not [*project.glob("*.pdf")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_but_the_front_page_is_in_one_pdf(language):
    pages = [path.stem for path in (REPORT / language).glob("*.qmd")]
    held = documents(pages)
    assert [*held] == [*PDFS]
    assert sorted(["index", *chain(*held.values())]) == sorted(pages)
    assert held["paper.pdf"] == ["paper"]


def test_a_page_has_the_number_of_its_place_in_the_sidebar(project):
    page = project / "second.qmd"
    page.write_text(SECOND.replace("number-offset: [2]", "number-offset: [3]"), encoding="utf-8")
    with pytest.raises(InputError, match=r"second\.qmd is page 2 .* `number-offset: \[2\]`"):
        lay_out(project)


def test_addresses_come_from_where_the_site_and_the_repository_are_said_to_be(project, monkeypatch):
    publish(project)
    monkeypatch.setattr(layout, "repository", lambda: "https://example.org/code")
    settings = settings_of(project)
    assert settings["site-root"] == "https://example.org/report"
    assert settings["website"]["site-url"] == "https://example.org/report/ja"
    assert settings["website"]["repo-subdir"] == "report/ja"
    link = {"text": "コード", "href": "https://example.org/code", "rel": "external"}
    assert settings["website"]["navbar"]["right"][1:] == [link]


def publish(project: Path) -> None:
    """Say where the site is published."""
    common = project.parent / "_common.yml"
    said = yaml.safe_load(common.read_text(encoding="utf-8"))
    said["website"]["site-url"] = "https://example.org/report/"
    common.write_text(yaml.safe_dump(said), encoding="utf-8")


def settings_of(project: Path, alone: bool = False) -> dict:
    layout.lay_out(project, "ja", quarto=True, pdfs=None, alone=alone)
    return yaml.safe_load((project / "_evidence.yml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("published", "alone", "switch", "told"),
    [
        (False, False, "../en/index.html", "../en"),
        (True, False, "../en/index.html", "https://example.org/report/en"),
        (True, True, "https://example.org/report/en/index.html", "https://example.org/report/en"),
        (False, True, None, None),
    ],
)
def test_pages_link_to_the_other_language_only_where_it_is(project, published, alone, switch, told):
    """Beside both it lies next to them; of one alone it is known only where it is published."""
    if published:
        publish(project)
    settings = settings_of(project, alone)
    links = settings.get("website", {}).get("navbar", {}).get("right", [])
    assert links == ([{"text": "English", "href": switch}] if switch else [])
    directories = {one["lang"]: one["directory"] for one in settings["languages"]}
    assert directories == ({"en": told, "ja": told[:-2] + "ja"} if told else {})


# What Quarto leaves beside the pages, whole or where it was stopped.
RENDERED = ("_site", ".quarto", "site_libs", "index_files", "index.html")


@pytest.fixture
def after_a_run(tmp_path) -> tuple[list[Path], list[Path]]:
    """Make empty sources of the pages, and all that is laid out and rendered beside them."""
    sources = [path.relative_to(ROOT) for path in REPORT.rglob("*") if path.is_file()]
    names = (*layout.LAID_OUT, *RENDERED)
    laid_out = [Path("report", language, name) for language in ("en", "ja") for name in names]
    sources = [path for path in sources if not {*path.parts} & {*names, "__pycache__"}]
    for path in (*sources, *laid_out):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        if path.suffix or path.name == ".gitignore":
            (tmp_path / path).touch()
        else:
            (tmp_path / path).mkdir(exist_ok=True)
            (tmp_path / path / "file").touch()
    return sources, laid_out


@pytest.mark.parametrize("ignored_by", ["git", "dvc"])
def test_neither_git_nor_dvc_sees_what_is_laid_out_or_rendered_there(
    tmp_path, after_a_run, ignored_by
):
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    (tmp_path / ".dvc").mkdir()
    (tmp_path / ".dvc" / "config").touch()
    for name in (".gitignore", ".dvcignore"):
        shutil.copyfile(ROOT / name, tmp_path / name)
    sources, laid_out = after_a_run
    asked = subprocess.run(
        [ignored_by, "check-ignore", *map(str, sources), *map(str, laid_out)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert set(asked.stdout.split()) == {str(path) for path in laid_out}


def test_make_clean_deletes_it_and_no_source(tmp_path, after_a_run):
    for name in (".gitignore", "Makefile"):
        shutil.copyfile(ROOT / name, tmp_path / name)
    sources, laid_out = after_a_run
    subprocess.run(["make", "clean"], cwd=tmp_path, check=True, capture_output=True)
    assert [path for path in laid_out if (tmp_path / path).exists()] == []
    assert [path for path in sources if not (tmp_path / path).exists()] == []


def test_an_image_ignores_what_git_ignores_there():
    ignored, image = (
        {line.strip("/") for line in (ROOT / name).read_text().splitlines() if "report/" in line}
        for name in (".gitignore", ".dockerignore")
    )
    assert ignored == image


def test_every_layout_asked_for_by_hand_needs_a_run(here):
    with pytest.raises(InputError, match=r"run `make repro` first"):
        layout.before(Path("report", "en"), "en")


def test_the_card_has_the_size_that_sites_ask_for(shared):
    with Image.open(shared / assets.CARD) as card:
        assert card.size == (1200, 630)
        assert len(card.getcolors(1200 * 630)) > 2  # there is text on it


@pytest.mark.parametrize("language", ["en", "ja"])
def test_what_the_configuration_names_is_laid_out_and_published(language, shared):
    website = yaml.safe_load((REPORT / "_common.yml").read_text(encoding="utf-8"))["website"]
    for path in (website["favicon"], website["open-graph"]["image"]):
        assert (shared.parent / path).is_file()
    resources = config(language)["project"]["resources"]
    # Of all that is laid out beside the pages, Quarto itself reads these, and no reader.
    read = {layout.VARIABLES, layout.EVIDENCE, layout.REFERENCE}
    for name in {*layout.LAID_OUT} - read:
        assert [one for one in resources if fnmatch(name if "." in name else f"{name}/a/b.js", one)]


def test_the_font_can_set_every_sign_of_the_formulas_and_knows_how_they_are_built(shared, root):
    path = shared / assets.FONT
    font = TTFont(path)
    assert font.flavor == "woff"
    construction = font["MATH"].table.MathVariants
    known = font.getBestCmap()
    grow = {known[ord(sign)] for sign in "∑∫√()‖"}
    assert grow <= set(construction.VertGlyphCoverage.glyphs)
    pages = [page.read_text(encoding="utf-8") for page in root.glob("report/*/*.qmd")]
    formulas = "".join(re.findall(r"\$\$.+?\$\$|\$[^$\n]+\$", "".join(pages), re.S))
    assert {sign for sign in formulas if ord(sign) > 0x7F and not wide(sign)} <= set(
        map(chr, known)
    )
    assert path.stat().st_size < 300_000


def test_both_renderers_load_the_font(root):
    style = (root / "report/assets/math-font.html").read_text(encoding="utf-8")
    assert f'url("shared/{assets.FONT}")' in style
    assert "../assets/math-font.html" in (root / "report/_common.yml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "held"),
    [
        ("packed.js", ["class Files"]),
        ("explorer.js", ["class Explorer"]),
        ("explorer.css", [".explorer {"]),
        ("licences.txt", ["SIL OPEN FONT LICENSE"]),
    ],
)
def test_scripts_are_whole_and_licences_go_with_them(shared, name, held):
    text = (shared / name).read_text(encoding="utf-8")
    assert [one for one in held if one not in text] == []
