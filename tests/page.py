"""A reader of the markup that figures write."""

from collections import defaultdict
from html.parser import HTMLParser


class Page(HTMLParser):
    """Elements, each a tag with its attributes, the text of the whole and of every element."""

    VOID = frozenset({"br", "img", "input", "link", "meta"})

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict]] = []
        self.open: list[str] = []
        self.text = ""
        self.texts: dict[str, list[str]] = defaultdict(list)
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.texts[tag].append("")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data
        if self.open:
            self.texts[self.open[-1]][-1] += data

    def all(self, tag):
        return [attributes for one, attributes in self.elements if one == tag]
