"""Pairs that a reader marks, and the score that is taken apart: on the page of ``explain``."""

import numpy as np
import pytest
import tiny_experiment as tiny
from playwright.sync_api import expect

from attention_mixing.capture import capture_text
from attention_mixing.capture.score_parts import decomposed_score
from attention_mixing.explain import explain
from attention_mixing.measures.marked_pairs import rank_heads

TEXT = "the film was not very good"
READY = "() => document.querySelector('.explorer[aria-busy=false]')"
SETTLED = "() => document.querySelector('.explorer').explorer.ready"
NUMBERS = "() => document.querySelector('.explorer').explorer.shown.inText"
WAYS = {"query_to_key": "pairs", "key_to_query": "pairs_back", "before_to_key": "pairs_before"}
CHIPS = ".bar-of-text > .tokens button"


@pytest.fixture
def opened(visit, tmp_path):
    """Return ``opened(model, text, second)``: its page; none has an error in the end."""
    visits = []

    def open_one(model, text, second=None, address="", **options):
        page = tmp_path / "page.html"
        page.write_text(explain([(text, second)], str(model)).page(), encoding="utf-8")
        visits.append(visit(page.as_uri() + address, **options))
        visits[-1].tab.wait_for_function(READY)
        return visits[-1].tab

    yield open_one
    assert [problem for one in visits for problem in one.problems] == []


@pytest.fixture
def wide(tmp_path, make_model, tokenizer):
    """A tiny BERT whose heads attend to some tokens more than to others."""
    tiny.save(make_model("bert", initializer_range=0.3), tokenizer, tmp_path / "wide")
    return tmp_path / "wide"


def mark(tab, query, key, keys=CHIPS):
    if tab.locator("[data-focus=mark-pairs]").get_attribute("aria-pressed") != "true":
        tab.locator("[data-focus=mark-pairs]").click()
    tab.locator(CHIPS).nth(query).click()
    tab.locator(keys).nth(key).click()
    tab.evaluate(SETTLED)


def require_ranked(tab, text, pairs):
    """Numbers of heads are those of ``rank_heads``, in each direction that it has."""
    shown, ranked = tab.evaluate(NUMBERS), rank_heads([(text, pairs)])
    layers, heads = text["attention"].shape[:2]
    for way, of_way in ranked.groupby("direction"):
        (numbers,) = shown[WAYS[way]].values()
        expected = of_way.sort_values(["layer", "head"])["advantage"].to_numpy()
        np.testing.assert_allclose(np.ravel(numbers), expected, atol=3e-5)
        assert np.shape(numbers) == (layers, heads)
    assert {name for name in shown if name.startswith("pairs")} == {
        WAYS[way] for way in ranked["direction"]
    }


def test_heads_are_ranked_by_marked_pairs(opened, wide):
    tab = opened(wide, TEXT)
    text = capture_text(TEXT, model=wide)
    mark(tab, 6, 2)
    require_ranked(tab, text, [([6], [2])])
    mark(tab, 5, 2)
    require_ranked(tab, text, [([6], [2]), ([5], [2])])
    first = rank_heads([(text, [([6], [2]), ([5], [2])])]).query("direction == 'query_to_key'")
    layer, head = first[["layer", "head"]].iloc[0]
    expect(tab.locator(".ranking button").first).to_contain_text(f"{layer}.{head} ")
    # The address brings it back, and a pair that is pressed goes.
    address = tab.evaluate("() => location.hash")
    assert "j=6-2.5-2" in address
    again = opened(wide, TEXT, address=address)
    require_ranked(again, text, [([6], [2]), ([5], [2])])
    again.locator("[data-focus=pair-0]").click()
    again.evaluate(SETTLED)
    require_ranked(again, text, [([5], [2])])
    again.locator(".pair-marks button", has_text="Clear pairs").click()
    again.evaluate(SETTLED)
    assert not any(name.startswith("pairs") for name in again.evaluate(NUMBERS))


def test_the_keyboard_marks_a_pair(opened, wide):
    tab = opened(wide, TEXT)
    tab.locator("[data-focus=mark-pairs]").focus()
    tab.keyboard.press("Enter")
    tab.locator(CHIPS).nth(6).focus()
    tab.keyboard.press("Enter")
    expect(tab.locator(".pair-marks [role=status]")).to_contain_text("“good” should read")
    for _ in range(4):
        tab.keyboard.press("ArrowLeft")
    tab.keyboard.press("Enter")
    tab.evaluate(SETTLED)
    assert "j=6-2" in tab.evaluate("() => location.hash")
    tab.keyboard.press("Escape")
    pressed = tab.locator("[data-focus=mark-pairs]")
    expect(pressed).to_have_attribute("aria-pressed", "false")


def test_in_a_decoder_hidden_pairs_are_refused(opened, decoder):
    text = "The keys near the cabinet"
    tab = opened(decoder, text)
    mark(tab, 1, 3)
    expect(tab.locator(".pair-marks [role=status]")).to_contain_text("is hidden from it")
    mark(tab, 3, 1)
    require_ranked(tab, capture_text(text, model=decoder), [([3], [1])])


def test_in_cross_attention_keys_are_of_the_source(opened, tmp_path, make_model, tokenizer):
    tiny.save(make_model("t5"), tokenizer, tmp_path / "t5")
    given = ("a dull plot", "the film was bad")
    tab = opened(tmp_path / "t5", *given)
    tab.evaluate("() => document.querySelector('.explorer').explorer.select({stream: 'cross'})")
    mark(tab, 2, 1, ".pair-marks .tokens button")
    text = capture_text(given[0], target=given[1], model=tmp_path / "t5").of("cross")
    require_ranked(tab, text, [([2], [1])])


def test_the_score_is_shown_by_its_largest_parts(opened, wide):
    tab = opened(wide, TEXT)
    layer, head, query, key = tab.evaluate(
        "() => document.querySelector('.explorer').explorer.shown.text.score"
    )
    elsewhere = "(query) => document.querySelector('.explorer').explorer.select({query})"
    tab.evaluate(elsewhere, 0 if query else 1)
    tab.evaluate(SETTLED)
    tab.locator(".score button").click()  # which leads back to it
    tab.evaluate(SETTLED)
    score = decomposed_score(capture_text(TEXT, model=wide), layer - 1, query, key)
    parts = tab.locator(".score .largest td:last-child").all_inner_texts()
    expected = score.largest(head - 1)["part"]
    assert len(parts) == len(expected) == 10
    for shown, part in zip(parts, expected, strict=True):
        assert float(shown.replace("−", "-")) == pytest.approx(part, abs=6e-3)
