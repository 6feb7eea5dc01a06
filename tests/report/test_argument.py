"""The chapters are one argument, in one set of terms: lints over the sources of the pages."""

import re
from itertools import pairwise

import pytest
from small_report import LANGUAGES, PAGES, listed_pages, source

from report.preview.conditions import shown_parts

# Pages that are no part of the argument.
ASIDE = {"index", "advice", "explorer", "glossary", "provenance", "rerun", "library", "api"}
# Chapters with a finding, in the order in which each hands over to the next.
CHAPTERS = [name for page in listed_pages("en") if (name := page.removesuffix(".qmd")) not in ASIDE]


def body(language: str, name: str) -> str:
    """Text of a page of a run that has evidence for all of it, without the conditions."""
    text = source(language, name)
    # No model has failed, and each sees its texts.
    met = shown_parts(text, lambda key: key not in ("has.unlearned", "has.unread"))
    shown = "".join(text[start:end] for start, end in met)
    lines: list[str] = []
    fences: list[str] = []
    for line in shown.split("---\n", 2)[2].split("\n"):
        if line.startswith(":::"):
            fence = fences.pop() if line == ":::" else line
            if line != ":::":
                fences.append(line)
            if fence == "::: {.content-visible}":
                continue
        lines.append(line)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_opens_with_its_finding_and_the_figure_that_shows_it(language, name):
    finding, figure = body(language, name).split("\n\n")[:2]
    assert re.match(rf"\[?\{{\{{< var {name}\.[\w-]+ >\}}\}}", finding)
    (label,) = re.findall(r"^::: \{#(fig-[\w-]+)\}$", figure, re.M)
    assert f"@{label}" in finding


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("name", "following"), list(pairwise(CHAPTERS)))
def test_a_chapter_hands_over_to_the_next(language, name, following):
    paragraphs = [one for one in body(language, name).split("\n\n") if not one.startswith("[^")]
    assert f"]({following}.qmd" in paragraphs[-1]


def test_the_first_page_leads_to_every_other():
    linked = set(re.findall(r"\]\((\w+\.qmd)", body("en", "index")))
    assert set(listed_pages("en")) - linked == {"index.qmd"}


@pytest.mark.parametrize(("language", "name"), PAGES)
def test_every_figure_and_table_is_spoken_of(language, name):
    """Its label stands in the text, its own caption aside."""
    text = body(language, name)
    blocks = re.findall(r"^::: \{#((?:fig|tbl)-[\w-]+)\}\n(.*?)^:::$", text, re.M | re.S)
    unspoken = [
        label
        for label, block in blocks
        if not re.search(rf"@{label}(?![\w-])", text.replace(block, ""))
    ]
    assert not unspoken


ENTRY = re.compile(r"^\[((?:\\.|[^\]])+)\]\{#term-([\w-]+)\}(?: ?[(（]\[((?:\\.|[^\]])+)\])?", re.M)


def test_both_glossaries_hold_the_same_terms():
    def entries(language: str) -> dict[str, tuple[str, str]]:
        found = ENTRY.findall(source(language, "glossary"))
        return {name: (term.lower(), (other or term).lower()) for term, name, other in found}

    english, japanese = entries("en"), entries("ja")
    assert len(english) == source("en", "glossary").count("{#term-")
    assert list(english) == list(japanese)
    for name, (term, other) in english.items():
        assert japanese[name] == (other, term)
