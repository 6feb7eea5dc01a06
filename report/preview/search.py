"""The index of a site's search, which the box of ``report/assets/search.html`` reads.

A script, which a page opened from a disk may load too.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from report.paper.tree import BLOCKS, Node, parse

NAME = "search-index.js"
# What is no text of a section: the source of a formula, title and headings, other sections.
_BESIDE = {"annotation", "h2", "h3", "header", "section"}


def write_index(site: Path, pages: list[str]) -> None:
    """Write the text of every section of the pages, by either renderer, beside them.

    Parameters
    ----------
    site
        Where the pages are.
    pages
        Their names, in the order in which they are to be found.
    """
    entries = [
        {"href": f"{name}.html{anchor}", "title": title, "heading": heading, "text": text}
        for name in pages
        for title, anchor, heading, text in _sections(site / f"{name}.html")
    ]
    index = json.dumps(entries, ensure_ascii=False)
    (site / NAME).write_text(f"window.searchIndex = {index};\n", encoding="utf-8")


def _sections(page: Path) -> Iterator[tuple[str, str, str, str]]:
    """Title of the page, anchor, heading and text of each section; the page's beginning first."""
    root, _ = parse(page.read_text(encoding="utf-8"))
    (main,) = _all(root, "main")
    title = _text(next(_all(main, "h1")))
    yield title, "", "", _text(main)
    for section in _all(main, "section"):
        headings = [one for level in ("h2", "h3") for one in _children(section, level)]
        if headings and section.attributes.get("id"):
            yield title, f"#{section.attributes['id']}", _text(headings[0]), _text(section)


def _children(node: Node, tag: str) -> list[Node]:
    return [one for one in node.children if isinstance(one, Node) and one.tag == tag]


def _all(node: Node, tag: str) -> Iterator[Node]:
    """Elements below a node, in their order."""
    for child in node.children:
        if isinstance(child, Node):
            if child.tag == tag:
                yield child
            yield from _all(child, tag)


def _text(node: Node) -> str:
    """Text of a node as a reader sees it, without its sections, headings and controls."""

    def pieces(node: Node) -> Iterator[str]:
        for child in node.children:
            if isinstance(child, str):
                yield child
            elif not (child.dropped or child.tag in _BESIDE):
                yield from pieces(child)
                # Words of two cells are two words.
                yield " " if child.tag in BLOCKS | {"br", "li", "td", "th"} else ""

    return " ".join("".join(pieces(node)).split())
