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

from matplotlib import font_manager

from analysis.figures.markup import visible

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

# Families of the machine that texts asked for, with their files.
_joined: dict[str, Path] = {}


def font_files() -> list[Path]:
    """List the fonts of the packages but for DejaVu Sans, and those of the machine in use."""
    brought = [
        Path(str(files(package) / name)) for package, names in _FONT_FILES.items() for name in names
    ]
    return [*brought, *_joined.values()]


def families() -> list[str]:
    """Name the families that text is drawn in, the first that has a character being taken."""
    _brought()
    return [*FAMILIES, *_joined]


def drawable(text: str) -> str:
    """Replace characters of a user's text that no font has by a white square.

    Line breaks and tabs are shown by their signs, as in tokens.
    """
    return "".join(c if _has(ord(c)) else MISSING for c in visible(text))


def _has(character: int) -> bool:
    """Tell whether a font has a character; one of the machine then joins those that are drawn."""
    if character in _brought():
        return True
    # Some fonts have pictures of what controls a terminal.
    return unicodedata.category(chr(character)) != "Cc" and _of_machine(character)


@cache
def _brought() -> frozenset[int]:
    """Make the fonts of the packages known to matplotlib; gives their characters."""
    known = font_manager.fontManager
    for file in font_files():
        known.addfont(file)
    # The bold one is found under the name of the regular one, and as what it is.
    bold = known.ttflist[-1]
    known.ttflist += [replace(bold, name=JAPANESE), replace(bold, weight=400)]
    paths = [font_manager.findfont(family, fallback_to_default=False) for family in FAMILIES]
    return frozenset().union(*(font_manager.get_font(path).get_charmap() for path in paths))


@cache
def _of_machine(character: int) -> bool:
    for family, file, characters in _installed():
        if character in characters:
            if family not in _joined:
                _joined[family] = file
                font_manager.fontManager.addfont(file)
            return True
    return False


@cache
def _installed() -> tuple[tuple[str, Path, frozenset[int]], ...]:
    return tuple(sorted(_upright(), key=lambda font: ("Sans" not in font[0], font[0])))


def _upright() -> Iterator[tuple[str, Path, frozenset[int]]]:
    """List outlines of the machine's fonts, upright and of a usual weight, with their characters.

    matplotlib remembers fonts of former times, and not those that have come since.
    """
    for path in font_manager.findSystemFonts():
        try:
            font = font_manager.get_font(path)
            entry = font_manager.ttfFontProperty(font)
        except (OSError, RuntimeError, KeyError):  # what cannot be read is as if it were not there
            continue
        if font.scalable and entry.style == "normal" and entry.weight in (400, 500):
            yield entry.name, Path(path), frozenset(font.get_charmap())
