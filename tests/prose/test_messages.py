"""Both languages say the same things, in files of their own that every module can read."""

import re
from pathlib import Path

import pytest
from fluent.syntax import FluentParser, ast

from analysis.prose.messages import MESSAGES, SHARED, chapters, stating, words
from analysis.prose.phrases import beside, nth_layer
from attention_mixing.words import Words

FILES = sorted(path.name for path in (MESSAGES / "en" / "messages").glob("*.ftl"))
NOTEBOOKS = Path(__file__).parents[2] / "analysis" / "notebooks"


def messages(language: str, file: str) -> dict[str, set[str]]:
    """Arguments of every message by its name."""
    text = (MESSAGES / language / "messages" / file).read_text(encoding="utf-8")
    parsed = FluentParser().parse(text)
    assert not [entry for entry in parsed.body if isinstance(entry, ast.Junk)]
    named = [entry for entry in parsed.body if isinstance(entry, ast.Message)]
    return {
        entry.id.name: set(re.findall(r"\$(\w+)", text[entry.span.start : entry.span.end]))
        for entry in named
    }


def test_every_page_that_a_notebook_fills_has_its_file_of_words():
    notebooks = {path.stem for path in NOTEBOOKS.glob("*.py")}
    for language in ("en", "ja"):
        files = {path.stem for path in (MESSAGES / language / "messages").iterdir()}
        assert files == notebooks | {SHARED}
        stated = {path.stem for path in (MESSAGES / language / "messages" / "findings").iterdir()}
        assert stated == set(stating())


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_page_has_one_name(language):
    """What other pages call it is its title; the first one is called as in the sidebar."""
    w, report = words(language, "claims"), MESSAGES / language
    for name in chapters():
        source = (report / f"{name}.qmd").read_text(encoding="utf-8")
        title = re.search(r'^title: "(.*)"$', source, re.M)[1]
        if name == "index":
            source = (report / "_quarto.yml").read_text(encoding="utf-8")
            title = re.search(r'index.qmd, text: "(.*)"', source)[1]
        assert w[f"chapter_{name}"] == title


def test_pages_about_others_have_their_words_and_their_own_last():
    w = words("en", "advice")
    assert w["B9_statement"] == words("en", "mixing")["B9_statement"]
    assert w["question"] == words("en", "advice")["question"]
    assert w["layer"] == words("en")["layer"]


@pytest.mark.parametrize("file", [*FILES, *(f"findings/{page}.ftl" for page in stating())])
def test_both_languages_have_the_same_messages_with_the_same_arguments(file):
    english, japanese = (messages(language, file) for language in ("en", "ja"))
    assert list(english) == list(japanese)
    for one, other in zip(english.values(), japanese.values(), strict=True):
        assert one <= other or other <= one  # a language may leave an argument out
    for language in ("en", "ja"):
        read = Words(language)
        read.read(MESSAGES / language / "messages" / f"{SHARED}.ftl")
        read.read(MESSAGES / language / "messages" / file)
        assert len(read) >= len(english)
        assert all(text.strip() for text in read.values())


def test_arguments_are_filled_in_by_name():
    for language, expected in (("en", "layer 3, head"), ("ja", "第 3 層、ヘッド")):
        w = words(language)
        assert beside(nth_layer(3, w), w["head"], w) == expected


def test_a_later_file_replaces_what_an_earlier_one_says(tmp_path):
    w = Words("en")
    for file, text in {
        "shared.ftl": "one = first\ntwo = { one }",
        "own.ftl": "one = second",
    }.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
        w.read(tmp_path / file)
    assert w["one"] == w.say("one") == "second"
