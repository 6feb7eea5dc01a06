"""Chapter *faithfulness*: what is read, drawn and tabled, and the page has all it asks for."""

from types import SimpleNamespace

import made_summary
import numpy as np
import pandas as pd
import pytest
from published_ledger import published_values  # noqa: F401

from analysis.chapters.faithfulness import figures
from analysis.chapters.faithfulness.prose import changed, leading, planted
from analysis.figures.style import FAMILY_COLOURS, method_colour
from analysis.prose.messages import words
from analysis.results import explanations
from attention_mixing.methods.flow import attention_flow
from attention_mixing.methods.rollout import with_residual

LANGUAGES = ("en", "ja")
W = words("en", "faithfulness")


def rows(**columns):
    """Rows of a summary with random means and an interval around each."""
    table = made_summary.rows(variant="finetuned", **columns)
    mean = np.random.default_rng(len(table)).uniform(0.2, 0.8, len(table))
    return table.assign(mean=mean, low=mean - 0.1, high=mean + 0.1)


def results(experiments=("reviews",), layers=3, evidence=True):
    """What the chapter reads of the summary, each under the name of who reads it."""
    here, methods = {"experiment": experiments}, explanations.JUDGED
    measures = explanations.by_removal("mask")[0 if evidence else len(explanations.EVIDENCE) :]
    judged = explanations.PAIRED_MEASURES if evidence else explanations.PAIRED_MEASURES[1:]
    depth = {"layer": range(1, layers + 1)}
    paired = rows(**here, subject=methods, minus=figures.PAIRED_WITH, quantity=judged)
    starts = rows(**here, rule=explanations.RELEVANCE_RULES, sign=["for", "against"], **depth)
    return SimpleNamespace(
        final=rows(**here, subject=methods, quantity=measures),
        auc=rows(**here, subject=methods, quantity=["roc_auc"]),
        found=rows(**here, subject=methods, quantity=explanations.EVIDENCE),
        layers=rows(
            **here, subject=figures.LAYERED, facet=["cls", "max"], quantity=measures, **depth
        ),
        agreement=rows(**here, subject=methods, facet=methods),
        paired=paired[paired["subject"] != paired["minus"]].assign(dropped=0, stands_out=True),
        starts=starts,
    )


def test_at_most_six_methods_stand_in_front_and_families_have_colours_of_their_own():
    assert len(figures.IN_FRONT) <= 6
    assert set(figures.IN_FRONT) < set(explanations.JUDGED)
    colours = [FAMILY_COLOURS[family] for family in explanations.METHOD_FAMILIES]
    assert len(set(colours)) == len(colours)
    tables = results(("a", "b"))
    of_front = tables.final[tables.final["subject"].isin(figures.IN_FRONT)]
    figure, _ = figures.panel(of_front, W)
    names = [name.get_text() for name in figure.axes[0].get_yticklabels()]
    drawn = {W[method] for method in figures.IN_FRONT}
    assert drawn < set(names)
    # A family without a method in front has no heading.
    assert set(names) - drawn == {
        W[family]
        for family, methods in explanations.METHOD_FAMILIES.items()
        if not set(methods).isdisjoint(figures.IN_FRONT)
    }


def test_the_matrix_has_no_column_that_is_empty():
    criteria = ["roc_auc", "blank_out_delete"]
    data = rows(experiment=["a", "b"], subject=figures.IN_FRONT, quantity=criteria)
    data = data.assign(corpus=data["experiment"])
    data.loc[(data["corpus"] == "b") & (data["quantity"] == "roc_auc"), "mean"] = np.nan
    figure, _ = figures.matrix(data, W)
    shapes = [axis.get_images()[0].get_array().shape for axis in figure.axes[:2]]
    assert shapes == [(6, 1), (6, 2)]


