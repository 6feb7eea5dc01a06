"""Both languages say the same things, in files of their own that every module can read."""

import re
from pathlib import Path

import pytest
from fluent.syntax import FluentParser, ast

from analysis.figures.words import MESSAGES, Words, beside, nth_layer, words
from analysis.stages.modules import messages as messages_asked_for

FILES = sorted(path.name for path in (MESSAGES / "en" / "messages").iterdir())
FIGURES = Path(__file__).parents[2] / "analysis" / "figures"


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


def test_both_languages_have_the_same_files():
    assert FILES == sorted(path.name for path in (MESSAGES / "ja" / "messages").iterdir())


def test_every_file_of_words_is_asked_for():
    asked = messages_asked_for(FIGURES.parent.rglob("*.py"))
    assert {path.name for path in asked} == set(FILES)


@pytest.mark.parametrize("file", FILES)
def test_both_languages_have_the_same_messages_with_the_same_arguments(file):
    english, japanese = (messages(language, file) for language in ("en", "ja"))
    assert list(english) == list(japanese)
    for one, other in zip(english.values(), japanese.values(), strict=True):
        assert one <= other or other <= one  # a language may leave an argument out
    for language in ("en", "ja"):
        read = words(language, file.removesuffix(".ftl"))
        assert len(read) >= len(english)
        assert all(text.strip() for text in read.values())


def test_arguments_are_filled_in_by_name():
    for language, expected in (("en", "layer 3, head"), ("ja", "第 3 層、ヘッド")):
        w = words(language)
        assert beside(nth_layer(3, w), w["head"], w) == expected


def test_names_of_results_may_hold_what_those_of_messages_may_not():
    assert words("en", "heads")["vertical+diagonal"] == "vertical + diagonal"


def test_a_later_file_replaces_what_an_earlier_one_says(tmp_path):
    w = Words("en")
    for file, text in {
        "shared.ftl": "one = first\ntwo = { one }",
        "own.ftl": "one = second",
    }.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
        w.read(tmp_path / file)
    assert w["one"] == w.say("one") == "second"
