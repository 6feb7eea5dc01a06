"""Words and sentences in the page's language, from ``report/LANGUAGE/messages``, a file a page.

What a page states has a file of its own, in ``findings``: an edited sentence draws no figure anew.
The files are in the format of Project Fluent (https://projectfluent.org), in which a sentence can
choose by number and outcome: who writes a language needs to read no Python, and Python holds none.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import yaml

from analysis.paths import FINDINGS
from attention_mixing.markup import escape
from attention_mixing.messages import Words

MESSAGES = Path(__file__).parents[2] / "report"
PAGES = MESSAGES / "_common.yml"  # lists the pages after the first, in their order
SHARED = "shared"  # what several pages say
# What is about other pages: they name the chapters, and say what became of their claims. The
# findings are stated in the words of the chapters, and have none of their own.
OVERVIEWS = ("paper", "run", "claims", "advice", "provenance", FINDINGS.name)


def words(language: str, page: str = SHARED) -> Words:
    """Words that all pages share, and those of one page, in ``en`` or ``ja``.

    ``page`` is one such as ``propagation``; one of :data:`OVERVIEWS` has those of every chapter as
    well.
    """
    messages = Words(language)
    for file in files(page):
        messages.read(MESSAGES / language / "messages" / f"{file}.ftl")
    return messages


def sentences(language: str, chapter: str) -> Words:
    """Words of a page, and the sentences that it can state."""
    messages = words(language, chapter)
    messages.read(sentences_file(language, chapter))
    return messages


def sentences_file(language: str, chapter: str) -> Path:
    """File of the sentences that a page can state."""
    return MESSAGES / language / "messages" / "findings" / f"{chapter}.ftl"


def stating() -> list[str]:
    """Names of the pages with findings, in the order of the sidebar."""
    return [name for name in chapters() if sentences_file("en", name).is_file()]


def files(page: str) -> list[str]:
    """Names of the files that hold the words of a page; what a later one says goes."""
    others = chapters() if page in OVERVIEWS else []
    of_page = [] if page == FINDINGS.name else [page]
    return [*dict.fromkeys([*(other for other in others if other != page), SHARED, *of_page])]


def chapters() -> list[str]:
    """Names of the pages that state something, in the order of the sidebar."""
    listed = yaml.safe_load(PAGES.read_text(encoding="utf-8"))["website"]["sidebar"]["contents"]
    names = ["paper", *(page.removesuffix(".qmd") for page in listed)]
    return [name for name in names if (MESSAGES / "en" / "messages" / f"{name}.ftl").is_file()]


def stale_mark(w: Mapping[str, str]) -> str:
    """Mark what would come out otherwise today; the page on provenance names the measures."""
    title = escape(w["stale"])
    return f' <a class="stale" href="provenance.html#tbl-references" title="{title}">†</a>'


def page_link(page: str, w: Mapping[str, str]) -> str:
    """Write a link to a page by its title."""
    return f'<a href="{page}.html">{escape(w[f"chapter_{page}"])}</a>'
