"""The picture of the verdicts: a tile for every claim, in an order and in colours that tell."""

import re

import pytest
from made_claims import LANGUAGES, case, claim, read, record, vocabulary

from analysis.chapters.claims.figures import KEYS, counted, verdict_tiles
from analysis.figures.style import METHOD_COLOURS
from analysis.figures.svg import svg
from analysis.prose.claims import prose
from analysis.prose.ledger import OUTCOME_COLOURS, OUTCOME_SIGNS, ledger
from analysis.rules.verdicts import OUTCOMES
from attention_mixing.markup import escape


def test_every_outcome_has_a_colour_a_sign_and_a_key():
    assert set(OUTCOMES) == set(OUTCOME_COLOURS) == set(OUTCOME_SIGNS)
    assert tuple(outcome for keys in KEYS for outcome in keys) == OUTCOMES


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
def test_the_figure_has_a_tile_for_every_claim_with_something_at_stake(language):
    every, _, w = read(language)
    figure, data = verdict_tiles(every, w)
    found = [one for one in every if one.at_stake]
    assert 0 < len(found) < len(every)
    assert sorted(data["claim"]) == sorted(one.id for one in found)
    texts = [text.get_text() for text in figure.axes[0].texts]
    for one in found:
        assert f"{OUTCOME_SIGNS[one.outcome]} {one.id}" in texts
    assert svg(figure, "claims").startswith("<svg")


def test_tiles_of_a_chapter_stand_in_the_order_of_the_verdicts():
    _, data = verdict_tiles(read()[0], vocabulary())
    assert list(data["chapter"].unique()) == ["mixing", "heads"]
    order = list(OUTCOMES)
    for _, group in data.groupby("chapter"):
        places = [order.index(verdict) for verdict in group["verdict"]]
        assert places == sorted(places)


def test_many_claims_of_a_chapter_stay_within_the_figure():
    rows = [claim(f"B{i}", "holds", case(0.6, True)) for i in range(25)]
    figure, data = verdict_tiles(read(rows=rows)[0], vocabulary())
    axis = figure.axes[0]
    assert len(data) == 25
    for patch in axis.patches:
        x, y = patch.get_x(), patch.get_y()
        assert 0 <= x <= axis.get_xlim()[1] - patch.get_width()
        assert 0 <= y <= axis.get_ylim()[0] - patch.get_height()


@pytest.mark.parametrize("language", LANGUAGES)
def test_text_key_and_filter_count_the_same_claims(language):
    """Claims about models, where conditions are those of a test: B9 has none."""
    rows = record()
    untested, other = rows[-2]["claim"], rows[-1]["claim"]  # with cases that are shown beside
    untested |= {name: other[name] for name in ("conditions", "differs")}
    found, sources, w = read(language, rows)
    figure, _ = verdict_tiles(found, w)
    texts = [text.get_text() for text in figure.axes[0].texts]
    lead = prose(found, 0.9, (), w)
    holds, others = (f"{w[name]}{w['colon']}{n}" for name, n in (("holds", 1), ("other", 3)))
    assert holds in texts and others in texts
    assert re.findall(r"\d+", lead["conditions"]) == ["3", "1"]
    assert counted(found, w).startswith(f"{w['holds']} 1")
    # Those of the ledger are of all claims, and of these the tested ones.
    written, _ = ledger(found, sources, None, [], {}, w)
    assert escape(w["filter_option"].format(choice=w["other"], count=3)) in written
    assert written.count('data-conditions=""') == 1
