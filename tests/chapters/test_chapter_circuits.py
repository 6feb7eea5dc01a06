"""Chapter *circuits*: figures and tables hold the scores, in the words of both languages."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from matplotlib.patches import Rectangle

from analysis.chapters.circuits import figures
from analysis.chapters.circuits.prose import (
    bars_sentence,
    learned_sentences,
    model_sentences,
    order_sentences,
    sentences,
)
from analysis.prose.messages import MESSAGES, words
from analysis.prose.recovered import anchor
from analysis.results.circuits import (
    AMOUNT_WITHIN,
    BY_DEPENDENCE,
    LEARNED,
    QUESTIONS,
    BesideModels,
    CircuitResults,
    LearnedResults,
    read_circuits,
)
from attention_mixing.attributions.catalogue import explanations
from attention_mixing.circuits import OF_PAIRS
from attention_mixing.circuits.estimands import meant
from attention_mixing.circuits.labels import BASELINES, BY_KEYS

LANGUAGES = ("en", "ja")
W = words("en", "circuits")


@pytest.fixture(scope="module")
def results(circuit_results) -> CircuitResults:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(circuit_results.parents[1])
        return read_circuits()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("through", ["layer", "model"])
def test_maps_write_the_scores_and_frame_what_was_not_expected(results, through, language):
    figure, data = figures.score_maps(results, through, words(language, "circuits"))
    for axis, (estimand, score) in zip(figure.axes, figures.PANELS, strict=True):
        values = results.table(through, score, estimand=estimand).to_numpy()
        values = 1 - values if score == "mixing_error" else values  # high is good in all
        cells = [int(text.get_text().replace("\u2212", "-")) for text in axis.texts]
        np.testing.assert_allclose(cells, 100 * values[np.isfinite(values)], rtol=0, atol=0.5001)
    framed = [*figures.PANELS].index(figures.EXPECTED_OF)
    frames = [patch for patch in figure.axes[framed].patches if isinstance(patch, Rectangle)]
    assert len(frames) == len(results.surprises().query("through == @through"))
    assert set(data["through"]) == {through}


@pytest.mark.parametrize("language", LANGUAGES)
def test_bars_are_as_long_as_the_circuits_that_are_found(results, language):
    w = words(language, "circuits")
    figure, data = figures.found_bars(figures.measures_in_front(results), w)
    assert len(data) <= 6
    lengths = [bar.get_width() for axis in figure.axes for bar in axis.patches]
    shown = data.set_index("measure")
    counted = results.by_estimand("model").query("meant == True").set_index("measure")
    assert sorted(lengths) == sorted(counted.loc[list(shown.index), "found"])
    for axis, (_, rows) in zip(figure.axes, data.groupby("estimand", sort=False), strict=True):
        names = [name.get_text() for name in axis.get_yticklabels()]
        assert names == [w[measure] for measure in rows["measure"]]
    said = bars_sentence(data, w)
    best = (data["found"] / data["of"]).idxmax()
    assert w[data.loc[best, "measure"]] in said
    assert str(data.loc[best, "found"]) in said


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_example_shows_the_truth_first(results, language):
    figure, data = figures.example_maps(results, words(language, "circuits"))
    shown = data.query("circuit == 'key_alone' and measure == 'truth'")
    truth = results.arrays["key_alone/truth"][1:]
    np.testing.assert_array_equal(shown["weight"].to_numpy().reshape(truth.shape), truth)
    columns = 1 + len(figures.EXAMPLE_MEASURES) + len(figures.EXAMPLE_BASELINES)
    assert len(figure.axes) == 4 * columns + 1
    for name, axis in zip(figures.EXAMPLES, figure.axes[::columns], strict=False):
        (dots,) = axis.collections
        marked = {(row, column) for column, row in dots.get_offsets()}
        assert marked == {*zip(*results.arrays[f"{name}/truth"][1:].nonzero(), strict=True)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_tables_name_every_circuit_and_only_measures_that_find_it(results, language):
    w = words(language, "circuits")
    listed, _ = figures.circuits_table(results, w)
    explained, _ = figures.mechanisms_table(results, w)
    assert list(listed[w["circuit"]]) == list(explained[w["circuit"]])
    assert len(listed) == len(results.circuits)
    finds = results.table("model", "roc_auc", "finds").astype(bool)
    for name, cell in zip(finds.index, explained[w["by_model"]], strict=True):
        if finds.loc[name].all():
            assert cell == w["all"]
        elif not finds.loc[name].any():
            assert cell == w["none"]


def test_baselines_stand_beside_the_measures(results):
    """Wherever measures are shown on circuits, so is what asks no model."""
    shown = {
        "maps of scores": figures.score_maps(results, "model", W)[1],
        "examples": figures.example_maps(results, W)[1],
        "mechanisms": figures.mechanisms_table(results, W)[1],
        "layers": figures.measures_table(results, "layer", W)[1],
        "models": figures.measures_table(results, "model", W)[1],
    }
    for name, data in shown.items():
        assert {"identity", "symbols"} <= set(data["measure"]), name
    cells, _ = figures.mechanisms_table(results, W)
    solved = results.table("model", "roc_auc", "finds")["identity"].astype(bool)
    for row, cell in zip(solved, cells[W["by_model"]], strict=True):
        named = W["identity"] in cell
        assert named == row or cell == W["all"] or cell.startswith(("all but", "none"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_surprise_is_listed_and_explained(results, language):
    w = words(language, "circuits")
    cells, data = figures.surprises_table(results, w)
    assert len(cells) == len(data) == len(results.surprises())
    assert w["unexplained"] not in set(cells[w["reason"]])


@pytest.mark.parametrize("language", LANGUAGES)
def test_answers_pass_all_circuits_of_their_question(results, language):
    w = words(language, "circuits")
    cells, data = figures.questions_table(results, w)
    assert len(cells) == len(QUESTIONS)
    assert not cells.isna().any(axis=None)
    assert not set(data["measure"]) & set(BASELINES)
    keys = data[data["question"] == "keys"].set_index("measure")["passed"]
    finds = results.finds("model", "keys").loc[["lookup", "two_hops", "key_alone"]]
    assert keys.to_dict() == finds.sum().to_dict()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("through", ["layer", "model"])
def test_every_measure_has_a_row_that_can_be_linked_to(results, through, language):
    w = words(language, "circuits")
    cells, data = figures.measures_table(results, through, w)
    measures = results.measures(through)
    assert list(data["measure"].unique()) == measures
    for estimand in figures.ESTIMANDS_SHOWN:
        found = data[data["estimand"] == estimand].set_index("measure")["found"]
        finds = results.finds(through, estimand).sum()
        assert found.drop([*BASELINES]).to_dict() == finds.to_dict()
    for measure, (_, row) in zip(measures, cells.iterrows(), strict=True):
        assert f'id="{anchor(through, measure)}"' in row[w["method"]].data
        bold = [column for column, cell in row.items() if "<strong>" in getattr(cell, "data", "")]
        assert bold == ([] if measure in BASELINES else [w[f"found_{meant(measure)}"]])


def made(results, **table) -> CircuitResults:
    """The results, with other outcomes of some measures, the same in each circuit."""
    means = results.means.copy()
    for measure, outcome in table.items():
        of_measure = means["measure"] == measure
        means.loc[of_measure, "finds"] = outcome
        amounts = of_measure & (means["score"] == "mixing_error")
        means.loc[amounts, "mean"] = 0.0 if outcome else 1.0
    return replace(results, means=means)


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_measure_answers_a_question_if_it_passes_each_of_its_circuits(results, question):
    judged = results.judged(QUESTIONS[question].through)
    never = dict.fromkeys(judged, False)
    answer = made(results, **never).answer(question)
    assert (answer.answering, answer.most) == ([], 0)
    answer = made(results, **never | {judged[2]: True}).answer(question)
    assert answer.answering == answer.closest == [judged[2]]
    assert answer.most == len(answer.circuits)
    assert set(answer.circuits) <= set(results.circuits)


def test_the_amount_is_told_within_a_margin(results):
    means = results.means.copy()
    chosen = (means["score"] == "mixing_error") & (means["measure"] == "alti")
    for error, passed in ((AMOUNT_WITHIN, len(results.circuits)), (AMOUNT_WITHIN + 1e-6, 0)):
        means.loc[chosen, "mean"] = error
        assert replace(results, means=means).answer("layer_amount").passed["alti"] == passed


@pytest.mark.parametrize(
    ("method", "measure"),
    [
        (("vectors", "attnresln_n"), ("layer", "attnresln_n")),
        (("vectors", "attn_w"), ("layer", "raw")),
        (("vectors", "attnresln_n_rollout"), ("model", "attnresln_n_rollout")),
        (("vectors", "attn_w_rollout"), None),
        (("vectors", "value_zeroing"), ("layer", "value_zeroing")),
        (("vectors", "raw"), ("layer", "raw")),
        (("explain", "raw"), ("model", "raw")),
        (("explain", "alti_logit_unsigned"), ("model", "alti_logit")),
        (("explain", "random"), None),
        (("vectors", "uniform"), None),
    ],
)
def test_methods_of_the_summary_are_known_on_circuits_by_other_names(results, method, measure):
    assert results.scored_as(*method) == measure


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_lead_counts_the_circuits_that_the_best_measure_finds(results, language):
    w = words(language, "circuits")
    said = sentences(results, w)
    told = results.as_meant("model")
    numbers = set(re.findall(r"\d+", said["lead"]))
    for estimand, rows in told.groupby("estimand"):
        assert w[rows["found"].idxmax()] in said["lead"]
        of_baselines = results.table("model", "roc_auc", "finds", estimand)[[*BASELINES]].sum()
        assert {str(rows["found"].max()), str(of_baselines.max())} <= numbers
    assert str(len(results.circuits)) in numbers
    assert set(said) == {
        *("lead", "blind", "layer", "layer-blind"),
        *("amount-layer", "amount-model", "amount-raw"),
        *("amount-layer-lengths", "amount-model-lengths"),
        *("basis", "placement", "beginning", "saturation", "leak", "variants", "wrong"),
        *("longer", "longer-symbols"),
        *("graded", "norm-gains", "orders", "pairs"),
        *("steps", "other-texts", "steps-each"),
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_softer_attention_changes_is_listed_by_measure(results, language):
    w = words(language, "circuits")
    softer = results.variations.query("variation == 'softer'").copy()
    # One circuit more for raw weights, one less for ALTI-Logit, of all others what they had.
    auc = softer["score"] == "roc_auc"
    full = results.table("model", "roc_auc").stack()
    of_pair = pd.MultiIndex.from_frame(softer.loc[auc, ["circuit", "measure"]])
    softer.loc[auc, "value"] = full.reindex(of_pair).to_numpy()
    softer.loc[auc & softer["circuit"].eq("relay") & softer["measure"].eq("raw"), "value"] = 1.0
    lost = softer["circuit"].eq("previous") & softer["measure"].eq("alti_logit")
    softer.loc[auc & lost, "value"] = 0.5
    cells, data = figures.saturation_table(replace(results, variations=softer), w)
    rows = cells.set_index(w["method"])
    assert list(rows.index) == [w["raw"], w["alti_logit"]]
    assert rows[w["gained"]].tolist() == [w["circuit_relay"], w["none"]]
    assert rows[w["lost"]].tolist() == [w["none"], w["circuit_previous"]]
    counts = rows.iloc[:, :2].to_numpy()
    assert (counts[:, 1] - counts[:, 0]).tolist() == [1, -1]
    assert set(data["gain"]) == {80.0, 10.0}
    softer.loc[lost, "value"] = 1.0
    cells, _ = figures.saturation_table(replace(results, variations=softer), w)
    assert w["lost"] not in cells


@pytest.mark.parametrize("language", LANGUAGES)
def test_keys_are_found_or_not_at_every_saturation(results, language):
    w = words(language, "circuits")
    data = results.graded()
    assert list(data["gain"].unique()) == [80, 20, 10, 5, 2]
    assert set(data["circuit"]) == set(BY_KEYS)
    # Those that are saturated are what they are elsewhere, on the same texts.
    full = results.scores.query(
        "through == 'model' and estimand == 'effect' and score == 'roc_auc' and seed == 0 and "
        "circuit == 'lookup' and measure == 'raw'"
    )
    row = data.query("gain == 80 and circuit == 'lookup' and measure == 'raw'")
    few = results.variations.query("variation == 'gain_5'")["text"].unique()
    assert row["value"].item() == pytest.approx(full[full["text"].isin(few)]["value"].mean())
    cells, shown = figures.graded_table(results, w)
    assert set(shown["measure"]) == set(BASELINES) | {
        measure for measure in results.measures("model") if meant(measure) == "effect"
    }
    assert len(cells.columns) == 1 + 5
    # One that begins to find at a gain of 5, and one that finds nothing.
    made = data.assign(value=0.5)
    begins = made["measure"].eq("gradient_norm") & made["gain"].le(5)
    made.loc[begins, "value"] = 1.0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CircuitResults, "graded", lambda _: made)
        said = sentences(results, w)["graded"]
    begun, none = said.split(w["attn_lrp"])[0], w["attn_lrp"]
    assert w["gradient_norm"] in begun and none in said
    assert "8\N{MULTIPLICATION SIGN}10" in said


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_order_on_longer_texts_stands_beside_that_on_others(results, language):
    w = words(language, "circuits")
    cells, data = figures.longer_table(results, w)
    left_out = {"integrated_gradients", "expected_gradients"}
    assert set(data["measure"]) == set(results.measures("model")) - left_out
    assert len(cells) == len(data)
    rows = data.set_index("measure")
    assert (rows.loc["uniform"] == 0.5).all()
    said = {}
    for sign in (1, -1):
        made = data.assign(plain=np.linspace(0, 1, len(data)))
        made["varied"] = sign * made["plain"]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(CircuitResults, "longer", lambda _, made=made: made)
            said[sign] = sentences(results, w)["longer"]
    assert "1.00" in said[1] and "\u22121.00" in said[-1]
    assert str(len(data) - len(BASELINES)) in said[1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_two_tokens_do_together_is_told_of_every_circuit(results, language):
    w = words(language, "circuits")
    cells, data = figures.orders_table(results, w)
    assert list(data["circuit"]) == [*OF_PAIRS, *results.circuits]
    rows = data.set_index("circuit")
    shared = rows[["one", "two", "more"]].sum(axis="columns", skipna=False)
    assert shared.dropna().to_numpy() == pytest.approx(1)
    assert set(shared.index[shared.isna()]) == {
        *("silent_sink", "cancelling_heads", "cancelling_layers", "erasing_network", "unread")
    }
    assert set(rows.index[rows["pairs"] > 0]) == set(OF_PAIRS)
    assert cells[w["by_two"]].tolist().count(w["none"]) == shared.isna().sum()
    said = sentences(results, w)
    above = rows.loc[[*results.circuits], "two"].idxmax()
    assert w[f"circuit_{above}"] in said["orders"]
    cells, data = figures.pairs_table(results, w)
    assert cells[w["method"]].iloc[0] == w["true_total"]
    assert len(cells) == 1 + len(results.measures("model"))
    shares = data.pivot(index="measure", columns="circuit", values="share")
    assert set(shares) == set(OF_PAIRS)
    assert (shares.loc["identity"] == 0).all() and (shares.loc["raw"] > 0.9).all()
    assert shares.loc["symbols"].to_numpy() == pytest.approx(1 / 3)
    given = shares.loc[results.judged("model")]
    numbers = set(map(int, re.findall(r"\d+", said["pairs"])))
    assert {given.size, (given > shares.loc["symbols"] + 0.005).sum().sum()} <= numbers


@pytest.mark.parametrize("language", LANGUAGES)
def test_errors_with_gains_of_norms_stand_beside_those_without(results, language):
    w = words(language, "circuits")
    cells, data = figures.norm_gains_table(results, w)
    assert len(cells) == len(data) == 2 * (3 + len(BASELINES))
    # Without gains the three are the same.
    vectors = data[~data["measure"].isin(BASELINES)]
    assert vectors.groupby("through")["plain"].agg(np.ptp).max() < 1e-6
    drawn = results.with_norm_gains()
    of_pairs = drawn[~drawn["measure"].isin(BASELINES)].groupby(["through", "circuit", "seed"])
    assert of_pairs["varied"].agg(np.ptp).groupby("through").mean().min() > 0.05
    assert data["varied"].between(data["smallest"], data["largest"]).all()
    plain = results.table("model", "mixing_error", estimand="provenance")
    circuits_of = results.variations.query("variation == 'norm_gains'")["circuit"].unique()
    row = data.query("through == 'model' and measure == 'identity'")
    assert row["plain"].item() == pytest.approx(plain.loc[circuits_of, "identity"].mean(), abs=0.05)
    said = sentences(results, w)["norm-gains"]
    assert len(re.findall(r"0\.00", said)) == 2  # how far they are apart without gains
    shares = results.with_norm_gains().assign(varied=lambda table: table["varied"] + 1.0)
    nearest = shares["measure"].isin(["attnresln_n", "attnresln_n_rollout"])
    shares.loc[nearest, "varied"] = 0.0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CircuitResults, "with_norm_gains", lambda _: shares)
        moved = sentences(results, w)["norm-gains"]
    assert w["attnresln_n_rollout"] in moved
    assert moved.count(str(len(drawn.groupby(["circuit", "seed"])))) >= 4


def test_outcomes_without_the_beginning_are_counted_where_there_is_one(results):
    means = results.means.copy()
    chosen = means["score"] == "roc_auc_symbols"
    chosen &= means["estimand"] == "effect"
    assert means[chosen & means["circuit"].eq("uniform")]["mean"].isna().all()
    named = ["through", "estimand", "circuit", "measure"]
    auc = means[means["score"] == "roc_auc"].set_index(named)["mean"]
    keys = pd.MultiIndex.from_frame(means.loc[chosen, named])
    means.loc[chosen, "mean"] = np.where(means.loc[chosen, "mean"].isna(), np.nan, auc[keys])
    changed = replace(results, means=means).without_beginning()
    assert not changed.any()
    assert 0 < len(changed) < len(results.expectations()) + len(results.circuits)
    assert not sentences(replace(results, means=means), W)["beginning"].endswith("“copy”")
    other = chosen & means["circuit"].eq("previous") & means["measure"].eq("gradient_norm")
    means.loc[other, "mean"] = 0.5
    moved = replace(results, means=means)
    assert list(moved.without_beginning().loc[lambda each: each].index) == [
        ("model", "previous", "gradient_norm")
    ]
    assert sentences(moved, W)["beginning"].endswith("“copy”")


def order(trained) -> pd.DataFrame:
    measures = ["integrated_gradients", "alti_logit", "rollout", "raw"]
    here = np.arange(4, 0, -1) / 4
    columns = {"circuits": here, "evidence": trained, "changed": here}
    return pd.DataFrame({"measure": measures} | columns)


@pytest.mark.parametrize("language", LANGUAGES)
def test_orders_are_compared_by_their_correlation(language):
    w = words(language, "circuits")
    said = [
        order_sentences(order(trained), w)["orders-evidence"]
        for trained in ([0.9, 0.8, 0.7, 0.6], [0.6, 0.7, 0.8, 0.9], [0.7, 0.9, 0.6, 0.8])
    ]
    assert "1.00" in said[0]
    assert "\u22121.00" in said[1]
    in_part = order_sentences(order([0.9, 0.7, 0.6, 0.8]), w)["orders-evidence"]
    # Orders that agree in part have a sentence of their own, all others that of the number.
    without = [re.sub(r"[\d.\u2212]+", "", text) for text in (*said, in_part)]
    for name in ("integrated_gradients", "alti_logit", "rollout", "raw"):
        without = [text.replace(w[name], "") for text in without]
    assert len(set(without[:3])) == 1 and without[3] not in without[:3]
    assert "1.00" in order_sentences(order([0.6, 0.7, 0.9, 0.8]), w)["orders-changed"]
    nothing = order([0.6] * 4)[["measure", "circuits"]].iloc[:0]
    assert not any(order_sentences(nothing, w).values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_lines_join_the_places_of_a_measure(language):
    data = order([0.6, 0.7, 0.9, 0.8])
    figure, _ = figures.order_lines(data, words(language, "circuits"))
    (axis,) = figure.axes
    places = {tuple(line.get_ydata()) for line in axis.lines if len(line.get_ydata()) == 3}
    assert places == {(0, 3, 0), (1, 2, 1), (2, 0, 2), (3, 1, 3)}
    tied, _ = figures.order_lines(order([0.6, 0.9, 0.9, 0.9]), words(language, "circuits"))
    places = {tuple(line.get_ydata()) for line in tied.axes[0].lines if len(line.get_ydata()) == 3}
    assert places == {(0, 3, 0), (1, 1, 1), (2, 1, 2), (3, 1, 3)}
    figure, _ = figures.order_lines(data.drop(columns="changed"), words(language, "circuits"))
    ends = {tuple(line.get_ydata()) for line in figure.axes[0].lines}
    assert {(0, 3), (1, 2), (2, 0), (3, 1)} <= ends


def test_a_run_without_evidence_has_no_other_order(results, monkeypatch):
    nothing = pd.DataFrame({"mean": [], "subject": [], "corpus": []})
    monkeypatch.setattr("analysis.results.circuits.every_corpus", lambda criteria: nothing)
    assert results.orders().empty


def test_orders_leave_out_corpora_that_lack_a_measure(results, monkeypatch):
    on_circuits = [one.name for one in explanations(in_texts=False)]
    asked = [name for name in results.judged("model") if name not in on_circuits]
    signed = {one.name: one.unsigned for one in explanations(signed=True)}
    names = [signed.get(m, m) for m in asked]
    whole = pd.DataFrame(
        {"subject": names, "corpus": "whole", "mean": np.linspace(1, 0, len(names))}
    )
    part = whole.iloc[1:].assign(corpus="part", mean=0.0)
    monkeypatch.setattr(
        "analysis.results.circuits.every_corpus", lambda criteria: pd.concat([whole, part])
    )
    orders = results.orders().set_index("measure")
    assert orders["evidence"].to_dict() == dict(
        zip(asked, np.linspace(1, 0, len(names)), strict=True)
    )


def made_here(errors) -> CircuitResults:
    """Results of one circuit, on which measures err by so much."""
    measures = [*errors, *BASELINES]
    rows = [
        {"through": "model", "estimand": "effect", "circuit": "relay"}
        | {"measure": measure, "score": score, "mean": error}
        for measure, error in (errors | dict.fromkeys(BASELINES, 0.5)).items()
        for score in BY_DEPENDENCE.values()
    ]
    record = {"circuits": {"relay": {}}, "measures": {"model": measures}}
    nothing = pd.DataFrame()
    return CircuitResults(record, nothing, pd.DataFrame(rows), nothing, nothing, {}, None)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_table_holds_circuits_against_the_last_layer_of_trained_models(monkeypatch, language):
    errors = {"alti_rollout": 0.1, "raw": 0.2, "symbols": 0.3, "identity": 0.7}
    others = {"uniform": 0.0, "rollout_beside_uniform": 0.0}
    rows = pd.DataFrame(
        {"experiment": experiment, "variant": variant, "layer": layer, "subject": measure}
        | {"quantity": quantity, "texts": 3, "mean": error + more + (layer < 2)}
        for experiment in ("one", "two")
        for variant, more in (("pretrained", 1.0), ("finetuned", 0.0))
        for layer in (1, 2)
        for quantity in BY_DEPENDENCE.values()
        for measure, error in (errors | others).items()
    )
    # One that some model does not have, and one that has no order there.
    lacks = rows["experiment"].eq("two")
    ordered = rows["subject"].eq("symbols") & rows["quantity"].eq("rank_correlation")
    rows.loc[lacks & ordered, "mean"] = np.nan
    globenc = rows[rows["subject"].eq("raw") & ~lacks].assign(subject="globenc_rollout")
    monkeypatch.setattr(
        "analysis.results.circuits.curves", lambda *_, **where: pd.concat([rows, globenc])
    )
    here = {"rollout": 0.4, "raw": 0.6, "alti_rollout": 0.8, "globenc_rollout": 0.9}
    found = made_here(here).beside_models()
    assert (found.models, found.texts) == (["one", "two"], [3, 3])
    table = found.table.set_index("measure")
    # Uniform attention is another baseline in each.
    assert list(table.index) == ["raw", "alti_rollout", "symbols", "identity"]
    assert table["models_amount"].tolist() == pytest.approx([0.2, 0.1, 0.3, 0.7])
    assert table["circuits_amount"].tolist() == pytest.approx([0.6, 0.8, 0.5, 0.5])
    assert table["models_order"].isna().tolist() == [False, False, True, False]
    w = words(language, "circuits")
    cells, data = figures.models_table(found, w)
    assert data is found.table
    assert len(set(cells)) == 5 and not any("{" in column for column in cells)
    assert list(cells[w["models_amount"]]) == ["0.20", "0.10", "0.30", "0.70"]
    assert cells[w["models_order"]].tolist().count(w["not_defined"]) == 1


def test_a_run_without_a_token_to_replace_has_no_models_beside_circuits(monkeypatch):
    columns = ["experiment", "variant", "layer", "subject", "quantity", "texts", "mean"]
    nothing = pd.DataFrame({column: [] for column in columns})
    monkeypatch.setattr("analysis.results.circuits.curves", lambda *_, **where: nothing)
    found = made_here({"raw": 0.1}).beside_models()
    assert found.table.empty and not found.models


def beside(models) -> BesideModels:
    measures, here = ["alti_rollout", "raw", "rollout", "symbols", "identity"], [1, 2, 3, 4, 5]
    amounts = {f"{where}_amount": of for where, of in (("circuits", here), ("models", models))}
    orders = {f"{where}_order": [-1, -2, -3, -4, np.nan] for where in ("circuits", "models")}
    table = pd.DataFrame({"measure": measures} | amounts | orders)
    return BesideModels(table.astype(dict.fromkeys([*amounts, *orders], float)), ["one"], [2])


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_say_where_circuits_and_models_order_measures_otherwise(language):
    w = words(language, "circuits")
    same, reversed_, one = (
        model_sentences(beside(models), w)
        for models in ([1, 2, 3, 4, 5], [5, 4, 3, 2, 1], [4, 1, 2, 3, 5])
    )
    assert "1.00" in same["models-amount"]
    assert "\u22121.00" in reversed_["models-amount"]
    assert w["alti_rollout"] in one["models-amount"]  # from the first place to the fourth
    assert re.findall(r"\d+", one["models-amount"])[-2:] == ["1", "4"]
    assert len({said["models-amount"] for said in (same, reversed_, one)}) == 3
    assert same["models-order"] == one["models-order"]  # of four: identity has no order
    assert w["raw"] in one["models-nearest"] and w["symbols"] in one["models-nearest"]
    assert w["identity"] in reversed_["models-nearest"]


def learned_as(results, **tasks) -> LearnedResults:
    """Models whose scores are those on circuits, with other signs or other seeds, by task."""
    measures = results.measures("model")
    rows = [
        {"circuit": task, "norm": "post", "seed": seed, "text": 0, "measure": measure}
        | {"estimand": estimand, "score": score, "value": sign * here}
        for estimand, score in LEARNED.values()
        for measure, here in results.table("model", score, estimand=estimand).mean().items()
        for task, signs in tasks.items()
        for seed, sign in enumerate(signs)
        if measure in measures
    ]
    models = pd.DataFrame({"task": [*tasks], "accuracy": [0.995, 1.0], "on_task": [0.9, 0.8]})
    return LearnedResults(pd.DataFrame(rows), models)


@pytest.mark.parametrize("language", LANGUAGES)
def test_learned_models_stand_beside_circuits(results, language):
    w = words(language, "circuits")
    cells, data = figures.learned_table(results, w)
    assert list(data["measure"]) == results.measures("model")
    assert {"identity", "symbols"} <= set(data["measure"])
    assert not any("{" in column for column in cells)
    own = results.learned.scores.query(
        "circuit == 'copying' and estimand == 'effect' and score == 'roc_auc'"
    )
    means = own.groupby("measure")["value"].mean()
    shown = dict(zip(data["measure"], cells[w["copying_found"]], strict=True))
    assert shown == {measure: f"{mean:.2f}" for measure, mean in means.items()}


@pytest.mark.parametrize("language", LANGUAGES)
def test_orders_on_learned_models_are_compared_by_their_correlation(results, language):
    w = words(language, "circuits")
    alike = replace(results, learned=learned_as(results, retrieval=[1, 1], copying=[-3, 1]))
    said, judged = learned_sentences(alike, w), results.judged("model")
    for asked in LEARNED:
        found = re.findall(r"[\d.\u2212]+\d", said[f"learned-{asked}"])
        # The same, the other way round (more of it), and one seed of copying against the other.
        assert found[-3:] == ["1.00", "\u22121.00", "\u22121.00"]
    assert (said["learned-accuracy"], said["learned-on-task"]) == ("99.5%", "85%")
    table = alike.beside_learned().set_index("measure")
    np.testing.assert_allclose(table["copying_order"], -table["circuits_order"])
    numbers = {*map(int, re.findall(r"\d+", said["learned-identity"]))}
    own = table["circuits_order"]["identity"]
    behind = int((table["circuits_order"][judged] < own).sum())
    assert behind in numbers and len(judged) in numbers


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_explain_only_outcomes_that_can_be(results, language):
    """Circuits, ways and measures that there are; the same in both languages."""
    text = (MESSAGES / language / "messages" / "circuits.ftl").read_text(encoding="utf-8")
    explained = set(re.findall(r"^wrong_(\w+) =", text, re.M))
    possible = {
        f"{through}_{circuit}_{measure}"
        for through in ("layer", "model")
        for circuit in results.circuits
        for measure in results.measures(through)
    }
    assert explained <= possible
    for kind in ("does", "why"):
        assert set(re.findall(rf"^{kind}_(\w+) =", text, re.M)) == set(results.circuits)
    named = set(re.findall(r"^circuit_(\w+) =", text, re.M))
    assert named == set(results.circuits) | set(OF_PAIRS)
