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


def test_the_site_has_both_languages_every_shared_file_and_no_other(shared_folder):
    shared = {"index.html", "licences.txt", "plotly.min.js", "jquery.min.js", "d3.js", stage.FONT}
    assert {path.name for path in shared_folder.iterdir()} == {"en", "ja"} | shared
    for language in ("en", "ja"):
        assert (shared_folder / language / "index.html").read_text(encoding="utf-8") == language
        assert (shared_folder / language / "files" / "map.csv").is_file()


def test_a_site_is_replaced_whole_or_stays_as_it_was_and_is_the_same_every_time(
    shared_folder, tmp_path, root, monkeypatch
):
    pages, folder = tmp_path / "pages", tmp_path / "site"
    (folder / "en").mkdir(parents=True)
    (folder / "en" / "former.html").touch()
    write_pages(pages, "en")
    with pytest.raises(FileNotFoundError):
        publish(monkeypatch, root, pages, folder)
    assert [path.name for path in folder.rglob("*.*")] == ["former.html"]
    write_pages(pages, "ja")
    publish(monkeypatch, root, pages, folder)
    assert {path.name for path in tmp_path.iterdir()} == {"pages", "site"}
    ours, theirs = (
        {path.relative_to(one): path.read_bytes() for path in one.rglob("*") if path.is_file()}
        for one in (folder, shared_folder)
    )
    assert ours == theirs


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


def test_both_renderers_load_the_font(root):
    style = (root / "report/assets/math-font.html").read_text(encoding="utf-8")
    assert f'url("../{stage.FONT}")' in style
    assert "../assets/math-font.html" in (root / "report/_common.yml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "held"),
    [
        ("plotly.min.js", ["MIT license", "window.Plotly"]),
        ("jquery.min.js", ["jquery.org/license"]),
        # BertViz was written for d3 5; the page around it was made for version 3.
        ("d3.js", ['version: "3.5.']),
        ("licences.txt", ["Michael Bostock", "SIL OPEN FONT LICENSE", "Apache License"]),
    ],
)
def test_scripts_are_whole_and_licences_go_with_them(shared_folder, name, held):
    text = (shared_folder / name).read_text(encoding="utf-8")
    assert [one for one in held if one not in text] == []
