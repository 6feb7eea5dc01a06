"""The index of a site's search, which the box of ``report/assets/search.html`` reads.

A script, which a page opened from a disk may load too.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from analysis.site.source.tree import BLOCKS, Node, parse

NAME = "search-index.js"
# What is no text of a section: the source of a formula, title and headings, other sections.
_BESIDE = {"annotation", "h2", "h3", "header", "section"}
_CAPTIONED = re.compile(r"(fig|tbl)-[\w-]+\Z")  # ids of figures and tables


def write_index(site: Path, pages: list[str]) -> None:
    """Write what the pages of a site hold, by either renderer, beside them.

    Every section with its text, notes in folds included; every figure and table with its caption,
    every term with what it means, every claim with its statement and every list of references, each
    under its own address. ``pages`` are the names of the pages, in the order in which they are to
    be found.
    """
    entries = [
        {"href": f"{name}.html{anchor}", "title": title, "heading": heading, "text": text}
        for name in pages
        for title, anchor, heading, text in _found_in(site / f"{name}.html")
    ]
    index = json.dumps(entries, ensure_ascii=False)
    (site / NAME).write_text(f"window.searchIndex = {index};\n", encoding="utf-8")


def _found_in(page: Path) -> Iterator[tuple[str, str, str, str]]:
    """Title of the page, anchor, heading and text of all it holds; the page's beginning first."""
    root = parse(page.read_text(encoding="utf-8"))
    (main,) = _all(root, "main")
    title = _text(next(_all(main, "h1")))
    yield title, "", "", _text(main)
    for section in _all(main, "section"):
        headings = [heading for level in ("h2", "h3") for heading in _children(section, level)]
        if headings and section.attributes.get("id"):
            yield title, f"#{section.attributes['id']}", _text(headings[0]), _text(section)
    for node in _all(main, "figure", "div", "li"):
        anchor = node.attributes.get("id", "")
        if _CAPTIONED.match(anchor) and (caption := next(_all(node, "figcaption"), None)):
            name, _, text = _text(caption).partition(": ")
            yield title, f"#{anchor}", name, text
        elif anchor.startswith("claim-"):
            for statement in _all(node, "p"):
                if "claim-statement" in statement.classes:
                    yield title, f"#{anchor}", anchor.removeprefix("claim-"), _text(statement)
    for term, meaning in _terms(main):
        for named in _all(term, "span"):
            if named.attributes.get("id", "").startswith("term-"):
                yield title, f"#{named.attributes['id']}", _text(term), _text(meaning)
    for fold in _all(main, "details"):
        if "references" in fold.classes:
            named, references = next(_all(fold, "summary")), next(_all(fold, "div"))
            yield title, "#refs", _text(named), _text(references)


def _terms(main: Node) -> Iterator[tuple[Node, Node]]:
    """Terms of a list, each with what it means."""
    term = None
    for node in _all(main, "dt", "dd"):
        if node.tag == "dt":
            term = node
        elif term:
            yield term, node
            term = None


def _children(node: Node, tag: str) -> list[Node]:
    return [child for child in node.children if isinstance(child, Node) and child.tag == tag]


def _all(node: Node, *tags: str) -> Iterator[Node]:
    """Elements of some kinds below a node, in their order."""
    for child in node.children:
        if isinstance(child, Node):
            if child.tag in tags:
                yield child
            yield from _all(child, *tags)


def _text(node: Node) -> str:
    """Text of a node as a reader sees it, without its sections, headings and controls."""

    def pieces(node: Node) -> Iterator[str]:
        for child in node.children:
            if isinstance(child, str):
                yield child
            elif child.tag not in _BESIDE and ("callout" in child.classes or not child.dropped):
                yield from pieces(child)
                # Words of two cells are two words.
                yield " " if child.tag in BLOCKS | {"br", "li", "td", "th"} else ""

    return " ".join("".join(pieces(node)).split())
