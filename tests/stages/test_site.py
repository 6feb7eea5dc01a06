"""What both languages share lies beside them, once."""

import re
import unicodedata

import pytest
from fontTools.ttLib import TTFont

from analysis import params
from analysis.stages import site as stage


def wide(sign):
    """Whether a sign is Japanese, which the font of the text sets."""
    return unicodedata.east_asian_width(sign) in "WF"


def publish(patch, root, pages, folder):
    patch.chdir(root)
    patch.setattr(stage, "PAGES", pages)
    patch.setattr(stage, "SITE", folder)
    stage.site(params.load())


def write_pages(pages, *languages):
    for language in languages:
        (pages / language / "files").mkdir(parents=True)
        (pages / language / "files" / "map.csv").touch()
        (pages / language / "index.html").write_text(language, encoding="utf-8")


@pytest.fixture(scope="module")
def shared_folder(tmp_path_factory, root):
    directory = tmp_path_factory.mktemp("published")
    write_pages(directory / "pages", "en", "ja")
    with pytest.MonkeyPatch.context() as patch:
        publish(patch, root, directory / "pages", directory / "site")
    return directory / "site"


@pytest.fixture(scope="module")
def shared_files(shared_folder):
    texts = [path for path in shared_folder.iterdir() if path.is_file() and path.name != stage.FONT]
    return {path.name: path.read_text(encoding="utf-8") for path in texts}


def test_the_site_has_both_languages_every_shared_file_and_no_other(shared_folder):
    assert {path.name for path in shared_folder.iterdir()} == {
        "en",
        "ja",
        "index.html",
        "licences.txt",
        "plotly.min.js",
        "jquery.min.js",
        "d3.js",
        "math.woff",
    }
    for language in ("en", "ja"):
        assert (shared_folder / language / "index.html").read_text(encoding="utf-8") == language
        assert (shared_folder / language / "files" / "map.csv").is_file()


def test_a_site_is_replaced_whole_or_stays_as_it_was(tmp_path, root, monkeypatch):
    pages, folder = tmp_path / "pages", tmp_path / "site"
    (folder / "en").mkdir(parents=True)
    (folder / "en" / "former.html").touch()
    write_pages(pages, "en")
    with pytest.raises(FileNotFoundError):
        publish(monkeypatch, root, pages, folder)
    assert [path.name for path in folder.rglob("*.*")] == ["former.html"]
    write_pages(pages, "ja")
    publish(monkeypatch, root, pages, folder)
    assert not (folder / "en" / "former.html").exists()
    assert {path.name for path in tmp_path.iterdir()} == {"pages", "site"}


def test_the_font_can_set_every_sign_of_the_formulas_and_knows_how_they_are_built(
    shared_folder, root
):
    path = shared_folder / stage.FONT
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


def test_the_font_is_the_same_file_every_time(shared_folder, tmp_path):
    stage.write_font(tmp_path / "again.woff")
    assert (tmp_path / "again.woff").read_bytes() == (shared_folder / stage.FONT).read_bytes()


def test_both_renderers_load_the_font(root):
    style = (root / "report/assets/math-font.html").read_text(encoding="utf-8")
    assert f'url("../{stage.FONT}")' in style
    assert "../assets/math-font.html" in (root / "report/_common.yml").read_text(encoding="utf-8")


def test_the_site_has_plotly_once_and_whole(shared_files):
    script = shared_files["plotly.min.js"]
    # The licence asks for its notice in every copy.
    assert "Copyright" in script[:300]
    assert "MIT license" in script[:300]
    assert "window.Plotly" in script


def test_what_bertviz_draws_with_is_whole(shared_files):
    assert "jquery.org/license" in shared_files["jquery.min.js"][:200]
    # BertViz was written for d3 5; the page around it was made for version 3.
    assert 'version: "3.5.' in shared_files["d3.js"][:100]


def test_licences_go_with_the_scripts(shared_files):
    licences = shared_files["licences.txt"]
    assert "Michael Bostock" in licences
    assert "SIL OPEN FONT LICENSE" in licences
    assert "Redistributions of source code must retain" in licences
    assert "Apache License" in licences
