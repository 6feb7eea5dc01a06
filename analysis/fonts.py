"""Fonts of the figures and of the PDF: those that packages bring, then those of the machine.

Packages bring fonts of the Latin, Greek, Cyrillic, Armenian, Georgian, Hebrew and Arabic scripts,
of Chinese, Japanese and Korean, and of signs. A character that none of these has, as of Thai or
Devanagari, is drawn in a font of the machine, if one has it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from matplotlib import font_manager
from matplotlib.ft2font import FT2Font

from attention_mixing.markup import visible

# Package -> its fonts, of one design: Noto Sans JP is Source Sans with Japanese added. Its bold is
# a package and a family of its own, which has the other characters of East Asia as well.
_FONT_FILES = {
    "font_source_sans_pro": ("files/SourceSansPro-Regular.ttf", "files/SourceSansPro-Bold.ttf"),
    "pylopdf_fonts_jp": ("NotoSansJP-Regular.otf",),
    "noto_cjk_sans_jp_bold": ("NotoSansCJKjp-Bold.otf",),
}
JAPANESE = "Noto Sans JP"
# DejaVu Sans, which matplotlib brings, is for signs.
FAMILIES = ("Source Sans Pro", JAPANESE, "DejaVu Sans", "Noto Sans CJK JP")
MISSING = "\u25a1"
"""Stands for a character that no font has."""


class Font(NamedTuple):
    """A font of the machine, and what it has."""

    family: str
    file: Path
    characters: frozenset[int]


# Those that texts asked for.
_joined: list[Font] = []


def font_files() -> list[Path]:
    """List the fonts of the packages but for DejaVu Sans, and those of the machine in use."""
    return [*_of_packages(), *(font.file for font in _joined)]


def _of_packages() -> list[Path]:
    return [
        Path(str(files(package) / name)) for package, names in _FONT_FILES.items() for name in names
    ]


def joined() -> list[str]:
    """Name the families of the machine that texts have asked for so far."""
    return [font.family for font in _joined]


def families() -> list[str]:
    """Name the families that text is drawn in, the first that has a character being taken."""
    _brought()
    return [*FAMILIES, *joined()]


def drawable(text: str) -> str:
    """Replace characters of a user's text that no font has by a white square.

    Line breaks and tabs are shown by their signs, as in tokens. A font of the machine that the text
    takes joins those that are drawn, one for as much of the text as can be.
    """
    characters = visible(text)
    lacking = {ord(c) for c in characters} - _brought()
    # Some fonts have pictures of what controls a terminal.
    controls = {c for c in lacking if unicodedata.category(chr(c)) == "Cc"}
    missing = _join(lacking - controls) | controls
    return "".join(MISSING if ord(c) in missing else c for c in characters)


def _join(lacking: set[int]) -> set[int]:
    """Let fonts of the machine join that have these characters; gives those that none has."""
    lacking = lacking.difference(*(font.characters for font in _joined))
    while lacking:
        best = max(_installed(), key=lambda font: len(font.characters & lacking), default=None)
        if best is None or not best.characters & lacking:
            break
        _joined.append(best)
        font_manager.fontManager.addfont(best.file)
        lacking -= best.characters
    return lacking


def face(name: str) -> dict[str, str]:
    """Name a font of the figures as SVG does.

    ``name`` is its PostScript name, such as ``SourceSansPro-Bold``. Gives ``font-family``, and
    ``font-weight`` where it is not the usual one.
    """
    font = _by_name(tuple(families()))[name]
    weight = {"font-weight": "bold"} if "Bold" in font.style_name else {}
    return {"font-family": font.family_name} | weight


def character(glyph: str) -> str | None:
    """Give the character that a glyph is, None for one that is several or a variant.

    ``glyph`` is the PostScript name of the font and the number in it, as matplotlib writes them.
    """
    font, _, number = glyph.rpartition("-")
    return _characters(font).get(int(number, 16))


@cache
def _characters(font: str) -> dict[int, str]:
    charmap = _by_name(tuple(families()))[font].get_charmap()
    characters: dict[int, str] = {}
    # Characters that stand for another one, such as radicals, share its outline.
    for letter in sorted(
        map(chr, charmap), key=lambda c: (c != unicodedata.normalize("NFKC", c), c)
    ):
        characters.setdefault(charmap[ord(letter)], letter)
    return characters


@cache
def _by_name(drawn_in: tuple[str, ...]) -> dict[str, FT2Font]:
    """Fonts of the families that text is drawn in, by their PostScript names."""
    paths = [str(path) for path in font_files()]
    paths += [str(font_manager.findfont(family)) for family in drawn_in]
    fonts = [font_manager.get_font(path) for path in paths]
    return {font.postscript_name: font for font in fonts}


@cache
def _brought() -> frozenset[int]:
    """Make the fonts of the packages known to matplotlib; gives their characters."""
    manager = font_manager.fontManager
    for file in _of_packages():
        manager.addfont(file)
    # The bold one is found under the name of the regular one, and as what it is.
    bold = manager.ttflist[-1]
    manager.ttflist += [replace(bold, name=JAPANESE), replace(bold, weight=400)]
    paths = [font_manager.findfont(family, fallback_to_default=False) for family in FAMILIES]
    return frozenset().union(*(font_manager.get_font(path).get_charmap() for path in paths))


@cache
def _installed() -> tuple[Font, ...]:
    return tuple(sorted(_upright(), key=lambda font: ("Sans" not in font.family, font.family)))


def _upright() -> Iterator[Font]:
    """List outlines of the machine's fonts, upright and of a usual weight, with their characters.

    matplotlib remembers fonts of former times, and not those that have come since.
    """
    for path in font_manager.findSystemFonts():
        try:
            font = font_manager.get_font(path)
            entry = font_manager.ttfFontProperty(font)
        except (OSError, RuntimeError, KeyError):  # what cannot be read is as if it were not there
            continue
        outlines = font.scalable and "Color Emoji" not in entry.name
        if outlines and entry.style == "normal" and entry.weight in (400, 500):
            yield Font(entry.name, Path(path), frozenset(font.get_charmap()))
