"""Both languages say the same things, in files of their own that every module can read."""

import re
from collections import Counter
from pathlib import Path

import pytest

from analysis.prose.messages import MESSAGES, SHARED, chapters, stating, words
from analysis.prose.phrases import beside, nth_layer
from attention_mixing.messages import Words

FILES = sorted(path.name for path in (MESSAGES / "en" / "messages").glob("*.ftl"))
NOTEBOOKS = Path(__file__).parents[2] / "analysis" / "chapters"


def test_every_page_that_a_notebook_fills_has_its_file_of_words():
    notebooks = {path.parent.name for path in NOTEBOOKS.glob("*/notebook.py")}
    for language in ("en", "ja"):
        files = {path.stem for path in (MESSAGES / language / "messages").iterdir()}
        assert files == notebooks | {SHARED}
        stated = {path.stem for path in (MESSAGES / language / "messages" / "findings").iterdir()}
        assert stated == set(stating())


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_page_has_one_name(language):
    """What other pages call it is its title, but for the paper, whose title is a question."""
    w, report = words(language, "claims"), MESSAGES / language
    for name in chapters():
        source = (report / f"{name}.qmd").read_text(encoding="utf-8")
        title = re.search(r'^title: "(.*)"$', source, re.M)[1]
        if name == "paper":
            source = (report / "_quarto.yml").read_text(encoding="utf-8")
            title = re.search(r'paper.qmd, text: "(.*)"', source)[1]
        assert w[f"chapter_{name}"] == title


def test_pages_about_others_have_their_words_and_their_own_last():
    w = words("en", "advice")
    assert w["B9_statement"] == words("en", "mixing")["B9_statement"]
    assert w["question"] == words("en", "advice")["question"]
    assert w["layer"] == words("en")["layer"]


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("file", [*FILES, *(f"findings/{page}.ftl" for page in stating())])
def test_every_message_of_a_file_says_something(language, file):
    read, path = Words(language), MESSAGES / language / "messages"
    read.read(path / f"{SHARED}.ftl")
    read.read(path / file)
    assert set(re.findall(r"^(\w+) =", (path / file).read_text("utf-8"), re.M)) <= read.keys()
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


@pytest.mark.parametrize("path", sorted(MESSAGES.glob("*/messages/**/*.ftl")), ids=str)
def test_no_message_of_a_file_replaces_another_of_it(path):
    names = re.findall(r"^([a-zA-Z][\w-]*) =", path.read_text(encoding="utf-8"), re.M)
    assert [name for name, times in Counter(names).items() if times > 1] == []
