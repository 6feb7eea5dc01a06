"""HTML of the pages: text that is shown as it is, whatever it holds, and lines in a fold."""

from __future__ import annotations

import html
from collections.abc import Sequence

# Characters that HTML reads as markup, and those that Markdown, LaTeX or Quarto's shortcodes would
# read as such after it. As entities they reach the page as themselves.
_ENTITIES = str.maketrans(
    {one: html.escape(one) for one in "&<>\"'"}
    | {one: f"&#{ord(one)};" for one in "\\`*_{}[]()#+-.!|~^$@:="}
)


def escape(text: object) -> str:
    """Escape text for HTML so that no later reader of the page can take it for markup."""
    return str(text).translate(_ENTITIES)


def marked(text: str, spans: list[tuple[int, int]]) -> str:
    """Escape text and put its spans into ``<mark>``.

    Parameters
    ----------
    text
        Any text.
    spans
        Half-open character ranges, in order and without overlap.
    """
    pieces, position = [], 0
    for start, end in spans:
        pieces += [escape(text[position:start]), f"<mark>{escape(text[start:end])}</mark>"]
        position = end
    return "".join([*pieces, escape(text[position:])])


def details(summary: str, lines: Sequence[str]) -> str:
    """Put lines of HTML into a fold.

    Parameters
    ----------
    summary
        Text that is seen before it is unfolded.
    lines
        HTML each.
    """
    return f"<details><summary>{escape(summary)}</summary>{'<br>'.join(lines)}</details>"


def fold(lines: Sequence[str]) -> str:
    """Put lines of HTML behind their number; one line needs no fold."""
    return details(str(len(lines)), lines) if len(lines) > 1 else "".join(lines)
