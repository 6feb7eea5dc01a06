"""A minified drawing looks as matplotlib's does, and knows dark pages and its letters."""

import base64
import io
import re
import xml.etree.ElementTree as ET
from collections import Counter

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from matplotlib import pyplot as plt
from PIL import Image

from analysis.figures.style import figure_style as style
from analysis.figures.svg import ON_DARK
from analysis.figures.svg_minify import LETTER, minify, packed_image, rounded
from analysis.site.paper.fragment import set_letters

NUMBER = r"-?(?:\d+\.?\d*|\.\d+)"


def as_matplotlib_writes(figure) -> str:
    written = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "drawing"}):
        figure.savefig(written, format="svg")
    return written.getvalue()[written.getvalue().index("<svg") :]


def panels():
    """Panels with the same ticks and words, lines, areas, bars, a cloud, a hatch and a map."""
    random = np.random.default_rng(0)
    figure, axes = plt.subplots(2, 3, figsize=(6, 4), sharex=True, sharey=True)
    for axis in axes.flat:
        axis.plot(random.random(8), marker="o", label="ロールアウト")
        axis.fill_between(range(8), random.random(8), alpha=0.2)
        axis.bar(range(8), random.random(8), hatch="/", alpha=0.5)
        axis.scatter(8 * random.random(40), random.random(40), color="#123456", alpha=0.5)
        axis.legend()
    axes[0, 0].imshow(random.integers(0, 3, (3, 3)), extent=(0, 4, 0, 1), aspect="auto")
    axes[0, 0].set_title("$\\sqrt{a_i^2}$ & <b>")
    return figure


@pytest.fixture(scope="module")
def drawings() -> tuple[str, str]:
    """The same figure by matplotlib, and minified."""
    with style():
        figure = panels()
        figure.canvas.draw()
        written = as_matplotlib_writes(figure)
    plt.close(figure)
    return written, minify(written, ON_DARK)


COORDINATE = some.floats(-9999, 9999).map(lambda value: round(value, 6))  # as matplotlib writes it


@given(some.lists(some.tuples(some.sampled_from("MLQCz"), some.lists(COORDINATE, max_size=6))))
def test_an_outline_keeps_its_commands_and_its_points_to_a_hundredth(pieces):
    written = " \n".join(f"{command} {' '.join(map(str, points))}" for command, points in pieces)
    short = rounded(written, 1, 2)
    assert re.findall("[A-Za-z]", short) == [command for command, _ in pieces]
    numbers = [float(number) for number in re.findall(NUMBER, short)]
    expected = [coordinate for _, points in pieces for coordinate in points]
    np.testing.assert_allclose(numbers, expected, atol=0.0051)


def test_a_drawing_has_the_same_marks_and_letters(drawings):
    """Every use, followed to what it draws."""

    def drawn(drawing: str) -> Counter:
        root = ET.fromstring(drawing)
        name = re.compile(r"\{.*\}")
        for element in root.iter():
            element.tag = name.sub("", element.tag)
        known = {element.get("id"): element for element in root.iter() if element.get("id")}
        marks: Counter = Counter()

        def follow(element: ET.Element, defined: bool) -> None:
            if element.tag == "use":
                (address,) = [value for key, value in element.attrib.items() if "href" in key]
                follow(known[address[1:]], True)
            elif element.tag == "path" and element.get("d"):
                marks["path"] += element.get("style") != "fill: none"
            elif element.tag == "image":
                marks["image"] += 1
            elif defined or element.tag not in ("defs", "clipPath", "pattern"):
                for child in element:
                    follow(child, False)

        follow(root, False)
        return marks

    written, small = drawings
    assert drawn(small) == drawn(written)
    assert drawn(small)["path"] > 500


def test_every_letter_and_mark_stays_in_its_place(drawings):
    """Where a use stands within its group, as ``x`` and ``y`` or as a translation."""

    def places(drawing: str) -> list[tuple[float, float]]:
        outlines = [path for path in re.findall("<path [^>]*>", drawing) if ' d="' in path]
        drawn = {f"#{name}" for name in re.findall(r' id="([^"]*)"', "".join(outlines))}
        found = []
        for use in re.findall("<use [^>]*>", drawing):
            said = dict(re.findall(r'([\w:]+)="([^"]*)"', use))
            moved = re.findall(NUMBER, said.get("transform", "")) or [0, 0]
            if said["xlink:href"] in drawn:
                found.append((float(said.get("x", moved[0])), float(said.get("y", moved[1]))))
        return found

    written, small = map(places, drawings)
    assert len(small) > 100
    np.testing.assert_allclose(small, written, atol=0.0051)


def test_no_style_is_said_twice_and_every_id_is_meant(drawings):
    written, small = drawings
    styles = Counter(re.findall(r'style="([^"]*)"', small))
    assert not styles or max(styles.values()) == 1
    referred = set(re.findall(r'(?:href="#|url\(#)([^")]+)', small))
    ids = re.findall(r' id="([^"]*)"', small)
    assert len(ids) == len(set(ids))
    assert referred == set(ids) - {"dark"}
    assert len(small) < 0.6 * len(written)


def test_what_is_used_from_elsewhere_has_no_colour_of_its_own_that_a_dark_page_changes():
    """A rule of the page as a target does not reach into what ``use`` draws."""
    with style():
        figure, axis = plt.subplots(figsize=(2, 2))
        axis.plot([0, 1, 2], [1, 0, 1], color=next(iter(ON_DARK)), marker="o")
        written = minify(as_matplotlib_writes(figure), ON_DARK)
    plt.close(figure)
    root = ET.fromstring(written)
    sheet = root.find("{*}style").text
    on_dark = set(re.findall(r":target \.(\w+)", sheet))
    assert on_dark
    defined = [one.get("class", "") for one in root.find("{*}defs").iter()]
    assert not on_dark & set(" ".join(defined).split())
    light = set(ON_DARK)
    assert not any(colour in one.get("style", "") for one in root.iter() for colour in light)
    # The marks of the line and of the axes.
    assert (
        len({one.get("class") for one in root.iter("{http://www.w3.org/2000/svg}use")} & on_dark)
        > 1
    )


@pytest.mark.parametrize("mode", ["RGB", "RGBA"])
def test_a_raster_of_few_colours_stays_as_it_is(mode):
    colours = np.random.default_rng(0).integers(0, 256, (200, len(mode)), np.uint8)
    pixels = colours[np.random.default_rng(1).integers(0, 200, (60, 80))]
    png = io.BytesIO()
    Image.fromarray(pixels, mode).save(png, "png")
    address = f"data:image/png;base64,{base64.b64encode(png.getvalue()).decode()}"
    packed = packed_image(address)
    assert len(packed) < len(address)
    image = Image.open(io.BytesIO(base64.b64decode(packed.partition(",")[2])))
    np.testing.assert_array_equal(np.asarray(image.convert("RGBA").convert(mode)), pixels)


def test_letters_are_text_on_paper(drawings):
    _, small = drawings
    root = ET.fromstring(set_letters(small))
    letters = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert set("ロールアウト&<>b0") <= set(letters)
    assert len(letters) == len(set(letters))
    assert LETTER not in set_letters(small)
    assert {"Source Sans Pro", "Noto Sans JP"} <= {
        text.get("font-family") for text in root.iter("{http://www.w3.org/2000/svg}text")
    }
    assert set_letters("<svg><path/></svg>") == "<svg><path/></svg>"
