"""From the HTML that a notebook cell shows to Typst: tables, pictures and words.

What needs a browser is left out: folds, controls, interactive views, links to downloads.
"""

import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

from analysis.figures.style import drawable

# Colours of the page, which a file of its own has to name.
_INK = "#1d232b"
_SVG = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
_VOID = frozenset({"br", "hr", "img", "input", "wbr"})
_DROPPED = frozenset(
    "button details form iframe input label nav noscript script select style template".split()
)
_DROPPED_CLASSES = frozenset({"sources", "interactive", "screen-reader-only"})
_WRAPPERS = {
    "b": "strong",
    "code": "code",
    "em": "emph",
    "i": "emph",
    "mark": "highlight",
    "small": "small",
    "strong": "strong",
    "sub": "sub",
    "sup": "super",
}
_ANCHORED = frozenset("div li p section".split())
_BLOCKS = frozenset(
    "blockquote dd div dt figcaption figure h2 h3 h4 h5 h6 header p pre section".split()
)
# What may be broken where it has no spaces: paths, hashes, names of parameters.
_LONG = 18
_BREAK = "\u200b"
_NARROW = re.compile(r"[!-~]+")
# Points: sizes of type that a table may have, and how many rows
# are not yet many, and what a line has room for.
_SIZES = (8.5, 8, 7.5, 7, 6.5, 6)
_SHORT = 8
_LINE = 160 * 72 / 25.4


@dataclass
class Picture:
    """A drawing of a fragment: its file's content, or the file of the site that holds it."""

    alt: str
    svg: str | None = None
    file: str | None = None


@dataclass
class _Node:
    tag: str
    attributes: dict[str, str]
    parent: "_Node | None"
    children: list["_Node | str"] = field(default_factory=list)

    @property
    def classes(self) -> list[str]:
        return self.attributes.get("class", "").split()

    @property
    def dropped(self) -> bool:
        return (
            self.tag in _DROPPED
            or "hidden" in self.attributes
            or bool(_DROPPED_CLASSES.intersection(self.classes))
        )


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = self.open = _Node("root", {}, None)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = _Node(tag, {key: value or "" for key, value in attrs}, self.open)
        self.open.children.append(node)
        if tag not in _VOID:
            self.open = node

    def handle_endtag(self, tag: str) -> None:
        node: _Node | None = self.open
        while node and node.tag != tag:
            node = node.parent
        if node and node.parent:
            self.open = node.parent

    def handle_data(self, data: str) -> None:
        self.open.children.append(data)


def to_typst(
    fragment: str, place: Callable[[Picture], str], resolve: Callable[[str], str | None]
) -> str:
    """Return a fragment of HTML as Typst markup; empty where nothing of it can be printed.

    Parameters
    ----------
    fragment
        What a cell of a notebook shows.
    place
        Called with every picture; returns the path under which Typst finds it.
    resolve
        Called with the target of every link; returns a label of the document in angle brackets, an
        address in quotes, or None where a printed page leads nowhere.
    """
    root, drawings = _parse(fragment)
    written = _Writer(drawings, place, resolve).children(root)
    # White space between two blocks is none on the page.
    return re.sub(r'^#" ";$', "", written, flags=re.MULTILINE).strip()


def anchors(fragment: str) -> list[str]:
    """Return the ids of a fragment of HTML that a printed page can be led to."""

    def walk(node: _Node) -> Iterator[str]:
        if node.tag in _ANCHORED and "id" in node.attributes:
            yield node.attributes["id"]
        for child in node.children:
            if isinstance(child, _Node) and not child.dropped:
                yield from walk(child)

    return list(walk(_parse(fragment)[0]))


