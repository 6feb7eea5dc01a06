"""A run whose only model stays at chance: pages show its numbers, and say what they are of."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from small_report import LANGUAGES, Element, read_page
from small_run import publish, small_parameters, write_parameters

from analysis.paths import QUICK
from analysis.prose.messages import words

pytestmark = pytest.mark.slow

# Pages that show something of fine-tuned models.
NAMES = (
    *("run", "setup", "mixing", "features", "propagation", "geometry", "heads"),
    *("faithfulness", "claims", "advice"),
)
PAGES = [(language, name) for language in LANGUAGES for name in NAMES]
# Those that would say what a prediction rests on, and which heads it needs.
EXPLAINING = ("propagation", "heads", "faithfulness", "claims", "advice")
# Denies the tables of disabled heads, the scores of methods or the change by fine-tuning.
DENIAL = {
    "en": re.compile(
        r"[Nn]o head was disabled|was not measured|were not compared|could not be measured"
        r"|[Nn]o text of this run (?:records|tests)|[Nn]o model was fine-tuned"
        r"|[Nn]o experiment fine-tunes|is not known"
    ),
    "ja": re.compile(
        r"行っていない|測っていない|比べていない|測れなかった|は計算していない|手法はわからない"
        r"|テキストはなく|テキストには根拠が記録されていない|ファインチューニングをする実験がない"
    ),
}


@pytest.fixture(scope="module")
def pages(
    tmp_path_factory: pytest.TempPathFactory, pretrained: Path, circuits: Path
) -> dict[tuple[str, str], Element]:
    """The small run with one experiment, whose model is trained in steps of next to nothing."""
    directory = tmp_path_factory.mktemp("unlearned")
    values = small_parameters()
    name = values["report"]["focus"]["experiment"]
    films = values["experiments"]["reviews"]
    films["model"] = {"source": "local", "name": "tiny"}
    films["length"]["max_tokens"] = 40
    films["train"] |= {"learning_rate": 1e-9, "seeds": [0]}
    values["experiments"] = {name: films}
    values["files"] = {"tiny": str(pretrained)}
    values["anatomy"] |= {"layer": 2, "head": 3, "text": "the film was not very good"}
    write_parameters(directory, values)
    # What is said of other runs does not depend on this one; the second is the control.
    publish(directory, circuits, name, kept=(QUICK, "masked-words"))
    site = directory / "site"
    return {page: read_page(site.joinpath(*page).with_suffix(".html")) for page in PAGES}


def paragraphs(page: Element) -> list[str]:
    main = page.one("main")
    return [one.text for tag in ("p", "li", "td") for one in main.all(tag)]


@pytest.mark.parametrize("page", PAGES)
def test_no_sentence_denies_what_was_measured(pages, page):
    denial = DENIAL[page[0]]
    assert not [text for text in paragraphs(pages[page]) if denial.search(text)]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_names_the_model_its_score_and_the_baseline_first(pages, page):
    # The other is that the small vocabulary of the tests knows few words of the texts.
    notices = pages[page].one("main").all("div", class_="callout-important")
    assert len(notices) == 2
    assert {"en": "does not see a part of", "ja": "そのまま渡っていない"}[page[0]] in notices[
        1
    ].text
    before = pages[page].one("main").text.partition(notices[0].text)[0]
    assert len(before) < 300
    expected = {
        "en": "In own, the model has not learned its task (test accuracy 50%, where naming the "
        "most frequent class reaches 50%). Numbers of own are shown",
        "ja": "own では、モデルが課題を習得していない（テストデータでの正解率は 50%、つねに最多の"
        "クラスと答えれば 50%）。own の数値は示す",
    }
    assert expected[page[0]] in notices[0].text


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", EXPLAINING)
def test_the_reason_stands_where_a_finding_is_missing(pages, language, name):
    why = words(language).say("untested", reason="not_learned")
    assert [text for text in paragraphs(pages[language, name]) if why in text]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_numbers_are_shown_all_the_same(pages, language):
    ids = {one.attributes.get("id") for one in pages[language, "heads"]}
    assert {"tbl-ablation", "fig-ablation", "tbl-moves"} <= ids
    ids = {one.attributes.get("id") for one in pages[language, "faithfulness"]}
    assert {"fig-panel", "tbl-evidence", "tbl-paired"} <= ids
