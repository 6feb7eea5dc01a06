"""A drawing of matplotlib in a fraction of its bytes, and with colours for dark pages.

What is said again and again is said once: a style is a class, a word that is drawn twice a symbol.
Outlines go from point to point by differences, rounded to what can be seen. What draws nothing,
and groups that group nothing, are left out. Letters stay outlines, so that no font is needed.
"""

from __future__ import annotations

import base64
import io
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from itertools import count, groupby
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
_GLYPH_UNITS = 500  # of an em; matplotlib has 100, and 64 parts of each in outlines
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
    _draw_where_used_once(root, defined)
    _style_definitions(root, defined, dark)
    _merge_alike(root, defined)  # marks that said their style where they were used
    _unwrap(root)
    _name_words(root, defined)
    _gather(root, "clip-path")
    _gather(root, "style")
    root.insert(0, defined)
    _shorten_ids(root, defined)
    _name_letters(defined)
    sheet = Element("style")
    sheet.text = _name_styles(root, dark)
    root.insert(0, sheet)
    size = {key: root.attrib[key] for key in ("width", "height", "viewBox")}
    root.attrib = {"xmlns": _SVG, "id": DARK} | size | _ROUND
    return ElementTree.tostring(root, encoding="unicode").replace(" />", "/>") + "\n"


# --- what is drawn --------------------------------------------------------------------------------


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
    """Take all that is defined out of the drawing, each under its id once."""
    defined = Element("defs")
    for parent in list(root.iter()):
        for definitions in parent.findall("defs"):
            defined.extend(definitions)
            parent.remove(definitions)
    drawn = {f"#{element.attrib['id']}" for element in defined}
    for parent in root.iter():
        for blank in [use for use in parent.findall("use") if use.attrib[_HREF] not in drawn]:
            parent.remove(blank)
    _merge_alike(root, defined)
    return defined


def _merge_alike(root: Element, defined: Element) -> None:
    """Let what is defined alike, such as the areas of panels behind each other, be one."""
    first: dict[bytes, str] = {}
    same: dict[str, str] = {}
    for element in list(defined):
        name = element.attrib.pop("id")
        written = ElementTree.tostring(element)
        element.set("id", name)
        same[name] = first.setdefault(written, name)
        if same[name] != name:
            defined.remove(element)
    for element, key, name in _references(root):
        element.set(key, element.attrib[key].replace(f"#{name}", f"#{same[name]}"))


def _references(root: Element) -> Iterator[tuple[Element, str, str]]:
    """List where something defined is meant: element, its attribute, and the id in that."""
    for element in root.iter():
        for key in (_HREF, "clip-path", "style"):
            for name in re.findall(r"(?:^|url\()#([^)]+)", element.get(key, "")):
                yield element, key, name


def _unwrap(parent: Element) -> None:
    """Replace groups that say nothing by what they hold, and a group of one by that one."""
    children: list[Element] = []
    for child in parent:
        _unwrap(child)
        if child.tag != "g":
            children.append(child)
        elif not child.attrib:
            children.extend(child)
        elif len(child) == 1 and _joins(child, child[0]):
            child[0].attrib = {**child.attrib, **child[0].attrib}
            children.append(child[0])
        elif len(child):
            children.append(child)
    parent[:] = children


def _joins(group: Element, child: Element) -> bool:
    """Tell whether the only child of a group can say what it says: what is cut off, not moved."""
    moved = {"clip-path", "transform", "x", "y"}
    return group.attrib.keys() == {"clip-path"} and child.attrib.keys().isdisjoint(moved)


# --- numbers --------------------------------------------------------------------------------------


def _number(value: float, digits: int) -> str:
    """Write a number without zeros that say nothing."""
    written = f"{value:.{digits}f}"
    if digits:
        written = written.rstrip("0").rstrip(".")
    return "0" if written in ("-0", "0") else re.sub(r"^(-?)0\.", r"\1.", written)


def _round(root: Element, defined: Element) -> None:
    """Round points to a hundredth, letters and their outlines to a thousandth of an em."""
    for element in (*root.iter(), *defined.iter()):
        match element.tag:
            case "path":
                is_letter = element.attrib.pop("transform", "") == "scale(0.015625)"
                scale, digits = (_GLYPH_UNITS / 6400, 0) if is_letter else (1, 2)
                element.set("d", outline_by_differences(element.attrib["d"], scale, digits))
                if is_letter:
                    element.set(_GLYPH, element.attrib["id"])
            case "image":
                element.set(_HREF, packed_image(element.attrib[_HREF]))
            case "g" if "scale" in element.get("transform", ""):
                _round_word(element)
            case "use" | "rect":
                for key in {"x", "y", "width", "height"} & element.attrib.keys():
                    element.set(key, _number(float(element.attrib[key]), 2))