def literal(text: str) -> str:
    """Return text as a string of Typst, in which nothing is markup."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _parse(fragment: str) -> tuple[_Node, list[str]]:
    """Return the tree of a fragment and its drawings, for which numbered images stand."""
    drawings: list[str] = []

    def keep(drawing: re.Match[str]) -> str:
        drawings.append(drawing[0])
        return f'<img data-drawing="{len(drawings) - 1}">'

    reader = _Reader()
    reader.feed(_SVG.sub(keep, fragment))
    reader.close()
    return reader.root, drawings


@dataclass
class _Writer:
    drawings: list[str]
    place: Callable[[Picture], str]
    resolve: Callable[[str], str | None]

    def children(self, node: _Node) -> str:
        return "".join(self._write(child) for child in node.children)

    def _write(self, node: _Node | str) -> str:
        if isinstance(node, str):
            return _words(node)
        if node.dropped:
            return "".join(self.children(one) + '#" ";' for one in _summary(node))
        if node.tag == "img":
            return self._picture(node)
        if node.tag == "table":
            return self._table(node)
        if node.tag in {"ul", "ol"}:
            return self._list(node)
        if node.tag == "dl":
            pairs = ", ".join(f"[{self.children(one).strip()}]" for one in _terms(node))
            return f"\n\n#pairs({pairs})\n\n"
        inner = self._anchor(node) + self.children(node)
        if not inner.strip():
            return "\\ " if node.tag == "br" else ""
        if node.tag == "a":
            target = self.resolve(node.attributes.get("href", ""))
            return f"#link({target})[{inner}]" if target else inner
        if node.tag in _WRAPPERS:
            return f"#{_WRAPPERS[node.tag]}[{inner}]"
        if node.tag in {"h2", "h3", "h4", "h5", "h6"}:
            return f"\n\n#strong[{inner.strip()}]\n\n"
        if "sample" in node.classes:
            return f"\n\n#sample[{inner.strip()}]\n\n"
        return f"\n\n{inner.strip()}\n\n" if node.tag in _BLOCKS else inner

    def _anchor(self, node: _Node) -> str:
        label = "id" in node.attributes and self.resolve(f"#{node.attributes['id']}")
        return f"#metadata(none){label}" if label and node.tag in _ANCHORED else ""

    def _list(self, node: _Node) -> str:
        found = _elements(node, "li")
        items = [self._anchor(item) + self.children(item).strip() for item in found]
        if any(_elements(item, "div", "dl") for item in found):
            # What has parts of its own is an entry of its own, under its first line.
            parts = (item.partition("\n\n") for item in items)
            entries = ", ".join(f"([{head}], [{rest.strip()}])" for head, _, rest in parts)
            return f"\n\n#entries({entries})\n\n"
        name = "list" if node.tag == "ul" else "enum"
        return f"\n\n#{name}({', '.join(f'[{item}]' for item in items if item)})\n\n"

    def _picture(self, node: _Node) -> str:
        index = node.attributes.get("data-drawing")
        if index is None:
            alt, source = node.attributes.get("alt", ""), node.attributes.get("src", "")
            picture = Picture(alt, file=source)
        else:
            drawing = self.drawings[int(index)]
            label = re.search(r'\baria-label="([^"]*)"', drawing)
            picture = Picture(html.unescape(label[1]) if label else "", svg=_on_paper(drawing))
        path = self.place(picture)
        return f"\n\n#picture({literal(path)}, alt: {literal(picture.alt)})\n\n"

    def _table(self, node: _Node) -> str:
        rows = _rows(node)
        if not rows:
            return ""
        count = max(sum(_span(cell, "colspan") for cell in row) for _, row in rows)
        written: dict[bool, list[str]] = {True: [], False: []}
        for heading, row in rows:
            for cell in row:
                content = self.children(cell).strip()
                if cell.tag == "th" and not heading:
                    content = f"#strong[{content}]"
                spans = "".join(
                    f"{name}: {_span(cell, name)}, "
                    for name in ("colspan", "rowspan")
                    if _span(cell, name) > 1
                )
                written[heading].append(
                    f"table.cell({spans})[{content}]" if spans else f"[{content}]"
                )
        header = [f"table.header({', '.join(written[True])})"] if written[True] else []
        breakable = "true" if len(rows) > _SHORT else "false"
        form = f"{_columns(count, rows)}, breakable: {breakable}"
        cells = ",\n  ".join([", ".join([form, *header]), *written[False]])
        return f"\n\n#sheet({cells},\n)\n\n"


def _elements(node: _Node, *tags: str) -> list[_Node]:
    return [
        one
        for one in node.children
        if isinstance(one, _Node) and one.tag in tags and not one.dropped
    ]


def _summary(node: _Node) -> list[_Node]:
    """Return what a fold in a cell of a table says of itself; the rest is left out."""
    folded = node.tag == "details" and node.parent is not None and node.parent.tag == "td"
    return _elements(node, "summary") if folded else []


def _terms(node: _Node) -> list[_Node]:
    """Terms and descriptions of a list, which may be grouped."""
    found = []
    for one in _elements(node, "dt", "dd", "div"):
        found += [one] if one.tag != "div" else _terms(one)
    return found


def _rows(table: _Node) -> list[tuple[bool, list[_Node]]]:
    """Rows of a table, each with whether it belongs to the head."""
    rows = []
    for part in _elements(table, "thead", "tbody", "tfoot", "tr"):
        for row in [part] if part.tag == "tr" else _elements(part, "tr"):
            if cells := _elements(row, "td", "th"):
                rows.append((part.tag == "thead", cells))
    return rows


def _span(cell: _Node, name: str) -> int:
    value = cell.attributes.get(name, "1")
    return int(value) if value.isdecimal() else 1


def _lines(node: _Node | str) -> str:
    """Text with a line break where a browser shows one."""
    if isinstance(node, str):
        return re.sub(r"\s+", " ", node)
    if node.dropped:
        return "".join(_lines(one) + " " for one in _summary(node))
    inside = "".join(_lines(child) for child in node.children)
    return f"\n{inside}\n" if node.tag in _BLOCKS | {"br", "li"} else inside


def _columns(count: int, rows: list[tuple[bool, list[_Node]]]) -> str:
    """Size of type and widths of columns with which a table fits into a line.

    Where all lines fit unbroken, in type that is not too small, a column is as wide as it likes.
    Else each has room for its widest word, and what is left goes to those that want more.
    """
    least, most = [1] * count, [1] * count
    for _, row in rows:
        index = 0
        for cell in row:
            if _span(cell, "colspan") == 1:
                text = _lines(cell)
                words = re.split(rf"[ \n{_BREAK}]+", _breakable(text))
                least[index] = max(least[index], *map(_width, words))
                most[index] = max(most[index], *(_width(one, None) for one in text.split("\n")))
            index += _span(cell, "colspan")

    def fitting(widths: list[int], sizes: Iterable[float]) -> float | None:
        # Widths are half ems; a column has one and a half of them on either side.
        needed = sum(widths) + 3 * count
        return next((size for size in sizes if needed <= _LINE / (size / 2)), None)

    size = fitting(most, _SIZES[:3])
    if size:
        return f"{size}pt, {count}"
    size = fitting(least, _SIZES[2:] if len(rows) > _SHORT else _SIZES) or _SIZES[-1]
    left = max(_LINE / (size / 2) - sum(least) - 3 * count, 0)
    wanted = sum(most) - sum(least)
    widths = (low + 3 + left * (high - low) / wanted for low, high in zip(least, most, strict=True))
    return f"{size}pt, ({', '.join(f'{width:.1f}fr' for width in widths)},)"


def _width(text: str, wide_at_most: int | None = 8) -> int:
    """Width in half ems; lines may end between wide characters, but not after every one."""
    wide = 2 * sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    if wide_at_most is None:
        return wide + len(text) - wide // 2
    return min(wide, wide_at_most) + max((len(run) for run in _NARROW.findall(text)), default=0)


def _breakable(text: str) -> str:
    """Mark by a space of width zero where a long path, hash or name may be broken."""

    def cut(run: re.Match[str]) -> str:
        parts = re.findall(r"[^/_.,:@=-]*[/_.,:@=-]+|[^/_.,:@=-]+", run[0])
        pieces = [part[i : i + _LONG] for part in parts for i in range(0, len(part), _LONG)]
        return _BREAK.join(pieces) if len(run[0]) > _LONG else run[0]

    return _NARROW.sub(cut, text)


def _words(text: str) -> str:
    """Text of HTML as Typst, white space collapsed."""
    collapsed = re.sub(r"[ \t\r\n\f]+", " ", text)
    return f"#{literal(_breakable(drawable(collapsed)))};" if collapsed else ""


def _on_paper(drawing: str) -> str:
    """Return the drawing of a page with colours that do not follow the page."""
    drawing = re.sub(r"var\(--[\w-]+, *([^)]+)\)", r"\1", drawing).replace("currentColor", _INK)
    if "xmlns=" not in drawing.split(">", 1)[0]:
        drawing = drawing.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    return drawing
