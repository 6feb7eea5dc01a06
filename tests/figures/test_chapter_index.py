"""The abstract: what it says by rule, and that its figure shows every answer of every state."""

import pandas as pd
import pytest

from analysis.figures import faithfulness, index
from analysis.figures.findings import index as findings
from analysis.figures.findings.faithfulness import best_method
from analysis.figures.words import words

ENGLISH, JAPANESE = (
    words(language, "index", "faithfulness", "findings_index") for language in ("en", "ja")
)


def found(**means):
    """ROC-AUC by method, one experiment each, with an interval of 0.1 to both sides."""
    rows = pd.DataFrame({"of": list(means), "mean": list(means.values())})
    return rows.assign(low=rows["mean"] - 0.1, high=rows["mean"] + 0.1)


def test_the_best_method_is_the_best_on_average_and_none_that_knows_nothing():
    auc = found(raw=0.7, gradient_norm=0.9, flow=0.3, uniform=1.0)
    assert best_method(auc) == "gradient_norm"
    for w in (ENGLISH, JAPANESE):
        said = findings.explained(auc, "gradients", w)
        assert w["gradient_norm"] in said and w["looks_gradients"] in said


def test_every_family_of_methods_is_told_what_it_looks_at():
    for family, methods in faithfulness.FAMILIES.items():
        assert (f"looks_{family}" in words("en", "index")) == (
            not set(methods) <= {*faithfulness.BASELINES, *faithfulness.BLANK_OUT}
        )


@pytest.mark.parametrize(("flow", "said"), [(0.3, "flow did worse"), (0.45, "no method")])
def test_worse_than_guessing_means_the_whole_interval(flow, said):
    assert said in findings.below_chance(found(raw=0.7, flow=flow), ENGLISH)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_figure_has_a_dot_for_every_answer_of_every_state(language):
    states = [("a", "pretrained"), ("b", "pretrained"), ("b", "finetuned")]
    table = pd.DataFrame(
        [
            {"experiment": name, "variant": variant, "answer": answer}
            | {"mean": 0.5, "low": 0.4, "high": 0.6}
            for name, variant in states
            for answer, *_ in index.ANSWERS
        ]
    )
    figure = index.answers_figure(table, words(language, "index"))
    (axis,) = figure.axes
    dots = [line for line in axis.lines if line.get_marker() != "None"]
    assert len(dots) == len(states) * len(index.ANSWERS)
    filled = [line for line in dots if line.get_markerfacecolor() != "none"]
    assert len(filled) == len(index.ANSWERS)  # one state is fine-tuned
    heights = {line.get_ydata()[0] for line in dots}
    assert len(heights) == len(dots)  # none hides another
