"""One document of several pages of the site, or of one."""

import json
import os
import re
from collections.abc import Callable, Collection, Sequence
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
class Document:
    """Pages of the site as one document.

    Attributes
    ----------
    title
        Title of the page, where there is one alone; else that of the site.
    subtitle
        What the document is to the paper; empty where it is of one page.
    lang
        Language of the text.
    content
        All chapters, as pandoc's JSON. Tables and pictures of notebooks are Typst already.
    pictures
        Content of the drawings that the text shows, under the names by which it does.
    """

    title: str
    subtitle: str
    lang: str
    content: dict[str, Any]
    pictures: dict[str, bytes]


def assemble(project: Project, names: Sequence[str]) -> Document:
    """Make one document of pages of a project, named in the order of the sidebar.

    Everything has the number that it has on the site. A page alone is an article, whose title is
    that of the page; several are chapters of a supplement. A link to a page that the document does
    not have is its text.

    Raises
    ------
    InputError
        If a page holds what cannot be resolved; names page and what is missing.
    """
    # All of them: where links to pages of another document lead is looked up as well.
    site = {
        name: _Chapter.of(Page.read(project, name), text, number)
        for number, (name, text) in enumerate(project.navigation, 1)
    }
    chapters, alone = [site[name] for name in names], len(names) == 1
    known = _Known(
        within=names,
        labels={label for chapter in site.values() for label in chapter.labels},
        aliases={old: new for chapter in site.values() for old, new in chapter.aliases.items()},
        cited={
            key
            for chapter in chapters
            for key in re.findall(r"@([\w-]+)", chapter.page.markdown)
            if key in project.citation_keys
        },
    )
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        made = list(pool.map(lambda chapter: chapter.content(project, known, alone), chapters))
    blocks = [block for content in made for block in content["blocks"]]
    if known.cited:
        heading = [{"t": "Str", "c": project.word("section-title-references")}]
        attributes = ["bibliography", ["unnumbered"], []]
        blocks.append({"t": "Header", "c": [2 if alone else 1, attributes, heading]})
    return Document(
        title=chapters[0].page.meta["title"] if alone else project.website["title"],
        subtitle="" if alone else project.config["supplement"],
        lang=project.lang,
        content={**made[0], "blocks": blocks},
        pictures={name: data for chapter in chapters for name, data in chapter.pictures.items()},
    )


@dataclass(frozen=True)
class _Known:
    """What a chapter is told of the others.

    Attributes
    ----------
    within
        Pages of the document.
    labels, aliases
        Of all pages of the site.
    cited
        What the document cites.
    """

    within: Collection[str]
    labels: set[str]
    aliases: dict[str, str]
    cited: set[str]


@dataclass
class _Chapter:
    """A page on its way into the document."""

    page: Page
    title: str
    number: int
    labels: set[str]
    aliases: dict[str, str]
    pictures: dict[str, bytes] = field(default_factory=dict)

    @classmethod
    def of(cls, page: Page, text: str | None, number: int) -> "_Chapter":
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
        return cls(page, title, number, labels, aliases)

    def content(self, project: Project, known: _Known, alone: bool) -> dict[str, Any]:
        """Return the chapter as pandoc's JSON; without its title, where it is ``alone``."""
        page = self.page

        def resolve(target: str) -> str | None:
            if target.startswith(("https://", "http://")):
                return f'"{target}"'.replace("\\", "%5C")
            link = _LINK.fullmatch(target)
            if not link or not (link[1] or link[2]):
                return None
            if link[2] and link[2].startswith("ref-"):
                return f"<{link[2]}>" if link[2].removeprefix("ref-") in known.cited else None
            target_page = link[1] or page.name
            label = _label(target_page, link[2] or "")
            label = known.aliases.get(label, label)
            return f"<{label}>" if target_page in known.within and label in known.labels else None

        def place(file: str) -> str:
            path = f"{page.name}-{len(self.pictures)}{Path(file).suffix}"
            data = (project.directory / file).read_bytes()
            if path.endswith(".svg"):
                data = set_letters(data.decode()).encode()
            self.pictures[path] = data
            return path

        context = {
            "page": page.name,
            "number": self.number,
            "title": "" if alone else self.title,
            "description": page.meta.get("description", ""),
            "placeholder": PLACEHOLDER.format("(%d+)"),
            "insertions": [_printed(value, place, resolve) for value in page.insertions],
            "pages": {name: True for name in project.pages},
            "within": {name: True for name in known.within},
            "labels": {label: True for label in known.labels},
            "aliases": known.aliases,
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
                "metadata": {"paper": project.config["paper"]},
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
