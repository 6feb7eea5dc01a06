"""Chapter *faithfulness*: what is read and drawn, and the page has all that it asks for."""

from pathlib import Path

import made_summary
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from page_numbers import asked
from random_faithfulness import LANGUAGES, results, rows, vocabulary

from analysis import params
from analysis.figures import dots, faithfulness, faithfulness_tables
from analysis.figures.style import METHOD_COLOURS
from analysis.methods.flow import attention_flow
from analysis.methods.rollout import with_residual
from analysis.rules.rule import read

RULES = Path(__file__).parents[2] / "report" / "rules.yaml"

# --- what the page asks for -----------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_names_no_number_that_the_notebook_does_not_give(language):
    with_evidence = asked("faithfulness", language)
    unmarked = asked("faithfulness", language, planted_evidence=False)
    untrained = asked("faithfulness", language, planted_evidence=False, classifier=False)
    assert untrained < unmarked < with_evidence
    findings = {
        rule.id.partition(".")[2]
        for rule in read(RULES)
        if rule.claim is None and rule.chapter == "faithfulness"
    }
    numbers = faithfulness.settings(params.load(), vocabulary(language))
    assert untrained <= set(numbers) | findings
    assert all(numbers.values())
    assert with_evidence <= set(numbers) | findings | {"examples", "blank-out", "dropped", "unseen"}


def test_every_method_has_a_name_a_family_and_a_colour():
    for w in map(vocabulary, LANGUAGES):
        assert all(
            w[method] and w[family] for family, ms in faithfulness.FAMILIES.items() for method in ms
        )
    assert len(set(faithfulness.JUDGED)) == len(faithfulness.JUDGED)
    for method in faithfulness.JUDGED:
        assert dots.method_colour(method) in METHOD_COLOURS.values()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("experiments", [("a",), ("a", "b", "c")])
def test_every_figure_can_be_made_of_any_number_of_experiments(experiments, language):
    w, tables = vocabulary(language), results(experiments)
    for draw, *given in (
        (faithfulness.ranking, tables.auc),
        (faithfulness.panel, tables.final),
        (faithfulness.layer_curves, tables.layers, "blank_out_mask"),
        (faithfulness.start_curves, tables.starts),
        (faithfulness.agreement_maps, tables.agreement),
    ):
        figure, data = draw(*given, w)
        assert figure.axes
        plt.close(figure)
        assert set(data["experiment"]) == set(experiments)


def test_a_corpus_without_evidence_is_judged_by_removal_alone():
    w, tables = vocabulary(), results(evidence=False)
    figure, _ = faithfulness.panel(tables.final, w)
    titles = [axis.get_title(loc="left") for axis in figure.axes]
    plt.close(figure)
    assert titles == [w[f"{measure}_short"] for measure in faithfulness.MEASURES[1:]]
    cells, _ = faithfulness_tables.paired_table(tables.paired, w)
    assert not [column for column in cells if w["roc_auc_column"] in column]


def test_the_ranking_has_the_best_method_on_top():
    figure, data = faithfulness.ranking(results(("a", "b")).auc, vocabulary())
    means = data.groupby("of", sort=False)["mean"].mean()
    assert list(means) == sorted(means, reverse=True)
    labels = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    plt.close(figure)
    assert labels == [vocabulary()[method] for method in means.index]


# --- what is read of the summary ------------------------------------------------------------------


@pytest.fixture
def summary(tmp_path, monkeypatch):
    """Write a summary where experiment ``a`` alone knows the evidence, or where none does."""
    monkeypatch.chdir(tmp_path)
    final = {"by": "faithfulness", "kind": "final", "of": ["flow", "raw"]}
    auc = rows(experiment=["a", "b"], measure="roc_auc", **final)
    auc.loc[auc["experiment"] == "b", ["mean", "low", "high"]] = np.nan
    scores = pd.concat([auc, rows(experiment=["a", "b"], measure="comprehensiveness", **final)])
    rules = [f"relevance_{rule}{sign}" for rule in ("sum", "rollout") for sign in ("", "_against")]
    start = {"experiment": "a", "by": "faithfulness", "measure": "roc_auc", "of": rules}

    def write(*, unmarked=False):
        known = scores[scores["experiment"] == "b"] if unmarked else scores
        held = known[known["of"] == "flow"].assign(
            minus="raw", texts=lambda table: np.where(table["mean"].isna(), 0, 2)
        )
        made_summary.write(
            tmp_path,
            "explain",
            [
                *(known, held),
                rows(kind="cls", layer=[1, 2, 3], **start),
                rows(kind="from", layer=[2, 3], **start),
                rows(experiment=["a", "b"], by="relevance", measure="completeness_error"),
            ],
        )

    return write


def test_only_experiments_that_know_the_evidence_have_columns(summary):
    summary()
    w, auc = vocabulary(), faithfulness.final_scores("roc_auc")
    assert auc[["experiment", "of"]].to_numpy().tolist() == [["a", "raw"], ["a", "flow"]]
    cells, _ = faithfulness_tables.evidence_table(auc, w)
    assert not [column for column in cells if column.startswith("b")]


def test_a_difference_that_some_texts_do_not_define_is_counted(summary):
    summary()
    paired = faithfulness.paired(0.95).set_index(["experiment", "measure"])["dropped"]
    assert paired.to_dict() == {
        ("a", "roc_auc"): 1,
        ("b", "roc_auc"): 3,
        ("a", "comprehensiveness"): 1,
        ("b", "comprehensiveness"): 1,
    }


def test_a_measure_that_no_text_defines_judges_nobody(summary):
    summary(unmarked=True)
    assert set(faithfulness.paired(0.95)["measure"]) == {"comprehensiveness"}


def test_relevance_starts_at_every_layer_and_ends_at_the_last(summary):
    summary()
    starts = faithfulness.starts()
    for _, line in starts.groupby(["rule", "sign"]):
        assert line["layer"].tolist() == [1, 2, 3]
        assert line["kind"].tolist() == ["cls", "from", "from"]
    assert len(starts) == 3 * 2 * 2


# --- the page's own theorem -----------------------------------------------------------------------


def test_flow_from_cls_is_bounded_by_the_cut_that_the_page_gives():
    r"""The bound holds for any attention; where it is attained, layer one decides the ranking."""
    rng = np.random.default_rng(1)
    attention = rng.dirichlet(np.full(9, 3), size=(4, 9))
    # [CLS] attends to itself, as trained models do: little leaves it on the way down.
    attention[:, 0] *= 0.1
    attention[:, 0, 0] += 0.9
    layers = with_residual(attention, 0.5)
    flow = attention_flow(layers, sources=np.array([0])).values[0, 1:]
    bound = (1 - layers[1:, 0, 0]).sum() + layers[0, 0, 1:]
    assert (flow <= bound + 1e-12).all()
    np.testing.assert_allclose(flow, bound, atol=1e-12)
    np.testing.assert_array_equal(np.argsort(flow), np.argsort(attention[0, 0, 1:]))
