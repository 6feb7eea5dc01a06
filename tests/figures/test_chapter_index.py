"""The front page: its picture shows every answer of every state, and how sure a finding is."""

import re

import pandas as pd
import pytest

from analysis.figures import index
from analysis.figures.words import words

LANGUAGES = ("en", "ja")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_picture_has_a_dot_for_every_answer_of_every_state_and_one_of_the_text(language):
    states = [("a", "pretrained"), ("b", "pretrained"), ("b", "finetuned")]
    table = pd.DataFrame(
        [
            {"experiment": name, "variant": variant, "answer": answer}
            | {"mean": 0.5, "low": 0.4, "high": 0.6, "text": 0.3}
            for name, variant in states
            for answer in index.ANSWERS
        ]
    )
    figure, _ = index.answers_figure(table, words(language, "index"))
    (axis,) = figure.axes
    of_texts = [line for line in axis.lines if line.get_marker() == "o"]
    assert sum(len(line.get_xdata()) for line in of_texts) == len(states) * len(index.ANSWERS)
    shown = [line for line in axis.lines if line.get_marker() == "D"]
    assert [line.get_xdata()[0] for line in shown] == [0.3] * len(index.ANSWERS)


def case(holds, *, sample=24, decides=True):
    return {"holds": holds, "decides": decides, "sample": sample, "unit": "text"}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["weights", "through", "explained"])
def test_every_finding_ahead_says_in_how_many_comparisons_it_holds(language, name):
    beside = case(True, decides=False)
    finding = {"cases": [case(True), case(False), case(None, sample=61), beside]}
    said = index.sureness(name, finding, words(language, "index"))
    assert re.findall(r"\d+", said.replace("4 分の 3", "")) in (
        ["1", "3", "1", "24", "61"],
        ["3", "1", "1", "24", "61"],
    )