def outline_by_differences(outline: str, scale: float, digits: int) -> str:
    """Write an outline of ``M``, ``L``, ``Q``, ``C`` and ``z`` by differences of rounded points."""
    unit = 10**digits
    here = start = (0, 0)
    parts: list[str] = []
    last = ""
    for command, written in re.findall(r"([A-Za-z])([^A-Za-z]*)", outline):
        numbers = [round(float(number) * scale * unit) for number in written.split()]
        points = list(zip(numbers[::2], numbers[1::2], strict=True))
        if command == "z":
            here = start
            parts.append("z")
            last = "z"
            continue
        moved = [
            axis - origin for point in points for axis, origin in zip(point, here, strict=True)
        ]
        here = points[-1]
        if command == "M":
            start = here
        letter = command.lower()
        if letter == "l" and 0 in moved:
            letter, moved = ("h", moved[:1]) if moved[1] == 0 else ("v", moved[1:])
        differences = "".join(
            f"{'' if number.startswith('-') or not index else ' '}{number}"
            for index, number in enumerate(_number(value / unit, digits) for value in moved)
        )
        # After a move come lines, of which only the first names itself.
        again = letter == last and letter != "m"
        joint = " " if again and not differences.startswith("-") else ""
        parts.append(f"{joint or ''}{differences}" if again else f"{letter}{differences}")
        last = letter
    return "".join(parts)


_TRANSLATED = re.compile(r"translate\((?P<x>[-\d.e]+)(?: (?P<y>[-\d.e]+))?\) ?")
_SCALED = re.compile(r"scale\((?P<scale>[-\d.e]+)(?: [-\d.e]+)?\)")


def _round_word(word: Element) -> None:
    """Place a word, and its letters in it, which have units of their own."""
    word.set("transform", _place_of_word(word.attrib["transform"]))
    for part in word:
        if part.tag == "use":
            _place_letter(part)
        else:  # a line of a fraction or a root
            part.set("transform", f"scale({_GLYPH_UNITS // 100})")


def _place_of_word(transform: str) -> str:
    """Write the place of a word, whose letters have ten times the units that matplotlib gives."""

    def translated(move: re.Match[str]) -> str:
        x, y = (_number(float(move[axis] or 0), 2) for axis in ("x", "y"))
        return f"translate({x}{'' if y.startswith('-') else ' '}{y})"

    def scaled(size: re.Match[str]) -> str:
        scale = _number(float(size["scale"]) * 100 / _GLYPH_UNITS, 6)
        return f"scale({scale}-{scale})"

    turned = re.sub(r"rotate\(-?0\) ?", "", transform)
    turned = re.sub(r"(?<=rotate\()[-\d.e]+", lambda angle: _number(float(angle[0]), 3), turned)
    return _SCALED.sub(scaled, _TRANSLATED.sub(translated, turned)).replace(") ", ")")


def _place_letter(letter: Element) -> None:
    """Write the place of a letter in its word as coordinates, where it is not scaled."""
    transform = letter.attrib.pop("transform", "")
    move, size = _TRANSLATED.search(transform), _SCALED.search(transform)
    units = _GLYPH_UNITS // 100
    x, y = (_number(float(move[axis] or 0) * units, 0) if move else "0" for axis in ("x", "y"))
    if size:
        moved = f"translate({x} {y})" if move else ""
        letter.set("transform", f"{moved}scale({_number(float(size['scale']), 4)})")
    else:
        letter.attrib |= {key: value for key, value in (("x", x), ("y", y)) if value != "0"}


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


def _uses(root: Element) -> dict[str, list[Element]]:
    uses = defaultdict(list)
    for element, key, name in _references(root):
        if key == _HREF and element.tag == "use":
            uses[name].append(element)
    return uses


