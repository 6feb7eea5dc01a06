"""One document of the whole report, in the order of the sidebar."""

import json
import os
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from analysis.fonts import drawable
from analysis.site.paper.fragment import set_letters, to_typst
from analysis.site.source import dialect
from analysis.site.source.page import PLACEHOLDER, Page, Value
from analysis.site.source.pandoc import FILTERS, convert
from analysis.site.source.project import Project
from analysis.site.source.tree import anchors

_HERE = Path(__file__).parent
_LABEL = re.compile(r"\{#([\w-]+)[ }]")
_SECTION = re.compile(r"^## +(.*?)\s*\{#(sec-[\w-]+)\}$", re.MULTILINE)
_LINK = re.compile(r"(?:([\w-]+)\.html)?(?:#([\w-]+))?")


@dataclass(frozen=True)
class Paper:
    """The whole report as one document.

    Attributes
    ----------
    title, short_title, description
        Titles of the front page and of the site, and the description of the front page.
    lang
        Language of the text.
    document
        All chapters, as pandoc's JSON. Tables and pictures of notebooks are Typst already.
    pictures
        Content of the drawings that the text shows, under the names by which it does.
    """

    title: str
    short_title: str
    description: str
    lang: str
    document: dict[str, Any]
    pictures: dict[str, bytes]


def assemble(project: Project) -> Paper:
    """Make one document of the pages of a project.

    Raises
    ------
    InputError
        If a page holds what cannot be resolved; names page and what is missing.
    """
    pages = [Page.read(project, name) for name in project.pages]
    chapters = [
        _Chapter.of(project, page, text)
        for page, (_, text) in zip(pages, project.navigation, strict=True)
    ]
    labels = {label for chapter in chapters for label in chapter.labels}
    aliases = {old: new for chapter in chapters for old, new in chapter.aliases.items()}
    cited = {
        key
        for page in pages
        for key in re.findall(r"@([\w-]+)", page.markdown)
        if key in project.citation_keys
    }
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        blocks = list(
            pool.map(lambda chapter: chapter.blocks(project, labels, aliases, cited), chapters)
        )
    return Paper(
        title=pages[0].meta["title"],
        short_title=project.website["title"],
        description=pages[0].meta.get("description", ""),
        lang=project.lang,
        document={
            **blocks[0],
            "blocks": [block for chapter in blocks for block in chapter["blocks"]],
        },
        pictures={name: data for chapter in chapters for name, data in chapter.pictures.items()},
    )


@dataclass
class _Chapter:
    """A page on its way into the document."""

    page: Page
    title: str
    labels: set[str]
    aliases: dict[str, str]
    opens: bool
    pictures: dict[str, bytes] = field(default_factory=dict)

    @classmethod
    def of(cls, project: Project, page: Page, text: str | None) -> "_Chapter":
        name, title = page.name, text or page.meta["title"]
        first = _SECTION.search(page.markdown)
        # A page that opens with a section of its own name is that section.
        aliases = {_label(name, first[2]): f"sec-{name}"} if first and first[1] == title else {}
        labels = {_label(name, anchor) for anchor in _LABEL.findall(page.markdown)}
        for outputs in page.insertions:
            if not isinstance(outputs, str):
                cells = (anchors(text) for kind, text in outputs if kind == "html")
                labels |= {_label(name, anchor) for names in cells for anchor in names}
        labels = labels - set(aliases) | {f"sec-{name}"}
        return cls(page, title, labels, aliases, opens=name == project.pages[0])

    def blocks(
        self, project: Project, labels: set[str], aliases: dict[str, str], cited: set[str]
    ) -> dict[str, Any]:
        """Return the chapter as pandoc's JSON."""
        page = self.page

        def resolve(target: str) -> str | None:
            if target.startswith(("https://", "http://")):
                return f'"{target}"'.replace("\\", "%5C")
            link = _LINK.fullmatch(target)
            if not link or not (link[1] or link[2]):
                return None
            if link[2] and link[2].startswith("ref-"):
                return f"<{link[2]}>" if link[2].removeprefix("ref-") in cited else None
            label = _label(link[1] or page.name, link[2] or "")
            label = aliases.get(label, label)
            return f"<{label}>" if label in labels else None

        def place(file: str) -> str:
            path = f"{page.name}-{len(self.pictures)}{Path(file).suffix}"
            data = (project.directory / file).read_bytes()
            if path.endswith(".svg"):
                data = set_letters(data.decode()).encode()
            self.pictures[path] = data
            return path

        context = {
            "page": page.name,
            "title": self.title,
            "description": "" if self.opens else page.meta.get("description", ""),
            "placeholder": PLACEHOLDER.format("(%d+)"),
            "insertions": [_printed(value, place, resolve) for value in page.insertions],
            "pages": {name: True for name in project.pages},
            "labels": {label: True for label in labels},
            "aliases": aliases,
            "citation_keys": {key: True for key in project.citation_keys},
            "reference_words": project.reference_words,
        }
        filters = [
            FILTERS / "insertions.lua",
            FILTERS / "conditions.lua",
            _HERE / "assemble.lua",
            *(project.directory / shared["path"] for shared in project.config["filters"]),
        ]
        written = convert(
            page.markdown,
            where=str(project.directory / f"{page.name}.qmd"),
            options={
                "from": "markdown",
                "to": "json",
                "filters": [str(script) for script in filters],
                "metadata": project.numbers,
            },
            context=context,
        )
        return json.loads(written)


def _label(page: str, anchor: str) -> str:
    """Label in the document of an anchor of a page; the same in assemble.lua."""
    if not anchor:
        return f"sec-{page}"
    kind, _, rest = anchor.partition("-")
    return f"{kind}-{page}-{rest}" if kind in dialect.REFERENCES and rest else f"{page}-{anchor}"


def _printed(
    value: Value,
    place: Callable[[str], str],
    resolve: Callable[[str], str | None],
) -> Value:
    """Value of a shortcode as the paper shows it."""
    if isinstance(value, str):
        return drawable(value)
    printed = []
    for kind, text in value:
        if kind == "html":
            printed.append(("typst", to_typst(text, place, resolve) or "#omitted"))
        elif kind == "laid-out":  # the reference of the library, to look things up in, not to read
            printed.append(("typst", "#omitted"))
        else:
            printed.append((kind, text))
    return printed
