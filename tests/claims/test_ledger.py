"""Reading the ledger: mistakes are told in one sentence, and the committed one is complete."""

import re
from pathlib import Path

import pandas as pd
import pytest
import yaml
from ledger_rows import ROOT, claim, row, write

from analysis.claims.ledger import STUDIES, Claim, fill, number, read
from analysis.errors import InputError

LEDGER = ROOT / "report" / "claims.yaml"
REFERENCE = ROOT / "reference" / "summary.parquet"
CLAIMS = read(LEDGER)
IDS = [f"A{n}" for n in (1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13)]
IDS += [f"B{n}" for n in (*range(1, 12), 13, *range(15, 29))]
COMPUTED = {"verdict", "value", "low", "high", "holds", "experiment", "verdicts"}
FACT = {"fact": {"path": "a"}}
MISTAKES = yaml.safe_load(Path(__file__).with_name("mistakes.yaml").read_text(encoding="utf-8"))


def told(tmp_path, *rows) -> str:
    """What reading says: one sentence that names the file and the claim."""
    with pytest.raises(InputError) as error:
        read(write(tmp_path / "claims.yaml", *rows))
    text = str(error.value)
    assert text.endswith(".")
    assert "\n" not in text
    return text


# --- mistakes -------------------------------------------------------------------------------------


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake["told"])
def test_a_mistake_is_one_sentence_that_names_the_claim(tmp_path, mistake):
    text = told(tmp_path, row(FACT) | mistake["row"])
    assert "claims.yaml: claim B1: " in text
    assert mistake["told"] in text


def test_an_id_stands_there_once(tmp_path):
    assert "claim B1 stands there twice" in told(tmp_path, row(FACT), row(FACT))


def test_a_row_without_an_id_is_named_by_its_place(tmp_path):
    nameless = {key: value for key, value in row(FACT).items() if key != "id"}
    assert "claim in row 2: id is missing" in told(tmp_path, row(FACT), nameless)


@pytest.mark.parametrize(
    ("content", "expected"), [("", "no list of claims"), ("- [", "is not YAML"), (None, "restore")]
)
def test_a_file_that_is_no_ledger_is_refused(tmp_path, content, expected):
    path = tmp_path / "claims.yaml"
    if content is not None:
        path.write_text(content)
    with pytest.raises(InputError, match=expected) as error:
        read(path)
    assert "\n" not in str(error.value)


# --- published values -----------------------------------------------------------------------------


def test_published_values_are_filled_in():
    one = claim(FACT, form="+.2f")
    assert fill("{curve} and {level:.0%}, {curve.1}", one) == "0.10, \u22120.25 and 50%, \u22120.25"
    assert number("curve.0", one) == 0.1
    assert number(3, one) == 3


# --- the committed ledger -------------------------------------------------------------------------


def test_every_row_of_the_list_is_there_in_its_order():
    assert [one.id for one in CLAIMS] == IDS
    assert all(one.part == ("structure" if one.id[0] == "A" else "models") for one in CLAIMS)


def test_no_verdict_is_typed():
    def keys(node):
        if isinstance(node, dict):
            for key, value in node.items():
                yield key
                if key != "values":
                    yield from keys(value)
        elif isinstance(node, list):
            for value in node:
                yield from keys(value)

    assert not COMPUTED & set(keys(yaml.safe_load(LEDGER.read_text(encoding="utf-8"))))


@pytest.mark.parametrize("one", CLAIMS, ids=lambda one: one.id)
@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_evidence_stands_on_its_page(one: Claim, language):
    page = (ROOT / "report" / language / f"{one.chapter}.qmd").read_text(encoding="utf-8")
    assert re.search(rf"\{{#{one.evidence}[ }}]", page), f"{one.chapter} has no {one.evidence}"


def test_every_source_is_in_the_bibliography_or_a_study_of_the_report():
    bibliography = (ROOT / "report" / "references.bib").read_text(encoding="utf-8")
    known = set(re.findall(r"^@\w+\{([^,]+),", bibliography, re.M)) | set(STUDIES)
    assert {source for one in CLAIMS for source in one.source} <= known


def test_both_languages_are_written():
    for one in CLAIMS:
        labels = [case.label for case in one.test.cases if case.label] if one.test else []
        texts = [one.statement, one.rule, one.needs, *labels]
        for text in [text for text in texts if text is not None]:
            names = r"[A-Za-z0-9\[\] +-]+|.*[ぁ-んァ-ヶ一-龠].*"
            assert re.fullmatch(names, text.ja), (one.id, text.ja)
            assert not re.search(r"[ぁ-んァ-ヶ一-龠]", text.en), (one.id, text.en)
            assert not re.search(r"(です|ます)(。|$)", text.ja), (one.id, text.ja)


def test_several_cases_are_told_apart():
    for one in CLAIMS:
        cases = one.test.cases if one.test else ()
        labels = [case.label.en if case.label else "" for case in cases]
        assert len(set(labels)) == len(labels), one.id


def test_what_is_of_other_conditions_says_what_a_full_test_takes():
    for one in CLAIMS:
        assert one.conditions is None or one.needs is not None, one.id


def test_thirty_claims_and_more_ask_for_what_the_committed_experiments_have():
    from ledger_rows import committed

    from analysis.claims.conditions import covers

    experiments = committed().experiments.values()
    asked = [
        one
        for one in CLAIMS
        if one.test
        and any(
            case.arithmetic or any(covers(case.over or one.test.over, e) for e in experiments)
            for case in one.test.cases
        )
    ]
    assert len(asked) >= 30


@pytest.mark.skipif(not REFERENCE.is_file(), reason="no reference run is kept yet")
def test_everything_that_is_read_of_the_summary_was_measured_in_the_reference_run():
    """A name that is wrong would else look like something that was not measured."""
    table = pd.read_parquet(REFERENCE)
    for one in CLAIMS:
        for case in one.test.cases if one.test else ():
            for measure, where in measured(case):
                rows = table[table["measure"] == measure]
                for column, value in where.items():
                    rows = rows[rows[column] == value]
                assert len(rows), (one.id, measure, where)


def measured(case):
    """Measures of all heads that a case reads, and the values that their rows must have."""
    for part in (case.texts, case.curve, case.when and case.when.curve):
        if part:
            yield part.measure, part.where
    for other in (case.texts.minus, case.texts.divided_by) if case.texts else ():
        if other:
            yield other.measure or case.texts.measure, case.texts.where | other.where
