"""The abstract: what it says by rule, and that its figure shows every answer of every state."""

import itertools

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


SAID = [
    (findings.weights, ([0.9, 0.9], [0.3, 0.4]), "Less than half"),
    (findings.weights, ([0.9, 0.9], [0.3, 0.8]), "Less is mixed than"),
    (findings.weights, ([0.9, 0.9], [0.3, 0.95]), "Not in every case"),
    (findings.rollout, ([0.90, 0.94], [0.92, 0.95]), "hardly depends"),
    (findings.rollout, ([0.50, 0.94], [0.92, 0.95]), "depends on what"),
    (findings.flow, ([0.99, 0.96],), "nearly equal"),
    (findings.flow, ([0.99, 0.90],), "different values"),
    (findings.attentionviz, ([0.1, 0.2], [0.3, 0.4]), "moves apart"),
    (findings.attentionviz, ([0.3, 0.4], [0.1, 0.2]), "brings together"),
    (findings.attentionviz, ([0.3, 0.2], [0.1, 0.4]), "some models only"),
    (findings.heads, ([0.0, 0.25],), "Most attention heads"),
    (findings.heads, ([0.0, 0.26],), "Many attention heads"),
    (findings.scope, (["own"], False), "Every number is a mean over the texts of the one"),
    (findings.scope, (["own"], True), "Ranges reach over the two results of the one"),
    (findings.scope, (["a", "b"], False), "Ranges reach from the smallest to the largest result"),
    (findings.explained_scope, ([12],), "one experiment, 12 texts"),
    (findings.explained_scope, ([12, 12],), "2 experiments, 12 texts each"),
]


@pytest.mark.parametrize(("rule", "given", "said"), SAID)
def test_each_statement_follows_from_its_numbers(rule, given, said):
    assert said in rule(*given, ENGLISH)


def test_each_statement_is_another_one_in_japanese():
    for rule, cases in itertools.groupby(SAID, key=lambda case: case[0]):
        given = [given for _, given, _ in cases]
        assert len({rule(*one, JAPANESE) for one in given}) == len(given)
        assert all(rule(*one, JAPANESE) != rule(*one, ENGLISH) for one in given)


def test_the_best_method_is_the_best_on_average_and_none_that_knows_nothing():
    auc = found(raw=0.7, gradient_norm=0.9, flow=0.3, uniform=1.0)
    assert best_method(auc) == "gradient_norm"
    for w in (ENGLISH, JAPANESE):
        said = findings.explained(auc, "gradients", w)
        assert w["gradient_norm"] in said and w["looks_gradients"] in said


IN_SHORT = [
    (
        ([0.9], [0.3], "gradients"),
        "overstate how much is mixed, and",
        "by gradients, not by attention",
    ),
    (([0.9], [0.3], "weights"), "overstate how much is mixed, but", "by weights"),
    (([0.9], [0.95], "gradients"), "not in every case", ", but"),
    (([0.9], [0.95], "weights"), "not in every case", ", and"),
    (([0.9], [0.3], None), "overstate", "mixed"),
]


@pytest.mark.parametrize(("given", "first", "second"), IN_SHORT)
def test_in_short_amount_and_explanation_are_held_together(given, first, second):
    said = findings.in_short(*given, ENGLISH)
    assert first in said and second in said
    assert said.endswith("attention") == (given[2] == "gradients")


def test_in_short_differs_in_japanese_as_in_english():
    assert len({findings.in_short(*given, JAPANESE) for given, *_ in IN_SHORT}) == len(IN_SHORT)


def test_every_family_of_methods_is_told_what_it_looks_at():
    for family, methods in faithfulness.FAMILIES.items():
        assert (f"looks_{family}" in words("en", "index")) == (
            not set(methods) <= {*faithfulness.BASELINES, *faithfulness.BLANK_OUT}
        )


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ([("a", 6)], "one model of 6 layers (a)"),
        ([("a", 6), ("b", 12)], "2 models (a, 6 layers; b"),
    ],
)
def test_models_are_named_with_their_layers(known, said):
    assert findings.models(known, ENGLISH).startswith(said)
    assert all(name in findings.models(known, JAPANESE) for name, _ in known)


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
