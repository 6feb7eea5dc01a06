"""The HTML that a notebook cell shows, as a tree."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = frozenset({"br", "hr", "img", "input", "wbr"})
_DROPPED = frozenset(
    "button details form iframe input label nav noscript script select style svg template".split()
)
_DROPPED_CLASSES = frozenset(
    {"explorer", "on-dark", "on-screen", "other-formats", "screen-reader-only", "sources"}
)
# What keeps its id on paper, and what begins a line.
ANCHORED = frozenset("div li p section".split())
BLOCKS = frozenset(
    "blockquote dd div dt figcaption figure h2 h3 h4 h5 h6 header p pre section".split()
)


@dataclass
class Node:
    """An element of HTML.

    Attributes
    ----------
    tag, attributes
        As written; an attribute without a value is empty.
    parent
        Element around it; None for the root.
    children
        Elements and text in it.
    """

    tag: str
    attributes: dict[str, str]
    parent: "Node | None"
    children: list["Node | str"] = field(default_factory=list)

    @property
    def classes(self) -> list[str]:
        """Classes of the element."""
        return self.attributes.get("class", "").split()

    @property
    def dropped(self) -> bool:
        """Whether the element needs a browser and is left out on paper."""
        return (
            (self.tag in _DROPPED and "printed" not in self.classes)
            or "hidden" in self.attributes
            or bool(_DROPPED_CLASSES.intersection(self.classes))
        )


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = self.open = Node("root", {}, None)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {key: value or "" for key, value in attrs}, self.open)
        self.open.children.append(node)
        if tag not in _VOID:
            self.open = node

    def handle_endtag(self, tag: str) -> None:
        node: Node | None = self.open
        while node and node.tag != tag:
            node = node.parent
        if node and node.parent:
            self.open = node.parent

    def handle_data(self, data: str) -> None:
        self.open.children.append(data)


def parse(fragment: str) -> Node:
    """Return the tree of a fragment."""
    reader = _Reader()
    reader.feed(fragment)
    reader.close()
    return reader.root


def anchors(fragment: str) -> list[str]:
    """Return the ids of a fragment of HTML that a printed page can be led to."""

    def walk(node: Node) -> Iterator[str]:
        if node.tag in ANCHORED and "id" in node.attributes:
            yield node.attributes["id"]
        for child in node.children:
            if isinstance(child, Node) and not child.dropped:
                yield from walk(child)

    return list(walk(parse(fragment)))


def elements(node: Node, *tags: str) -> list[Node]:
    """Children with one of the tags that are not left out."""
    return [
        child
        for child in node.children
        if isinstance(child, Node) and child.tag in tags and not child.dropped
    ]


def summary(node: Node) -> list[Node]:
    """Return what a fold in a cell of a table says of itself; the rest is left out."""
    folded = node.tag == "details" and node.parent is not None and node.parent.tag == "td"
    return elements(node, "summary") if folded else []


def terms(node: Node) -> list[Node]:
    """Terms and descriptions of a list, which may be grouped."""
    entries = []
    for element in elements(node, "dt", "dd", "div"):
        entries += [element] if element.tag != "div" else terms(element)
    return entries


def table_rows(table: Node) -> list[tuple[bool, list[Node]]]:
    """Rows of a table, each with whether it belongs to the head."""
    rows = []
    for group in elements(table, "thead", "tbody", "tfoot", "tr"):
        for row in [group] if group.tag == "tr" else elements(group, "tr"):
            if cells := elements(row, "td", "th"):
                rows.append((group.tag == "thead", cells))
    return rows


def span(cell: Node, name: str) -> int:
    """Tell how many columns or rows a cell takes; `name` is colspan or rowspan."""
    value = cell.attributes.get(name, "1")
    return int(value) if value.isdecimal() else 1
