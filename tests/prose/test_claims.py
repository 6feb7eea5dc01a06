"""Chapter *claims*: the ledger is read as the page needs it, and its numbers are counted."""

import re
from pathlib import Path

import pytest
from made_claims import LANGUAGES, NAMES, case, claim, read, vocabulary

from analysis.prose import citations, claims, ledger
from analysis.prose.claims import prose
from analysis.prose.messages import chapters, stale_mark

ROOT = Path(__file__).parents[2]
REPORT = ROOT / "report"


def test_chapters_stand_in_the_order_of_the_pages():
    notebooks = (ROOT / "analysis" / "chapters").glob("*/notebook.py")
    filled = {path.parent.name for path in notebooks}
    config = (REPORT / "_common.yml").read_text(encoding="utf-8")
    pages = ["paper", *re.findall(r"- (\w+)\.qmd", config)]
    assert chapters() == [name for name in pages if name in filled]


@pytest.mark.parametrize("language", LANGUAGES)
def test_claims_are_read_in_one_language(language):
    found, _, w = read(language)
    one = found[3]
    assert one.statement.startswith("日本語") == (language == "ja")
    assert one.cases[0].where == f"reviews{w['comma']}{w['finetuned']}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_case_of_a_reference_run_names_it_and_is_marked_if_it_is_stale(language):
    w = vocabulary(language)
    cases = [case(0.5, True, experiment="imdb/reviews", stale=one) for one in ([], ["mixing"])]
    (found,) = claims.claims([claim("B2", "holds", *cases)], w)
    for one in found.cases:
        assert one.where.startswith("reviews")
        assert "imdb" in one.where
        assert "imdb/" not in one.where
    written, _ = ledger.ledger([found], citations.sources([found], w), None, [], {}, w)
    assert written.count(stale_mark(w)) == 1


def test_numbers_of_the_prose_count_claims_and_deciding_cases():
    numbers = prose(read()[0], 0.9, (), vocabulary())
    assert numbers["cases"] == "18 cases"
    assert numbers["intervals"] == "17 cases"


def test_the_download_has_a_row_a_case():
    found, *_ = read()
    table = claims.table(found)
    assert len(table) == sum(max(len(one.cases), 1) for one in found)
    assert list(table["claim"].unique()) == NAMES
    assert table.loc[table["claim"] == "B9", "value"].isna().all()
    assert not table.loc[table["claim"] == "B3", "decides"].all()


def test_verdicts_that_turn_in_another_way_are_counted():
    rows = [claim(f"B{i}", "holds", case(0.6, True)) for i in range(4)]
    rows[0]["claim"]["otherwise"] |= {"strict": "fails", "lax": "open"}
    rows[1]["claim"]["otherwise"] |= {"strict": "divided", "tokens": None}
    rows[2]["claim"]["otherwise"] |= {"tokens": None}
    rows.append(claim("A1", "holds", case(0.6, True)))
    found, _, w = read(rows=rows)
    assert [not one.turned for one in found] == [False, False, True, True, True]
    told = {"total": 4, "same": 2, "lax": 1, "strict": 2, "cases": 0, "tokens": 0, "measured": 2}
    assert prose(found, 0.9, (), w)["firm"] == w.say("claims_firm", **told)


@pytest.mark.parametrize("language", LANGUAGES)
def test_claims_that_turn_with_the_encoders_of_the_control_are_named(language):
    def models(*outcomes):
        return [
            {"encoder": name, "trained": trained, "outcome": one} for name, trained, one in outcomes
        ]

    turned = models(("one", None, "holds"), ("two", None, "fails"))
    tuned = models(("one", None, "holds"), ("two", "reviews", "fails"))
    divided = models(("one", None, "holds"), ("two", None, "divided"))
    back = models(("one", None, "fails"), ("two", None, "holds"), ("three", None, "fails"))
    rows = [
        claim(f"B{i}", "divided", case(0.6, True), models=of)
        for i, of in enumerate((turned, tuned, divided, turned, back))
    ]
    found, _, w = read(language, rows)
    said = prose(found, 0.9, ("one", "two", "three"), w)["training"]
    assert "B0" in said and "B3" in said and "one" in said and "two" in said
    assert "B1" not in said and "B2" not in said
    if language == "en":
        assert said == (
            "Of the claims, B0 and B3 hold in one and fail in two; B4 holds in two and fails in "
            "one and three"
        )
    none = prose(found, 0.9, ("one", "three"), w)["training"]
    assert none == w.say("claims_training", n=0, groups="")


def test_kinds_of_claims_are_counted_apart():
    """The lead speaks of models alone; B9 was not tested."""
    numbers = prose(read()[0], 0.9, (), vocabulary())
    counts = {name: re.findall(r"\b(?:\d+|no|[Aa]ll)\b", text) for name, text in numbers.items()}
    assert counts["lead"] == ["5", "4", "1", "1", "1", "1"]
    assert counts["kinds"] == ["1", "3", "no"]
    assert counts["conditions"] == ["3", "1"]
