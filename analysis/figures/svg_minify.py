"""A drawing of matplotlib in half of its bytes, and with colours for dark pages.

Styles are classes, which differ on a dark page. Points are rounded to what can be seen, and what
draws nothing is left out. Letters stay outlines, so that no font is needed, and say which they are.
"""

from __future__ import annotations

import base64
import io
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from itertools import count
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np
from PIL import Image

from analysis.fonts import character, face

DARK = "dark"
"""Fragment of a drawing's address under which it has the colours of dark pages."""

LETTER = "data-letter"
"""What an outline of a letter says of itself: which it is, where one character is all it is."""

LARGE = 50_000  # bytes of a raster from which a palette is worth its loss

_SVG, _XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
_HREF = f"{{{_XLINK}}}href"
_GLYPH_UNITS = 100  # of an em; outlines of matplotlib have 64 parts of each
_GLYPH = "glyph"  # font and number in it, while names are made
_UNSEEN = "fill: none"  # the empty canvas and panels
# What matplotlib says in a style sheet, and what of it is not so by default.
_ROUND = {"stroke-linejoin": "round"}

ElementTree.register_namespace("", _SVG)
ElementTree.register_namespace("xlink", _XLINK)


def minify(drawing: str, dark: Mapping[str, str]) -> str:
    """Write a drawing in few bytes.

    ``drawing`` is as matplotlib writes it, text as outlines. ``dark`` has, by colour, what it is on
    a dark page, for those that differ there. Under the address ``#dark`` the result, the same
    drawing, has its colours of dark pages.
    """
    root = ElementTree.fromstring(drawing)
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{_SVG}}}")
        element.text = element.tail = None
    _leave_out(root)
    defined = _take_definitions(root)
    _round(root, defined)
    _style_uses(root, defined)
    root.insert(0, defined)
    _shorten_ids(root, defined)
    _name_letters(defined)
    sheet = Element("style")
    sheet.text = _name_styles(root, dark)
    root.insert(0, sheet)
    size = {key: root.attrib[key] for key in ("width", "height", "viewBox")}
    root.attrib = {"xmlns": _SVG, "id": DARK} | size | _ROUND
    return ElementTree.tostring(root, encoding="unicode").replace(" />", "/>") + "\n"


def _leave_out(root: Element) -> None:
    """Leave out metadata, the style sheet, paths without a colour, and ids that nothing means."""
    for parent in list(root.iter()):
        for child in list(parent):
            if parent.tag != "defs":
                child.attrib.pop("id", None)
            unseen = child.tag == "path" and (
                "d" not in child.attrib or child.get("style") == _UNSEEN
            )
            if child.tag in ("metadata", "style") or unseen:
                parent.remove(child)


def _take_definitions(root: Element) -> Element:
    """Take all that is defined out of the drawing, and the uses of what draws nothing."""
    defined = Element("defs")
    for parent in list(root.iter()):
        for definitions in parent.findall("defs"):
            defined.extend(definitions)
            parent.remove(definitions)
    drawn = {f"#{element.attrib['id']}" for element in defined}
    for parent in root.iter():
        for blank in [use for use in parent.findall("use") if use.attrib[_HREF] not in drawn]:
            parent.remove(blank)
    return defined


def _references(root: Element) -> Iterator[tuple[Element, str, str]]:
    """List where something defined is meant: element, its attribute, and the id in that."""
    for element in root.iter():
        for key in (_HREF, "clip-path", "style"):
            for name in re.findall(r"(?:^|url\()#([^)]+)", element.get(key, "")):
                yield element, key, name


# --- numbers --------------------------------------------------------------------------------------


def _number(value: float, digits: int) -> str:
    """Write a number without zeros that say nothing."""
    written = f"{value:.{digits}f}".rstrip("0").rstrip(".")
    return "0" if written in ("-0", "0") else re.sub(r"^(-?)0\.", r"\1.", written)


_PLACE = re.compile(r"(?<=translate\()[^)]+")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
# A use that is moved, and nothing else.
_MOVED = re.compile(r"translate\((?P<x>-?[\d.]+)(?: |(?=-))(?P<y>-?[\d.]+)\)")


def _round(root: Element, defined: Element) -> None:
    """Round points to a hundredth, and outlines of letters to a thousandth of an em."""
    for element in (*root.iter(), *defined.iter()):
        match element.tag:
            case "path":
                is_letter = element.attrib.pop("transform", "") == "scale(0.015625)"
                scale, digits = (1 / 64, 1) if is_letter else (1, 2)
                element.set("d", rounded(element.attrib["d"], scale, digits))
                if is_letter:
                    element.set(_GLYPH, element.attrib["id"])
            case "image":
                element.set(_HREF, packed_image(element.attrib[_HREF]))
            case "use" | "rect":
                for key in {"x", "y", "width", "height"} & element.attrib.keys():
                    element.set(key, _number(float(element.attrib[key]), 2))
        if transform := element.get("transform"):
            element.set("transform", _PLACE.sub(lambda at: rounded(at[0], 1, 2), transform))
        if element.tag == "use" and (moved := _MOVED.fullmatch(element.get("transform", ""))):
            del element.attrib["transform"]
            element.attrib |= {key: at for key, at in moved.groupdict().items() if at != "0"}


