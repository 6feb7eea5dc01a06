"""Figures repeat byte for byte, and draw every character or say that they cannot."""

import csv
import html
import io
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from functools import cache
from hashlib import sha256
from inspect import getsource
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from matplotlib import pyplot as plt

from analysis import fonts
from analysis.chapters.setup import figures as setup
from analysis.figures.chapter import Chapter
from analysis.figures.style import INK, METHOD_COLOURS, SMALLEST, WIDTH, method_colour
from analysis.figures.style import figure_style as style
from analysis.figures.svg import ON_DARK, svg
from analysis.figures.svg_minify import DARK
from analysis.fonts import drawable
from analysis.paths import ROOT
from analysis.prose.messages import words
from attention_mixing.measures import declared


def draw(text):
    """A figure with lines, markers, an image, a legend and a clipped area."""
    rng = np.random.default_rng(0)
    with style():
        figure, (left, right) = plt.subplots(1, 2, figsize=(4, 2))
        for (method, colour), line in zip(
            METHOD_COLOURS.items(), ("solid", "dashed", "solid"), strict=False
        ):
            left.plot(rng.normal(size=5), color=colour, linestyle=line, marker="o", label=method)
        left.fill_between(range(5), np.zeros(5), np.ones(5), alpha=0.2)
        left.scatter(range(5), rng.normal(size=5))
        left.legend()
        left.set_title(text)
        right.imshow(rng.uniform(size=(3, 3)))
        right.set_xlabel(text)
    return figure


@cache
def written(name, text="layer 層"):
    figure = draw(text)
    with style():
        return svg(figure, name)


def write(text):
    """Draw nothing but this text."""
    with style():
        figure = plt.figure()
        figure.text(0, 0, text)
        svg(figure, "text")


def ids(page):
    return re.findall(r'\bid="([^"]+)"', page)


@pytest.mark.slow
def test_the_same_bytes_come_from_another_process():
    """Hash seeds and the order of sets differ between processes."""
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "import matplotlib; matplotlib.use('agg')\n"
        "from hashlib import sha256; from test_style import written\n"
        "print(sha256(written('a').encode()).hexdigest())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONHASHSEED": "4"},
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == sha256(written("a").encode()).hexdigest(), done.stderr


def test_a_figure_is_well_formed_scales_and_names_no_software():
    drawing = written("chapter-figure")
    root = ET.fromstring(drawing)
    assert root.tag.endswith("svg")
    assert root.get("viewBox")
    assert "metadata" not in drawing
    assert "matplotlib.org" not in drawing


def test_a_dark_page_has_its_own_ink_in_every_style_that_has_any():
    drawing = written("chapter-figure")
    sheet = drawing[drawing.index("<style>") : drawing.index("</style>")]
    assert ET.fromstring(drawing).get("id") == DARK
    for ink, dark in ON_DARK.items():
        assert ink in sheet
        assert ink not in drawing.replace(sheet, "")
        for name in re.findall(rf"}}\.(\w+){{[^}}]*{ink}", f"}}{sheet.replace('<style>', '')}"):
            assert re.search(rf":target \.{name}{{[^}}]*{dark}", sheet)


def test_the_ink_is_that_of_the_page():
    page = (ROOT / "report" / "assets" / "paper.css").read_text(encoding="utf-8")
    assert f"--ink: light-dark({INK}, {ON_DARK[INK]});" in page


NOBODYS = "\U0003fffd"
"""A place of the last plane of ideographs, to which no character is assigned."""


def test_a_glyph_that_no_font_has_is_an_error():
    with pytest.raises(UserWarning, match="missing from"):
        write(NOBODYS)


def test_text_is_drawn_as_it_is():
    text = "$x^2$ {{< var x >}} \\LaTeX 混合度合い Ж ν α ρ ∗ − … 안녕 汉语 مرحبا שלום"
    assert drawable(text) == text
    write(text)


