"""The search of a built site: a method's name leads to its entry, a word too many is dropped."""

import pytest
from playwright.sync_api import expect

from analysis.prose.messages import words
from attention_mixing.circuits.measures import layer_measures, model_measures
from attention_mixing.measures.faithfulness import explaining
from browser.pages import LANGUAGES

# What measures of circuits are compared with: none is a method.
BESIDE = {"symbols", "identity", "uniform", "lengths"}
METHODS = [*dict.fromkeys([*explaining(), *layer_measures(), *model_measures()])]


@pytest.fixture(params=LANGUAGES)
def found(request, visit, address):
    """Return ``found(query)``, the status and the addresses that the search gives."""
    tab = visit(f"{address}/{request.param}/glossary.html").tab
    box = tab.locator("search input")
    box.focus()
    tab.wait_for_function("window.searchIndex")

    def found(query):
        box.fill("")
        box.fill(query)
        expect(tab.locator("search [role=status]")).not_to_be_empty()
        links = tab.locator("search li a")
        return tab.locator("search [role=status]").inner_text(), links.evaluate_all(
            "links => links.map((one) => one.getAttribute('href'))"
        )

    found.language = request.param
    return found


def test_the_name_of_a_method_leads_to_its_entry_in_the_glossary(found):
    w = words(found.language, "faithfulness") | words(found.language, "circuits")
    first = {}
    for name in METHODS:
        if name not in BESIDE:
            first[w[name]] = (found(w[name])[1] or [""])[0]
    wrong = {name: at for name, at in first.items() if not at.startswith("glossary.html#term-")}
    assert first and wrong == {}


def test_a_word_that_nothing_has_is_left_out_and_named(found):
    word = {"en": "rollout", "ja": "ロールアウト"}[found.language]
    _, alone = found(word)
    said, relaxed = found(f"{word} qqxyzzy")
    assert relaxed == alone != []
    assert "qqxyzzy" in said and str(len(alone)) in said
    assert found("qqxyzzy")[1] == []
    assert "qqxyzzy" not in found("qqxyzzy")[0]


def test_words_that_nothing_has_together_are_relaxed(found):
    apart = {"en": "GlobEnc silhouette torch", "ja": "GlobEnc シルエット torch"}[found.language]
    said, relaxed = found(apart)
    assert relaxed
    assert any(word.lower() in said for word in apart.split())


def test_a_word_that_nothing_has_is_looked_for_in_its_parts_or_beginning(found):
    """Which of a Japanese question are its nouns, and of an English word its stem."""
    asked, meant = {
        "en": ("limitationless", "limit"),
        "ja": ("研究の限界とは", "研究 限界"),
    }[found.language]
    _, relaxed = found(asked)
    assert relaxed == found(meant)[1] != []


def test_enter_opens_the_first_answer_but_not_while_a_word_is_composed(visit, address):
    tab = visit(f"{address}/ja/glossary.html").tab
    box = tab.locator("search input")
    box.focus()
    tab.wait_for_function("window.searchIndex")
    box.fill("限界")
    first = tab.locator("search li a").first.get_attribute("href")
    composing = "{key: 'Enter', isComposing: true, bubbles: true, cancelable: true}"
    box.evaluate(f"box => box.dispatchEvent(new KeyboardEvent('keydown', {composing}))")
    assert tab.url.endswith("glossary.html")
    box.press("Enter")
    tab.wait_for_url(lambda url: url.endswith(first))
