"""From the pages of a project to the files of a site."""

import html
import os
import re
import shutil
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from analysis.paths import REPORT, ROOT
from analysis.site.source import dialect
from analysis.site.source.page import PLACEHOLDER, SHORTCODE, Page, Resolver
from analysis.site.source.pandoc import FILTERS, convert
from analysis.site.source.project import Project

HERE = Path(__file__).parent
# What the filters of the pages ask of the configuration.
_ASKED = ("cited-as", "has", "long-tables", "other-formats", "paper", "pdfs")


def render(project: Project, site: Path) -> None:
    """Render a Quarto website project with pandoc, into a directory that is made.

    Raises
    ------
    InputError
        If a page holds what cannot be resolved or is not part of the dialect.
    """
    pages = [Page.read(project, name) for name in project.pages]
    assets = site / "assets"
    assets.mkdir(parents=True)
    for asset in (ROOT / REPORT / "assets" / "paper.css", HERE / "frame.css", HERE / "hover.js"):
        shutil.copyfile(asset, assets / asset.name)
    for pattern in project.config["project"].get("resources", []):
        for file in filter(Path.is_file, project.directory.glob(pattern)):
            copy = site / file.relative_to(project.directory)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        texts = pool.map(lambda page: _render_page(project, pages, page), pages)
        for page, text in zip(pages, texts, strict=True):
            (site / f"{page.name}.html").write_text(text, encoding="utf-8")


def _render_page(project: Project, pages: list[Page], page: Page) -> str:
    """Return the HTML of one page."""
    written = convert(
        page.markdown,
        where=str(project.directory / f"{page.name}.qmd"),
        options=_options(project, pages, page),
        context=_context(project, page),
    )
    notes = html.escape(project.word("section-title-footnotes"))
    return re.sub(r'(<section id="footnotes"[^>]*>)\s*<hr />', rf"\1\n<h2>{notes}</h2>", written)


def _context(project: Project, page: Page) -> dict[str, Any]:
    """Return what the filters need to know beside the text."""
    return {
        "placeholder": PLACEHOLDER.format("(%d+)"),
        "insertions": page.insertions,
        "chapter": str(project.pages.index(page.name) + 1),
        "pages": {name: True for name in project.pages},
        "citation_keys": {key: True for key in project.citation_keys},
        "div_classes": {name: True for name in dialect.DIV_CLASSES},
        "span_classes": {name: True for name in dialect.SPAN_CLASSES},
        "reference_words": project.reference_words,
        "callout_words": project.callout_words,
        "references_title": project.word("section-title-references"),
    }


def _options(project: Project, pages: list[Page], page: Page) -> dict[str, Any]:
    """Return pandoc's options for one page."""
    shared: dict[bool, list[str]] = {True: [], False: []}
    for entry in project.config["filters"]:
        shared[entry["at"] == "pre-ast"].append(str(project.directory / entry["path"]))
    return {
        "from": "markdown",
        "to": "html5",
        "standalone": True,
        "template": str(HERE / "page.html"),
        "section-divs": True,
        "table-of-contents": page.meta.get(dialect.CONTENTS, True),
        "toc-depth": project.html["toc-depth"],
        "html-math-method": {"method": "mathml"},
        "fail-if-warnings": True,
        "wrap": "preserve",
        "filters": [
            str(FILTERS / "insertions.lua"),
            str(FILTERS / "conditions.lua"),
            *shared[True],
            str(HERE / "filters" / "blocks.lua"),
            str(HERE / "filters" / "references.lua"),
            *shared[False],
            "citeproc",
        ],
        # The template has what is written out there.
        "include-in-header": [
            str(project.directory / file)
            for file in project.html["include-in-header"]
            if isinstance(file, str)
        ],
        "include-after-body": [
            str(project.directory / file) for file in project.html["include-after-body"]
        ],
        "bibliography": [str(project.path("bibliography"))],
        "csl": str(project.path("csl")),
        "metadata": {
            "lang": project.lang,
            "link-citations": True,
            **{key: project.config[key] for key in _ASKED},
            "page": page.name,
            "notebooks": page.notebooks,
            **{key: value for key, value in page.meta.items() if key != dialect.CONTENTS},
        },
        "variables": _frame(project, pages, page),
    }


