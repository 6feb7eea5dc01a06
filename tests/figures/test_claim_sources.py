"""Where claims come from is written as the text of the report cites it."""

import re
from pathlib import Path

import pytest
from made_claims import claim, read

from analysis.figures.claim_sources import Source, cited
from attention_mixing.errors import InputError

REPORT = Path(__file__).parents[2] / "report"


def test_every_paper_that_claims_come_from_is_cited_on_their_page():
    """An entry of the ledger leads to #ref-KEY, which is there because the page cites it."""
    _, sources, w = read()
    said = w["claims_cited"].format(cited=cited(sources))
    papers = {key for key, source in sources.items() if source.title}
    assert papers and papers == set(re.findall(r"@(\w+)", said))


def test_sources_are_named_as_the_text_cites_them():
    _, sources, _ = read()
    assert sources["abnar2020"].short == "Abnar & Zuidema 2020"
    assert sources["yeh2023"].short == "Yeh et al. 2024"
    assert sources["lecture"] == Source("the lecture", None)
    assert "clark2019" in sources  # cited in a published value


def test_papers_of_the_same_people_and_year_are_told_apart():
    _, sources, _ = read(rows=[claim("B1", "not_tested", source=["chefer2021b", "chefer2021a"])])
    # By title, as the style of the text has it.
    assert sources["chefer2021a"].short == "Chefer et al. 2021b"
    assert sources["chefer2021b"].short == "Chefer et al. 2021a"


def test_a_source_that_the_bibliography_lacks_is_named():
    with pytest.raises(InputError, match="claim B1 has the source nobody1999, which"):
        read(rows=[claim("B1", "not_tested", source=["nobody1999"])])
