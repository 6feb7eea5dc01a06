"""HTML of the pages: text that is shown as it is, whatever it holds, and lines in a fold."""

from __future__ import annotations

import html
from collections.abc import Sequence

# Characters that Markdown, LaTeX or Quarto's shortcodes would read as markup after HTML was done
# with them. As numeric entities they reach the page as themselves.
_MARKUP: dict[str, str | int | None] = {
    character: f"&#{ord(character)};" for character in "\\`*_{}[]()#+-.!|~^$@:="
}


def escape(text: object) -> str:
    """Escape text for HTML so that no later reader of the page can take it for markup."""
    escaped = html.escape(str(text), quote=True)
    # html.escape wrote entities of its own; their & # ; must survive, so only text between them
    # is treated.
    parts = escaped.split("&")
    treated = [parts[0].translate(str.maketrans(_MARKUP))]
    for part in parts[1:]:
        entity, _, rest = part.partition(";")
        treated.append(f"&{entity};{rest.translate(str.maketrans(_MARKUP))}")
    return "".join(treated)


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
