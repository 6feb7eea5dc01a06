"""A minified drawing looks as matplotlib's does, and says nothing twice."""

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
from analysis.figures.svg import ON_DARK, svg
from analysis.figures.svg_minify import LETTER, minify, outline_by_differences, packed_image
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


def points_of(outline: str) -> list[tuple[str, tuple[float, ...]]]:
    """Follow an outline that goes by differences; rows of command and absolute points."""
    here = start = np.zeros(2)
    rows = []
    for command, written in re.findall(r"([a-z])([^a-z]*)", outline):
        numbers = [float(number) for number in re.findall(NUMBER, written)]
        count = {"m": 2, "l": 2, "h": 1, "v": 1, "q": 4, "c": 6, "z": 0}[command]
        for first in range(0, len(numbers), count or 1):
            differences = numbers[first : first + count]
            if command in "hv":
                differences = [*differences, 0] if command == "h" else [0, *differences]
            moved = np.reshape(differences, (-1, 2)) + here
            here = moved[-1]
            start = here if command == "m" else start
            rows.append((command.replace("h", "l").replace("v", "l"), tuple(moved.ravel())))
        if command == "z":
            here = start
            rows.append(("z", ()))
    return rows


COORDINATE = some.floats(-9999, 9999).map(lambda value: round(value, 6))  # as matplotlib writes it
POINT = some.tuples(COORDINATE, COORDINATE)
PIECE = some.one_of(
    some.tuples(some.just("L"), some.tuples(POINT)),
    some.tuples(some.just("Q"), some.tuples(POINT, POINT)),
    some.tuples(some.just("C"), some.tuples(POINT, POINT, POINT)),
    some.tuples(some.just("z"), some.just(())),
)


@given(POINT, some.lists(PIECE, max_size=12))
def test_an_outline_goes_through_the_same_points_and_errors_do_not_add_up(first, pieces):
    pieces = [("M", (first,)), *pieces]
    written = " ".join(
        command + " ".join(f"{x:.6f} {y:.6f}" for x, y in points) for command, points in pieces
    )
    followed = points_of(outline_by_differences(written, 1, 2))
    assert [command for command, _ in followed] == [command.lower() for command, _ in pieces]
    for (_, there), (_, points) in zip(followed, pieces, strict=True):
        np.testing.assert_allclose(there, np.ravel(points), atol=0.0051)


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


def test_nothing_is_said_twice(drawings):
    """What keeps the site small: neither outlines, words, styles nor groups recur in a drawing."""
    _, small = drawings
    root = ET.fromstring(small)
    elements = list(root.iter())
    defined = root.iterfind(".//{*}defs//{*}path")
    outlines = Counter(
        tuple(value for key, value in element.items() if key != "id") for element in defined
    )
    assert max(outlines.values()) == 1
    words = Counter(
        b"".join(map(ET.tostring, group))
        for group in root.iter("{http://www.w3.org/2000/svg}g")
        if "scale" in group.get("transform", "")
    )
    assert max(words.values()) == 1
    styles = Counter(element.get("style") for element in elements if element.get("style"))
    assert not styles or max(styles.values()) == 1
    for element in elements:
        if element.tag.endswith("}g"):
            assert element.attrib
            assert len(element)
    referred = set(re.findall(r'(?:href="#|url\(#)([^")]+)', small))
    ids = [element.get("id") for element in elements if element.get("id")]
    assert len(ids) == len(set(ids))
    assert referred == set(ids) - {"dark"}


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
    assert len({one.get("class") for one in root.findall("{*}use")} & on_dark) > 1


def test_more_panels_cost_little_more_than_their_marks():
    """Ticks and words of further panels are there already."""
    with style():
        sizes = []
        for columns in (2, 4):
            figure, axes = plt.subplots(1, columns, figsize=(6, 2), sharey=True)
            for axis in axes:
                axis.plot([0, 1, 2], [0, 1, 0])
                axis.set_title("same words")
            sizes.append(len(svg(figure, "panels")))
            plt.close(figure)
    assert sizes[1] < 1.5 * sizes[0]


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