def test_every_method_has_a_name_a_family_and_a_colour():
    for w in (words(language, "faithfulness") for language in LANGUAGES):
        assert all(
            w[method] and w[family]
            for family, ms in explanations.METHOD_FAMILIES.items()
            for method in ms
        )
    assert len(set(explanations.JUDGED)) == len(explanations.JUDGED)
    for method in explanations.JUDGED:
        assert method_colour(method)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_method_that_is_ahead_most_often_is_named_but_no_removal(language):
    w = words(language, "faithfulness")
    methods = ("raw", "flow", "alti_rollout", "left_out_delete", "random")
    scores = rows(experiment=["a", "b"], subject=methods, quantity=["roc_auc", "sufficiency"])
    scores = scores.assign(corpus=scores["experiment"])
    ahead = scores["subject"].map({"raw": 0.9, "left_out_delete": 1.0, "random": 1.0}).fillna(0.1)
    always = leading(scores.assign(mean=ahead), methods, w)["leading"]
    assert w["raw"] in always and w["left_out_delete"] not in always
    once = (scores["subject"] == "flow") & (scores["corpus"] == "b")
    once &= scores["quantity"] == "roc_auc"
    mostly = leading(scores.assign(mean=ahead.mask(once, 0.95)), methods, w)["leading"]
    assert w["raw"] in mostly and "3" in mostly and "4" in mostly
    unmeasured = leading(scores.iloc[:0], methods, w)["leading"]
    assert len({always, mostly, unmeasured}) == 3
    found = planted(results(("a", "b")).auc.assign(mean=0.25), w)
    assert found == {"auc-gradient_norm": "0.25", "auc-raw": "0.25"}
    assert planted(results().auc.iloc[:0], w)["auc-raw"] == w["not_defined"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_on_changed_words_say_what_was_found_and_where_the_place_tells(language):
    w = words(language, "faithfulness")
    scores = rows(experiment=("a", "b"), subject=explanations.JUDGED, quantity=explanations.CHANGED)
    scores = scores.assign(texts=7)
    top = scores["quantity"] == "top_counterfactual"
    scores.loc[top & (scores["subject"] == "raw"), "mean"] = 0.99
    scores.loc[top & (scores["subject"] == "rollout") & (scores["experiment"] == "a"), "mean"] = 1.0
    scores.loc[top & (scores["subject"] == "left_out_mask"), "mean"] = 1.0
    deciding = pd.DataFrame(
        {"evidence_decides": 1.0, "first_decides": [1.0, 0.0], "texts": 5}, index=["a", "b"]
    )
    said = changed(scores, deciding, w)
    assert w["raw"] in said["changed-best"]
    assert "99%" in said["changed-best"]
    assert "14" in said["changed-best"]
    assert "10" in said["changed-decides"]
    assert w["left_out_mask"] not in said["changed-best"]
    places = [
        changed(scores, deciding.assign(first_decides=ends), w)["changed-place"]
        for ends in ([1, 0], [1, 0.5], [0.5, 0], [0.5, 0.5])
    ]
    assert len(set(places)) == 4
    partly = changed(scores, deciding.assign(evidence_decides=[1, 0.25]), w)
    assert "25" in partly["changed-decides"]
    of_decoders = changed(scores[scores["subject"] != "left_out_mask"], deciding, w)
    assert "MASK" in said["changed-removal"]
    assert "MASK" not in of_decoders["changed-removal"]
    unasked = changed(scores, deciding.assign(evidence_decides=np.nan), w)
    assert unasked["changed-decides"] not in (said["changed-decides"], partly["changed-decides"])
    assert "nan" not in unasked["changed-decides"]


@pytest.mark.slow
@pytest.mark.parametrize("experiments", [("a",), ("a", "b", "c")])
def test_figures_and_tables_can_be_made_of_any_number_of_experiments(experiments):
    w, made = words("ja", "faithfulness"), results(experiments)
    for draw, *given in (
        (figures.ranking, made.auc),
        (figures.panel, made.final),
        (figures.layer_curves, made.layers, "blank_out_mask"),
        (figures.start_curves, made.starts),
        (figures.agreement_maps, made.agreement),
    ):
        figure, data = draw(*given, w)
        assert figure.axes
        assert set(data["experiment"]) == set(experiments)
    for make, *given in (
        (figures.evidence_table, made.found),
        (figures.paired_table, made.paired),
        (figures.curves_table, made.layers),
        (figures.orders_table, made.final, made.layers),
    ):
        cells, data = make(*given, w)
        assert len(cells)
        assert len(data)
        assert not cells.isna().any(axis=None)


def test_a_corpus_without_evidence_is_judged_by_removal_alone():
    tables = results(evidence=False)
    figure, _ = figures.panel(tables.final, W)
    titles = [axis.get_title(loc="left") for axis in figure.axes]
    assert titles == [W[f"{measure}_short"] for measure in explanations.by_removal("mask")[2:]]
    cells, _ = figures.paired_table(tables.paired, W)
    assert not [column for column in cells if W["roc_auc_column"] in column]


def test_the_ranking_has_the_best_method_on_top():
    figure, data = figures.ranking(results(("a", "b")).auc, W)
    means = data.groupby("subject", sort=False)["mean"].mean()
    assert list(means) == sorted(means, reverse=True)
    labels = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert labels == [W[method] for method in means.index]


def test_texts_without_a_difference_are_counted_where_there_are_any():
    paired = results().paired
    cells, _ = figures.paired_table(paired, W)
    assert W["undefined"] not in cells
    paired.loc[paired["subject"] == "flow", "dropped"] = 2
    cells, _ = figures.paired_table(paired, W)
    assert cells.set_index(W["method"])[W["undefined"]][W["flow"]] == 2


def test_a_published_order_has_the_outcome_of_its_claim(monkeypatch):
    """Not of the means alone, which may differ by chance."""
    tables = results()
    of_claim = {"experiment": "reviews", "case": "sufficiency", "holds": None, "smaller": False}
    monkeypatch.setitem(figures.judged_claims()["B11"], "cases", [of_claim])
    for method, value in (("alti_rollout", 0.1), ("rollout", 0.4)):
        chosen = (tables.final["quantity"] == "sufficiency") & (tables.final["subject"] == method)
        tables.final.loc[chosen, "mean"] = value
    cells, _ = figures.orders_table(tables.final, tables.layers, W)
    row = cells[cells[W["statement"]] == W["alti_sufficient"]].iloc[0]
    assert row["reviews"] == f"0.10, 0.40: {W['order_open']}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_matrix_has_a_map_a_criterion_on_one_scale_and_the_number_in_every_cell(language):
    criteria = ["roc_auc", "blank_out_delete", "comprehensiveness_normalised"]
    data = rows(experiment=["a", "b"], subject=figures.COMPARED, quantity=criteria)
    data = data.assign(corpus=data["experiment"])
    data.loc[(data["corpus"] == "b") & (data["quantity"] == "roc_auc"), "mean"] = np.nan
    figure, _ = figures.matrix(data, words(language, "faithfulness"))
    maps = figure.axes[: len(criteria)]
    assert {image.get_clim() for axis in maps for image in axis.get_images()} == {(0, 1)}
    for axis, criterion in zip(maps, criteria, strict=True):
        of_map = data[data["quantity"] == criterion]
        shown = sorted(text.get_text() for text in axis.texts)
        assert shown == sorted(f"{100 * mean:.0f}" for mean in of_map["mean"].dropna())


# --- what is read of the summary ------------------------------------------------------------------


@pytest.fixture
def summary(here):
    """Write a summary where experiment ``a`` alone knows the evidence, or where none does."""
    final = {"measure": "faithfulness", "facet": "final", "subject": ["flow", "raw"]}
    auc = rows(experiment=["a", "b"], quantity="roc_auc", **final)
    auc.loc[auc["experiment"] == "b", ["mean", "low", "high"]] = np.nan
    scores = pd.concat([auc, rows(experiment=["a", "b"], quantity="comprehensiveness", **final)])
    rules = [f"relevance_{rule}{sign}" for rule in ("sum", "rollout") for sign in ("", "_against")]
    start = {"experiment": "a", "measure": "faithfulness", "quantity": "roc_auc", "subject": rules}

    def write(*, unmarked=False):
        known = scores[scores["experiment"] == "b"] if unmarked else scores
        held = known[known["subject"] == "flow"].assign(
            minus="raw", texts=lambda table: np.where(table["mean"].isna(), 0, 2)
        )
        made_summary.write(
            here,
            "explain",
            [
                *(known, held),
                rows(facet="cls", layer=[1, 2, 3], **start),
                rows(facet="from", layer=[2, 3], **start),
                rows(experiment=["a", "b"], measure="relevance", quantity="completeness_error"),
            ],
        )

    return write


def test_only_experiments_that_know_the_evidence_have_columns(summary):
    summary()
    auc = explanations.final_scores("roc_auc")
    assert auc[["experiment", "subject"]].to_numpy().tolist() == [["a", "raw"], ["a", "flow"]]
    cells, _ = figures.evidence_table(auc, W)
    assert not [column for column in cells if column.startswith("b")]


def test_a_difference_that_some_texts_do_not_define_is_counted(summary):
    summary()
    paired = explanations.paired(0.95).set_index(["experiment", "quantity"])["dropped"]
    assert paired.to_dict() == {
        ("a", "roc_auc"): 1,
        ("b", "roc_auc"): 3,
        ("a", "comprehensiveness"): 1,
        ("b", "comprehensiveness"): 1,
    }


def test_a_measure_that_no_text_defines_judges_nobody(summary):
    summary(unmarked=True)
    assert set(explanations.paired(0.95)["quantity"]) == {"comprehensiveness"}


def test_relevance_starts_at_every_layer_and_ends_at_the_last(summary):
    summary()
    starts = explanations.starts()
    for _, line in starts.groupby(["rule", "sign"]):
        assert line["layer"].tolist() == [1, 2, 3]
        assert line["facet"].tolist() == ["cls", "from", "from"]
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
