"""Text that is shown as it is, whatever it holds."""

from __future__ import annotations

import html

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
