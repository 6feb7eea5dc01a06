"""The front page: its picture shows every answer of every state, and how sure a finding is."""

import re
from pathlib import Path

import pandas as pd
import pytest
import yaml

from analysis.chapters.findings.prose import sureness
from analysis.chapters.run import figures
from analysis.prose.messages import sentences, words

LANGUAGES = ("en", "ja")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_picture_has_a_dot_for_every_answer_of_every_state_and_one_of_the_text(language):
    states = [("a", "pretrained"), ("b", "pretrained"), ("b", "finetuned")]
    table = pd.DataFrame(
        [
            {"experiment": name, "variant": variant, "answer": answer}
            | {"mean": 0.5, "low": 0.4, "high": 0.6, "text": 0.3}
            for name, variant in states
            for answer in figures.ANSWERS
        ]
    )
    figure, _ = figures.answers_figure(table, words(language, "run"))
    (axis,) = figure.axes
    dots = [line for line in axis.lines if line.get_marker() == "o"]
    of_texts, medians = (
        [one for one in dots if (one.get_ms() < 3) is small] for small in (True, False)
    )
    assert sum(len(line.get_xdata()) for line in of_texts) == len(states) * len(figures.ANSWERS)
    variants = {variant for _, variant in states}
    assert len(medians) == len(variants) * len(figures.ANSWERS)
    shown = [line for line in axis.lines if line.get_marker() == "D"]
    assert [line.get_xdata()[0] for line in shown] == [0.3] * len(figures.ANSWERS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_median_is_written_over_the_marks_of_a_row(language):
    states = [("b", "pretrained"), ("b", "finetuned")]
    table = pd.DataFrame(
        [
            {"experiment": name, "variant": variant, "answer": answer, "mean": 0.96, "text": 0.9}
            for name, variant in states
            for answer in figures.ANSWERS
        ]
    )
    figure, _ = figures.answers_figure(table, words(language, "run"))
    figure.canvas.draw()
    (axis,) = figure.axes
    written = [text for text in axis.texts if "%" in text.get_text()]
    assert len(written) == len(figures.ANSWERS)
    marks = [line.get_window_extent() for line in axis.lines if line.get_marker() == "o"]
    for text in written:
        assert text.get_window_extent().x0 > max(mark.x1 for mark in marks) + 2


def test_before_and_after_are_medians_of_the_same_experiments():
    means = {("a", "pretrained"): 0.9, ("b", "pretrained"): 0.2, ("b", "finetuned"): 0.7}
    rows = [{"experiment": e, "variant": v, "mean": mean} for (e, v), mean in means.items()]
    found = figures.medians(pd.DataFrame(rows))
    assert found.to_dict() == {"pretrained": 0.2, "finetuned": 0.7}
    untrained = figures.medians(pd.DataFrame(rows[:2]))
    assert untrained.to_dict() == {"pretrained": pytest.approx(0.55)}


def model(alti, sinks=None):
    return {"parts": {"alti": alti} if sinks is None else {"alti": alti, "sinks": sinks}}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_finding_ahead_says_in_how_many_models_each_part_holds(language):
    """What is shown beside decides nothing, and its texts do not count."""
    cases = [
        {"sample": sample, "unit": "text", "decides": sample < 100} for sample in (24, 61, 900)
    ]
    models = [model("holds", "holds"), model("fails", "open")]
    finding = {"parts": {"alti": "divided", "sinks": "holds"}, "models": models, "cases": cases}
    said = sureness("tuned", finding, sentences(language, "run"))
    numbers = ["1", "2", "1", "2", "1", "24", "61"]
    assert re.findall(r"\d+", said) in (numbers, ["2", "1", "2", "1", "1", "24", "61"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_part_of_a_finding_ahead_has_a_name(language, at_root):
    rules = yaml.safe_load(Path("report/rules.yaml").read_text(encoding="utf-8"))
    by_name = {rule["id"]: rule for rule in rules}
    for name in ("tuned", "weights", "through", "explained"):
        rule = by_name[f"run.{name}"]
        for part in by_name[rule.get("like", rule["id"])]["cases"]:
            assert f"sure_{name}_{part['name']}" in sentences(language, "run")
