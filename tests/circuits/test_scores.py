"""Scores of measures on circuits: the truth has the best, and one's own measure has some."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
import torch

from attention_mixing.attributions.through import ThroughLayers
from attention_mixing.circuits import (
    CIRCUITS,
    circuit,
    draw_text,
    layer_measures,
    model_measures,
    score,
    scored,
    truths,
)
from attention_mixing.circuits.measures import _integral
from attention_mixing.circuits.truth import Truth
from attention_mixing.errors import InputError
from attention_mixing.methods.attention import head_mean
from attention_mixing.methods.flow import attention_flow
from attention_mixing.methods.rollout import attention_rollout, with_residual
from attention_mixing.yaml_text import read_yaml

ROOT = Path(__file__).parents[2]
ONE = {"norms": ["post"], "seeds": [0], "texts": 2}


def mine(text, written):
    """Half of a token is its own, half of the one that the first head reads most."""
    weights = text["attention"][-1, 0]
    tokens = len(weights)
    return (np.eye(tokens) + np.eye(tokens)[weights.argmax(axis=1)]) / 2


def test_a_measure_of_ones_own_is_scored_by_the_same_call():
    table = scored({"mine": mine}, through="model", circuits=["previous"], **ONE)
    means = table.groupby("score")["value"].mean()
    assert means["roc_auc"] == means["average_precision"] == 1
    # By hand: it is the truth but for rounding.
    assert means["total_variation"] < 1e-6
    assert means["mixing_error"] < 1e-6


@pytest.mark.slow
def test_what_the_page_shows_of_a_measure_of_ones_own_runs_as_it_stands(capsys):
    pages = [ROOT / "report" / language / "circuits.qmd" for language in ("en", "ja")]
    code = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)
    shown = [re.sub(" *#.*", "", code.search(page.read_text("utf-8"))[1]) for page in pages]
    assert shown[0] == shown[1]
    names: dict[str, object] = {}
    exec(shown[0], names)
    table = names["table"]
    assert set(table["measure"]) == {"strongest head"}
    assert set(table["circuit"]) == set(CIRCUITS)
    assert table["value"].notna().any()
    assert "two_hops" in capsys.readouterr().out


@pytest.mark.parametrize("name", CIRCUITS)
def test_the_truth_has_the_best_scores(name):
    text = draw_text(np.random.default_rng(1))
    truth = truths(circuit(name), text).model
    values = score(np.nan_to_num(truth.share), truth)
    assert values["total_variation"] == pytest.approx(0, abs=1e-12)
    assert values["mixing_error"] == pytest.approx(0, abs=1e-12)
    for best in ("roc_auc", "average_precision", "rank_correlation"):
        assert values[best] == pytest.approx(1)


def test_scores_of_a_row_by_hand():
    depends = np.array([[False] * 3, [False, True, True], [False, False, True]])
    share = np.array([[np.nan] * 3, [0, 0.5, 0.5], [0, 0, 1]])
    matrix = np.array([[1.0, 0, 0], [0.5, -0.5, 0], [0, 0.25, 0.75]])
    values = score(matrix, Truth(depends, share))
    # Row 1: (tie 1/2 + below 0) / 2 = 1/4; row 2: 1.
    assert values["roc_auc"] == pytest.approx((0.25 + 1) / 2)
    # Row 1: 1/2 for the tie of two, 2/3 at the last; row 2: 1.
    assert values["average_precision"] == pytest.approx(((1 / 2 + 2 / 3) / 2 + 1) / 2)
    assert values["total_variation"] == pytest.approx((0.5 + 0.25) / 2)
    # Shares of others: .5 for .5 and .25 for 0.
    assert values["mixing_error"] == pytest.approx((0 + 0.25) / 2)
    # Among the symbols, row 1 has none that is not depended on; row 2 is right.
    assert values["roc_auc_symbols"] == 1


def test_lengths_are_the_roots_of_variances():
    """A row of variances .8 and .2 is one of lengths 2/3 and 1/3."""
    depends, share = np.array([[False] * 3] + [[False, True, True]] * 2), np.full((3, 3), np.nan)
    share[1:] = [[0, 0.8, 0.2], [0, 0.2, 0.8]]
    lengths = np.array([[1.0, 0, 0], [0, 2 / 3, 1 / 3], [0, 1 / 3, 2 / 3]])
    values = score(lengths, Truth(depends, share))
    assert values["mixing_error_lengths"] == pytest.approx(0)
    assert values["mixing_error"] == pytest.approx(1 / 3 - 0.2)


def test_what_draws_on_nothing_has_no_score():
    truth = Truth(np.eye(3, dtype=bool), np.eye(3))
    assert np.isnan(list(score(np.zeros((3, 3)), truth).values())).all()


def test_another_shape_is_refused():
    with pytest.raises(InputError, match=r"'wrong'.*\(7, 7\)"):
        scored({"wrong": lambda text, written: np.ones(3)}, through="model", **ONE)


def test_integrals_add_up_to_what_the_logits_change():
    """Completeness, of a path each from two texts; the circuit without a kink on the way."""
    written, text = circuit("cancelling_heads", norm="pre"), draw_text(np.random.default_rng(2))
    table = written.model.get_input_embeddings()
    rows = [" ".join(each) for each in (text, text[::-1], ["a0"] * len(text))]
    ids = written.tokenizer(rows, return_tensors="pt")["input_ids"]
    with torch.no_grad():
        embedded = table(ids)
        logits = written.model(inputs_embeds=embedded).logits
    integral = _integral(written, embedded[1:], embedded[:1], 64)
    expected = (logits[0] - logits[1:].mean(dim=0)).numpy()
    np.testing.assert_allclose(integral.sum(dim=-1).numpy(), expected, atol=1e-9)


def test_rollout_and_flow_of_circuits_keep_the_share_that_is_given():
    written = circuit("two_hops")
    text = written.capture(draw_text(np.random.default_rng(3)))
    attention = head_mean(text["attention"])
    for residual in (0.5, 0.3):
        measures = model_measures(ThroughLayers(residual))
        mixed = with_residual(attention, residual)
        found = {name: measures[name](text, written) for name in ("rollout", "flow", "raw")}
        np.testing.assert_array_equal(found["rollout"], attention_rollout(mixed)[-1])
        np.testing.assert_array_equal(found["flow"], attention_flow(mixed).values)
        np.testing.assert_array_equal(found["raw"], attention[-1])
        # That of one layer is AttnRes-W, whose residual is one half.
        of_layer = layer_measures()["attnres_w"](text, written)
        np.testing.assert_array_equal(of_layer, with_residual(attention, 0.5))


def test_leaving_out_is_what_the_logits_lose_without_an_embedding():
    """Of a sum of what tokens bring, by hand: each is half of what is read."""
    written, text = circuit("cancelling_heads"), ["a0", "b1", "a1", "a0", "b0", "b1"]
    scores = model_measures()["left_out_unknown"](written.capture(text), written)
    off = ~np.eye(len(scores), dtype=bool)
    assert scores[off].max() < 1e-9  # what is brought is taken away again
    assert (np.diagonal(scores)[1:] > 1).all()
    assert scores[0, 0] == 0  # the beginning stays


def test_gradients_from_other_texts_find_keys_that_those_from_padding_miss():
    measures = {
        name: model_measures()[name] for name in ("expected_gradients", "integrated_gradients")
    }
    table = scored(measures, through="model", circuits=["lookup", "key_alone"], **ONE)
    auc = table[table["score"] == "roc_auc"].groupby("measure")["value"].mean()
    assert auc["expected_gradients"] == 1 > 0.9 > auc["integrated_gradients"]


@pytest.mark.parametrize("name", CIRCUITS)
def test_a_softer_circuit_is_meant_to_depend_on_the_same(name):
    text, gain = draw_text(np.random.default_rng(3)), 10.0
    full, softer = circuit(name), circuit(name, gain=gain)
    np.testing.assert_array_equal(
        truths(full, text).model.depends, truths(softer, text).model.depends
    )
    weights = [each.capture(text)["attention"] for each in (full, softer)]
    # A weight that should be nothing is at most exp(-gain / 2) of the largest of its row; a little
    # more where what a second layer compares is not quite what a first one should have brought.
    nothing = weights[0] < 1e-6
    beside = weights[1] / weights[1].max(axis=-1, keepdims=True)
    assert beside[nothing].max(initial=0) <= 1.01 * np.exp(-gain / 2) + 1e-6


def test_expectations_name_circuits_and_measures_that_there_are():
    expected = read_yaml(files("attention_mixing.circuits") / "expected.yaml")
    assert list(expected) == list(CIRCUITS)
    for of_circuit in expected.values():
        assert set(of_circuit) == {"layer", "model", "why"}
        assert set(of_circuit["layer"]) <= set(layer_measures())
        assert {name for row in of_circuit["model"] for name in row} <= set(model_measures())
