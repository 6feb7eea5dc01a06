"""The tiles of the verdicts: one for every claim, in an order and in colours that tell."""

import re
from collections import Counter

import pytest
from made_claims import LANGUAGES, read, record, vocabulary
from page import Page

from analysis.figures.style import METHOD_COLOURS
from analysis.prose.claims import prose
from analysis.prose.ledger import OUTCOME_COLOURS, OUTCOME_SIGNS, ledger, tiles
from analysis.rules.verdicts import OUTCOMES
from attention_mixing.markup import escape


def test_every_outcome_has_a_colour_and_a_sign():
    assert set(OUTCOMES) == set(OUTCOME_COLOURS) == set(OUTCOME_SIGNS)


def test_outcomes_differ_in_colour_and_in_sign():
    colours = [colour for colour, _ in OUTCOME_COLOURS.values() if colour]
    assert len(set(colours)) == len(colours)
    assert not set(colours) & set(METHOD_COLOURS.values())
    assert len(set(OUTCOME_SIGNS.values())) == len(OUTCOME_SIGNS)


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize(
    ("colour", "on_colour"), [pair for pair in OUTCOME_COLOURS.values() if pair[0]]
)
def test_what_is_written_on_the_colour_of_an_outcome_can_be_read(colour, on_colour):
    low, high = sorted((luminance(colour), luminance(on_colour)))
    assert (high + 0.05) / (low + 0.05) >= 4.2


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_claim_with_something_at_stake_has_a_tile_that_leads_to_it(language):
    every, _, w = read(language)
    markup, data = tiles(every, w)
    found = [one for one in every if one.at_stake]
    assert 0 < len(found) < len(every)
    assert sorted(data["claim"]) == sorted(one.id for one in found)
    page = Page(markup)
    titles = {one["href"]: one["title"] for one in page.all("a") if "title" in one}
    assert titles == {f"claims.html#claim-{one.id}": one.statement for one in found}
    for one in found:
        assert f"{OUTCOME_SIGNS[one.outcome]} {one.id} {w[one.outcome]}" in page.text


def test_tiles_of_a_chapter_stand_in_the_order_of_the_verdicts():
    _, data = tiles(read()[0], vocabulary())
    assert list(data["chapter"].unique()) == ["mixing", "heads"]
    order = list(OUTCOMES)
    for _, group in data.groupby("chapter"):
        places = [order.index(verdict) for verdict in group["verdict"]]
        assert places == sorted(places)


@pytest.mark.parametrize("language", LANGUAGES)
def test_text_counts_and_filter_count_the_same_claims(language):
    """Claims about models, where conditions are those of a test: B9 has none."""
    rows = record()
    untested, other = rows[-2]["claim"], rows[-1]["claim"]  # with cases that are shown beside
    untested |= {name: other[name] for name in ("conditions", "differs")}
    found, sources, w = read(language, rows)
    markup, _ = tiles(found, w)
    counted = dict(
        re.findall(r'href="claims.html#\w+=(\w+)&amp;kind=stake">.*?<b>(\d+)</b>', markup)
    )
    assert (counted["holds"], counted["other"]) == ("1", "3")
    outcomes = Counter(one.outcome for one in found if one.at_stake)
    assert {name: int(counted[name]) for name in outcomes} == outcomes
    lead = prose(found, 0.9, (), w)
    assert re.findall(r"\d+", lead["conditions"]) == ["3", "1"]
    # Those of the ledger are of all claims, what has nothing at stake apart.
    written, _ = ledger(found, sources, None, [], {}, w)
    assert escape(w["filter_option"].format(choice=w["holds"], count="1 + 1")) in written
    assert escape(w["filter_option"].format(choice=w["other"], count="3")) in written
    assert written.count('data-conditions=""') == 1
