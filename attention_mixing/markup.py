"""HTML of the pages: text that is shown as it is, whatever it holds, and lines in a fold.

A text of a user is shown in one line (:func:`in_line`), a token with marks for what would show as
nothing (:func:`visible`); what is stored stays as it is.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Sequence

import pandas as pd

# Characters that HTML reads as markup, and those that Markdown, LaTeX or Quarto's shortcodes would
# read as such after it. As entities they reach the page as themselves.
_ENTITIES = str.maketrans(
    {character: html.escape(character) for character in "&<>\"'"}
    | {character: f"&#{ord(character)};" for character in "\\`*_{}[]()#+-.!|~^$@:="}
)

# White space but for no-break and full-width spaces, with a line break, tab or separator in it.
_GAP = re.compile(r" *[\t-\r\x1c-\x1f\x85\u2028\u2029][ \t-\r\x1c-\x1f\x85\u2028\u2029]*")
_FORMULA = r"\A(?=[=+\-@\t\r\n\0\uff1d\uff0b\uff0d\uff20])"  # where one would begin
_MARKS = str.maketrans(
    dict.fromkeys("\n\v\f\r\x85\u2028\u2029", "\u23ce") | {"\t": "\u21e5"}  # Return and Tab
)


def escape(text: object) -> str:
    """Escape text for HTML so that no later reader of the page can take it for markup."""
    return str(text).translate(_ENTITIES)


def in_line(text: str) -> str:
    """Write a text in one line, as the pages write their own; it is text still, not HTML.

    A line break becomes a space; between two characters of a script without spaces, such as
    Japanese, and beside its punctuation it becomes nothing. A tab becomes a space.
    """
    return "".join(_in_line(text))


def in_prose(text: str) -> str:
    """Write a text in one line, in which no range is parted at its dash.

    No-break spaces and word joiners stand around the dash. It is text still, not HTML.
    """
    text = in_line(text).replace(" \u2013 ", "\u00a0\u2013\u00a0")
    return text.replace("\u2013", "\u2060\u2013\u2060")


def inert(data: pd.DataFrame) -> pd.DataFrame:
    """Change, in a copy of a table, texts that a spreadsheet would run as a formula.

    It runs a cell that begins with one of ``= + - @``, also in full width, or with a tab, a line
    end or a null character. As OWASP advises against CSV injection, a text that does gets an
    apostrophe before it, which a program that reads the file takes off again. Numbers, negative
    ones too, stay as they are.
    """
    # By way of objects: a category takes no value that is not one of its own.
    texts = data.astype(dict.fromkeys(data.select_dtypes("category"), object))
    return texts.replace(regex=_FORMULA, value="'")


def _in_line(text: str) -> list[str]:
    """Give what is shown of each character of a text in one line."""
    pieces = list(text)
    for gap in _GAP.finditer(text):
        start, end = gap.span()
        around = text[max(start - 1, 0) : start] + text[end : end + 1]
        joined = all(map(_is_wide, around)) or any(map(_is_wide_punctuation, around))
        breaks = gap[0].strip("\t ")
        pieces[start:end] = ["" if breaks and joined else " ", *[""] * (end - start - 1)]
    return pieces


def _is_wide(character: str) -> bool:
    """Whether a character is set without spaces; Korean is wide too and has spaces."""
    wide = unicodedata.east_asian_width(character) in "WF"
    return wide and "HANGUL" not in unicodedata.name(character, "")


def _is_wide_punctuation(character: str) -> bool:
    return _is_wide(character) and unicodedata.category(character)[0] in "PZ"


def visible(token: str) -> str:
    """Write a token with signs for its line breaks and tabs, which would show as nothing.

    It is text still, not HTML.
    """
    return token.translate(_MARKS)


def marked(text: str, spans: list[tuple[int, int]]) -> str:
    """Write a text in one line, escape it and put its spans into ``<mark>``.

    Spans are half-open ranges of its characters, in order and without overlap.
    """
    characters = _in_line(text)
    pieces, position = [], 0
    for start, end in spans:
        before, span = (
            "".join(piece) for piece in (characters[position:start], characters[start:end])
        )
        pieces += [escape(before), f"<mark>{escape(span)}</mark>"]
        position = end
    return "".join([*pieces, escape("".join(characters[position:]))])


def details(summary: str, lines: Sequence[str]) -> str:
    """Put lines of HTML into a fold; the summary, which is text, is seen before it is unfolded."""
    return f"<details><summary>{escape(summary)}</summary>{'<br>'.join(lines)}</details>"


def fold(lines: Sequence[str]) -> str:
    """Put lines of HTML behind their number; one line needs no fold."""
    return details(str(len(lines)), lines) if len(lines) > 1 else "".join(lines)
