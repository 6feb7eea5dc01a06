"""What the chapter *claims* says in words: every branch of its rules, in both languages."""

import re

import pytest

from analysis.figures.findings import claims as findings
from analysis.figures.words import words

EN, JA = (words(language, "findings_claims") for language in ("en", "ja"))


def verdicts(*names, part="B"):
    return {f"{part}{i}": name for i, name in enumerate(names, 1)}


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ((), "None of the 0 published claims could be tested"),
        (("not_tested",), "None of the 1 published claims could be tested"),
        (("reproduced",), "All 1 published claims could be tested: 1 holds"),
        (
            ("consistent", "reproduced", "inconsistent"),
            "All 3 published claims could be tested: 2 hold and 1 fails",
        ),
        (
            ("partly_consistent", "not_reproduced", "not_reproduced", "undecided", "not_tested"),
            "Of 5 published claims, 4 could be tested: 1 holds in part, 2 fail and 1 stays open",
        ),
        (
            ("undecided", "undecided", "partly_reproduced", "partly_consistent"),
            "All 4 published claims could be tested: 2 hold in part and 2 stay open",
        ),
    ],
)
def test_the_lead_counts_what_became_of_the_claims(found, said):
    assert findings.lead(verdicts(*found), EN) == said


def test_the_lead_counts_in_japanese():
    assert findings.lead(verdicts("not_tested"), JA) == (
        "公表された 1 の主張のうち、検証できたものはない"
    )
    assert findings.lead(verdicts("consistent", "inconsistent", "undecided"), JA) == (
        "公表された 3 の主張をすべて検証できた。"
        "成り立つものが 1、成り立たないものが 1、決まらないものが 1 である"
    )
    assert findings.lead(verdicts("partly_consistent", "not_tested"), JA) == (
        "公表された 2 の主張のうち 1 を検証できた。一部だけ成り立つものが 1 である"
    )


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (("undecided", "not_tested"), "No claim could be decided"),
        (("reproduced", "not_reproduced"), "Every claim .* was tested as published, or is about"),
        (("consistent", "undecided"), "Every claim .* was tested under other conditions than"),
        (
            ("reproduced", "consistent", "inconsistent"),
            "Of the 3 claims .*, 1 was tested as published or is about .*, and 2 were tested under",
        ),
        (
            ("reproduced", "partly_reproduced", "partly_consistent"),
            "Of the 3 claims .*, 2 were tested as published or are about .*, and 1 was tested",
        ),
    ],
)
def test_conditions_are_counted(found, said):
    assert re.match(said, findings.conditions(verdicts(*found), EN))


def test_conditions_are_told_in_japanese():
    said = [
        findings.conditions(verdicts(*found), JA)
        for found in (
            ("undecided",),
            ("reproduced",),
            ("consistent",),
            ("reproduced", "consistent", "inconsistent"),
        )
    ]
    assert len(set(said)) == len(said)
    assert said[3].startswith("判定の決まった 3 の主張のうち、1 は公表時と同じ条件で")
    assert said[3].endswith("2 は異なる条件で検証した")


@pytest.mark.parametrize(
    ("structure", "models", "said"),
    [
        ((), (), "No claim was tested"),
        (("not_tested",), ("not_tested",), "No claim was tested"),
        (
            ("reproduced", "not_reproduced", "not_tested"),
            (),
            "Outright hold 1 of the 2 tested claims of arithmetic and structure",
        ),
        (
            (),
            ("consistent", "partly_consistent", "undecided"),
            "Outright hold 1 of the 3 tested claims about what models do",
        ),
        (
            ("reproduced",),
            ("inconsistent",),
            "Outright hold the only tested claim of arithmetic and structure and no tested claim "
            "about what models do",
        ),
    ],
)
def test_parts_are_compared(structure, models, said):
    found = findings.parts(verdicts(*structure, part="A"), verdicts(*models), EN)
    assert found == said


def test_parts_are_compared_in_japanese():
    assert findings.parts({}, {}, JA) == "検証した主張はない"
    assert findings.parts(verdicts("reproduced", part="A"), verdicts("inconsistent"), JA) == (
        "そのまま成り立つものは、計算と構造についての主張では検証した 1 のうち 1、"
        "モデルの振る舞いについての主張では検証した 1 のうち 0 である"
    )


@pytest.mark.parametrize(
    ("found", "english", "japanese"),
    [
        (("consistent", "undecided"), "No claim fails", "成り立たない主張はない"),
        (
            ("not_reproduced",),
            "B1 fails as published",
            "公表時と同じ条件でも成り立たないのは B1 である",
        ),
        (
            ("inconsistent", "inconsistent"),
            "B1 and B2 fail under other conditions",
            "異なる条件で成り立たないのは B1、B2 である",
        ),
        (
            ("not_reproduced", "not_reproduced", "inconsistent"),
            "B1 and B2 fail as published; B3 fails under other conditions",
            "公表時と同じ条件でも成り立たないのは B1、B2、異なる条件で成り立たないのは B3 である",
        ),
    ],
)
def test_claims_that_fail_are_named(found, english, japanese):
    assert findings.failing(verdicts(*found), EN) == english
    assert findings.failing(verdicts(*found), JA) == japanese


@pytest.mark.parametrize(
    ("intervals", "english", "japanese"),
    [
        (0, "no verdict of this run", "区間にもとづくものはない"),
        (10, "with 10 intervals at 95%, less than one", "平均して 1 に満たない"),
        (200, "with 200 intervals at 95%, about 10 are expected", "平均して 10 ほどあり"),
    ],
)
def test_intervals_that_miss_by_accident_are_counted(intervals, english, japanese):
    assert findings.chance(intervals, 0.95, EN).startswith(english)
    assert japanese in findings.chance(intervals, 0.95, JA)


def test_outcomes_are_counted_whatever_the_conditions():
    count = findings.outcomes(verdicts(*findings.OUTCOMES))
    assert [count[name] for name in ("holds", "partly", "fails")] == [2, 2, 2]
    assert count["undecided"] == count["not_tested"] == 1
    assert findings.tested(verdicts("not_tested", "undecided")) == ["B2"]