def rounded(numbers: str, scale: float, digits: int) -> str:
    """Write the numbers of an outline or a place, scaled and rounded, spaces where they part."""
    short = _NUMBER.sub(
        lambda number: _number(float(number[0]) * scale, digits), " ".join(numbers.split())
    )
    return re.sub(" (?=[-A-Za-z])|(?<=[A-Za-z]) ", "", short)


def packed_image(address: str) -> str:
    """Write a raster with a palette: one of few colours as it is, a large one in 256."""
    head, data = address.split(",", 1)
    png = base64.b64decode(data)
    image = Image.open(io.BytesIO(png)).convert("RGBA")
    packed = io.BytesIO()
    if image.getcolors(256):
        _in_its_colours(image).save(packed, "png", optimize=True)
    elif len(png) > LARGE:
        image.quantize(256, method=Image.Quantize.FASTOCTREE).save(packed, "png", optimize=True)
    smaller = 0 < len(packed.getvalue()) < len(png)
    return f"{head},{base64.b64encode(packed.getvalue() if smaller else png).decode()}"


def _in_its_colours(image: Image.Image) -> Image.Image:
    """Give an image of up to 256 colours a palette of just these."""
    pixels = np.asarray(image)
    colours, numbers = np.unique(pixels.reshape(-1, 4), axis=0, return_inverse=True)
    indexed = Image.fromarray(numbers.reshape(pixels.shape[:2]).astype(np.uint8), "P")
    indexed.putpalette(colours.tobytes(), "RGBA")
    return indexed


# --- what is said once ----------------------------------------------------------------------------


def _parsed(style: str) -> dict[str, str]:
    pairs = (part.split(":", 1) for part in style.split(";") if part.strip())
    return {name.strip(): value.strip() for name, value in pairs}


def _written(style: Mapping[str, str]) -> str:
    return ";".join(
        f"{name}:{re.sub('(?<![0-9])0[.]', '.', value)}" for name, value in style.items()
    )


def _style_uses(root: Element, defined: Element) -> None:
    """Let what uses a mark say its style: colours of dark pages do not reach into definitions."""
    uses = defaultdict(list)
    for use in root.iter("use"):
        uses[use.attrib[_HREF][1:]].append(use)
    for path in defined.findall("path[@style]"):
        own = _parsed(path.attrib.pop("style"))
        for use in uses[path.attrib["id"]]:
            use.set("style", _written(_parsed(use.get("style", "")) | own))


def _name_styles(root: Element, dark: Mapping[str, str]) -> str:
    """Make classes of styles that recur or differ on a dark page; return the style sheet."""
    styled = [element for element in root.iter() if "style" in element.attrib]
    styles = [_parsed(element.attrib["style"]) for element in styled]
    rules, on_dark, names, free = [], [], {}, _names()
    for style, times in Counter(map(_written, styles)).most_common():
        other = {key: dark[value] for key, value in _parsed(style).items() if value in dark}
        if times > 1 or other:
            names[style] = next(free)
            rules.append(f".{names[style]}{{{style}}}")
        if other:
            on_dark.append(f":target .{names[style]}{{{_written(other)}}}")
    for element, style in zip(styled, map(_written, styles), strict=True):
        element.set("style", style)
        if style in names:
            del element.attrib["style"]
            element.set("class", names[style])
    return "".join(rules + on_dark)


def _names() -> Iterator[str]:
    """Yield short names, none of them that of the whole drawing."""
    for number in count():
        name, rest = chr(ord("a") + number % 26), number // 26
        yield f"{name}{rest or ''}"


def _shorten_ids(root: Element, defined: Element) -> None:
    """Give the shortest names to what is meant most often; what is not meant is left out."""
    meant = Counter(name for _, _, name in _references(root))
    short = dict(zip((name for name, _ in meant.most_common()), _names(), strict=False))
    for element, key, name in list(_references(root)):
        element.set(key, element.attrib[key].replace(f"#{name}", f"#{short[name]}"))
    for element in list(defined):
        if element.attrib["id"] in short:
            element.set("id", short[element.attrib["id"]])
        else:
            defined.remove(element)


def _name_letters(defined: Element) -> None:
    """Say of every letter which it is and of what font, so that a PDF can set it as text."""
    fonts: dict[str, Element] = {}
    for glyph in defined.findall(f"path[@{_GLYPH}]"):
        name = glyph.attrib.pop(_GLYPH)
        font = name.rpartition("-")[0]
        if font not in fonts:
            fonts[font] = Element("g", face(font) | {"font-size": str(_GLYPH_UNITS)})
        if letter := character(name):
            glyph.attrib = {"id": glyph.attrib["id"], LETTER: letter, "d": glyph.attrib["d"]}
        defined.remove(glyph)
        fonts[font].append(glyph)
    defined.extend(fonts.values())
