"""A chapter is read in a sitting: what of it is seen before a fold is opened has few words."""

import pytest

CHAPTERS = ("setup", "anatomy", "mixing", "features", "propagation", "geometry", "heads")
WORDS = dict.fromkeys((*CHAPTERS, "faithfulness", "rerun"), 1_800) | {"circuits": 2_500}


@pytest.mark.parametrize("name", WORDS)
def test_a_chapter_shows_no_more_words_than_it_may(visit, address, name):
    tab = visit(f"{address}/en/{name}.html").tab
    assert 300 < len(tab.locator("main").inner_text().split()) <= WORDS[name]
