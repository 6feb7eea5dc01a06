"""Words and sentences in the page's language, from ``report/LANGUAGE/messages``, a file a page.

What a page states has a file of its own, in ``findings``: an edited sentence draws no figure anew.
The files are in the format of Project Fluent (https://projectfluent.org), in which a sentence can
choose by number and outcome: who writes a language needs to read no Python, and Python holds none.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from fluent.runtime import FluentBundle, FluentResource
from fluent.syntax import ast

from analysis.paths import FINDINGS

MESSAGES = Path(__file__).parents[2] / "report"
PAGES = MESSAGES / "_common.yml"  # lists the pages after the first, in their order
SHARED = "shared"  # what several pages say
# What is about other pages: they name the chapters, and say what became of their claims. The
# findings are stated in the words of the chapters, and have none of their own.
OVERVIEWS = ("index", "claims", "advice", "provenance", FINDINGS.name)


_parsed = cache(FluentResource)  # files are read for several pages


class Words(dict[str, str]):
    """Messages of one language by their names.

    Arguments of a message stand in braces, for ``str.format`` by name; what chooses by them is to
    be asked for by :meth:`say`.
    """

    def __init__(self, language: str) -> None:
        self.language = language
        self._resources: list[ast.Resource] = []

    def read(self, path: Path) -> None:
        """Add the messages of a file; later ones replace those of the same name."""
        text = path.read_text(encoding="utf-8")
        self._resources.append(_parsed(text))
        # A new one, for a bundle goes on saying the messages that it has once said.
        self._bundle = FluentBundle([self.language], use_isolating=False)
        for resource in self._resources:
            self._bundle.add_resource(resource, allow_overrides=True)
        arguments = {name: f"{{{name}}}" for name in re.findall(r"\$(\w+)", text)}
        for name in re.findall(r"^([a-zA-Z][\w-]*) =", text, re.M):
            # Names of messages have neither plus nor stroke; some names of results have.
            key = name.replace("-plus-", "+").replace("-in-", "/")
            self[key] = self.say(name, **arguments)

    def say(self, name: str, /, **arguments: Any) -> str:
        """Write a message whose text depends on its arguments.

        Raises
        ------
        KeyError
            If there is none of that name.
        ValueError
            If it asks for an argument that is not given.
        """
        pattern = self._bundle.get_message(name).value
        assert pattern is not None  # every message has a text
        said, errors = self._bundle.format_pattern(pattern, arguments)
        if errors:
            raise ValueError(f"message {name} ({self.language}): {errors[0]}")
        return str(said)


def words(language: str, page: str = SHARED) -> Words:
    """Words that all pages share, and those of one page.

    Parameters
    ----------
    language
        ``en`` or ``ja``.
    page
        Such as ``propagation``; one of :data:`OVERVIEWS` has those of every chapter as well.
    """
    found = Words(language)
    for file in files(page):
        found.read(MESSAGES / language / "messages" / f"{file}.ftl")
    return found


def sentences(language: str, chapter: str) -> Words:
    """Words of a page, and the sentences that it can state."""
    found = words(language, chapter)
    found.read(sentences_file(language, chapter))
    return found


def sentences_file(language: str, chapter: str) -> Path:
    """File of the sentences that a page can state."""
    return MESSAGES / language / "messages" / "findings" / f"{chapter}.ftl"


def stating() -> list[str]:
    """Names of the pages with findings, in the order of the sidebar."""
    return [name for name in chapters() if sentences_file("en", name).is_file()]


def files(page: str) -> list[str]:
    """Names of the files that hold the words of a page; what a later one says goes."""
    others = chapters() if page in OVERVIEWS else []
    own = [] if page == FINDINGS.name else [page]
    return [*dict.fromkeys([*(one for one in others if one != page), SHARED, *own])]


def chapters() -> list[str]:
    """Names of the pages that state something, in the order of the sidebar."""
    listed = yaml.safe_load(PAGES.read_text(encoding="utf-8"))["website"]["sidebar"]["contents"]
    names = ["index", *(page.removesuffix(".qmd") for page in listed)]
    return [name for name in names if (MESSAGES / "en" / "messages" / f"{name}.ftl").is_file()]


def nth_layer(layer: int, w: Words) -> str:
    """Name a layer, counted from 1."""
    return w["nth_layer"].format(layer=layer)


def beside(one: str, other: str, w: Words) -> str:
    """Say two things of one panel."""
    return w["beside"].format(one=one, other=other)