def _draw_where_used_once(root: Element, defined: Element) -> None:
    """Draw a path that is used once where it is used; letters stay letters."""
    for name, (element, *others) in _uses(root).items():
        path = defined.find(f"path[@id='{name}']")
        if others or path is None or _GLYPH in path.attrib:
            continue
        place = float(element.attrib.pop("x", 0)), float(element.attrib.pop("y", 0))
        del element.attrib[_HREF]
        element.tag = "path"
        element.set("d", _moved(path.attrib["d"], place))
        element.set("style", _written(_declared(element) | _declared(path)))
        defined.remove(path)


def _moved(outline: str, by: tuple[float, float]) -> str:
    """Move an outline, of which only the first point does not follow from one before."""
    first = re.match(r"m(-?[\d.]+) ?(-?[\d.]+)", outline)
    assert first is not None
    x, y = (_number(float(at) + move, 2) for at, move in zip(first.groups(), by, strict=True))
    return f"m{x}{'' if y.startswith('-') else ' '}{y}{outline[first.end() :]}"


def _declared(element: Element) -> dict[str, str]:
    return _parsed(element.get("style", ""))


def _parsed(style: str) -> dict[str, str]:
    pairs = (part.split(":", 1) for part in style.split(";") if part.strip())
    return {name.strip(): value.strip() for name, value in pairs}


def _written(style: Mapping[str, str]) -> str:
    return ";".join(
        f"{name}:{re.sub('(?<![0-9])0[.]', '.', value)}" for name, value in style.items()
    )


def _style_definitions(root: Element, defined: Element, dark: Mapping[str, str]) -> None:
    """Say with a mark what all its uses say alike; what it says itself they need not repeat.

    The colours of a dark page do not reach what is used from elsewhere, so its uses say them.
    """
    uses = _uses(root)
    for path in defined.findall("path"):
        used = uses[path.attrib["id"]]
        own, styles = _declared(path), [_declared(element) for element in used]
        inked = {name: own.pop(name) for name in list(own) if own[name] in dark}
        styles = [{k: v for k, v in (style | inked).items() if k not in own} for style in styles]
        shared: dict[str, str] = {}
        # Of a mark, "opacity" would be that of its edge and its area together.
        if used and not any("opacity" in style for style in styles):
            shared = {
                name: value
                for name, value in styles[0].items()
                if value not in dark and all(style.get(name) == value for style in styles)
            }
        own |= shared
        _restyle(path, own)
        for element, style in zip(used, styles, strict=True):
            _restyle(element, {name: style[name] for name in style if name not in shared})


def _restyle(element: Element, style: Mapping[str, str]) -> None:
    element.attrib.pop("style", None)
    if style:
        element.set("style", _written(style))


def _name_words(root: Element, defined: Element) -> None:
    """Define a word that is drawn twice, and draw one of a single letter as that."""
    words = [
        (parent, place, word)
        for parent in root.iter()
        for place, word in enumerate(parent)
        if word.tag == "g" and "scale" in word.get("transform", "")
    ]
    letters = {id(word): b"".join(map(ElementTree.tostring, word)) for _, _, word in words}
    drawn = Counter(letters.values())
    names: dict[bytes, str] = {}
    for parent, place, word in words:
        written = letters[id(word)]
        name = ""
        if len(word) == 1 and word[0].attrib.keys() == {_HREF}:
            name = word[0].attrib[_HREF]
        elif drawn[written] > 1:
            if written not in names:
                names[written] = f"#word-{len(names)}"
                symbol = Element("g", id=names[written][1:])
                symbol.extend(word)
                defined.append(symbol)
            name = names[written]
        if name:
            parent[place] = Element("use", {_HREF: name} | word.attrib)


def _gather(parent: Element, key: str) -> None:
    """Say once, in a group around them, what neighbours say alike."""
    for child in parent:
        if child.tag == "g":
            _gather(child, key)
    children: list[Element] = []
    for value, run in groupby(parent, key=lambda child: child.get(key)):
        alike = list(run)
        # Of a group, "opacity" would be that of all together.
        if value is None or len(alike) == 1 or re.search(r"(^|[; ])opacity", value):
            children.extend(alike)
            continue
        group = Element("g", {key: value})
        for child in alike:
            del child.attrib[key]
            # What no longer says anything is no group any more.
            group.extend(child if child.tag == "g" and not child.attrib else [child])
        children.append(group)
    parent[:] = children


def _name_styles(root: Element, dark: Mapping[str, str]) -> str:
    """Make classes of styles that recur or differ on a dark page; return the style sheet."""
    styled = [element for element in root.iter() if "style" in element.attrib]
    styles = [_declared(element) for element in styled]
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
