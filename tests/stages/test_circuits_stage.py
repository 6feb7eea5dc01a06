"""Every measure is scored on every circuit; means, and where it was not as expected."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest
from safetensors.numpy import load_file
from tiny_experiment import parameters, written

from analysis.checks.runnable import require_kept_circuits
from analysis.results.circuits import kept_circuits
from analysis.stages.circuits import circuits, means
from attention_mixing.circuits import CIRCUITS, OF_PAIRS, layer_measures, model_measures
from attention_mixing.circuits.estimands import ESTIMANDS, FINDS
from attention_mixing.circuits.expected import LATER, expected
from attention_mixing.circuits.labels import BY_KEYS, OF_OTHERS
from attention_mixing.circuits.scores import scored
from attention_mixing.errors import InputError

COLUMNS = ["through", "estimand", "circuit", "norm", "seed", "text", "layer"]
COLUMNS += ["measure", "score", "value"]
KEPT = {"kept": True}
KEYS = ["through", "circuit", "measure", "score"]


@pytest.fixture(scope="module")
def scores(circuit_results):
    return pd.read_parquet(circuit_results / "scores.parquet")


def test_every_measure_is_scored_on_every_circuit(scores):
    keys = ["through", "estimand", "circuit", "measure"]
    by_pair = scores[scores["score"] == "roc_auc"].groupby(keys)
    measures = len(layer_measures()) + len(model_measures())
    assert len(by_pair) == len(ESTIMANDS) * len(CIRCUITS) * measures
    # Two bases, two placements, a text, in each of one or two layers.
    assert set(by_pair.size()) == {4, 8}
    assert scores["value"].dropna().between(-1, 1).all()


def test_scores_are_those_of_the_library(scores):
    measures = {name: model_measures()[name] for name in ("raw", "alti_logit")}
    alone = scored(
        measures,
        through="model",
        circuits=["relay"],
        norms=["pre"],
        seeds=[1],
        texts=1,
        text_seed=0,
    )
    same = scores.query(
        "through == 'model' and estimand == 'effect' and circuit == 'relay' and norm == 'pre' and "
        "seed == 1"
    ).merge(alone, on=list(alone.columns[:-1]), suffixes=("", "_alone"))
    assert len(same) == len(alone)
    np.testing.assert_allclose(same["value"], same["value_alone"], rtol=0, atol=1e-12)


def test_a_basis_moves_no_score_but_those_that_add_up_coordinates(scores):
    keys = ["through", "estimand", "circuit", "norm", "text", "layer", "measure", "score"]
    values = scores.groupby(keys)["value"]
    moved = (values.max() - values.min()).groupby("measure").max()
    assert moved.drop(["alti", "alti_rollout", "alti_logit"]).max() < 1e-6


def test_means_hold_all_that_was_expected(circuit_results):
    table = pd.read_parquet(circuit_results / "means.parquet")
    auc = table[table["score"] == "roc_auc"]
    columns = ["through", "circuit", "measure", "expected"]
    told = auc[columns].dropna().astype({"expected": bool}).reset_index(drop=True)
    pd.testing.assert_frame_equal(told, expected())
    of_effect = auc[auc["estimand"] == "effect"]
    assert set(of_effect.loc[of_effect["expected"].isna(), "measure"]) == set(LATER)
    assert auc.loc[auc["estimand"] != "effect", "expected"].isna().all()
    assert (auc["finds"] == (auc["mean"] >= FINDS)).all()


def test_crediting_all_symbols_alike_finds_what_depends_on_all_of_them(circuit_results):
    """So a measure that finds these circuits need not leave anything out."""
    record = json.loads((circuit_results / "circuits.json").read_text(encoding="utf-8"))
    on_all = {name for name, about in record["circuits"].items() if about["tokens"] == 6}
    table = pd.read_parquet(circuit_results / "means.parquet")
    chosen = table.query("score == 'roc_auc' and through == 'model' and estimand == 'effect'")
    found = chosen[chosen["measure"].eq("symbols") & chosen["finds"]]["circuit"]
    assert set(found) == on_all == {"uniform", "relay", "lookup", "key_alone"}


def test_texts_are_resampled_and_bases_and_placements_are_not():
    """Mean over all; the interval is that of two texts."""
    rows = [
        ("model", "effect", "relay", norm, seed, text, 0, "raw", "roc_auc", text + 0.1 * seed)
        for norm in ("post", "pre")
        for seed in (0, 1)
        for text in (0, 1)
    ]
    (row,) = means(pd.DataFrame(rows, columns=COLUMNS), parameters().bootstrap).itertuples()
    assert row.mean == pytest.approx(0.55)
    assert (row.low, row.high) == pytest.approx((0.05, 1.05))
    assert (row.smallest, row.largest, row.texts) == pytest.approx((0, 1.1, 2))
    assert not row.expected


def test_of_ten_bases_these_are_resampled_too():
    """All texts alike in a basis: over texts alone there would be no interval."""
    rows = [
        ("model", "effect", "relay", "post", seed, text, 0, "raw", "roc_auc", seed / 10)
        for seed in range(10)
        for text in (0, 1)
    ]
    table = pd.DataFrame(rows, columns=COLUMNS)
    (row,) = means(table, parameters().bootstrap).itertuples()
    assert row.mean == pytest.approx(0.45)
    assert 0.2 < row.low < 0.4 < 0.5 < row.high < 0.7
    (fewer,) = means(table[table["seed"] < 9], parameters().bootstrap).itertuples()
    assert fewer.low == fewer.high == pytest.approx(0.4)
    assert not row.finds


def test_variations_are_scored_as_circuits_are(circuit_results):
    table = pd.read_parquet(circuit_results / "variations.parquet")
    assert set(table) == {"variation", *COLUMNS}
    circuits_of = table.groupby("variation")["circuit"].agg(set)
    assert circuits_of["softer"] == set(CIRCUITS)
    for name in ("gain_20", "gain_5", "gain_2"):
        assert circuits_of[name] == set(BY_KEYS)
    assert circuits_of["longer"] == set(OF_OTHERS)
    # In pre-norm circuits, gains change nothing; longer texts take long.
    after = table.groupby("variation")["norm"].nunique() == 1
    assert set(after.index[after]) == {"norm_gains", "longer"}
    assert table["value"].dropna().between(-1 - 1e-9, 1 + 1e-9).all()
    assert table.query("variation == 'norm_gains'")["seed"].nunique() > 2


def test_pairs_have_shares_where_they_matter_only_together(circuit_results):
    table = pd.read_parquet(circuit_results / "pairs.parquet")
    assert set(table["circuit"]) == set(OF_PAIRS)
    assert set(table["measure"]) == {"truth", *model_measures()}
    shares = table.set_index("measure")["value"]
    assert shares.dropna().between(0, 1 + 1e-9).all()
    assert shares["symbols"].to_numpy() == pytest.approx(1 / 3)
    assert (shares["truth"] > 0).all() and (shares["identity"] == 0).all()
    record = json.loads((circuit_results / "circuits.json").read_text(encoding="utf-8"))
    assert set(record["orders"]) == {*OF_PAIRS, *CIRCUITS}
    assert record["orders"]["silent_sink"]["one"] is None
    assert record["orders"]["previous"]["one"] == pytest.approx(1)
    assert record["orders"]["lookup"]["two"] > 0.1


def test_the_record_says_what_circuits_depend_on(circuit_results):
    record = json.loads((circuit_results / "circuits.json").read_text(encoding="utf-8"))
    assert list(record["circuits"]) == list(CIRCUITS)
    assert len(record["tokens"]) == 7
    silent = record["circuits"]["silent_sink"]
    assert (silent["tokens"], silent["mixing"], silent["layers"]) == (1, 0, 1)
    assert record["circuits"]["uniform"]["tokens"] == 6


def test_the_example_has_shares(circuit_results):
    arrays = load_file(circuit_results / "example.safetensors")
    assert set(arrays) == {
        f"{circuit}/{name}" for circuit in CIRCUITS for name in ("truth", *model_measures())
    }
    for array in arrays.values():
        sums = array.sum(axis=-1)
        np.testing.assert_allclose(sums[np.isfinite(sums)], 1)
    assert np.isfinite(arrays["relay/truth"]).all()


def test_kept_results_are_those_of_the_committed_parameters_and_say_so(root, here):
    kept = here / "reference" / "quick" / "circuits"
    shutil.copytree(root / "reference" / "quick" / "circuits", kept)
    values = parameters()
    circuits(values.model_copy(update={"circuits": values.circuits.model_copy(update=KEPT)}))
    assert written(here / "results" / "circuits") == written(kept)
    note = kept_circuits()
    assert {*note} == {"commit", "date"}
    means = pd.read_parquet("results/circuits/means.parquet")
    assert {*means["measure"]} == {*layer_measures(), *model_measures()}


def test_results_that_were_not_kept_cannot_be_shown(here):
    values = parameters()
    shown = values.model_copy(update={"circuits": values.circuits.model_copy(update=KEPT)})
    require_kept_circuits(values)
    with pytest.raises(InputError, match=r"circuits\.kept is true, but reference/quick/circuits"):
        require_kept_circuits(shown)