def test_what_cannot_be_drawn_becomes_a_square_and_the_rest_can():
    assert drawable(f"a{NOBODYS}b") == "a\u25a1b"
    assert drawable("a\r\tb\x00") == "a⏎⇥b\u25a1"
    for text in (f"a{NOBODYS}b", "a\nb\tb\x00b", "\u200b\u202e", "e\u0301", "\ud7ff"):
        write(drawable(text))


@pytest.fixture
def font_of_the_machine(tmp_path, monkeypatch):
    """A font that has one character, of a place to which none is assigned, and nothing else."""
    pen = TTGlyphPen(None)
    for place in ((0, 0), (0, 700), (500, 700), (500, 0)):
        (pen.lineTo if pen.points else pen.moveTo)(place)
    pen.closePath()
    builder = FontBuilder(1000)
    builder.setupGlyphOrder([".notdef", "own"])
    builder.setupCharacterMap({ord(NOBODYS): "own"})
    builder.setupGlyf(dict.fromkeys((".notdef", "own"), pen.glyph()))
    builder.setupHorizontalMetrics(dict.fromkeys((".notdef", "own"), (600, 50)))
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable(
        {"familyName": "Nobody Sans", "styleName": "Regular", "psName": "Nobody"}
    )
    builder.setupOS2()
    builder.setupPost()
    builder.save(tmp_path / "nobody.ttf")
    (tmp_path / "damaged.ttf").write_bytes(b"no font")
    machine = [str(file) for file in sorted(tmp_path.iterdir())]
    monkeypatch.setattr("matplotlib.font_manager.findSystemFonts", lambda: machine)
    monkeypatch.setattr(fonts, "_joined", [])
    fonts._installed.cache_clear()
    yield tmp_path / "nobody.ttf"
    fonts._installed.cache_clear()


def test_what_no_package_has_is_drawn_in_a_font_of_the_machine(font_of_the_machine):
    assert font_of_the_machine not in fonts.font_files()
    assert drawable(f"a{NOBODYS}") == f"a{NOBODYS}"
    assert fonts.families()[-1] == "Nobody Sans"
    assert font_of_the_machine in fonts.font_files()
    with style():
        figure = plt.figure()
        figure.text(0, 0, f"a{NOBODYS}")
        svg(figure, "text")
        named = io.StringIO()  # where glyphs still have the names of their fonts
        figure.savefig(named, format="svg")
    fonts_used = {one.split("-")[0] for one in ids(named.getvalue()) if "-" in one}
    assert fonts_used >= {"SourceSansPro", "Nobody"}


def test_titles_that_reach_into_the_next_panel_are_broken():
    with style():
        figure, axes = plt.subplots(1, 7, figsize=(WIDTH, 2))
        for axis in axes:
            axis.set_title("pegasus-decoder")
        axes[-1].set_title("own")
        svg(figure, "titles")
    titles = [axis.get_title(loc="left") for axis in axes]
    assert titles == ["pegasus-\ndecoder"] * 6 + ["own"]


def test_a_legend_that_is_too_wide_gets_fewer_columns_in_the_same_style():
    with style():
        figure, axis = plt.subplots(figsize=(WIDTH, 2))
        for number in range(4):
            axis.plot([number], label=f"見出しの長い系列 {number} " + "x" * 24)
        title = "信頼性"
        figure.legend(loc="outside lower center", ncols=4, title=title, title_fontsize=SMALLEST)
    # Outside the style, as a chapter publishes it.
    drawing = svg(figure, "wide")
    (legend,) = figure.legends
    assert legend.get_window_extent().width <= figure.bbox.width
    assert len(legend.get_texts()) == 4
    assert legend.get_title().get_text() == title
    assert not legend.get_frame_on()
    assert drawing.startswith("<svg")


def test_nothing_is_too_small_to_read():
    with style():
        figure, axis = plt.subplots(figsize=(WIDTH, 2))
        axis.set_title("small", fontsize=4)
        axis.plot([0, 1], label="one")
        axis.tick_params(labelsize=5)
        axis.legend(fontsize=3)
        drawing = svg(figure, "small")
    (units,) = set(re.findall(r'font-size="(\d+)"', drawing))
    sizes = [int(units) * float(scale) for scale in re.findall(r"scale\(([\d.]+) -", drawing)]
    assert sizes
    assert min(sizes) == pytest.approx(SMALLEST, abs=0.01)
    assert SMALLEST >= 8


