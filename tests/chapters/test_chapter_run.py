"""The page of this run: what it measured, beside the paper if all runs of that are there."""

import re

import pandas as pd
import pytest

from analysis.chapters.run import prose
from analysis.chapters.run.figures import experiments_table
from analysis.figures import answers
from analysis.parameters import load
from analysis.prose.messages import words
from analysis.runs.parameters import RunParameters
from analysis.stages.parameters import SHOWN

LANGUAGES = ("en", "ja")


def of_run(*experiments, tuned=()):
    """What was measured here: every number before fine-tuning, and of some after it."""
    here = {}
    for before, after in answers.COMPARED.values():
        form = ".2f" if before.startswith("sink") else ".0%"
        here[before] = {"form": form, "each": {key: [0.3, 0.2, 0.41] for key in experiments}}
        if tuned:
            here[after] = {"form": form, "each": {key: [0.8, None, None] for key in tuned}}
    return here


def of_paper():
    return {
        name: {"form": form, "whole": [0.6, None, None], "kept": [0.6, None, None]}
        | {"each": {"quick/a": [0.6, 0.5, 0.7]}, "own": True, "differs": name == "alti-after"}
        for ends in answers.COMPARED.values()
        for name in ends
        for form in (".2f" if name.startswith("sink") else ".0%",)
    }


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("numbers", [of_paper(), {}], ids=["beside the paper", "alone"])
def test_the_picture_has_a_mark_and_an_interval_for_every_answer_state_and_experiment(
    numbers, language
):
    here = of_run("a", "b", tuned=["b"])
    figure, data = answers.answers_here(numbers, here, words(language, "run"))
    (axis,) = figure.axes
    marks = [one for one in axis.lines if one.get_marker() == "o" and one.get_ms() < 5]
    assert len(marks) == len(data) == 3 * len(answers.ANSWERS)
    medians = [one for one in axis.lines if one.get_marker() == "o" and one.get_ms() > 5]
    assert len(medians) == (2 * len(answers.ANSWERS) if numbers else 0)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_picture_of_the_paper_has_the_same_rows(language):
    figure, data = answers.answers(of_paper(), words(language, "paper"))
    (axis,) = figure.axes
    assert len(axis.get_yticks()) == len(answers.ANSWERS)
    assert {*data["answer"]} == {*answers.ANSWERS}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_table_has_a_row_for_each_quantity_and_state_that_was_measured(language):
    w = words(language, "run")
    cells, data = answers.beside_paper(of_paper(), of_run("a", "b"), w)
    assert len(cells) == len(answers.COMPARED)  # nothing is fine-tuned
    assert [*cells.columns] == [w["quantity"], w["state"], w["paper"], "a", "b"]
    assert "30%" in cells["a"].iloc[0].data and "41%" in cells["a"].iloc[0].data
    assert {*data["paper"]} == {0.6}
    alone, _ = answers.beside_paper({}, of_run("a", tuned=["a"]), w)
    assert len(alone) == 2 * len(answers.COMPARED) and w["paper"] not in alone
    assert alone["a"].iloc[1] == "80%"  # without an interval


def test_a_number_that_differs_stands_beside_that_of_the_paper():
    cells, data = answers.differing(of_paper(), words("en", "run"))
    assert cells.iloc[0].tolist() == ["alti-after", "60%", "60%"]
    assert [*data["number"]] == ["alti-after"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_run_is_told_whether_it_is_the_committed_one(language):
    w = words(language, "run")
    said = [prose.identity(own, 3, whole=own == 3, w=w) for own in (3, 2, 0)]
    assert len({*said}) == 3 and all("quick" in one for one in said)
    assert "2" in said[1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_mixed_is_a_median_of_the_same_experiments_and_of_one_a_mean(language):
    w, paper = words(language, "run"), of_paper()
    here = of_run("a", "b", tuned=["b"])
    here["alti-before"]["each"] = {"a": [0.9, 0, 1], "b": [0.2, 0, 1]}
    text = prose.mixing({"numbers": paper, "here": here}, w)
    assert "20%" in text and "80%" in text and text.count("60%") == 2
    untuned = prose.mixing({"numbers": {}, "here": of_run("a")}, w)
    assert "30%" in untuned and "60%" not in untuned
    assert not re.search(r"\d", prose.mixing({"numbers": {}, "here": {}}, w))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_quantity_that_no_experiment_has_is_named(language):
    w, here = words(language, "run"), of_run("a")
    assert w["answer_by_replacing"] not in prose.absent(here, answers.COMPARED, w)
    del here["depends-before"]
    assert w["answer_by_replacing"] in prose.absent(here, answers.COMPARED, w)


@pytest.mark.parametrize("language", LANGUAGES)
def test_claims_are_counted_by_what_this_run_alone_makes_of_them(language):
    outcomes = ["holds", "holds", "open", "not_tested", "fails"]
    claims = [{"claim": {"kind": "measured", "stake": True, "this_run": one}} for one in outcomes]
    claims.append({"claim": {"kind": "algebra", "stake": True, "this_run": "holds"}})
    text = prose.decided(claims, words(language, "run"))
    assert "5" in text and "3" in text
    none = prose.decided(claims[2:4], words(language, "run"))
    assert ":" not in none and "（" not in none


def test_scores_stand_where_a_model_is_trained(at_root):
    params = RunParameters.model_validate(load().model_dump(mode="json", include=SHOWN))
    known = {
        "structure": {"layers": 6, "heads": 12},
        "capture": {"examples": 2, "tokens": 1010},
        "evaluate": {},
        "corpus": {"majority_accuracy": 0.5},
    }
    facts = {name: dict(known) for name in params.experiments}
    w = words("en", "run")
    cells, _ = experiments_table(params, facts, w)
    assert w["score"] not in cells and cells[w["tokens"]].iloc[0] == "1,010"
    first = next(iter(facts))
    facts[first] = known | {"evaluate": {"accuracy": 0.9}}
    cells, data = experiments_table(params, facts, w)
    assert cells[w["score"]].tolist() == ["90% (50%)", *[""] * (len(facts) - 1)]
    assert isinstance(data, pd.DataFrame) and data["baseline"].iloc[0] == 0.5
