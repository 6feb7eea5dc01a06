"""The chapters are one argument, in one set of words: lints over the sources of the pages."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from small_report import REPORT, ROOT, listed_pages

from analysis.figures.words import words
from report.preview.conditions import shown_parts

LANGUAGES = ("en", "ja")
PAGES = sorted((page.parent.name, page.stem) for page in REPORT.glob("*/*.qmd"))
# Pages that are no part of the argument.
ASIDE = {"index", "advice", "glossary", "provenance", "rerun", "library"}
# Chapters with a finding, in the order in which each hands over to the next.
CHAPTERS = [name for page in listed_pages("en") if (name := page.removesuffix(".qmd")) not in ASIDE]
KANA = re.compile(r"[\u3041-\u30ff]")


def body(language: str, name: str) -> str:
    """Text of a page of a run that has evidence for all of it, without the conditions."""
    text = (REPORT / language / f"{name}.qmd").read_text(encoding="utf-8")
    shown = "".join(text[start:end] for start, end in shown_parts(text, lambda key: True))
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


# Order -------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_page_leads_to_every_other(language):
    linked = set(re.findall(r"\]\((\w+\.qmd)", body(language, "index")))
    assert set(listed_pages(language)) - linked == {"index.qmd"}


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


# Alternative texts -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", sorted((REPORT / "en" / "messages").glob("*.ftl")), ids=lambda path: path.stem
)
def test_messages_are_in_the_language_of_the_page(path):
    """Alternative texts are sentences, so that the Japanese ones have kana."""
    assert not KANA.search(path.read_text(encoding="utf-8"))
    described = {name for name in words("ja", path.stem) if name.startswith("alt_")}
    for name in described:
        assert KANA.search(words("ja", path.stem)[name])
        assert words("en", path.stem)[name].strip()


# Words -------------------------------------------------------------------------------------------

ENTRY = re.compile(r"^\[((?:\\.|[^\]])+)\]\{#term-([\w-]+)\}(?: ?[(（]\[((?:\\.|[^\]])+)\])?", re.M)


def entries(language: str) -> dict[str, tuple[str, str]]:
    """Return the terms of one glossary: id -> the term, and the same in the other language."""
    return {
        name: (term, other or term)
        for term, name, other in ENTRY.findall(body(language, "glossary"))
    }


def test_both_glossaries_hold_the_same_terms():
    english, japanese = entries("en"), entries("ja")
    assert len(english) == body("en", "glossary").count("{#term-")
    assert list(english) == list(japanese)
    for name, (term, other) in english.items():
        translated, original = japanese[name]
        assert other.lower() == translated.lower()
        assert original.lower() == term.lower()


@pytest.mark.parametrize(("language", "name"), PAGES)
def test_every_linked_term_has_an_entry(language, name):
    linked = set(re.findall(r"glossary\.qmd#term-([\w-]+)", body(language, name)))
    assert linked <= entries(language).keys()


def test_terms_are_linked_on_the_same_pages_in_both_languages():
    def linked(language):
        return {
            name: sorted(re.findall(r"glossary\.qmd#([\w-]+)", body(language, name)))
            for one, name in PAGES
            if one == language
        }

    assert linked("en") == linked("ja")


ONE_WORD = yaml.safe_load(Path(__file__).with_name("one_word.yaml").read_text(encoding="utf-8"))
JAPANESE = [
    *sorted((REPORT / "ja").glob("*.qmd")),
    REPORT / "ja" / "_quarto.yml",
    *sorted((ROOT / "analysis").rglob("*.py")),
]


@pytest.mark.parametrize("path", JAPANESE, ids=lambda path: path.stem)
def test_one_thing_has_one_word(path):
    text = re.sub("「[^」]*」", "", path.read_text(encoding="utf-8"))  # words of others
    found = {word: re.findall(f".{{0,8}}(?:{other})", text) for word, other in ONE_WORD.items()}
    assert not {word: hits for word, hits in found.items() if hits}


def test_the_glossary_has_the_words_that_are_written():
    words = "、".join(term for term, _ in entries("ja").values())
    text = "".join(body("ja", name) for language, name in PAGES if language == "ja")
    for word in "、".join(ONE_WORD).split("、"):
        assert word in words or word in text


@pytest.mark.parametrize("name", sorted(name for language, name in PAGES if language == "ja"))
def test_japanese_is_written_in_plain_style(name):
    """である, not です・ます; and the marks 、。 rather than ，．"""
    prose = re.sub(r"^```.*?^```$|`[^`\n]+`|\$[^$]+\$", "", body("ja", name), flags=re.M | re.S)
    assert not re.findall(r".{0,8}(?:です|ます|でした|ました|ません)[。、）\n]", prose)
    assert not re.findall(r".{0,8}[，．]", prose)
