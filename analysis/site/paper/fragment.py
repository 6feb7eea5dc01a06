"""From the HTML that a notebook cell shows to Typst: tables, pictures and words.

What needs a browser is left out: folds, controls, the explorer, links to downloads.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from analysis.figures.svg_minify import LETTER
from analysis.fonts import drawable
from analysis.site.paper.tables import breakable, fit_into_line
from analysis.site.source.tree import (
    ANCHORED,
    BLOCKS,
    Node,
    elements,
    parse,
    span,
    summary,
    table_rows,
    terms,
)

# Letters of one font, as a drawing defines them.
_FONT = re.compile(r'<g (?P<font>font-family="[^>]*)>(?:<path [^>]*>)*</g>')
_OUTLINE = re.compile(rf'<path id="(?P<name>\w+)" {LETTER}="(?P<letter>[^"]*)" d="[^"]*"/>')
_WRAPPERS = {
    "b": "strong",
    "code": "code",
    "mark": "highlight",
    "small": "small",
    "strong": "strong",
}


def to_typst(
    fragment: str, place: Callable[[str], str], resolve: Callable[[str], str | None]
) -> str:
    """Return a fragment of HTML as Typst markup; empty where nothing of it can be printed.

    ``fragment`` is what a cell of a notebook shows. ``place`` is called with the file of every
    picture, and returns the path under which Typst finds it; ``resolve`` is called with the target
    of every link, and returns a label of the document in angle brackets, an address in quotes, or
    None where a printed page leads nowhere.
    """
    written = _Writer(place, resolve).children(parse(fragment))
    # White space between two blocks is none on the page.
    return re.sub(r'^#" ";$', "", written, flags=re.MULTILINE).strip()


def literal(text: str) -> str:
    """Return text as a string of Typst, in which nothing is markup."""
    escapes = str.maketrans({"\\": r"\\", '"': r"\""})
    return f'"{text.translate(escapes)}"'


@dataclass
class _Writer:
    place: Callable[[str], str]
    resolve: Callable[[str], str | None]

    def children(self, node: Node) -> str:
        return "".join(self._write(child) for child in node.children)

    def _write(self, node: Node | str) -> str:
        if isinstance(node, str):
            return _words(node)
        if node.dropped:
            return "".join(self.children(child) + '#" ";' for child in summary(node))
        if node.tag == "img":
            return self._picture(node)
        if node.tag == "table":
            return self._table(node)
        if node.tag in {"ul", "ol"}:
            return self._list(node)
        if node.tag == "dl":
            pairs = ", ".join(f"[{self.children(child).strip()}]" for child in terms(node))
            return f"\n\n#pairs({pairs})\n\n"
        inner = self._anchor(node) + self.children(node)
        if not inner.strip():
            return "\\ " if node.tag == "br" else ""
        if node.tag == "a":
            target = self.resolve(node.attributes.get("href", ""))
            return f"#link({target})[{inner}]" if target else inner
        if node.tag in _WRAPPERS:
            return f"#{_WRAPPERS[node.tag]}[{inner}]"
        if "sample" in node.classes:
            return f"\n\n#sample[{inner.strip()}]\n\n"
        return f"\n\n{inner.strip()}\n\n" if node.tag in BLOCKS else inner

    def _anchor(self, node: Node) -> str:
        label = "id" in node.attributes and self.resolve(f"#{node.attributes['id']}")
        return f"#metadata(none){label}" if label and node.tag in ANCHORED else ""

    def _list(self, node: Node) -> str:
        nodes = elements(node, "li")
        items = [self._anchor(item) + self.children(item).strip() for item in nodes]
        if any(elements(item, "div", "dl") for item in nodes):
            # What has parts of its own is an entry of its own, under its first line.
            parts = (item.partition("\n\n") for item in items)
            entries = ", ".join(f"([{head}], [{rest.strip()}])" for head, _, rest in parts)
            return f"\n\n#entries({entries})\n\n"
        name = "list" if node.tag == "ul" else "enum"
        return f"\n\n#{name}({', '.join(f'[{item}]' for item in items if item)})\n\n"

    def _picture(self, node: Node) -> str:
        path, alt = self.place(node.attributes["src"]), node.attributes.get("alt", "")
        return f"\n\n#picture({literal(path)}, alt: {literal(alt)})\n\n"

    def _table(self, node: Node) -> str:
        rows = table_rows(node)
        if not rows:
            return ""
        rows, layout = fit_into_line(rows)
        written: dict[bool, list[str]] = {True: [], False: []}
        for heading, row in rows:
            for cell in row:
                content = self.children(cell).strip()
                if cell.tag == "th" and not heading:
                    content = f"#strong[{content}]"
                spans = "".join(
                    f"{name}: {span(cell, name)}, "
                    for name in ("colspan", "rowspan")
                    if span(cell, name) > 1
                )
                written[heading].append(
                    f"table.cell({spans})[{content}]" if spans else f"[{content}]"
                )
        header = [f"table.header({', '.join(written[True])})"] if written[True] else []
        cells = ",\n  ".join([", ".join([layout, *header]), *written[False]])
        return f"\n\n#sheet({cells},\n)\n\n"


def _words(text: str) -> str:
    """Text of HTML as Typst, white space collapsed."""
    collapsed = re.sub(r"[ \t\r\n\f]+", " ", text)
    return f"#{literal(breakable(drawable(collapsed)))};" if collapsed else ""


def set_letters(drawing: str) -> str:
    """Write the letters of a drawing as text in the fonts that they are outlines of.

    It takes a fraction of the bytes, and a search finds it. The drawing is SVG as
    :func:`analysis.figures.svg_minify.minify` writes it; of another one nothing changes.
    """

    def as_text(letters: re.Match[str]) -> str:
        # Outlines of fonts go up, which the drawing turns over wherever it draws them.
        text = rf'<text transform="scale(1-1)" {letters["font"]}>\g<letter></text>'
        return _OUTLINE.sub(rf'<g id="\g<name>">{text}</g>', letters[0])

    return _FONT.sub(as_text, drawing)