def test_a_figure_shows_the_function_that_draws_it(tmp_path):
    chapter = Chapter("setup", "en", str(tmp_path))
    published = chapter.figure("split", setup.sorted_split).data
    fold = published[published.index('<details class="code">') :]
    code = html.unescape(fold[fold.index("<code>") + 6 : fold.index("</code>")])
    assert code == getsource(setup.sorted_split)
    assert "open" not in fold[: fold.index(">")]
    assert "setup/figures.py.txt" in published
    # In a fold with other experiments it would be there twice.
    folded = chapter.figure("split", setup.sorted_split, of="other", folded=True).data
    assert "<pre>" not in folded and "split-other.svg" in folded


def test_a_figure_needs_an_alternative_text(tmp_path):
    with pytest.raises(KeyError, match="alt_unheard_of"):
        Chapter("setup", "en", str(tmp_path)).figure("unheard-of", setup.sorted_split)


FORMULAS = [
    *("=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "\0=1"),
    *("\uff1d1", "\uff0b1", "\uff0d1", "\uff201"),
]
TEXTS = ["word", "a=1", "'", "", "a\r=1", 'a",=1', "a\n=1"]


def test_no_text_of_a_download_is_a_formula_and_numbers_stay_numbers(tmp_path):
    texts = FORMULAS + TEXTS
    numbers = [-1.23456789] * len(texts)
    data = pd.DataFrame({"text": texts, "kind": pd.Categorical(texts), "number": numbers})
    data["mixed"] = pd.Series([*texts[:-1], -2], dtype=object)
    chapter = Chapter("setup", "en", str(tmp_path))
    chapter.figure("split", lambda w: (plt.figure(), data))
    chapter.table("rows", lambda w: (data, data))
    inert = [f"'{text}" for text in FORMULAS] + TEXTS
    for name, number in (("split", "-1.23457"), ("rows", "-1.23456789")):
        with (tmp_path / f"{name}.csv").open(newline="", encoding="utf-8") as file:
            _, *rows = csv.reader(file, strict=True)  # which takes no bare line end in a cell
        expected = [inert, inert, [number] * len(texts), [*inert[:-1], "-2"]]
        assert [list(column) for column in zip(*rows, strict=True)] == expected


def test_all_downloads_are_written_alike():
    rooms = ("figures", "prose", "results", "chapters")
    files = [file for room in rooms for file in (ROOT / "analysis" / room).rglob("*.py")]
    writers = [file.name for file in files if ".to_csv(" in file.read_text(encoding="utf-8")]
    assert writers == ["downloads.py"]


@pytest.mark.parametrize(("count", "fewest", "most"), [(4, 4, 4), (30, 6, 15)])
def test_names_beside_a_map_do_not_cover_each_other(count, fewest, most):
    """Type has a smallest size, so where there is no room there are fewer names."""
    with style():
        figure, axis = plt.subplots(figsize=(2.2, 2.2))
        axis.imshow(np.zeros((count, count)))
        axis.set_xticks(range(count), ["[MASK]"] * count, rotation=90, fontsize=5)
        axis.set_yticks(range(count), ["[MASK]"] * count, fontsize=5)
    svg(figure, "map")
    figure.draw_without_rendering()
    for names, side in ((axis.get_xticklabels(), "x"), (axis.get_yticklabels(), "y")):
        visible = [one.get_window_extent() for one in names if one.get_visible()]
        assert fewest <= len(visible) <= most
        spans = sorted(tuple(getattr(box, f"interval{side}")) for box in visible)
        for (start, end), (following, _) in pairwise(spans):
            assert following >= end - 0.25 * (end - start)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_method_that_mixes_has_a_colour_and_a_name(language):
    mixing = [one for one in declared("vectors") if one["quantity"] == "mixing"]
    methods = {name for one in mixing for name in one["subject"]}
    assert len(methods) > 10
    assert all(method_colour(method) for method in methods)
    assert methods <= words(language).keys()