def _frame(project: Project, pages: list[Page], page: Page) -> dict[str, Any]:
    """Return what surrounds the text of a page, as variables of the template (escaped HTML)."""
    titles = {entry.name: entry.meta["title"] for entry in pages}
    sidebar = [
        {
            "href": f"{name}.html",
            "text": html.escape(text or titles[name]),
            **({"current": True} if name == page.name else {}),
        }
        for name, text in project.navigation
    ]
    index = project.pages.index(page.name)
    # The other language has the same pages: the link to its front page leads to this page there.
    # External ones lead away from the site.
    languages, links = [], []
    for item in project.website["navbar"].get("right", []):
        href, text = item["href"], html.escape(item["text"])
        if item.get("rel") != "external":
            address = html.escape(href.replace("index.html", f"{page.name}.html"))
            languages.append({"href": address, "lang": href.split("/")[-2], "text": text})
        else:
            links.append({"href": html.escape(href), "text": text})
    words = (
        "toc-title-website",
        "toggle-dark-mode",
        "toggle-navigation",
    )
    return {
        **_addresses(project, page),
        "byline": [html.escape(author) for author in project.byline],
        "site-title": html.escape(project.website["title"]),
        "sidebar": sidebar,
        "previous": sidebar[index - 1] if index > 0 else None,
        "next": sidebar[index + 1] if index + 1 < len(sidebar) else None,
        "languages": languages,
        "links": links,
        "footer": html.escape(_footer(project)),
        "skip-link": html.escape(project.config["skip-link"]),
        "search-words": {
            key: html.escape(word) for key, word in project.config["search-words"].items()
        },
        "word": {word: html.escape(project.word(word)) for word in words},
    }


def _addresses(project: Project, page: Page) -> dict[str, Any]:
    """Return where the page and its other language are, and what is shown where it is linked to."""
    website, config = project.website, project.config
    root = config.get("site-root")
    published = website.get("site-url")
    name = f"{page.name}.html"
    described = {
        "title": f"{page.meta['title']} – {website['title']}",
        "description": page.meta.get("description"),
        # Who shows a link finds no relative address.
        "image": "/".join((published, website["open-graph"]["image"])) if published else None,
        "site_name": website["title"],
    }
    cited = {
        "title": page.meta["title"],
        "author": config.get("author", []),
        "publication_date": config.get("date"),
        "language": project.lang,
    }
    repository = website.get("repo-url")
    actions = {
        "source": f"{repository}/blob/main/{website.get('repo-subdir')}/{page.name}.qmd",
        "issue": f"{repository}/issues/new",
    }
    return {
        "icon": html.escape(website["favicon"]),
        "alternates": [
            {"lang": one["lang"], "href": html.escape(f"{one['directory']}/{name}")}
            for one in config["languages"]
        ],
        "canonical": html.escape(f"{root}/{project.lang}/{name}") if root else None,
        "open-graph": _pairs(described),
        "scholar": _pairs(cited),
        "actions": [
            {
                "href": html.escape(actions[action]),
                "text": html.escape(project.word(f"repo-action-links-{action}")),
            }
            for action in website.get("repo-actions", [])
        ],
    }


def _pairs(values: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return keys and values, a pair for each value of a list and none for None."""
    return [
        {"key": key, "value": html.escape(str(item))}
        for key, value in values.items()
        for item in (value if isinstance(value, list) else [value])
        if item is not None
    ]


def _footer(project: Project) -> str:
    """Return the footer with its shortcodes resolved."""
    resolver = Resolver(project, {})
    where = f"the footer of {project.directory / '_quarto.yml'}"
    return SHORTCODE.sub(
        lambda shortcode: str(resolver.resolve(shortcode[1], where)),
        project.website["page-footer"]["center"],
    )
